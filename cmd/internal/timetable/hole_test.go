package timetable

import (
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// holesOf returns what is marked in the week of advent, of what Lint finds or of other findings, by the titles of charts.
func holesOf(t *testing.T, list []budget.Budget, findings []lint.Finding) map[string][]string {
	t.Helper()
	p := pool(t, "p", list, 40, advent, methods...)
	if p.Findings = findings; findings == nil {
		p.Findings = lint.Run(p.Budgets, advent, lint.Facts{Nodes: 40})
	}
	sheets, err := lay([]Pool{p})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, c := range sheets[0].charts {
		for _, h := range sheets[0].holes(c) {
			for _, s := range h.spans {
				got[c.title()] = append(got[c.title()], h.finding.Code+" "+s.String())
			}
		}
	}
	return got
}

func TestAMarkIsWhereTheHoleIs(t *testing.T) {
	at := func(from, to time.Duration) schedule.Span {
		return schedule.Span{Start: advent.Add(from), End: advent.Add(to)}
	}
	const day = 24 * time.Hour
	always := []budget.Budget{{Nodes: "10%"}}
	for _, c := range []struct {
		name     string
		list     []budget.Budget
		findings []lint.Finding // nil are Lint's
		want     string         // "" is none; of each chart
	}{
		{"unlimited time is marked each time, where there is any", mondayNight, nil,
			"Drifted, Underutilized: unlimited-span Mon 23 Nov 00:00 to Mon 23 Nov 01:00 UTC, unlimited-span Mon 23 Nov 05:00 to Mon 30 Nov 00:00 UTC"},
		{"brief openings are marked each time, and longer ones are not", []budget.Budget{
			{Nodes: "0", Schedule: "0 0 * * mon,tue,wed", Duration: "23h59m"}, {Nodes: "10%"},
		}, nil, "Drifted, Empty, Underutilized: gap Mon 23 Nov 23:59 to Tue 24 Nov 00:00 UTC, gap Tue 24 Nov 23:59 to Wed 25 Nov 00:00 UTC"},
		{"a brief opening at the end of the week is marked", []budget.Budget{
			{Nodes: "0", Schedule: "0 0 * * sun,mon,tue", Duration: "23h59m"}, {Nodes: "10%"},
		}, nil, "Drifted, Empty, Underutilized: gap Mon 23 Nov 23:59 to Tue 24 Nov 00:00 UTC, gap Sun 29 Nov 23:59 to Mon 30 Nov 00:00 UTC"},
		{"the end of the week does not make an opening brief", []budget.Budget{
			{Nodes: "0", Schedule: "0 0 * * tue,wed", Duration: "23h59m"}, {Nodes: "0", Schedule: "0 1 * * mon", Duration: "22h59m"},
			{Nodes: "0", Schedule: "0 0 * * thu", Duration: "95h59m"}, {Nodes: "10%"},
		}, nil, "Drifted, Empty, Underutilized: gap Mon 23 Nov 23:59 to Tue 24 Nov 00:00 UTC, " +
			"gap Tue 24 Nov 23:59 to Wed 25 Nov 00:00 UTC, gap Wed 25 Nov 23:59 to Thu 26 Nov 00:00 UTC"},
		{"what is about no time has no mark", always, []lint.Finding{{Code: "rounds-up"}}, ""},
		{"what is about all time has no mark", always, []lint.Finding{{Code: "x", Span: at(-day, 8*day)}}, ""},
		{"what begins some time and never ends has no mark", always, []lint.Finding{{Code: "x", Span: schedule.Span{Start: advent.Add(day)}}}, ""},
		{"another week has no mark", always, []lint.Finding{{Code: "x", Span: at(8*day, 9*day)}}, ""},
		{"the week cuts a mark", always, []lint.Finding{{Code: "x", Span: at(-day, day)}},
			"Drifted, Empty, Underutilized: x Mon 23 Nov 00:00 to Tue 24 Nov 00:00 UTC"},
		{"another reason has no mark", mondayNight, []lint.Finding{{Code: "x", Reason: candidate.Empty, Span: at(0, day)}},
			"Empty: x Mon 23 Nov 00:00 to Tue 24 Nov 00:00 UTC"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for title, spans := range holesOf(t, c.list, c.findings) {
				got = append(got, title+": "+strings.Join(spans, ", "))
			}
			if text := strings.Join(got, "; "); text != c.want {
				t.Errorf("got  %s\nwant %s", text, c.want)
			}
		})
	}
}

func TestWhatIsBrokenLooksBroken(t *testing.T) {
	svg := drawn(t, pool(t, "p", []budget.Budget{{Nodes: "10%"}, {Nodes: "ten"}}, 40, advent, methods...))
	if !strings.Contains(svg, `<text class="broken" x="16.0" y="72.0">Invalid, and allows nothing: budgets[1].</text>`) {
		t.Error("the picture does not stress what is broken")
	}
}
