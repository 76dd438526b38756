package disruptkit_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/schedule"
)

// Whichever budget of a calendar blocks a node, its blocker names the event, and when it ends. It is Friday noon in UTC.
func TestBlockersNameWhatTakesPlaceInACalendar(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	event := func(name string, from, to time.Duration) schedule.Event {
		return schedule.Event{Name: name, Span: schedule.Span{Start: fixture.Noon.Add(from).In(berlin), End: fixture.Noon.Add(to).In(berlin)}}
	}
	calendars := map[string]schedule.Window{
		"now":   schedule.Events(event("Launch", -time.Hour, 2*time.Hour)),
		"later": schedule.Events(event("Match", time.Hour, 3*time.Hour)),
	}
	for _, c := range []struct {
		name    string
		budgets []budget.Budget
		nodes   string
		pauses  []probe.Pause
		want    string
	}{
		{"of the pool", []budget.Budget{{Nodes: "0", Calendar: "now"}}, "a1*", nil,
			"- a1 budget/allows-none: 0 of 1 node may be disrupted now: budgets[0] is 0 (calendar now: Launch, until Fri 20 Nov 15:00 CET) (until 2026-11-20T14:00:00Z)\nnext change: 14:00\n"},
		{"of a pace", []budget.Budget{{Nodes: "1", Per: "4h", Calendar: "now"}}, "a1* a2*", nil,
			"+ a1 Drifted until 14:00\n- a2 budget/paced: start limit reached, with 1 allowed now: " +
				"budgets[0] is 1 per 4h (calendar now: Launch, until Fri 20 Nov 15:00 CET) (until 2026-11-20T14:00:00Z)\nnext change: 14:00\n"},
		{"of single zones", []budget.Budget{{Nodes: "0", Calendar: "now", TopologyKey: fixture.Zone}}, "a1*", nil,
			"- a1 topology/allows-none: 0 of 1 node of a may be disrupted at once: budgets[0] is 0 per topology.kubernetes.io/zone (calendar now: Launch, until Fri 20 Nov 15:00 CET) (until 2026-11-20T14:00:00Z)\nnext change: 14:00\n"},
		{"that blocks a node once a pause has ended", []budget.Budget{{Nodes: "0", Calendar: "later"}}, "a1*", []probe.Pause{{By: "alice", Until: fixture.Clock("13:30")}},
			"- a1 probe/paused: paused by alice (until 2026-11-20T13:30:00Z)\nnext change: 13:00\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := budget.Spec{Budgets: c.budgets, Calendars: calendars}.Compile()
			if err != nil {
				t.Fatal(err)
			}
			in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Zoned(c.nodes), Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}}
			in.Pauses = c.pauses
			d := disruptkit.Decide(in, candidate.Drifted)
			d.Memory = nil
			if diff := cmp.Diff(c.want, fixture.Turns(d)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
