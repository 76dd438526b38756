package timetable

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/schedule"
)

// blockAt returns the block of a chart at a time.
func blockAt(t *testing.T, c chart, at time.Time) block {
	t.Helper()
	for _, d := range c.days {
		for _, b := range d.blocks {
			if !at.Before(b.span.from) && at.Before(b.span.to) {
				return b
			}
		}
	}
	t.Fatalf("no block is at %v", at)
	return block{}
}

func TestABlockSaysWhatTakesPlaceAndAtWhichPaceNodesStart(t *testing.T) {
	sheets, err := lay([]Pool{team(t)})
	if err != nil {
		t.Fatal(err)
	}
	s := sheets[0]
	for _, c := range []struct {
		name      string
		day, hour int
		lines     []string
		tip       string
	}{
		{"a pace", 1, 9, []string{"10 of 100", "2 start per 1h", "09:00–10:00"}, "Tue 24 Nov 09:00 to Tue 24 Nov 10:00 UTC: 10 of 100 nodes, by budgets[0]: 10%, " +
			"at the pace of budgets[1]: 2 per 1h (Drifted; 0 9 * * mon-fri for 8h, UTC)"},
		{"an event", 0, 9, []string{"closed", "Release review", "09:00–11:00"}, "Mon 23 Nov 09:00 to Mon 23 Nov 11:00 UTC: closed, by budgets[2]: 0 (calendar team) for Release review"},
		{"a pause", 1, 12, []string{"closed", "paused by alice:", "INC-1234", "10:00–15:00"}, "Tue 24 Nov 10:00 to Tue 24 Nov 15:00 UTC: closed, paused by alice: INC-1234"},
		{"two events at a time", 4, 12, []string{"closed", "Freeze before the", "holidays of the whol…", "Black Friday"},
			"Fri 27 Nov 00:00 to Mon 30 Nov 00:00 UTC: closed, by budgets[2]: 0 (calendar team) for Freeze before the holidays of the whole company, Black Friday"},
		{"one of them on the next day", 5, 12, []string{"closed", "Freeze before the", "holidays of the whol…"},
			"Fri 27 Nov 00:00 to Mon 30 Nov 00:00 UTC: closed, by budgets[2]: 0 (calendar team) for Freeze before the holidays of the whole company, Black Friday"},
		{"nothing", 3, 20, []string{"10 of 100", "from 17:00"}, "Thu 26 Nov 17:00 to Fri 27 Nov 00:00 UTC: 10 of 100 nodes, by budgets[0]: 10%"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := blockAt(t, s.charts[0], advent.AddDate(0, 0, c.day).Add(time.Duration(c.hour)*time.Hour))
			if diff := cmp.Diff(c.lines, s.lines(b, roomOnBlock, 9)); diff != "" {
				t.Error(diff)
			}
			if got := s.tip(b); got != c.tip {
				t.Errorf("got  %s\nwant %s", got, c.tip)
			}
		})
	}
	if got := s.lines(blockAt(t, s.charts[0], advent.Add(9*time.Hour)), roomOnBlock, 1); !slices.Equal(got, []string{"Release review"}) {
		t.Errorf("where there is one line: %q", got)
	}
}

// Reasons share a chart only where the same paces and pauses hold.
func TestReasonsOfOtherPausesHaveAChartOfTheirOwn(t *testing.T) {
	p := team(t)
	charts := func() (titles []string) {
		sheets, err := lay([]Pool{p})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range sheets[0].charts {
			titles = append(titles, c.title())
		}
		return titles
	}
	if diff := cmp.Diff([]string{"Drifted", "Empty, Underutilized"}, charts()); diff != "" {
		t.Error(diff)
	}
	p.Weeks[2].Pauses = []schedule.Event{{Name: "paused by bob"}}
	if diff := cmp.Diff([]string{"Drifted", "Empty", "Underutilized"}, charts()); diff != "" {
		t.Error(diff)
	}
	sheets, err := lay([]Pool{p})
	if err != nil {
		t.Fatal(err)
	}
	if tip := sheets[0].tip(blockAt(t, sheets[0].charts[2], advent.AddDate(0, 0, 1).Add(12*time.Hour))); !strings.HasSuffix(tip, "closed, paused by bob") {
		t.Errorf("a pause without bounds is shown as %q", tip)
	}
}

func TestAPaceAloneIsNotShownAsNoLimit(t *testing.T) {
	svg := drawn(t, pool(t, "p", []budget.Budget{{Nodes: "1", Per: "1h"}}, 40, advent, drifted...))
	_, text := parsed(t, svg)
	for _, want := range []string{"unlimited: no budget limits how many go at once", "pace: at most 1 starts per 1h (budgets[0])", "unlimited for 168h; at a pace for 168h",
		"unlimited, since no budget limits how many go at once, at the pace of budgets[0]: 1 per 1h"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
}
