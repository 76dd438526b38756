package schedule

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestASpanIsHalfOpen(t *testing.T) {
	start, end := time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name string
		span Span
		at   time.Time
		want bool
	}{
		{"its start is in it", Span{start, end}, start, true},
		{"what is before its start is not", Span{start, end}, start.Add(-1), false},
		{"what is before its end is in it", Span{start, end}, end.Add(-1), true},
		{"its end is not", Span{start, end}, end, false},
		{"without a start, the past is in it, and the time before the year 1", Span{time.Time{}, end}, start, true},
		{"without a start, its end is not", Span{time.Time{}, end}, end, false},
		{"without an end, the future is in it", Span{start, time.Time{}}, end, true},
		{"without an end, what is before its start is not", Span{start, time.Time{}}, start.Add(-1), false},
		{"the zero Span is all time", Span{}, start, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.span.Contains(c.at); got != c.want {
				t.Errorf("%v contains %v: %t", c.span, c.at, got)
			}
		})
	}
}

// hours generates times within a day of the zero time, which is never a bound itself, on either side of it.
var hours = rapid.Map(rapid.IntRange(-24, 24).Filter(func(n int) bool { return n != 0 }), func(n int) time.Time {
	return time.Time{}.Add(time.Duration(n) * time.Hour)
})

// spansAround generates spans that contain a time, with and without bounds.
func spansAround(at time.Time) *rapid.Generator[Span] {
	return rapid.Custom(func(t *rapid.T) Span {
		s := Span{hours.Draw(t, "start"), hours.Draw(t, "end")}
		if rapid.Bool().Draw(t, "no start") {
			s.Start = time.Time{}
		}
		if rapid.Bool().Draw(t, "no end") {
			s.End = time.Time{}
		}
		return s
	}).Filter(func(s Span) bool { return s.Contains(at) })
}

func TestIntersectionsAndHullsOfSpansThatOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		common := hours.Draw(t, "common")
		a, b := spansAround(common).Draw(t, "a"), spansAround(common).Draw(t, "b")
		intersection, hull := a.intersect(b), a.hull(b)
		for n := -25; n <= 25; n++ {
			at := time.Time{}.Add(time.Duration(n) * time.Hour)
			if got, want := intersection.Contains(at), a.Contains(at) && b.Contains(at); got != want {
				t.Fatalf("the intersection of %v and %v is %v: contains %v: %t", a, b, intersection, at, got)
			}
			if got, want := hull.Contains(at), a.Contains(at) || b.Contains(at); got != want {
				t.Fatalf("the hull of %v and %v is %v: contains %v: %t", a, b, hull, at, got)
			}
		}
	})
}
