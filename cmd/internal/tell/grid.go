package tell

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// usualWidth is how many columns of text a table has at the most where nobody knows how wide the terminal is.
const usualWidth = 80

// A Grid aligns columns. The first row is the header, which may be empty. A column with nothing in it is not shown. Where the rows are wider than the terminal, the
// last column is wrapped, and cells of others are cut with an ellipsis. Headers of up to 20 columns never are.
type Grid struct {
	Rows  [][]string
	Wide  bool // nothing is cut or wrapped
	Width int  // 0: as wide as the terminal, or usualWidth
	// Marks stand behind the last cells of some rows, which are cut, not wrapped. An empty one is fine.
	Marks map[int]string
	right map[int]bool
	keep  map[int]bool
}

const (
	gap        = 2  // between columns
	leastCell  = 8  // a column is cut to no less
	leastWraps = 12 // nor is the last
	mostHeader = 20 // a longer header may be cut
)

// NewGrid returns a grid without rows but the header.
func NewGrid(header ...string) *Grid {
	return &Grid{Rows: [][]string{header}, right: map[int]bool{}, keep: map[int]bool{}}
}

// AlignRight aligns columns to the right.
func (g *Grid) AlignRight(columns ...int) *Grid {
	for _, i := range columns {
		g.right[i] = true
	}
	return g
}

// Keep cuts no cell of some columns, such as times.
func (g *Grid) Keep(columns ...int) *Grid {
	for _, i := range columns {
		g.keep[i] = true
	}
	return g
}

// Add adds a row. An empty cell is shown as a dash.
func (g *Grid) Add(cells ...string) { g.Rows = append(g.Rows, cells) }

// widths returns how wide each column is, and 0 for those that are not shown.
func (g *Grid) widths() []int {
	widths := make([]int, len(g.Rows[0]))
	for r, row := range g.Rows[1:] {
		for i, cell := range row {
			width := utf8.RuneCountInString(cell)
			if i == len(row)-1 {
				width += utf8.RuneCountInString(g.Marks[r+1])
			}
			widths[i] = max(widths[i], width)
		}
	}
	least := make([]int, len(widths))
	for i, name := range g.Rows[0] {
		if widths[i] > 0 {
			widths[i], least[i] = max(widths[i], utf8.RuneCountInString(name)), max(leastCell, min(mostHeader, utf8.RuneCountInString(name)))
		}
	}
	if last := len(least) - 1; g.wraps() {
		least[last] = min(widths[last], leastWraps)
	}
	if !g.Wide {
		most := cmp.Or(g.Width, width(usualWidth))
		for i := range g.keep {
			least[i] = widths[i]
		}
		fit(widths, least, most)
	}
	return widths
}

// wraps reports whether the last column has a text, which may be wrapped.
func (g *Grid) wraps() bool { last := len(g.Rows[0]) - 1; return last > 0 && !g.right[last] }

// fit narrows the widest columns until all fit, or none can be narrower.
func fit(widths, least []int, most int) {
	total := -gap
	for _, w := range widths {
		if w > 0 {
			total += w + gap
		}
	}
	for ; total > most; total-- {
		widest := -1
		for i, w := range widths {
			if w > least[i] && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return
		}
		widths[widest]--
	}
}

// Lines returns a text for each row, which has several lines where its last cell is wrapped.
func (g *Grid) Lines() (lines []string) {
	widths := g.widths()
	shown := slices.IndexFunc(widths, func(w int) bool { return w > 0 })
	for r, row := range g.Rows {
		if r == 0 && !slices.ContainsFunc(row, func(name string) bool { return name != "" }) {
			continue
		}
		var line strings.Builder
		at := 0
		for i, cell := range row {
			if widths[i] == 0 {
				continue
			}
			cell = cmp.Or(cell, "-")
			if i == len(row)-1 && i > shown && g.wraps() && !g.Wide {
				if mark, cut := g.Marks[r]; cut {
					line.WriteString(Cut(cell, widths[i]-utf8.RuneCountInString(mark)) + mark)
				} else {
					indent := strings.Repeat(" ", at)
					lines := strings.Split(wrap(indent+cell, indent, at+widths[i]), "\n")
					for i, l := range lines {
						lines[i] = Cut(l, at+widths[len(widths)-1])
					}
					line.WriteString(strings.TrimPrefix(strings.Join(lines, "\n"), indent))
				}
				break
			}
			cell = Cut(cell, widths[i])
			padding := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if g.right[i] {
				cell = padding + cell
			} else {
				cell += padding
			}
			line.WriteString(cell + strings.Repeat(" ", gap))
			at += widths[i] + gap
		}
		lines = append(lines, strings.TrimRight(line.String(), " "))
	}
	return lines
}

// String returns all lines.
func (g *Grid) String() string { return strings.Join(g.Lines(), "\n") + "\n" }

// Cut returns a text that is not wider than some columns: an ellipsis stands for the end of a longer one.
func Cut(text string, columns int) string {
	if utf8.RuneCountInString(text) <= columns {
		return text
	}
	return strings.TrimRight(head(text, columns-1), " ") + "…"
}

// Fit cuts a text where the terminal is too narrow for it and so many other columns.
func Fit(text string, others int) string { return Cut(text, max(leastCell, width(usualWidth)-others)) }
