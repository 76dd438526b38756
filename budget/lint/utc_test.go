package lint_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/schedule"
)

// A schedule in UTC is said to move with the clocks of a zone only if it hits under two offsets, and from the right
// change on: the hits before it have one offset, and the first after it has another.
func TestAScheduleMovesWithTheClocksOnlyIfItHitsUnderTwoOffsets(t *testing.T) {
	for _, name := range []string{"Europe/Berlin", "Europe/Dublin", "America/Santiago", "Australia/Lord_Howe",
		"Africa/Casablanca", "America/New_York", "Asia/Tokyo"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		rapid.Check(t, func(t *rapid.T) { movesOnlyUnderTwoOffsets(t, zone) })
	}
}

func movesOnlyUnderTwoOffsets(t *rapid.T, zone *time.Location) {
	now := lintNow.Add(time.Duration(rapid.IntRange(0, 2*366*24).Draw(t, "hours from then")) * time.Hour).In(zone)
	text := drawHits(t, now)
	set, err := budget.Spec{Budgets: []budget.Budget{{Nodes: "5"}, {Nodes: "0", Schedule: text, Duration: "10m"}}}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	var said []lint.Finding
	for _, f := range lint.Run(set, now, lint.Facts{}) {
		if f.Code == "utc-schedule" {
			said = append(said, f)
		}
	}
	w, _ := schedule.Parse(text, time.Minute, "")
	var last, first time.Time // hits: the last with the offset of the first one, and the first with another
	for at := now; at.Before(now.Add(366*24*time.Hour)) && first.IsZero(); at = at.Add(30 * time.Minute) {
		switch hit := schedule.InWindow(w, at); {
		case hit && !last.IsZero() && offset(at) != offset(last):
			first = at
		case hit:
			last = at
		}
	}
	switch {
	case first.IsZero() != (len(said) == 0) || len(said) > 1:
		t.Fatalf("%s: %v, but the hits before a change are up to %s, and then %s", text, said, last, first)
	case len(said) == 1 && (!said[0].Span.Start.After(last) || said[0].Span.Start.After(first)):
		t.Fatalf("%s: %v, but the hits before it are up to %s, and then %s", text, said[0], last, first)
	}
	if len(said) == 1 && (offset(said[0].Span.Start) != offset(first) ||
		strings.Contains(said[0].Message, "time that is later there") != (offset(first) > offset(last))) {
		t.Fatalf("%s: %v is not the change between %s and %s", text, said[0], last, first)
	}
}

// The schedule for Karpenter covers the hours that are written, in the zone, at all times of a year, and on no other day
// than the written ones.
func TestTheScheduleForKarpenterCoversTheHoursOfTheZoneAllYear(t *testing.T) {
	advised := regexp.MustCompile(`for Karpenter, schedule "([^"]*)" with duration ([0-9hm]*) covers`)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata",
			"America/St_Johns", "Africa/Casablanca"}).Draw(t, "zone")
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		minute, hour := rapid.SampledFrom([]int{0, 15, 30}).Draw(t, "minute"), rapid.IntRange(0, 23).Draw(t, "hour")
		text := fmt.Sprintf("%d %d * * %s", minute, hour, rapid.SampledFrom([]string{"*", "mon-fri", "sat"}).Draw(t, "days"))
		duration := fmt.Sprintf("%dh", rapid.IntRange(1, 30).Draw(t, "hours"))
		set, err := budget.Spec{Budgets: []budget.Budget{{Nodes: "5"}, {Nodes: "0", Schedule: text, Duration: duration}}}.Compile()
		if err != nil {
			t.Fatal(err)
		}
		now := lintNow.In(zone)
		for _, f := range lint.Run(set, now, lint.Facts{}) {
			m := advised.FindStringSubmatch(f.Advice)
			if m == nil {
				continue
			}
			d, _ := time.ParseDuration(duration)
			longer, err := time.ParseDuration(m[2])
			if err != nil {
				t.Fatal(err)
			}
			if longer >= 24*time.Hour {
				t.Fatalf("%s for %s in %s, which never ends: %s", text, duration, name, f.Advice)
			}
			meant, covers := schedule.MustParse(text, d, name), schedule.MustParse(m[1], longer, "")
			for span := range meant.Spans(now, now.Add(365*24*time.Hour)) {
				if open, until := covers.Until(span.Start); !open || until.Before(span.End) {
					t.Fatalf("%s of %s for %s in %s is not covered by %s", span.Start, text, duration, name, f.Advice)
				}
			}
			for span := range covers.Spans(now, now.Add(364*24*time.Hour)) {
				if span.Start.Equal(now) {
					continue // it began before
				}
				if _, next := meant.Until(span.Start); !schedule.InWindow(meant, span.Start) && !next.Before(span.End) {
					t.Fatalf("%s of %s is at no meant time: %s for %s in %s", span.Start, f.Advice, text, duration, name)
				}
			}
		}
	})
}

func offset(t time.Time) int {
	_, offset := t.Zone()
	return offset
}

// drawHits returns a schedule that hits at full or half hours: of days, of months, or about a change of the clocks.
func drawHits(t *rapid.T, now time.Time) string {
	hour, day, month := rapid.IntRange(0, 23).Draw(t, "hour"), rapid.IntRange(1, 28).Draw(t, "day"), rapid.IntRange(1, 12).Draw(t, "month")
	other := rapid.IntRange(1, 12).Draw(t, "other month")
	if _, change := now.ZoneBounds(); !change.IsZero() && rapid.Bool().Draw(t, "about a change") {
		change = change.Add(time.Duration(rapid.IntRange(-2, 2).Draw(t, "half hours")) * 30 * time.Minute).UTC()
		return fmt.Sprintf("%d %d-23 %d %d *", change.Minute(), change.Hour(), change.Day(), int(change.Month()))
	}
	return rapid.SampledFrom([]string{
		fmt.Sprintf("0 %d %d %d *", hour, day, month),
		fmt.Sprintf("30 %d %d %d,%d *", hour, day, month, other),
		fmt.Sprintf("0 %d * %d-%d *", hour, min(month, other), max(month, other)),
		fmt.Sprintf("30 %d * %d mon-fri", hour, month),
		fmt.Sprintf("0 %d * * sun", hour),
	}).Draw(t, "kind")
}
