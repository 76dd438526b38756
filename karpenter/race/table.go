package main

import (
	"fmt"
	"strings"

	"github.com/disruptkit/disruptkit/karpenter/internal/race"
)

// A cost is what an answer costs.
type cost struct {
	nanos  float64
	allocs int64
}

// A row is a race that is over.
type row struct {
	rule, size            string
	karpenter, disruptkit cost
}

// A layout puts the cells of a line together. Those from the third on are numbers.
type layout struct {
	line func(cells []string) string
	rule string // between the head and the rest
}

// A table is printed line by line, as races end.
type table struct{ layout }

func (t table) head() string {
	return t.layout.line([]string{"RULE", "SIZE", "KARPENTER", "ALLOCS", "DISRUPTKIT", "ALLOCS", "FASTER"}) + t.rule
}

func (t table) line(r row) string {
	return t.layout.line([]string{
		r.rule, r.size,
		humanized(r.karpenter.nanos), race.Grouped(r.karpenter.allocs),
		humanized(r.disruptkit.nanos), race.Grouped(r.disruptkit.allocs),
		times(r.karpenter.nanos / r.disruptkit.nanos),
	})
}

// text is for terminals: 99 columns.
var text = layout{line: func(cells []string) string {
	return fmt.Sprintf("%-37s %-12s %9s %9s %10s %9s %7s\n", anys(cells)...)
}}

var inMarkdown = layout{
	line: func(cells []string) string { return "| " + strings.Join(cells, " | ") + " |\n" },
	rule: "| --- | --- | ---: | ---: | ---: | ---: | ---: |\n",
}

func anys(cells []string) (list []any) {
	for _, c := range cells {
		list = append(list, c)
	}
	return list
}

// humanized returns a time with three digits: "6.36 µs".
func humanized(nanos float64) string {
	for _, unit := range []string{"ns", "µs", "ms"} {
		if nanos < 999.5 {
			return digits(nanos) + " " + unit
		}
		nanos /= 1000
	}
	return digits(nanos) + " s"
}

// digits returns a number with three digits.
func digits(x float64) string {
	switch {
	case x < 9.995:
		return fmt.Sprintf("%.2f", x)
	case x < 99.95:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

// times returns a factor, as exact as it is steady.
func times(factor float64) string {
	if factor < 9.95 {
		return fmt.Sprintf("%.1fx", factor)
	}
	return fmt.Sprintf("%.0fx", factor)
}
