package budget

import (
	"time"

	"github.com/disruptkit/disruptkit/internal/limit"
)

// A Pace is the period of a pace that a pool has, or had until lately. Starts are remembered for that long.
type Pace struct {
	Per  string    `json:"per"`           // as in Budget.Per
	Gone time.Time `json:"gone,omitzero"` // when a decision first found no pace that long; zero: the pool has one
}

// longestPace returns the longest Per that can be read, of all budgets as they are written.
func (spec Spec) longestPace() (longest string) {
	for _, b := range spec.flat() {
		if limit.Period(b.Per) > limit.Period(longest) {
			longest = b.Per
		}
	}
	return longest
}
