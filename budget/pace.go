package budget

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/until"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Start is when a node went. Paces (Budget.Per) count starts.
type Start struct {
	Node   string           `json:"node"`
	Reason candidate.Reason `json:"reason,omitzero"` // why; "" is unknown, and counts for every pace
	At     time.Time        `json:"at"`
	Seen   bool             `json:"seen,omitzero"` // the node was in flight at some decision: it did start
}

// Compare orders starts by time, those of the same time by node.
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

// LongestPace returns the longest time for which a start counts, or 0 where no budget has a pace. (Budget.Per.)
func (s Set) LongestPace() (longest time.Duration) {
	for i := range s.get().paces {
		longest = max(longest, s.get().paces[i].per)
	}
	return longest
}

// A Pacing is how many more nodes of a pool may start at a time for a reason, as far as paces go. The zero Pacing lets any number
// start.
type Pacing struct {
	set   *set
	at    time.Time
	paces []paced
}

// paced is a pace, and how many more it lets start.
type paced struct {
	*compiled
	left int
}

// Pacing returns how many more nodes may start at a time for a reason, given the starts before: a pace of n nodes per hour lets one
// more start if fewer than n started within the last hour, up to and with that time. It counts those of its own reasons, and of
// unknown ones; where the most specific budgets decide, those for which it decides. A start that is later than the time counts as one
// of that time.
//
// Paces take no part in AllowedByReason, nor do other budgets here: both have to let a node go. Among paces, those decide that would
// among other budgets (see Set). Percentages are of so many nodes, and round up.
func (s Set) Pacing(at time.Time, nodes int, reason candidate.Reason, starts []Start) Pacing {
	set := s.get()
	if len(set.paces) == 0 {
		return Pacing{}
	}
	p := Pacing{set: set, at: at}
	decide := set.pacing(at, reason)
	for i := range set.paces {
		b := &set.paces[i]
		if !decide.Has(b.index) {
			continue
		}
		left := b.limit.of(nodes)
		for _, start := range starts {
			if start.At.Add(b.per).After(at) && p.counts(b, start.Reason) {
				left--
			}
		}
		p.paces = append(p.paces, paced{b, left})
	}
	return p
}

// MayStart returns how many more nodes may start beside those of u, which start at the same time, and the budgets that say so.
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
	if reason == "" || !p.set.knows(reason) || b.names(reason) {
		return true
	}
	if p.set.specific {
		return p.set.pacing(p.at, reason).Has(b.index)
	}
	return b.covers(reason)
}

// pacing returns the paces that decide for a reason at a time.
func (s *set) pacing(at time.Time, reason candidate.Reason) Indexes {
	return s.mostSpecificOf(s.paces, reason, func(b *compiled) bool { return schedule.InWindow(b.window, at) })
}

// NextStart returns when one more node may start for a reason, from a time on, if nothing starts until then. Starts may be later than
// that. Zero is never, or only after some thousand changes of what counts.
func (s Set) NextStart(from time.Time, nodes int, reason candidate.Reason, starts []Start) time.Time {
	for range farthest {
		begun := starts[:len(starts):len(starts)]
		begun = slices.DeleteFunc(slices.Clone(begun), func(start Start) bool { return start.At.After(from) })
		if s.Pacing(from, nodes, reason, begun).MayStart(Usage{}).Nodes > 0 {
			return from
		}
		if from = s.NextPacing(from, begun); from.IsZero() {
			break
		}
	}
	return time.Time{}
}

// NextPacing returns when time alone may next change how many nodes may start: when a start counts no longer for a pace, or a pace
// becomes active or inactive. Zero is never.
func (s Set) NextPacing(now time.Time, starts []Start) (next time.Time) {
	paces := s.get().paces
	for i := range paces {
		for _, start := range starts {
			if end := start.At.Add(paces[i].per); end.After(now) {
				next = until.First(next, end)
			}
		}
	}
	return until.First(next, s.PaceChange(now))
}

// PaceChange returns when a pace next becomes active or inactive. Zero is never.
func (s Set) PaceChange(now time.Time) (next time.Time) {
	paces := s.get().paces
	for i := range paces {
		_, end := paces[i].window.Until(now)
		next = until.First(next, end)
	}
	return next
}
