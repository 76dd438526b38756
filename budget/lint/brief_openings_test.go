package lint

import (
	"fmt"
	"strings"
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
		for i, d := range []time.Duration{row.before, row.open, row.after, 72 * time.Hour} {
			phases = append(phases, phase{Span: schedule.Span{Start: at, End: at.Add(d)}, open: i%2 == 1})
			at = at.Add(d)
		}
		if got := brief(phases, 0)(1); got != row.brief {
			t.Errorf("open for %s after %s and before %s: %t", row.open, row.before, row.after, got)
		}
	}
}

// A quarter of an hour a day or more is meant, unless it is not what is open as a rule.
func TestTheUsualOpeningIsNotBrief(t *testing.T) {
	for _, row := range []struct {
		open  []time.Duration
		brief string // of each
	}{
		{[]time.Duration{14 * time.Minute, 14 * time.Minute}, "true true"},
		{[]time.Duration{15 * time.Minute, 15 * time.Minute}, "false false"},
		{[]time.Duration{30 * time.Minute, 30 * time.Minute, 30 * time.Minute, 40 * time.Minute}, "false false false false"},
		{[]time.Duration{20 * time.Minute, 30 * time.Minute, 30 * time.Minute}, "true false false"},
		{[]time.Duration{30 * time.Minute, 30 * time.Minute, 24 * time.Hour}, "true true false"},
	} {
		phases := []phase{{Span: schedule.Span{Start: time.Unix(0, 0), End: time.Unix(0, 0).Add(23 * time.Hour)}}}
		for _, d := range row.open {
			at := phases[len(phases)-1].End
			phases = append(phases, phase{Span: schedule.Span{Start: at, End: at.Add(d)}, open: true},
				phase{Span: schedule.Span{Start: at.Add(d), End: at.Add(d + 23*time.Hour)}})
		}
		is := brief(phases, meantOpening)
		var got []string
		for i := 1; i < len(phases); i += 2 {
			got = append(got, fmt.Sprint(is(i)))
		}
		if strings.Join(got, " ") != row.brief {
			t.Errorf("open for %s: %s", row.open, got)
		}
	}
}
