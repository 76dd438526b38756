package naive

import (
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// Deadline returns the deadline of one of a node's conditions: its own, or that of the controls of the node's pool, if
// there is only one pool of that name. One of its own that is before the reason began to hold is none.
func Deadline(in disruptkit.Input, n candidate.Node, c candidate.Condition) time.Time {
	switch {
	case n.InFlight() || len(withUnit(in, n)) < 2:
		return deadlineAlone(in, n, c)
	case c.Deadline.Before(c.Since):
		return time.Time{}
	}
	return c.Deadline // that of the node of the unit that has the reason
}

func deadlineAlone(in disruptkit.Input, n candidate.Node, c candidate.Condition) time.Time {
	own := c.Deadline
	if own.Before(c.Since) {
		own = time.Time{}
	}
	if own.IsZero() && !c.Since.IsZero() {
		same := 0
		for _, p := range in.Pools {
			if p.Name == n.Pool {
				same++
				if after := p.Budgets.Deadline(c.Reason); after != candidate.Forever {
					own = c.Since.Add(after)
				}
			}
		}
		if same > 1 {
			own = time.Time{}
		}
	}
	return own
}

// dated reports whether a condition has a deadline that holds.
func dated(c candidate.Condition) bool {
	return !c.Deadline.IsZero() && c.Deadline.Compare(c.Since) >= 0
}

// overdue reports whether that deadline has come.
func overdue(c candidate.Condition, now time.Time) bool { return dated(c) && now.Sub(c.Deadline) >= 0 }

// late returns the code of what blocks an overdue node that nothing else allows, while others are in flight: each
// budget for its reason that gives more than 0, open or not, on its own.
func late(p scope, now time.Time, nodes int, reason candidate.Reason, inFlight int) []string {
	if _, err := budget.AllowedByReason(p.Budgets, now, nodes, reason); err != nil {
		return []string{refusal(err)}
	}
	gives, held := 0, false
	for _, b := range p.Budgets.Budgets() {
		covers := len(b.Reasons) == 0
		for _, r := range b.Reasons {
			r, _ = candidate.ParseReason(string(r))
			covers = covers || r.Covers(reason)
		}
		if !covers || b.TopologyKey != "" || b.Guaranteed {
			continue
		}
		alone, _ := budget.Compile([]budget.Budget{{Nodes: b.Nodes}})
		if a, _ := budget.AllowedByReason(alone, now, nodes, ""); a.Nodes > 0 {
			gives++
			held = held || inFlight >= a.Nodes
		}
	}
	if held || gives == 0 && inFlight >= 1 {
		return []string{"budget/exhausted"}
	}
	return nil
}
