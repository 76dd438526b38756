package budget

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/until"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Start records when a node started to go. Paces (Budget.Per) count starts.
type Start struct {
	Node   string           `json:"node"`
	Reason candidate.Reason `json:"reason,omitzero"` // why; "" means unknown, and counts for every pace
	At     time.Time        `json:"at"`              // zero is a mistake: the next decision takes it for its own time
	Seen   bool             `json:"seen,omitzero"`   // a decision has seen the node in flight, so it did start
	Over   bool             `json:"over,omitzero"`   // and another one has seen it, or a new node of its name, not in flight
}

// Compare orders starts by time, then by node.
func (s Start) Compare(other Start) int {
	if c := s.At.Compare(other.At); c != 0 {
		return c
	}
	switch {
	case s.Node < other.Node:
		return -1
	case s.Node > other.Node:
		return 1
	}
	return 0
}

// LongestPace returns the longest period of any pace (Budget.Per), or 0 if no budget has a pace.
func (s Set) LongestPace() (longest time.Duration) {
	for i := range s.get().paces {
		longest = max(longest, s.get().paces[i].per)
	}
	return longest
}

// A Pacing says how many more nodes of a pool the paces let start at a time for a reason. The zero Pacing lets any
// number start.
type Pacing struct {
	set   *set
	at    time.Time
	paces []paced
}

// paced is a pace with the number of nodes that it still lets start.
type paced struct {
	*compiled
	left int
}

// Pacing returns how many more nodes may start at a time for a reason, given earlier starts. A pace of n nodes per hour
// lets one more start if fewer than n started within the last hour, up to and including that time. A pace counts starts
// for its own reasons and for unknown ones; if the most specific budgets decide, it counts starts for the reasons for
// which it decides. A start later than that time counts as if it were at that time.
//
// Paces do not affect AllowedByReason, and other budgets do not affect Pacing: a node must satisfy both. The same rules
// select the paces that decide as for other budgets (see [Set]). Percentages refer to the number of nodes, and round
// up.
func (s Set) Pacing(at time.Time, nodes int, reason candidate.Reason, starts []Start) Pacing {
	return s.Pacer(nodes, starts).Pacing(at, reason)
}

// MayStart returns how many more nodes may start if those in u start at the same time, with the budgets that set this
// limit.
func (p Pacing) MayStart(u Usage) Allowance {
	allowance := Allowance{Nodes: Unlimited}
	for _, b := range p.paces {
		left := b.left
		for reason, n := range u.All() {
			if p.counts(b.compiled, reason) {
				left -= n
			}
		}
		allowance.least(max(0, left), b.index)
	}
	return allowance
}

// counts reports whether a pace counts a start for a reason.
func (p Pacing) counts(b *compiled, reason candidate.Reason) bool {
	return p.set.counts(b, reason) || p.set.specific && p.set.pacing(p.at, reason).Has(b.index)
}

// counts reports whether a pace counts starts for a reason at all times. If the most specific budgets decide, a pace
// also counts starts for the reasons for which it decides.
func (s *set) counts(b *compiled, reason candidate.Reason) bool {
	return !s.knows(reason) || b.names(reason) || !s.specific && b.covers(reason)
}

// pacing returns the paces that decide for a reason at a time.
func (s *set) pacing(at time.Time, reason candidate.Reason) Indexes {
	return s.mostSpecificOf(s.paces, reason, func(b *compiled) bool { return schedule.InWindow(b.window, at) })
}

// NextStart returns the first time at or after from when one more node may start for a reason, if nothing else starts
// until then. Starts may have times after from. Zero means never, or only after some thousand changes.
func (s Set) NextStart(from time.Time, nodes int, reason candidate.Reason, starts []Start) time.Time {
	p := s.Pacer(nodes, nil)
	for _, start := range slices.SortedFunc(slices.Values(starts), Start.Compare) {
		p.Start(start.Reason, start.At)
	}
	return p.NextStart(from, reason)
}

// PaceChange returns when a pace next becomes active or inactive. Zero means never.
func (s Set) PaceChange(now time.Time) (next time.Time) {
	paces := s.get().paces
	for i := range paces {
		_, end := paces[i].window.Until(now)
		next = until.First(next, end)
	}
	return next
}
