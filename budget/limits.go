package budget

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// Unlimited is the allowance if no budget limits.
const Unlimited = math.MaxInt

// Limits are the budgets of a pool as gates enforce them. They are immutable and safe for concurrent use.
type Limits struct {
	Specific  bool               // the most specific budgets decide, not the most restrictive
	Methods   []candidate.Reason // the caller's own
	Pool      []Limit            // those that limit the whole pool, in the order of the list
	Scoped    []Limit            // those that limit domains
	Paces     []Limit            // those with a pace
	Broken    []Limit            // those that always allow nothing
	AtTimes   []Limit            // of Pool: in Karpenter's dialect, broken budgets that allow nothing while active
	Listed    int                // how many of the budgets are in the list; those of controls come after them
	Longest   string             // the longest pace as written, broken ones included, in every dialect
	After     Patience           // how long reasons must hold before a node may go
	ages      Patience           // how old nodes must be before they may go
	Deadlines Patience           // how long after they begin to hold nodes are overdue
	Order     Order              // who goes first
	Rollouts  []WaveLimits       // the waves in which nodes go, at most one for each method

	ascending [2][]*Limit        // of Pool: counts and percentages, tightest first
	constant  Indexes            // of Pool: those that are always active
	soaks     Indexes            // of Pool: those that soak
	alikes    []Alike            // of all reasons, if the most specific decide
	children  []candidate.Reason // those that budgets name, broken ones included
	unions    unions             // what was asked last; it changes no answer
}

// A Limit is one budget as it is enforced.
type Limit struct {
	Index      int                // in the list; below 0: the whole list, which is too long or in no order
	Reasons    []candidate.Reason // none means all
	Limit      Amount
	Window     schedule.Window  // when it is active
	Key        string           // of a scoped budget: the label whose values are the domains
	Sequential bool             // of a scoped budget: its domains take turns
	Per        time.Duration    // of a pace; 0: none
	Soak       time.Duration    // of one for the whole pool: how long places stay taken; 0: they do not
	Faults     Faults           // of a broken budget
	exempt     candidate.Reason // a reason that no budget limits, whatever its reasons
}

// An Amount is a number of nodes, or a percentage.
type Amount struct {
	N       int
	Percent bool
}

// Of returns the limit for a number of nodes. Percentages round up. A number below 0 counts as 0.
func (l Amount) Of(nodes int) int {
	nodes = max(nodes, 0)
	if !l.Percent {
		return l.N
	}
	return nodes/100*l.N + (nodes%100*l.N+99)/100
}

// prepare derives from the exported fields what answers need. It is called once, when all budgets are there.
func (s *Limits) prepare() {
	for i := range s.Pool {
		b, kind := &s.Pool[i], 0
		if b.Limit.Percent {
			kind = 1
		}
		s.ascending[kind] = append(s.ascending[kind], b)
		if b.Constant() {
			s.constant.Add(b.Index)
		}
		if b.Soak > 0 {
			s.soaks.Add(b.Index)
		}
	}
	for _, list := range s.ascending {
		slices.SortStableFunc(list, func(a, b *Limit) int { return cmp.Compare(a.Limit.N, b.Limit.N) })
	}
	for _, list := range [][]Limit{s.Pool, s.Scoped, s.Paces, s.Broken} {
		for i := range list {
			for _, r := range list[i].Reasons {
				if r != r.Method() {
					s.children = append(s.children, r)
				}
			}
		}
	}
	if s.Specific {
		s.alikes = s.Alike(s.Reasons())
	}
}

// Knows reports whether budgets can name a reason, in the spelling of the API, and do not misspell it. "" means any
// reason, and counts as known.
func (s *Limits) Knows(reason candidate.Reason) bool {
	switch reason {
	case "", candidate.Drifted, candidate.Empty, candidate.Underutilized, candidate.Expired, candidate.Unhealthy:
		return true
	}
	parsed, err := candidate.ParseReason(string(reason), s.Methods...)
	return err == nil && parsed == reason && s.misspelling(reason) == ""
}

// misspelling returns the child that some budget names and that is probably a misspelling of a reason, or "". If a
// budget names the reason itself, both exist.
func (s *Limits) misspelling(reason candidate.Reason) (named candidate.Reason) {
	if slices.Contains(s.children, reason) {
		return ""
	}
	for _, child := range s.children {
		if candidate.Misspelt(child, reason) {
			return child
		}
	}
	return ""
}

// Named returns the distinct reasons that budgets name.
func (s *Limits) Named() (reasons []candidate.Reason) {
	for _, list := range [][]Limit{s.Pool, s.Scoped, s.Paces} {
		for i := range list {
			for _, r := range list[i].Reasons {
				if !slices.Contains(reasons, r) {
					reasons = append(reasons, r)
				}
			}
		}
	}
	return reasons
}

// Reasons returns the methods, and the other reasons that budgets name.
func (s *Limits) Reasons() []candidate.Reason {
	return slices.Concat(candidate.Methods(), s.Methods, s.Named())
}

// BrokenFor reports whether a broken budget allows nothing for a reason.
func (s *Limits) BrokenFor(reason candidate.Reason) bool {
	return slices.ContainsFunc(s.Broken, func(b Limit) bool { return b.Covers(reason) })
}

// State reports whether the budget with a topology key that stands at a position is active at a time, and until when
// this stays so. Zero means for ever, or beyond the limits of [schedule.Window.State].
func (s *Limits) State(index int, now time.Time) (active bool, until time.Time) {
	for i := range s.Scoped {
		if b := &s.Scoped[i]; b.Index == index {
			return b.Window.Until(now)
		}
	}
	return false, time.Time{}
}

// Constant reports whether a budget is always active.
func (b *Limit) Constant() bool { return b.Window == schedule.Window{} }
