package budget

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// longestDeadline is a year, as for Budget.Per.
const longestDeadline = 366 * 24 * time.Hour

// Deadline returns how long after a reason begins to hold a node is overdue: what Control.Deadline says, or candidate.Forever for
// never.
func (s Set) Deadline(reason candidate.Reason) time.Duration {
	if d, ok := s.get().deadlines.find(reason); ok {
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

// Overdue returns how many nodes may be in flight at once so that one more may go that is overdue for a reason, be the windows of
// budgets open or closed: the least that any budget for the reason gives above 0, paces included, whether it is active or not; 1, if
// none gives more than 0. Where the most specific budgets decide, those that they shadow count, too.
//
// All that is in flight counts against it, whatever its reason, as in Usage.TotalFor. It is an addition: where AllowedByReason and paces
// let the node go, it goes anyway. Budgets with a topology key take no part. What is broken, and a reason that no budget can know,
// lets nothing go: overdue nodes wait until somebody mends it.
func (s Set) Overdue(nodes int, reason candidate.Reason) Allowance {
	set := s.get()
	if !set.knows(reason) || set.brokenFor(reason) {
		return Allowance{}
	}
	least, zeros := Allowance{Nodes: Unlimited}, Allowance{Nodes: 1}
	for _, list := range [][]compiled{set.pool, set.paces} {
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

// deadlines returns the deadline of each method that has one, that of "" for all others: candidate.Forever is none.
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

// deadline returns what a control says, and what is wrong with it. What is wrong is no deadline.
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
