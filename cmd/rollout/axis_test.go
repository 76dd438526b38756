package main

import (
	"math"
	"testing"
	"time"
)

func TestHoursAreEquallyWideButWhereNothingHappens(t *testing.T) {
	from := time.Date(2026, 11, 16, 21, 0, 0, 0, time.UTC)
	closing := from.Add(9 * time.Hour)
	opening := closing.Add(16 * time.Hour)
	a := newAxis(span{from, opening.Add(6 * time.Hour)}, []span{{from, from.Add(time.Hour)}, {closing, opening}}, 100, 900)
	hour := a.x(from.Add(time.Hour)) - a.x(from)
	for _, test := range []struct {
		what     string
		from, to time.Time
		want     float64
	}{
		{"an hour of the first night", from.Add(3 * time.Hour), from.Add(4 * time.Hour), hour},
		{"an hour of the second night", opening.Add(time.Hour), opening.Add(2 * time.Hour), hour},
		{"what is in flight as the window closes", closing, closing.Add(afterClosing), hour * afterClosing.Hours()},
		{"the middle of the day", closing.Add(afterClosing), opening.Add(-beforeOpening), squeezedWidth},
		{"all of it", from, opening.Add(6 * time.Hour), 800},
		{"what is before and after is at the ends", from.Add(-time.Hour), opening.Add(99 * time.Hour), 800},
	} {
		if got := a.x(test.to) - a.x(test.from); math.Abs(got-test.want) > 1e-6 {
			t.Errorf("%s is %.2f wide, want %.2f", test.what, got, test.want)
		}
	}
	for _, tick := range a.ticks() {
		if tick.Minute() != 0 || tick.After(closing.Add(afterClosing)) && tick.Before(opening.Add(-beforeOpening)) {
			t.Errorf("a tick at %s", clock(tick))
		}
	}
}
