package budget

import (
	"cmp"
	"slices"
	"time"
)

// longestPer is the longest period of a pace.
const longestPer = 366 * 24 * time.Hour

// A Pace is the period of a pace for whose sake starts are remembered: of one that a pool has, or had until lately.
type Pace struct {
	Per  string    `json:"per"`           // as in Budget.Per
	Gone time.Time `json:"gone,omitzero"` // when a decision first found no pace that long; zero: the pool has one
}

// Keep returns the paces for whose sake starts are remembered after a decision, longest first, given those after the
// last one. Every start is remembered for as long as the first of them ([KeptFor]).
//
// Those are the longest pace of the list, and each longer one that has been gone for less than its own period. So a
// pace that is broken, shortened or left out, and comes back within its period, counts every start meanwhile. After
// that period, none of the starts that it let go would count any more, and it is as good as new. A pace counts as
// there even if its budget is broken, the list is too long, or the dialect knows no paces. If now is zero, nothing
// changes.
func (s Set) Keep(now time.Time, last []Pace) (keep []Pace) {
	if now.IsZero() {
		return last
	}
	own := Pace{Per: s.get().pace}
	for _, p := range last {
		switch per := p.period(); {
		case per <= own.period():
			continue
		case p.Gone.IsZero() || p.Gone.After(now.Add(per)): // no clock that is right wrote that
			p.Gone = now
		}
		if p.end().After(now) {
			keep = append(keep, p)
		}
	}
	slices.SortStableFunc(keep, func(a, b Pace) int { return cmp.Compare(b.period(), a.period()) })
	var end time.Time // of the longer ones
	keep = slices.DeleteFunc(keep, func(p Pace) bool {
		outlived := !p.end().After(end)
		if !outlived {
			end = p.end()
		}
		return outlived
	})
	if own.Per != "" {
		keep = append(keep, own)
	}
	return keep
}

// KeptFor returns for how long starts are remembered for the sake of some paces.
func KeptFor(paces []Pace) (longest time.Duration) {
	for _, p := range paces {
		longest = max(longest, p.period())
	}
	return longest
}

// end returns when a pace that is gone would count no more start that it let go.
func (p Pace) end() time.Time { return p.Gone.Add(p.period()) }

// period returns how long the pace is. One that cannot be read, which nobody but people wrote, is 0.
func (p Pace) period() time.Duration {
	d, err := time.ParseDuration(p.Per)
	if err != nil || d > longestPer || !durationPattern.MatchString(p.Per) {
		return 0
	}
	return d
}

// longestPace returns the longest Per that can be read, of all budgets as they are written.
func (spec Spec) longestPace() (longest string) {
	for _, b := range spec.flat() {
		if p := (Pace{Per: b.Per}); p.period() > (Pace{Per: longest}).period() {
			longest = b.Per
		}
	}
	return longest
}
