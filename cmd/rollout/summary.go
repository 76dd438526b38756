package main

import (
	"fmt"
	"io"
	"strings"
)

// printSummary compares the rolls, a column for each.
func printSummary(w io.Writer, rolls []*history) error {
	rows := [][]string{{""}}
	for _, label := range summaryLabels(rolls[0].outage.zone) {
		rows = append(rows, []string{label})
	}
	for _, h := range rolls {
		name := "plain budget"
		if h.sequential {
			name = "one zone at a time"
		}
		for i, cell := range append([]string{name}, h.summary()...) {
			rows[i] = append(rows[i], cell)
		}
	}
	_, err := io.WriteString(w, columns(rows))
	return err
}

// summaryLabels are what the cells of summary mean.
func summaryLabels(failed string) []string {
	labels := []string{"zones with nodes in flight at once, at most", "time with nodes in flight in several zones"}
	for _, z := range zoneSizes {
		labels = append(labels, "most nodes in flight at once in "+z.zone)
	}
	return append(labels, "in flight in other zones when "+failed+" failed", "zone changes from one start to the next",
		"nodes replaced", "duration", "of that, the window was open")
}

// summary returns the figures of a roll.
func (h *history) summary() []string {
	f := h.figures()
	cells := []string{fmt.Sprintf("%d of %d", f.zonesAtOnce, len(zoneSizes)), length(f.shared)}
	for i, z := range zoneSizes {
		cells = append(cells, fmt.Sprintf("%d of %d (%d%%)", f.most[i], z.nodes, (100*f.most[i]+z.nodes/2)/z.nodes))
	}
	return append(cells, fmt.Sprint(f.elsewhere), fmt.Sprint(f.changes), fmt.Sprintf("%d of %d", f.replaced, len(h.slots)),
		length(f.took), length(f.open))
}

// columns aligns rows of cells.
func columns(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len(cell))
		}
	}
	var out strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&out, "%-*s", widths[0], row[0])
		for i, cell := range row[1:] {
			fmt.Fprintf(&out, "   %*s", widths[i+1], cell)
		}
		out.WriteString("\n")
	}
	return out.String()
}
