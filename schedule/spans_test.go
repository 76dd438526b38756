package schedule_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/schedule"
)

func TestSpansAreTheOpenTimes(t *testing.T) {
	check(t, func(t *rapid.T) {
		w := testkit.Arbitrary(generate.AnyWindow).Draw(t, "window")
		from := testkit.Arbitrary(generate.Time).Draw(t, "from")
		to := from.Add(min(testkit.Arbitrary(generate.Duration).Draw(t, "length"), reliable(w)))
		var spans []schedule.Span
		for span := range w.Spans(from, to) {
			spans = append(spans, span)
			if len(spans) == 100 {
				to = span.End
				break
			}
		}
		closedSince := from
		for i, span := range spans {
			if !span.Start.Before(span.End) || span.Start.Before(from) || span.End.After(to) {
				t.Fatalf("%v.Spans(%v, %v): %v is not between them", w, from, to, span)
			}
			if i > 0 && !closedSince.Before(span.Start) {
				t.Fatalf("%v.Spans(%v, %v): %v does not come after %v", w, from, to, span, spans[i-1])
			}
			closedSince = span.End
		}
		checkSpans(t, w, from, to, spans, drawRandom(t))
	})
}

// checkSpans compares spans with InWindow, at their ends and between them.
func checkSpans(t *rapid.T, w schedule.Window, from, to time.Time, spans []schedule.Span, random *rand.Rand) {
	is := func(open bool, start, end time.Time) {
		if !start.Before(end) {
			return
		}
		within(schedule.Span{Start: start, End: end}, random, func(at time.Time) {
			if schedule.InWindow(w, at) != open {
				t.Fatalf("%v.Spans(%v, %v) = %v, but at %v it is %t", w, from, to, spans, at, !open)
			}
		})
	}
	closed := from
	for _, span := range spans {
		is(false, closed, span.Start)
		is(true, span.Start, span.End)
		closed = span.End
	}
	is(false, closed, to)
}

func TestSpansStopWhenTheCallerDoes(t *testing.T) {
	w := schedule.MustParse("@hourly", time.Minute, "")
	from := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	var spans []schedule.Span
	for span := range w.Spans(from, from.AddDate(1000, 0, 0)) {
		if spans = append(spans, span); len(spans) == 3 {
			break
		}
	}
	if len(spans) != 3 {
		t.Errorf("%v", spans)
	}
}

func TestNoSpansWhereFromIsNotBeforeTo(t *testing.T) {
	check(t, func(t *rapid.T) {
		w := testkit.Arbitrary(generate.AnyWindow).Draw(t, "window")
		to := testkit.Arbitrary(generate.Time).Draw(t, "to")
		for _, from := range []time.Time{to, to.Add(1), to.Add(testkit.Arbitrary(generate.Duration).Draw(t, "length"))} {
			for span := range w.Spans(from, to) {
				t.Fatalf("%v.Spans(%v, %v): %v", w, from, to, span)
			}
		}
		for span := range w.Spans(to, time.Time{}) {
			if !to.Before(time.Time{}) {
				t.Fatalf("%v.Spans(%v, never): %v", w, to, span)
			}
			break
		}
	})
}
