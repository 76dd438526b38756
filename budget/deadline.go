package budget

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// longestDeadline is a year, as for Budget.Per.
const longestDeadline = 366 * 24 * time.Hour

// Deadline returns how long after a reason begins to hold a node becomes overdue: Control.Deadline, or
// candidate.Forever for never.
func (s Set) Deadline(reason candidate.Reason) time.Duration {
	return s.get().deadlines.orNever(reason)
}

// orNever returns what is said of a reason, or candidate.Forever.
func (p patience) orNever(reason candidate.Reason) time.Duration {
	if d, ok := p.find(reason); ok {
		return d
	}
	return candidate.Forever
}

// Deadlines reports whether any control has a deadline.
func (s Set) Deadlines() bool {
	for _, d := range s.get().deadlines {
		if d != candidate.Forever {
			return true
		}
	}
	return false
}

// Overdue returns how many nodes may be disrupted at once for a reason once nodes are overdue, whatever the windows of
// budgets: the lowest limit above 0 of all budgets for the reason, paces included, active or not, or 1 if no limit is
// above 0. If the most specific budgets decide, less specific ones count, too.
//
// All nodes in flight count against it, whatever their reason, as in [Usage.TotalFor]. It comes in addition to
// AllowedByReason and paces: if these let a node go, it may go anyway. Budgets with a topology key do not affect it.
// Broken budgets, and a reason that no budget can know, allow nothing: overdue nodes wait until somebody fixes that.
func (s Set) Overdue(nodes int, reason candidate.Reason) Allowance {
	if set := s.get(); set.knows(reason) && !set.brokenFor(reason) {
		return set.overdue(nodes, reason)
	}
	return Allowance{}
}

// overdue is Overdue for a reason of which nothing is broken.
func (s *set) overdue(nodes int, reason candidate.Reason) Allowance {
	least, zeros := Allowance{Nodes: Unlimited}, Allowance{Nodes: 1}
	for _, list := range [][]compiled{s.pool, s.paces} {
		for i := range list {
			b := &list[i]
			switch {
			case !b.covers(reason):
			case b.limit.of(nodes) > 0:
				least.limit(b, nodes)
			default:
				zeros.Binding.add(b.index)
			}
		}
	}
	if least.Nodes == Unlimited {
		return zeros
	}
	return least
}

// deadlines returns the deadline of each method that has one. That of "" is for all others. candidate.Forever means
// none.
func (spec Spec) deadlines() (p patience, warnings []candidate.Warning) {
	for _, c := range spec.controls() {
		if c.Deadline == "" {
			continue
		}
		if p == nil {
			p = patience{}
		}
		d, fault := c.deadline()
		if fault != "" {
			warnings = append(warnings, candidate.Warning{
				Code: candidate.CodeInvalidBudget, Field: c.name + ".deadline", Value: c.Deadline,
				Message: fault + "; until then, windows and paces hold as if there were no deadline",
			})
		}
		p[c.method] = d
	}
	return p, warnings
}

// deadline returns the deadline of a control, and what is wrong with it. An invalid deadline counts as none.
func (c namedControl) deadline() (d time.Duration, fault string) {
	const never = candidate.Forever
	d, ok := parseAfter(c.Deadline)
	after, _ := parseAfter(c.DisruptAfter)
	switch {
	case d == never && ok:
		return never, ""
	case d > longestDeadline:
		return never, fmt.Sprintf("deadline %.100q is not a duration of at most a year: write one such as 336h, or Never", c.Deadline)
	case d == 0:
		return never, fmt.Sprintf("deadline %.100q is zero, and windows would never hold: write how long they hold at most, such as 336h", c.Deadline)
	case d < after:
		return never, fmt.Sprintf("deadline %.100q comes before disruptAfter %.100q lets a node go: write a longer one", c.Deadline, c.DisruptAfter)
	}
	return d, ""
}
