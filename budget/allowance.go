package budget

import (
	"fmt"
	"iter"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// Unlimited is the allowance if no budget limits.
const Unlimited = math.MaxInt

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
// reason that no budget can know, such as a typo, or if now is zero. (Karpenter:
// NodePool.GetAllowedDisruptionsByReason. There, an error allows nothing for any reason.)
func AllowedByReason(s Set, now time.Time, nodes int, reason candidate.Reason) (Allowance, error) {
	set := s.get()
	if !set.knows(reason) {
		return Allowance{}, unknown(reason, set.methods)
	}
	if w, missing := candidate.NoTime(now); missing {
		return Allowance{}, w
	}
	allowance := set.tightest(now, nodes, reason)
	var faults []candidate.Warning
	for i := range set.broken {
		if b := &set.broken[i]; b.covers(reason) {
			allowance.limit(b, 0)
			faults = append(faults, b.faults...)
		}
	}
	for i := range set.atTimes {
		if b := &set.atTimes[i]; b.covers(reason) && schedule.InWindow(b.window, now) {
			faults = append(faults, b.faults...)
		}
	}
	return allowance, joined(faults)
}

// tightest returns what the tightest of the deciding budgets allows.
func (s *set) tightest(now time.Time, nodes int, reason candidate.Reason) Allowance {
	if s.specific {
		return s.least(s.deciding(now, reason), nodes)
	}
	allowance := Allowance{Nodes: Unlimited}
	for _, ascending := range s.ascending {
		for _, b := range ascending {
			if b.limit.of(nodes) > allowance.Nodes {
				break // active or not, neither this budget nor a later one is tighter
			}
			if b.covers(reason) && schedule.InWindow(b.window, now) {
				allowance.limit(b, nodes)
			}
		}
	}
	return allowance
}

// limit takes a budget into account.
func (a *Allowance) limit(b *compiled, nodes int) {
	a.least(b.limit.of(nodes), b.index)
}

// least takes into account a budget that allows n.
func (a *Allowance) least(n, index int) {
	switch {
	case n > a.Nodes:
		return
	case n < a.Nodes:
		*a = Allowance{Nodes: n}
	}
	a.Binding.add(index)
}

// Deciding returns the budgets that decide how many nodes may be disrupted for a reason: the active budgets that cover
// it, or the most specific of these; see [Set]. Broken budgets are not included: they allow nothing, whichever budgets
// decide. For the reason "", which means any reason, all active budgets decide.
func (s Set) Deciding(now time.Time, reason candidate.Reason) Indexes {
	return s.get().deciding(now, reason)
}

func (s *set) deciding(now time.Time, reason candidate.Reason) Indexes {
	return s.mostSpecific(reason, func(b *compiled) bool { return schedule.InWindow(b.window, now) })
}

// mostSpecific returns which of the active budgets decide for a reason.
func (s *set) mostSpecific(reason candidate.Reason, active func(*compiled) bool) Indexes {
	return s.mostSpecificOf(s.pool, reason, active)
}

// mostSpecificOf is mostSpecific for one kind of budgets: those for the whole pool, or paces.
func (s *set) mostSpecificOf(budgets []compiled, reason candidate.Reason, active func(*compiled) bool) (decide Indexes) {
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
		decide.add(b.index)
	}
	return decide
}

func unknown(reason candidate.Reason, methods []candidate.Reason) error {
	parsed, err := candidate.ParseReason(string(reason), methods...)
	if err != nil {
		return err
	}
	return fmt.Errorf("reason %.100q is not spelled as in the API: write %s, or use candidate.ParseReason", reason, parsed)
}

// Remaining returns how many more nodes may be disrupted while disrupting nodes already are. It is Unlimited if the
// allowance is.
func (a Allowance) Remaining(disrupting int) int {
	if a.Nodes == Unlimited {
		return Unlimited
	}
	return max(0, a.Nodes-max(disrupting, 0))
}

const mostIndexes = 64

// Indexes is a set of positions in Set.Budgets, from 0 to 63. A valid list has at most 50 budgets.
type Indexes uint64

func (x *Indexes) add(i int) {
	if i >= 0 {
		*x |= 1 << i
	}
}

// put adds a position, or removes it.
func (x *Indexes) put(i int, in bool) {
	*x &^= 1 << i
	if in {
		*x |= 1 << i
	}
}

// Has reports whether i is one of the positions.
func (x Indexes) Has(i int) bool { return 0 <= i && x>>i&1 != 0 }

// All yields the positions in ascending order.
func (x Indexes) All() iter.Seq[int] {
	return func(yield func(int) bool) {
		for ; x != 0; x &= x - 1 {
			if !yield(bits.TrailingZeros64(uint64(x))) {
				return
			}
		}
	}
}

// String returns "0,3".
func (x Indexes) String() string {
	var texts []string
	for i := range x.All() {
		texts = append(texts, strconv.Itoa(i))
	}
	return strings.Join(texts, ",")
}
