package lint

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/schedule"
)

func TestAnOpeningIsBriefBetweenClosuresOf20TimesItsLength(t *testing.T) {
	start := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		before, open, after time.Duration
		brief               bool
	}{
		{10 * time.Hour, 30 * time.Minute, 10 * time.Hour, true},
		{10*time.Hour - time.Minute, 30 * time.Minute, 24 * time.Hour, false},
		{24 * time.Hour, 30 * time.Minute, 10*time.Hour - time.Minute, false},
		{24 * time.Hour, 31 * time.Minute, 24 * time.Hour, false},
		{20 * time.Minute, time.Minute, 20 * time.Minute, true},
	} {
		var phases []phase
		at := start
		for i, d := range []time.Duration{row.before, row.open, row.after} {
			phases = append(phases, phase{Span: schedule.Span{Start: at, End: at.Add(d)}, open: i == 1})
			at = at.Add(d)
		}
		if got := isBrief(phases, 1); got != row.brief {
			t.Errorf("open for %s after %s and before %s: %t", row.open, row.before, row.after, got)
		}
	}
}
