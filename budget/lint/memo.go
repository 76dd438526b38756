package lint

import (
	"time"

	"github.com/disruptkit/disruptkit/schedule"
)

// A memo has what depends on a single schedule, so that trials of fixes do not compute it again for each budget that
// they leave as it is.
type memo struct {
	days   map[daysOf][]time.Time
	longer map[longerThan]lasting
}

type daysOf struct {
	monthDay, month, weekday string
	from, to                 time.Time
}

type longerThan struct {
	schedule, zone string
	d              time.Duration
	end            time.Time
}

type lasting struct {
	span  schedule.Span
	found bool
}

func newMemo() *memo { return &memo{map[daysOf][]time.Time{}, map[longerThan]lasting{}} }

// recalled returns a value of a map, and makes it first if it is not there.
func recalled[K comparable, V any](known map[K]V, key K, value func() V) V {
	v, there := known[key]
	if !there {
		v = value()
		known[key] = v
	}
	return v
}
