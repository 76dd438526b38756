package schedule_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/schedule"
)

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
