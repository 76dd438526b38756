package timetable

import (
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

func TestWhatIsRefused(t *testing.T) {
	days := func(from, to int) budget.Segment {
		return budget.Segment{Span: schedule.Span{Start: advent.AddDate(0, 0, from), End: advent.AddDate(0, 0, to)}}
	}
	for _, c := range []struct {
		name     string
		start    time.Time
		segments []budget.Segment
		want     string // "" is no error
	}{
		{"a week that begins on a Tuesday is fine", advent.AddDate(0, 0, 1), []budget.Segment{days(0, 9)}, ""},
		{"a week that begins in the morning", advent.Add(time.Hour), []budget.Segment{days(0, 9)},
			`pool "p", Drifted: the week begins at Mon 2026-11-23 01:00 UTC: write the 00:00 of a day`},
		{"no segments", advent, nil, `pool "p", Drifted: no segment is in the week of 2026-11-23`},
		{"segments of another week", advent, []budget.Segment{days(-7, 0)}, `pool "p", Drifted: no segment is in the week of 2026-11-23`},
		{"a gap", advent, []budget.Segment{days(0, 2), days(3, 7)}, `pool "p", Drifted: after 2026-11-25T00:00:00Z comes a segment from ` +
			`2026-11-26T00:00:00Z to 2026-11-30T00:00:00Z: segments must follow each other without a gap`},
		{"an overlap", advent, []budget.Segment{days(0, 3), days(2, 7)}, `pool "p", Drifted: after 2026-11-26T00:00:00Z comes a segment from ` +
			`2026-11-25T00:00:00Z to 2026-11-30T00:00:00Z: segments must follow each other without a gap`},
		{"an end that is too early", advent, []budget.Segment{days(0, 6)},
			`pool "p", Drifted: the segments end at 2026-11-29T00:00:00Z, and the week at 2026-11-30T00:00:00Z`},
		{"more than the week is fine", advent, []budget.Segment{days(-90, 1), days(1, 400)}, ""},
		{"so are segments without bounds", advent,
			[]budget.Segment{{Span: schedule.Span{End: advent.AddDate(0, 0, 2)}}, {Span: schedule.Span{Start: advent.AddDate(0, 0, 2)}}}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			pools := []Pool{{Name: "p", Nodes: 3, Weeks: []Week{{candidate.Drifted, c.start, c.segments, nil}}}}
			for name, write := range map[string]func(*strings.Builder) error{
				"SVG": func(w *strings.Builder) error { return SVG(w, pools) },
			} {
				var out strings.Builder
				got := ""
				if err := write(&out); err != nil {
					got = err.Error()
				}
				if got != c.want || (got == "") != (out.Len() > 0) {
					t.Errorf("%s: %d bytes and the error\n%s\nwant\n%s", name, out.Len(), got, c.want)
				}
			}
		})
	}
}

func TestNothingToDraw(t *testing.T) {
	for name, pools := range map[string][]Pool{"no pools": nil, "a pool without weeks": {{Name: "p"}}} {
		svg := drawn(t, pools...)
		if parsed(t, svg); !strings.Contains(svg, "There is no week to draw.") {
			t.Errorf("%s: the picture says\n%s", name, svg)
		}
	}
}
