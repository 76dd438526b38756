package budget

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// A Pace is the period of a pace that a pool has, or had until lately. Starts are remembered for that long.
type Pace struct {
	Per  string    `json:"per"`           // as in Budget.Per
	Gone time.Time `json:"gone,omitzero"` // when a decision first found no pace that long; zero: the pool has one
}

// longestPace returns the longest Per that can be read, of all budgets as they are written.
func (spec Spec) longestPace() (longest string) {
	for _, b := range spec.flat() {
		if Period(b.Per) > Period(longest) {
			longest = b.Per
		}
	}
	return longest
}

// LongestPeriod is the longest period of a pace that budgets may have.
const LongestPeriod = 366 * 24 * time.Hour

// Period returns the period of a pace as it is written. One that cannot be read is 0.
func Period(per string) time.Duration { return wholeUpTo(LongestPeriod, per) }

// wholeUpTo reads a duration in whole hours and minutes. One that is longer, or cannot be read, is 0.
func wholeUpTo(longest time.Duration, text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil || d > longest || !wording.Whole(text) {
		return 0
	}
	return d
}

// LongestPace returns the longest period of any pace, or 0 if no budget has a pace.
func (s Set) LongestPace() (longest time.Duration) {
	for b := range s.get().each(s.get().paces) {
		longest = max(longest, b.Per)
	}
	return longest
}

// A Pacing says how many more nodes of a pool the paces let start at a time for a reason. A pace of n nodes per hour
// lets one more start if fewer than n started within the last hour, up to and including that time. The zero Pacing lets
// any number start.
type Pacing struct {
	set    *set
	at     time.Time
	reason candidate.Reason
	paces  []pacedLimit
}

// pacedLimit is a pace with the number of nodes that it still lets start.
type pacedLimit struct {
	*Limit
	left int
}

// MayStart returns how many more nodes may start if others start at the same time, with the budgets that set this
// limit. Paces count starts; budgets that soak count what those nodes take in addition (Usage).
func (p Pacing) MayStart(starts, takes Usage) Allowance {
	allowance := Allowance{Nodes: Unlimited}
	for _, b := range p.paces {
		left, counted := b.left, starts
		if b.Soak > 0 {
			counted = takes
			if !candidate.Unhealthy.Covers(p.reason) {
				left -= takes.notReady
			}
		}
		for reason, n := range counted.All() {
			if p.counts(b.Limit, reason) {
				left -= n
			}
		}
		allowance.least(max(0, left), b.Index)
	}
	return allowance
}

// counts reports whether a pace counts a start for a reason.
func (p Pacing) counts(b *Limit, reason candidate.Reason) bool {
	return p.set.counts(b, reason) || p.set.specific && p.set.pacing(p.at, reason).Has(b.Index)
}

// counts reports whether a pace counts starts for a reason at all times. If the most specific budgets decide, a pace
// also counts starts for the reasons for which it decides.
func (s *set) counts(b *Limit, reason candidate.Reason) bool {
	if b.Per == 0 && (!s.specific || reason == "") {
		return true // of a place, as of a node in flight
	}
	return s.concern(reason).typo || b.Names(reason) || !s.specific && b.Covers(reason)
}

// pacing returns the paces and the budgets that soak that decide for a reason at a time.
func (s *set) pacing(at time.Time, reason candidate.Reason) Indexes {
	return s.waiting(reason, s.active(at, s.paces|s.pool))
}

// waiting returns the paces and the budgets that soak that decide for a reason, if some budgets are active. Paces
// compete with paces, and budgets that soak with all others.
func (s *set) waiting(reason candidate.Reason, active Indexes) Indexes {
	c := s.concern(reason)
	return c.paces.deciding(active) | c.pool.deciding(active)&s.soaks
}

// Waits reports whether there are paces, or budgets that soak.
func (s Set) Waits() bool { return s.get().paces|s.get().soaks != 0 }
