package timetable

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/disruptkit/disruptkit/budget"
)

// amount describes how many nodes may be disrupted at once: "closed", "10 of 100" or "unlimited".
func amount(n, nodes int) string {
	switch n {
	case 0:
		return "closed"
	case budget.Unlimited:
		return "unlimited"
	}
	return fmt.Sprintf("%d of %d", n, nodes)
}

// A total is for how long an amount holds.
type total struct {
	nodes  int
	length time.Duration
}

// totals returns what spans come to between two times, by amount.
func totals(spans []budget.Segment, within span) []total {
	sums := map[int]time.Duration{}
	for _, s := range spans {
		sums[s.Nodes] += span{s.Start, s.End}.cut(within).length()
	}
	var totals []total
	for n, length := range sums {
		totals = append(totals, total{n, length})
	}
	slices.SortFunc(totals, func(a, b total) int { return cmp.Compare(a.nodes, b.nodes) })
	return totals
}

// A scale gives amounts their shades: the more nodes, the further from the page. Closed and unlimited have none.
type scale struct{ amounts []int } // that there are, in ascending order

const shades = 5

// spread is which shades so many amounts have, so that few of them differ most.
var spread = [shades + 1][]int{1: {1}, 2: {1, 3}, 3: {0, 2, 4}, 4: {0, 2, 3, 4}, 5: {0, 1, 2, 3, 4}}

func newScale(charts []chart) scale {
	present := map[int]bool{}
	for _, c := range charts {
		for _, s := range c.spans {
			if s.Nodes != budget.Unlimited && s.Nodes > 0 {
				present[s.Nodes] = true
			}
		}
	}
	var s scale
	for n := range present {
		s.amounts = append(s.amounts, n)
	}
	slices.Sort(s.amounts)
	return s
}

// shade returns which of the shades an amount has. Where there are more amounts than shades, neighbours share one.
func (s scale) shade(n int) int {
	i, _ := slices.BinarySearch(s.amounts, n)
	count := len(s.amounts)
	if count > shades {
		i, count = i*shades/count, shades
	}
	return spread[count][i]
}

// legend returns the shades that are there, with what each is: "10 of 100", or "2 to 5 of 100".
func (s scale) legend(nodes int) (used []int, texts []string) {
	for i := 0; i < len(s.amounts); {
		shade, last := s.shade(s.amounts[i]), i
		for last+1 < len(s.amounts) && s.shade(s.amounts[last+1]) == shade {
			last++
		}
		text := amount(s.amounts[last], nodes)
		if last > i {
			text = strconv.Itoa(s.amounts[i]) + " to " + text
		}
		used, texts = append(used, shade), append(texts, text+" nodes at once")
		i = last + 1
	}
	return used, texts
}
