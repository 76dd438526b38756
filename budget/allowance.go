package budget

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/limit"
)

// Unlimited is the allowance if no budget limits.
const Unlimited = limit.Unlimited

// An Allowance is how many nodes may be disrupted at once, with the budgets that set this limit. The zero Allowance
// allows nothing.
type Allowance struct {
	Nodes   int     // or Unlimited
	Binding Indexes // the budgets that set this limit; none if it is Unlimited
}

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
	set := s.Compiled()
	if !set.Knows(reason) {
		return Allowance{}, s.unknown(reason)
	}
	if w, missing := candidate.NoTime(now); missing {
		return Allowance{}, w
	}
	return allowanceOf(set.Allowed(now, nodes, reason)), set.Faults(now, reason).Err()
}

// Until returns when the number of AllowedByReason next changes, if only time changes. The budgets that set the number
// may change earlier. Zero means never, or beyond the limits of [schedule.Window.State]. If the most specific budgets
// decide, it may also mean that the number stays the same for 4,000 changes of budgets.
func (s Set) Until(now time.Time, nodes int, reason candidate.Reason) time.Time {
	return s.Compiled().Until(now, nodes, reason)
}

func allowanceOf(a limit.Allowance) Allowance { return Allowance{a.Nodes, Indexes(a.Binding)} }

// unknown says why no budget of the Set can know a reason.
func (s Set) unknown(reason candidate.Reason) error {
	set := s.Compiled()
	if named := set.Misspelling(reason); named != "" {
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

// Remaining returns how many more nodes may be disrupted while disrupting nodes already are. It is Unlimited if the
// allowance is.
func (a Allowance) Remaining(disrupting int) int {
	return limit.Allowance{Nodes: a.Nodes}.Remaining(disrupting)
}

// Indexes is a set of positions in Set.Budgets, from 0 to 63. A valid list has at most 50 budgets.
type Indexes uint64

// Has reports whether i is one of the positions.
func (x Indexes) Has(i int) bool { return limit.Indexes(x).Has(i) }

// All yields the positions in ascending order.
func (x Indexes) All() iter.Seq[int] {
	return limit.Indexes(x).All()
}

// String returns "0,3".
func (x Indexes) String() string { return limit.Indexes(x).String() }
