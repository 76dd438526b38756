package timetable

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/golden"
	"github.com/disruptkit/disruptkit/schedule"
)

var (
	methods = []candidate.Reason{candidate.Drifted, candidate.Empty, candidate.Underutilized}
	drifted = []candidate.Reason{candidate.Drifted}
	advent  = time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
)

// pool returns the weeks of a list of budgets, which may be invalid.
func pool(t testing.TB, name string, spec budget.Spec, nodes int, start time.Time, reasons ...candidate.Reason) Pool {
	t.Helper()
	set, _ := spec.Compile()
	p := Pool{Name: name, Start: start, Nodes: nodes, Budgets: set}
	for _, r := range reasons {
		segments, err := set.Forecast(start, p.day(Days), nodes, r)
		if err != nil {
			t.Fatal(err)
		}
		p.Weeks = append(p.Weeks, Week{r, segments, nil})
	}
	return p
}

// team is the week of advent in which a team freezes its pool, reviews, launches and at other times goes slowly; on Tuesday alice
// paused everything.
func team(t testing.TB) Pool {
	t.Helper()
	event := func(name string, day, hour, day2, hour2 int) schedule.Event {
		at := func(d, h int) time.Time { return advent.AddDate(0, 0, d).Add(time.Duration(h) * time.Hour) }
		return schedule.Event{Name: name, Span: schedule.Span{Start: at(day, hour), End: at(day2, hour2)}}
	}
	p := pool(t, "team", budget.Spec{
		Budgets: []budget.Budget{{Nodes: "10%"}, {Nodes: "2", Per: "1h", Reasons: drifted, Schedule: "0 9 * * mon-fri", Duration: "8h"},
			{Nodes: "0", Calendar: "team"}},
		Calendars: map[string]schedule.Window{"team": schedule.Events(event("Release review", 0, 9, 0, 11), event("Launch & demo", 2, 18, 2, 19),
			event("Freeze before the holidays of the whole company", 4, 0, 9, 0), event("Black Friday", 4, 0, 5, 0))},
	}, 100, advent, methods...)
	pauses := []schedule.Event{event("paused by alice: INC-1234", 1, 10, 1, 15)}
	for i := range p.Weeks {
		p.Weeks[i].Segments, p.Weeks[i].Pauses = engine.Paused(p.Weeks[i].Segments, pauses), pauses
	}
	return p
}

// svg returns what SVG writes.
func svg(t testing.TB, pools ...Pool) string {
	t.Helper()
	var s strings.Builder
	if err := SVG(&s, pools); err != nil {
		t.Fatal(err)
	}
	return s.String()
}

// docs/budgets.md shows this picture.
func TestThePictureOfATeam(t *testing.T) {
	golden.Check(t, "team.svg", svg(t, team(t)))
}

func TestABlockSaysWhatTakesPlaceAndAtWhichPaceNodesStart(t *testing.T) {
	p := team(t)
	row := p.Rows()[0]
	for _, c := range []struct {
		name       string
		day, hour  int
		label, tip string
	}{
		{"a pace", 1, 9, "10 of 100, 2 per 1h", "Tue 09:00 to Tue 10:00: 10 nodes at once; budgets[0]: 10%; at the pace of budgets[1]: 2 per 1h (Drifted; 0 9 * * mon-fri for 8h, UTC)"},
		{"an event", 0, 9, "Release review", "Mon 09:00 to Mon 11:00: closed; budgets[2]: 0 (calendar team); Release review"},
		{"a pause", 1, 12, "paused by alice: INC-1234", "Tue 10:00 to Tue 15:00: closed; paused by alice: INC-1234"},
		{"two events at a time", 4, 12, "Freeze before the holidays of the whole company, Black Friday",
			"Fri 00:00 to Mon 00:00: closed; budgets[2]: 0 (calendar team); Freeze before the holidays of the whole company, Black Friday"},
		{"nothing", 3, 20, "10 of 100", "Thu 17:00 to Fri 00:00: 10 nodes at once; budgets[0]: 10%"},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := advent.AddDate(0, 0, c.day).Add(time.Duration(c.hour) * time.Hour)
			b := row.Blocks[slices.IndexFunc(row.Blocks, func(b Block) bool { return b.Contains(at) })]
			if c.day == 4 {
				saturday := schedule.Span{Start: p.day(5), End: p.day(6)}
				if got := p.label(b, saturday, 1000); got != "Freeze before the holidays of the whole company" {
					t.Errorf("on Saturday: %s", got)
				}
			}
			if b.Tip != c.tip || p.label(b, b.Span, 1000) != c.label {
				t.Errorf("got  %s\n     %s\nwant %s\n     %s", p.label(b, b.Span, 1000), b.Tip, c.label, c.tip)
			}
		})
	}
}

// Reasons share a row only where the same paces and pauses hold.
func TestReasonsForWhichTheSameIsAllowedShareARow(t *testing.T) {
	p := team(t)
	reasons := func() (all []string) {
		for _, r := range p.Rows() {
			all = append(all, r.Reasons)
		}
		return all
	}
	if diff := cmp.Diff([]string{"Drifted", "Empty, Underutilized"}, reasons()); diff != "" {
		t.Error(diff)
	}
	p.Weeks[2].Pauses = []schedule.Event{{Name: "paused by bob"}}
	if diff := cmp.Diff([]string{"Drifted", "Empty", "Underutilized"}, reasons()); diff != "" {
		t.Error(diff)
	}
	if tip := p.Rows()[2].Blocks[0].Tip; !strings.HasSuffix(tip, "paused by bob") {
		t.Errorf("a pause without bounds is shown as %q", tip)
	}
}

func TestWhatAPictureSaysBesideItsRows(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	ten := []budget.Budget{{Nodes: "10%"}}
	for _, c := range []struct {
		name  string
		spec  budget.Spec
		start time.Time
		want  string
	}{
		{"nodes, dates and the zone", budget.Spec{Budgets: ten}, advent, "40 nodes. Mon 23 to Sun 29 Nov 2026, UTC."},
		{"two months", budget.Spec{Budgets: ten}, advent.AddDate(0, 0, 3), "Thu 26 Nov to Wed 2 Dec 2026"},
		{"two years", budget.Spec{Budgets: ten}, time.Date(2026, 12, 30, 0, 0, 0, 0, berlin), "Wed 30 Dec 2026 to Tue 5 Jan 2027, Europe/Berlin."},
		{"an invalid budget", budget.Spec{Budgets: []budget.Budget{{Nodes: "1"}, {Nodes: "one"}}}, advent, "Invalid, and allows nothing: budgets[1]."},
		{"a budget of zones", budget.Spec{Budgets: []budget.Budget{{Nodes: "1", TopologyKey: "zone"}}}, advent,
			"Not drawn, since budgets with a topologyKey limit single zones: budgets[0]."},
		{"a policy", budget.Spec{ConsolidationPolicy: "WhenEmpty", Budgets: ten}, advent,
			"Whatever the budgets allow, no node is disrupted for Underutilized: a policy of the pool is Never."},
		{"clocks that go forward", budget.Spec{Budgets: ten}, time.Date(2027, 3, 22, 0, 0, 0, 0, berlin), "On Sun 28 Mar, clocks go forward: the time that they skip is left empty."},
		{"clocks that go back", budget.Spec{Budgets: ten}, time.Date(2026, 10, 19, 0, 0, 0, 0, berlin), "On Sun 25 Oct, clocks go back: of the time that they show twice, the second is drawn."},
	} {
		if got := svg(t, pool(t, "p", c.spec, 40, c.start, methods...)); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q is not in\n%s", c.name, c.want, got)
		}
	}
	if !strings.Contains(svg(t), "There is no week to draw.") {
		t.Error("no pools, and no word of it")
	}
}

// Where so much changes that hours are drawn, those with a pace are apart from those without.
func TestHoursWithAPaceAreBlocksOfTheirOwn(t *testing.T) {
	p := pool(t, "p", budget.Spec{Budgets: []budget.Budget{{Nodes: "5"}, {Nodes: "2", Per: "1h", Schedule: "0 9 * * *", Duration: "8h"},
		{Nodes: "0", Schedule: "*/2 1 * * *", Duration: "1m"}}}, 40, advent, drifted...)
	var got []string
	for _, b := range p.Rows()[0].Blocks[:5] {
		got = append(got, b.Start.Format("15:04")+" "+p.label(b, b.Span, 1000))
	}
	if diff := cmp.Diff([]string{"00:00 5 of 40", "01:00 mixed", "02:00 5 of 40", "09:00 5 of 40, 2 per 1h", "17:00 5 of 40"}, got); diff != "" {
		t.Error(diff)
	}
}
