package budget

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// AllowedByReason returns how many of a pool's counted nodes may be disrupted at once for a reason: the minimum over
// the active budgets that decide (see [Set]), or Unlimited if there is none. A number of nodes below 0 counts as 0. The
// reason "" means any reason: every active budget decides. It allocates nothing, unless it returns an error.
//
// The error lists the invalid budgets for the reason, which allow nothing. Nothing is allowed, either, for a reason
// that budgets cannot name, such as a typo, for a child that is one letter from another that a budget names (unless
// some budget names both), or if now is zero. (Karpenter: NodePool.GetAllowedDisruptionsByReason. There, an error
// allows nothing for any reason.)
func AllowedByReason(s Set, now time.Time, nodes int, reason candidate.Reason) (Allowance, error) {
	set := s.get()
	c := set.concern(reason)
	if c.typo {
		return Allowance{}, s.unknown(reason)
	}
	if w, missing := candidate.NoTime(now); missing {
		return Allowance{}, w
	}
	return set.allowance(&c, set.tightest(&c, now, nodes), nodes), candidate.Err(set.faultsFor(now, reason))
}

// unknown returns why budgets of the Set cannot name a reason.
func (s Set) unknown(reason candidate.Reason) error {
	set := s.get()
	if named := set.misspelling(reason); named != "" {
		names := func(b Budget) bool {
			return slices.ContainsFunc(b.Reasons, func(r candidate.Reason) bool {
				r, err := candidate.ParseReason(string(r), set.methods...)
				return err == nil && r == named
			})
		}
		return fmt.Errorf("reason %.100q is one letter from %.100q, which %s names: write the same name in both, or "+
			"name both in budgets if they are two reasons", reason, named,
			s.Place(slices.IndexFunc(set.written, names)))
	}
	parsed, err := candidate.ParseReason(string(reason), set.methods...)
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

// Remaining returns how many more nodes may be disrupted while some already are. It is Unlimited if the allowance is.
func (a Allowance) Remaining(disrupting int) int {
	if a.Nodes == Unlimited {
		return Unlimited
	}
	return max(0, a.Nodes-max(disrupting, 0))
}

// allowed is AllowedByReason without what is wrong.
func (s *set) allowed(now time.Time, nodes int, reason candidate.Reason) Allowance {
	if now.IsZero() {
		return Allowance{}
	}
	c := s.concern(reason)
	return s.allowance(&c, s.tightest(&c, now, nodes), nodes)
}

// tightest returns the active budgets. If the most restrictive decide, it skips budgets that allow more than an active
// one, so that their windows are not computed.
func (s *set) tightest(c *concern, now time.Time, nodes int) (active Indexes) {
	if s.specific {
		return s.active(now, c.pool.all())
	}
	least := Unlimited
	for _, b := range s.ascending {
		n := b.Of(nodes)
		if n <= least && c.pool[general].Has(b.Index) && schedule.InWindow(b.Window, now) {
			least = n
			active.Add(b.Index)
		}
	}
	return active
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

// faultsFor returns what is wrong with budgets that allow nothing for a reason at a time.
func (s *set) faultsFor(now time.Time, reason candidate.Reason) (faults []candidate.Warning) {
	for i := range s.limits {
		if b := &s.limits[i]; len(b.Faults) > 0 && b.Covers(reason) && schedule.InWindow(b.Window, now) {
			faults = append(faults, b.Faults...)
		}
	}
	return faults
}
