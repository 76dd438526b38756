package budget

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// String returns "5 at once (budgets 0, 2)", or "any number at once".
func (a Allowance) String() string {
	if a.Nodes == Unlimited {
		return "any number at once"
	}
	text := fmt.Sprintf("%d at once", a.Nodes)
	if a.Binding != 0 {
		text += " (budgets " + strings.ReplaceAll(a.Binding.String(), ",", ", ") + ")"
	}
	return text
}

// AllowedByReason returns how many of a pool's counted nodes may be disrupted at once for a reason: the minimum over
// the active budgets that decide (see [Set]), or Unlimited if there is none. A number of nodes below 0 counts as 0. The
// reason "" means any reason: every active budget decides. It allocates nothing, unless it returns an error.
//
// The error lists the broken budgets for the reason; broken budgets allow nothing. Nothing is allowed, either, for a
// reason that no budget can know, such as a typo, for a child that is one letter from one that a budget names (unless
// another budget names it, too), or if now is zero. (Karpenter:
// NodePool.GetAllowedDisruptionsByReason. There, an error allows nothing for any reason.)
func AllowedByReason(s Set, now time.Time, nodes int, reason candidate.Reason) (Allowance, error) {
	set := s.Limits()
	if !set.Knows(reason) {
		return Allowance{}, s.unknown(reason)
	}
	if w, missing := candidate.NoTime(now); missing {
		return Allowance{}, w
	}
	return set.allowed(now, nodes, reason), set.faultsFor(now, reason).Err()
}

// Until returns when the number of AllowedByReason next changes, if only time changes. The budgets that set the number
// may change earlier. Zero means never, or beyond the limits of [schedule.Window.State]. If the most specific budgets
// decide, it may also mean that the number stays the same for 4,000 changes of budgets.
func (s Set) Until(now time.Time, nodes int, reason candidate.Reason) time.Time {
	return s.Limits().Until(now, nodes, reason)
}

// unknown says why no budget of the Set can know a reason.
func (s Set) unknown(reason candidate.Reason) error {
	set := s.Limits()
	if named := set.misspelling(reason); named != "" {
		names := func(b Budget) bool {
			return slices.ContainsFunc(b.Reasons, func(r candidate.Reason) bool {
				r, err := candidate.ParseReason(string(r), set.Methods...)
				return err == nil && r == named
			})
		}
		return fmt.Errorf("reason %.100q is one letter from %.100q, which %s names: write the same name in both, or "+
			"name both in budgets if they are two reasons", reason, named,
			s.Place(slices.IndexFunc(s.get().written, names)))
	}
	parsed, err := candidate.ParseReason(string(reason), set.Methods...)
	if err != nil {
		return err
	}
	return fmt.Errorf("reason %.100q is not spelled as in the API: write %s, or use candidate.ParseReason", reason,
		parsed)
}

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

// allowed returns how many nodes may be disrupted at once for a reason: the minimum over the active budgets that
// decide, or Unlimited if there is none. The reason "" means any reason: every active budget decides. Broken budgets
// allow nothing. Nothing is allowed, either, for a reason that no budget can know, or if now is zero.
func (s *Limits) allowed(now time.Time, nodes int, reason candidate.Reason) Allowance {
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
func (s *Limits) tightest(now time.Time, nodes int, reason candidate.Reason) Allowance {
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
func (a *Allowance) limit(b *Limit, nodes int) {
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
// the reason "", which means any reason, all active budgets decide. Exported for reports of which budgets are in
// effect.
func (s *Limits) Deciding(now time.Time, reason candidate.Reason) Indexes {
	return s.mostSpecific(reason, func(b *Limit) bool { return schedule.InWindow(b.Window, now) })
}

// mostSpecific returns which of the active budgets decide for a reason.
func (s *Limits) mostSpecific(reason candidate.Reason, active func(*Limit) bool) Indexes {
	return s.mostSpecificOf(s.Pool, reason, active)
}

// mostSpecificOf is mostSpecific for one kind of budgets: those for the whole pool, or paces.
func (s *Limits) mostSpecificOf(budgets []Limit, reason candidate.Reason, active func(*Limit) bool) (decide Indexes) {
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
