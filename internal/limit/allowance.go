package limit

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// An Allowance is how many nodes may be disrupted at once, with the budgets that set this limit. The zero Allowance
// allows nothing.
type Allowance struct {
	Nodes   int     // or Unlimited
	Binding Indexes // the budgets that set this limit; none if it is Unlimited
}

// Remaining returns how many more nodes may be disrupted while disrupting nodes already are. It is Unlimited if the
// allowance is.
func (a Allowance) Remaining(disrupting int) int {
	if a.Nodes == Unlimited {
		return Unlimited
	}
	return max(0, a.Nodes-max(disrupting, 0))
}

// Allowed returns how many nodes may be disrupted at once for a reason: the minimum over the active budgets that
// decide, or Unlimited if there is none. The reason "" means any reason: every active budget decides. Broken budgets
// allow nothing. Nothing is allowed, either, for a reason that no budget can know, or if now is zero.
func (s *Set) Allowed(now time.Time, nodes int, reason candidate.Reason) Allowance {
	if !s.Knows(reason) || now.IsZero() {
		return Allowance{}
	}
	allowance := s.tightest(now, nodes, reason)
	for i := range s.Broken {
		if b := &s.Broken[i]; b.Covers(reason) {
			allowance.least(0, b.Index)
		}
	}
	return allowance
}

// tightest returns what the tightest of the deciding budgets allows.
func (s *Set) tightest(now time.Time, nodes int, reason candidate.Reason) Allowance {
	if s.Specific {
		return s.least(s.Deciding(now, reason), nodes)
	}
	allowance := Allowance{Nodes: Unlimited}
	for _, ascending := range s.ascending {
		for _, b := range ascending {
			if b.Limit.Of(nodes) > allowance.Nodes {
				break // active or not, neither this budget nor a later one is tighter
			}
			if b.Covers(reason) && schedule.InWindow(b.Window, now) {
				allowance.limit(b, nodes)
			}
		}
	}
	return allowance
}

// limit takes a budget into account.
func (a *Allowance) limit(b *Budget, nodes int) {
	a.least(b.Limit.Of(nodes), b.Index)
}

// least takes into account a budget that allows n.
func (a *Allowance) least(n, index int) {
	switch {
	case n > a.Nodes:
		return
	case n < a.Nodes:
		*a = Allowance{Nodes: n}
	}
	a.Binding.Add(index)
}

// Deciding returns the budgets that decide how many nodes may be disrupted for a reason: the active budgets that cover
// it, or the most specific of these. Broken budgets are not included: they allow nothing, whichever budgets decide. For
// the reason "", which means any reason, all active budgets decide.
func (s *Set) Deciding(now time.Time, reason candidate.Reason) Indexes {
	return s.mostSpecific(reason, func(b *Budget) bool { return schedule.InWindow(b.Window, now) })
}

// mostSpecific returns which of the active budgets decide for a reason.
func (s *Set) mostSpecific(reason candidate.Reason, active func(*Budget) bool) Indexes {
	return s.mostSpecificOf(s.Pool, reason, active)
}

// mostSpecificOf is mostSpecific for one kind of budgets: those for the whole pool, or paces.
func (s *Set) mostSpecificOf(budgets []Budget, reason candidate.Reason, active func(*Budget) bool) (decide Indexes) {
	level := general
	for i := range budgets {
		b := &budgets[i]
		rank := s.rank(b, reason)
		if rank < level || !active(b) {
			continue
		}
		if rank > level {
			level, decide = rank, 0
		}
		decide.Add(b.Index)
	}
	return decide
}
