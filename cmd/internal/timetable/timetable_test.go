package timetable

import (
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/golden"
	"github.com/disruptkit/disruptkit/schedule"
)

var (
	methods = []candidate.Reason{candidate.Drifted, candidate.Empty, candidate.Underutilized}
	drifted = []candidate.Reason{candidate.Drifted}
	advent  = time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)

	// The second example of the AZ-sequential RFC: "only allow drift during business hours".
	businessHours = []budget.Budget{
		{Nodes: "0", Schedule: "0 17 * * mon-fri", Duration: "16h", Reasons: drifted},
		{Nodes: "1", TopologyKey: "topology.kubernetes.io/zone", Sequential: true, Reasons: drifted},
		{Nodes: "10%"},
	}
	// Meant: drift only on Monday from 01:00 to 05:00.
	mondayNight = []budget.Budget{
		{Nodes: "35%", Schedule: "0 1 * * mon", Duration: "4h"},
		{Nodes: "35%", Reasons: []candidate.Reason{candidate.Empty}},
	}
	nightsInBerlin = []budget.Budget{
		{Nodes: "0", Schedule: "0 22 * * *", Duration: "5h30m", TimeZone: "Europe/Berlin"},
		{Nodes: "20%"},
	}
	minuteWise = []budget.Budget{
		{Nodes: "0", Schedule: "*/2 9-16 * * *", Duration: "1m", Reasons: drifted},
		{Nodes: "5", Schedule: "0 20 * * *", Duration: "10m"},
		{Nodes: "20%", Reasons: []candidate.Reason{candidate.Empty}},
	}
)

// pool returns the weeks of a list of budgets, which may be broken.
func pool(t testing.TB, name string, list []budget.Budget, nodes int, monday time.Time, reasons ...candidate.Reason) Pool {
	t.Helper()
	return poolOf(t, name, budget.Spec{Budgets: list}, nodes, monday, reasons...)
}

func poolOf(t testing.TB, name string, spec budget.Spec, nodes int, monday time.Time, reasons ...candidate.Reason) Pool {
	t.Helper()
	set, _ := spec.Compile()
	p := Pool{Name: name, Nodes: nodes, Budgets: set}
	for _, r := range reasons {
		segments, err := set.Forecast(monday, monday.AddDate(0, 0, 7), nodes, r)
		if err != nil {
			t.Fatal(err)
		}
		p.Weeks = append(p.Weeks, Week{r, monday, segments, nil})
	}
	return p
}

func inBerlin(t testing.TB, year int, month time.Month, d int) time.Time {
	t.Helper()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return time.Date(year, month, d, 0, 0, 0, 0, berlin)
}

// team is the week of advent in which a team freezes its pool, reviews, launches and at other times goes slowly; on Tuesday alice
// paused everything.
func team(t testing.TB) Pool {
	t.Helper()
	event := func(name string, day, hour, day2, hour2 int) schedule.Event {
		at := func(d, h int) time.Time { return advent.AddDate(0, 0, d).Add(time.Duration(h) * time.Hour) }
		return schedule.Event{Name: name, Span: schedule.Span{Start: at(day, hour), End: at(day2, hour2)}}
	}
	p := poolOf(t, "team", budget.Spec{
		Budgets: []budget.Budget{{Nodes: "10%"}, {Nodes: "2", Per: "1h", Reasons: drifted, Schedule: "0 9 * * mon-fri", Duration: "8h"},
			{Nodes: "0", Calendar: "team"}},
		Calendars: map[string]schedule.Window{"team": schedule.Events(event("Release review", 0, 9, 0, 11), event("Launch & demo", 2, 18, 2, 19),
			event("Freeze before the holidays of the whole company", 4, 0, 9, 0), event("Black Friday", 4, 0, 5, 0))},
	}, 100, advent, methods...)
	pause := event("paused by alice: INC-1234", 1, 10, 1, 15)
	for i := range p.Weeks {
		var all []budget.Segment
		for _, s := range p.Weeks[i].Segments {
			for at := s.Start; at.Before(s.End); at = at.Add(time.Hour) { // everything changes on the hour
				part := s
				if part.Start, part.End = at, at.Add(time.Hour); pause.Contains(at) {
					part.Allowance, part.Paces = budget.Allowance{}, 0
				}
				if last := len(all) - 1; last >= 0 && all[last].Allowance == part.Allowance && all[last].Paces == part.Paces {
					all[last].End = part.End
				} else {
					all = append(all, part)
				}
			}
		}
		p.Weeks[i].Segments, p.Weeks[i].Pauses = all, []schedule.Event{pause}
	}
	return p
}

// drawn returns what SVG writes.
func drawn(t testing.TB, pools ...Pool) string {
	t.Helper()
	var s strings.Builder
	if err := SVG(&s, pools); err != nil {
		t.Fatal(err)
	}
	return s.String()
}

// docs/budgets.md shows this picture.
func TestThePictureOfATeam(t *testing.T) {
	svg := drawn(t, team(t))
	golden.Check(t, "team.svg", svg)
}
