package disruptkit_test

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
)

// Whatever the clock and the caller say, no loop spins.
func TestWaitIsAtLeastASecondAndNeverPastTheNextChange(t *testing.T) {
	for _, c := range []struct {
		name         string
		next, now    time.Time
		atMost, want time.Duration
	}{
		{"never", time.Time{}, fixture.Noon, time.Hour, time.Hour},
		{"never, and no limit", time.Time{}, fixture.Noon, 0, time.Second},
		{"never, and a limit below 0", time.Time{}, fixture.Noon, -time.Hour, time.Second},
		{"soon", fixture.Noon.Add(time.Minute), fixture.Noon, time.Hour, time.Minute},
		{"late", fixture.Noon.Add(2 * time.Hour), fixture.Noon, time.Hour, time.Hour},
		{"at once", fixture.Noon.Add(time.Millisecond), fixture.Noon, time.Hour, time.Second},
		{"now", fixture.Noon, fixture.Noon, time.Hour, time.Second},
		{"before now", fixture.Noon, fixture.Noon.Add(time.Hour), time.Hour, time.Second},
		{"without a time", fixture.Noon, time.Time{}, time.Hour, time.Hour},
	} {
		if got := (disruptkit.Decision{NextChange: c.next}).Wait(c.now, c.atMost); got != c.want {
			t.Errorf("%s: %v instead of %v", c.name, got, c.want)
		}
	}
}
