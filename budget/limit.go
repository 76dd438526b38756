package budget

import (
	"iter"
	"math"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// Unlimited is the allowance if no budget limits.
const Unlimited = math.MaxInt

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

// A Limit is one budget as it is enforced. The zero Limit allows nothing.
//
// With a Key it limits each topology domain (zone, rack, …) separately, and does not affect AllowedByReason: package
// topology applies it. (AZ-sequential RFC, "Interaction with NodePool-Level Budgets".)
type Limit struct {
	Index      int                 // its position in Set.Budgets; below 0: the whole list is invalid
	Reasons    []candidate.Reason  // the reasons that it names, spelled as in the API; none means all; never modified
	Amount                         // how many nodes, of the pool or of a domain
	Window     schedule.Window     // when it is active
	Key        string              // the label whose values are the domains; "": it limits the whole pool
	Sequential bool                // the domains take turns
	Per        time.Duration       // the period of a pace; 0: it is none
	Soak       time.Duration       // how long slots are in use after their nodes are gone
	Spread     time.Duration       // the open time over which a roll is spread
	Faults     []candidate.Warning // of an invalid budget, which allows nothing while it is active

	exempt      candidate.Reason // a reason that it does not limit, whatever its reasons
	guaranteed  bool             // it is a share
	whileActive bool             // its faults count only while it is active
	set         *set
}

// Broken reports whether the budget is invalid and therefore never allows anything. In Karpenter's dialect an invalid
// budget may have Faults that count only while it is active.
func (b *Limit) Broken() bool { return len(b.Faults) > 0 && !b.whileActive }

// Covers reports whether a budget is for a reason, or for all. Every budget is for "", which means any reason.
func (b *Limit) Covers(reason candidate.Reason) bool { return b.rank(reason) != foreign }

// Names reports whether a budget names a reason, or a child of it.
func (b *Limit) Names(reason candidate.Reason) bool {
	return slices.ContainsFunc(b.Reasons, reason.Covers)
}

// Knows is Set.Knows of its Set. The zero Limit knows no reason.
func (b *Limit) Knows(reason candidate.Reason) bool { return b.set != nil && Set{b.set}.Knows(reason) }

// Describe returns "budgets[1] is 1 per topology.kubernetes.io/zone, one at a time (Drifted)", with the events in the
// budget's calendar at a time, as in Set.Describe.
func (b *Limit) Describe(at time.Time) string {
	if b.set == nil {
		return "no budget"
	}
	s := Set{b.set}
	return s.Place(b.Index) + " is " + s.Describe(b.Index, at)
}

// Limits returns the budgets as they are enforced, in the order of Budgets. Those that limit nothing in Karpenter's
// dialect are left out. The list must not be modified.
func (s Set) Limits() []Limit { return s.get().limits }

// each yields the limits at some positions.
func (s *set) each(which Indexes) iter.Seq[*Limit] {
	return func(yield func(*Limit) bool) {
		for i := range s.limits {
			if b := &s.limits[i]; which.Has(b.Index) && !yield(b) {
				return
			}
		}
	}
}

// which returns the limits that meet a condition.
func (s *set) which(is func(*Limit) bool) (which Indexes) {
	for i := range s.limits {
		if b := &s.limits[i]; is(b) {
			which.Add(b.Index)
		}
	}
	return which
}

// active returns which of some budgets are active at a time. Invalid ones always are, unless Karpenter checks them only
// while they are active.
func (s *set) active(now time.Time, which Indexes) (active Indexes) {
	for i := range s.limits { // each would allocate
		if b := &s.limits[i]; which.Has(b.Index) && schedule.InWindow(b.Window, now) {
			active.Add(b.Index)
		}
	}
	return active
}

// Scopes returns the valid budgets with a topology key that cover a reason, active or not, in the order of the list.
func (s Set) Scopes(reason candidate.Reason) []Limit {
	var scopes []Limit
	for b := range s.get().each(s.get().scoped) {
		if b.Covers(reason) {
			scopes = append(scopes, *b)
		}
	}
	return scopes
}
