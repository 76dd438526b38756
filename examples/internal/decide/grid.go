package decide

import (
	"cmp"
	"strings"
	"unicode/utf8"
)

// A grid aligns columns. The first row is the header. A column with nothing in it is not shown.
type grid struct {
	rows  [][]string
	right map[int]bool // columns that are aligned to the right
}

func newGrid(header ...string) *grid { return &grid{rows: [][]string{header}, right: map[int]bool{}} }

func (g *grid) alignRight(columns ...int) *grid {
	for _, i := range columns {
		g.right[i] = true
	}
	return g
}

func (g *grid) add(cells ...string) { g.rows = append(g.rows, cells) }

// widths returns how wide each column is, and 0 for those that are not shown.
func (g *grid) widths() []int {
	widths := make([]int, len(g.rows[0]))
	for _, row := range g.rows[1:] {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for i, name := range g.rows[0] {
		if widths[i] > 0 {
			widths[i] = max(widths[i], len(name))
		}
	}
	return widths
}

// lines returns a line for each row.
func (g *grid) lines() []string {
	widths := g.widths()
	var lines []string
	for _, row := range g.rows {
		var line strings.Builder
		for i, cell := range row {
			if widths[i] == 0 {
				continue
			}
			cell = cmp.Or(cell, "-")
			padding := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if g.right[i] {
				line.WriteString(padding + cell + "  ")
			} else {
				line.WriteString(cell + padding + "  ")
			}
		}
		lines = append(lines, strings.TrimRight(line.String(), " "))
	}
	return lines
}

func (g *grid) String() string { return strings.Join(g.lines(), "\n") + "\n" }
