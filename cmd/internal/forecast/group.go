package forecast

import (
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// A group is of reasons for which the same is allowed.
type group struct {
	reasons  []candidate.Reason
	timeline []budget.Segment
}

// groups groups reasons for which the same is to be said.
func (p *pool) groups(reasons []candidate.Reason, same func(a, b candidate.Reason) bool) (groups []group) {
	for _, reason := range reasons {
		i := slices.IndexFunc(groups, func(g group) bool { return same(g.reasons[0], reason) })
		if i < 0 {
			i = len(groups)
			groups = append(groups, group{timeline: p.timelines[reason]})
		}
		groups[i].reasons = append(groups[i].reasons, reason)
	}
	return groups
}

// sameTimeline reports whether the same is allowed for two reasons, for the same causes.
func (p *pool) sameTimeline(a, b candidate.Reason) bool {
	never := p.never(a)
	return same(p.timelines[a], p.timelines[b]) && slices.Equal(p.pausesOf(a), p.pausesOf(b)) && never == p.never(b) &&
		(never != "" || p.disruptAfter(a) == p.disruptAfter(b) && p.budgets.Minimum(a).Age == p.budgets.Minimum(b).Age &&
			p.overdue(a) == p.overdue(b))
}

// sameNumbers reports whether the same is allowed for two reasons at all times.
func (p *pool) sameNumbers(a, b candidate.Reason) bool {
	return same(numbers(p.timelines[a]), numbers(p.timelines[b]))
}

func same(a, b []budget.Segment) bool {
	return slices.EqualFunc(a, b, func(a, b budget.Segment) bool {
		return a.Start.Equal(b.Start) && a.End.Equal(b.End) && a.Allowance == b.Allowance && a.Paces == b.Paces
	})
}

// numbers returns a timeline without the budgets that bind.
func numbers(timeline []budget.Segment) (n []budget.Segment) {
	for _, s := range timeline {
		s.Binding, s.Paces = 0, 0
		if last := len(n) - 1; last >= 0 && n[last].Nodes == s.Nodes {
			n[last].End = s.End
			continue
		}
		n = append(n, s)
	}
	return n
}

// names returns "Drifted, Empty".
func (g group) names() string {
	var names []string
	for _, r := range g.reasons {
		names = append(names, string(r))
	}
	return strings.Join(names, ", ")
}
