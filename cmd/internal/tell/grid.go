package tell

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// usualWidth is how many columns of text are drawn at the most where nobody knows how wide the terminal is.
const usualWidth = 80

// A Grid aligns columns. The first row is the header, which may be empty. A column with nothing in it is not shown. The
// last column is wrapped. Where the rows are wider than the terminal, headers take two lines, and then cells are cut
// with an ellipsis. No header of up to 20 columns is cut. Where there is no terminal, as in a pipe, nothing is cut or
// wrapped.
type Grid struct {
	Rows  [][]string
	Width int // 0: that of the terminal
	right map[int]bool
	keep  map[int]bool
}

const (
	gap        = 2  // between columns
	leastCell  = 8  // a column is cut to no less
	leastWraps = 12 // nor is the last
	readable   = 20 // the last is wrapped to no less before others are cut
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
	cells, headers := g.full()
	widths := make([]int, len(cells))
	for i := range cells {
		widths[i] = max(cells[i], headers[i])
	}
	most, known := g.most()
	if !known {
		return widths
	}
	last := len(widths) - 1
	if g.wraps() && !g.keep[last] {
		widths[last] -= max(0, min(total(widths)-most, widths[last]-max(readable, headers[last])))
	}
	g.fold(widths, cells, headers, most)
	least := slices.Clone(widths)
	for i := range widths {
		if widths[i] > 0 && !g.keep[i] {
			least[i] = max(leastCell, min(mostHeader, headers[i]))
		}
	}
	if g.wraps() {
		least[last] = min(widths[last], leastWraps)
	}
	fit(widths, least, most)
	return widths
}

// most returns how wide the rows may be, if anything limits that.
func (g *Grid) most() (most int, known bool) {
	if g.Width > 0 {
		return g.Width, true
	}
	return columns()
}

// full returns how wide the cells of each column are, and its header: 0 for columns that are not shown.
func (g *Grid) full() (cells, headers []int) {
	cells, headers = make([]int, len(g.Rows[0])), make([]int, len(g.Rows[0]))
	for _, row := range g.Rows[1:] {
		for i, cell := range row {
			cells[i] = max(cells[i], utf8.RuneCountInString(cell))
		}
	}
	for i, name := range g.Rows[0] {
		if cells[i] > 0 {
			headers[i] = utf8.RuneCountInString(name)
		}
	}
	return cells, headers
}

// fold gives headers two lines until all columns fit, those first that are too wide for their column by most.
func (g *Grid) fold(widths, cells, headers []int, most int) {
	for total(widths) > most {
		widest, gain := 0, 0
		for i, name := range g.Rows[0] {
			if n := widths[i] - max(cells[i], folded(name)); headers[i] > 0 && n > gain {
				widest, gain = i, n
			}
		}
		if gain == 0 {
			return
		}
		widths[widest] -= gain
		headers[widest] = folded(g.Rows[0][widest])
	}
}

// folded returns how wide a header is on two lines.
func folded(name string) int {
	all := []rune(name)
	n := len(all)
	for i, r := range all {
		if r == ' ' {
			n = min(n, max(i, len(all)-i-1))
		}
	}
	return n
}

// total returns how wide the columns are that are shown.
func total(widths []int) int {
	n := -gap
	for _, w := range widths {
		if w > 0 {
			n += w + gap
		}
	}
	return n
}

// wraps reports whether the last column has a text, which may be wrapped.
func (g *Grid) wraps() bool { last := len(g.Rows[0]) - 1; return last > 0 && !g.right[last] }

// fit narrows the widest columns until all fit, or none can be narrower.
func fit(widths, least []int, most int) {
	for over := total(widths) - most; over > 0; over-- {
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
	_, narrow := g.most()
	for r, row := range g.Rows {
		if r == 0 {
			if slices.ContainsFunc(row, func(name string) bool { return name != "" }) {
				lines = append(lines, g.header(widths))
			}
			continue
		}
		var line strings.Builder
		at := 0
		for i, cell := range row {
			if widths[i] == 0 {
				continue
			}
			cell = cmp.Or(cell, "-")
			if i == len(row)-1 && i > shown && g.wraps() && narrow {
				indent := strings.Repeat(" ", at)
				lines := strings.Split(wrap(indent+cell, indent, at+widths[i]), "\n")
				for j, l := range lines {
					lines[j] = Cut(l, at+widths[i])
				}
				line.WriteString(strings.TrimPrefix(strings.Join(lines, "\n"), indent))
				break
			}
			line.WriteString(g.aligned(cell, i, widths[i]))
			at += widths[i] + gap
		}
		lines = append(lines, strings.TrimRight(line.String(), " "))
	}
	return lines
}

// header returns the first row, in as many lines as it takes.
func (g *Grid) header(widths []int) string {
	var lines []string
	for row := 0; row == 0 || strings.TrimSpace(lines[row-1]) != ""; row++ {
		var line strings.Builder
		for i, name := range g.Rows[0] {
			if widths[i] == 0 {
				continue
			}
			text := ""
			if folded := strings.Split(wrap(name, "", widths[i]), "\n"); row < len(folded) {
				text = folded[row]
			}
			line.WriteString(g.aligned(text, i, widths[i]))
		}
		lines = append(lines, strings.TrimRight(line.String(), " "))
	}
	return strings.Join(lines[:len(lines)-1], "\n")
}

// aligned returns the cell of a column, and the gap behind it.
func (g *Grid) aligned(cell string, column, width int) string {
	cell = Cut(cell, width)
	padding := strings.Repeat(" ", width-utf8.RuneCountInString(cell))
	if g.right[column] {
		cell = padding + cell
	} else {
		cell += padding
	}
	return cell + strings.Repeat(" ", gap)
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
