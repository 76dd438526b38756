package schedule_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/schedule"
)

// A window of events is open as one of their spans is, and names exactly those of which a part is within a span.
func TestEventsAreNamedWhereTheyTakePlace(t *testing.T) {
	check(t, func(t *rapid.T) {
		var events []schedule.Event
		spans := rapid.SliceOfN(testkit.Arbitrary(generate.Span), 0, 6).Draw(t, "spans")
		for i, s := range spans {
			name := ""
			if rapid.IntRange(0, 4).Draw(t, "named") > 0 {
				name = fmt.Sprint(i)
			}
			events = append(events, schedule.Event{Name: name, Span: s})
		}
		w := schedule.Events(events...)
		for _, at := range instants(spans) {
			if got, want := schedule.InWindow(w, at), schedule.InWindow(schedule.Dates(spans...), at); got != want {
				t.Fatalf("open at %v: %t", at, got)
			}
		}
		if w == (schedule.Window{}) {
			return // it never closes, and has forgotten why
		}
		within := testkit.Arbitrary(generate.Span).Draw(t, "within")
		got := w.Events(within)
		for _, e := range events {
			want := e.Name != "" && slices.ContainsFunc(append(instants([]schedule.Span{e.Span, within}), time.Time{}), func(at time.Time) bool {
				return e.Contains(at) && within.Contains(at)
			})
			if found := slices.Contains(got, e); found != want {
				t.Fatalf("%v of %v within %v: %t", e, events, within, found)
			}
		}
	})
}

func TestEventsAreThoseOfTheCalendar(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 12, n, 0, 0, 0, 0, time.UTC) }
	days := func(name string, from, to int) schedule.Event {
		return schedule.Event{Name: name, Span: schedule.Span{Start: day(from), End: day(to)}}
	}
	holidays := schedule.Events(days("Boxing Day", 26, 27), days("Christmas Day", 25, 26), days("", 1, 2), days("Freeze", 20, 40), days("never", 9, 9))
	weekly, err := schedule.Parse("0 0 * * sat", 48*time.Hour, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		window schedule.Window
		within schedule.Span
		want   []string
	}{
		{"in the order of their starts", holidays, schedule.Span{}, []string{"Freeze", "Christmas Day", "Boxing Day"}},
		{"of one day", holidays, days("", 25, 26).Span, []string{"Freeze", "Christmas Day"}},
		{"from a time on", holidays, schedule.Span{Start: day(27)}, []string{"Freeze"}},
		{"up to a time", holidays, schedule.Span{End: day(20)}, nil},
		{"of no time", holidays, days("", 25, 25).Span, nil},
		{"with weekends", schedule.Union(weekly, holidays, schedule.Events(days("Advent", 6, 7))), schedule.Span{}, []string{"Advent", "Freeze", "Christmas Day", "Boxing Day"}},
		{"not outside of them", holidays.Outside(), schedule.Span{}, nil},
		{"but outside of what is outside of them", holidays.Outside().Outside(), days("", 26, 27).Span, []string{"Freeze", "Boxing Day"}},
		{"always", schedule.Window{}, schedule.Span{}, nil},
		{"on weekends alone", weekly, schedule.Span{}, nil},
		{"dates without names", schedule.Dates(days("", 1, 2).Span), schedule.Span{}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, e := range c.window.Events(c.within) {
				got = append(got, e.Name)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
