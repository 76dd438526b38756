package later_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/fixture"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/schedule"
)

// TestOlderCandidatesTakeRoomFromWhenTheyCome tells the fates of nodes behind an older one, x, that comes later than they do, or never.
func TestOlderCandidatesTakeRoomFromWhenTheyCome(t *testing.T) {
	const under, drift = candidate.Underutilized, candidate.Drifted
	one, hourly := budget.Budget{Nodes: "1"}, budget.Budget{Nodes: "1", Per: "1h"}
	opensOnSunday := schedule.MustParse("0 3 * * sun", 3*time.Hour, "")
	started := map[string]disruptkit.Memory{"default": {Starts: []budget.Start{{Node: "gone", Reason: drift, At: fixture.Clock("11:45")}}}}
	for _, c := range []struct {
		name    string
		budgets []budget.Budget
		memory  map[string]disruptkit.Memory
		nodes   []candidate.Node
		change  func(in *disruptkit.Input)
		want    string // of all nodes but x
	}{
		{"a pod schedule that opens on Sunday", []budget.Budget{frozen(9), one}, nil,
			[]candidate.Node{fixture.Wanted("x", fixture.Noon, under), fixture.Wanted("y", fixture.Noon.Add(time.Hour), drift)},
			func(in *disruptkit.Input) {
				in.Nodes[0].Pods = []candidate.Pod{{Namespace: "shop", Name: "web", Terms: candidate.Terms{Window: opensOnSunday}}}
			}, "y budget/allows-none until 18:00"},
		{"a window of a budget for its reason", []budget.Budget{frozen(9), {Nodes: "0", Reasons: []candidate.Reason{under}, To: "2026-11-21"}, one}, nil,
			[]candidate.Node{fixture.Wanted("x", fixture.Noon, under), fixture.Wanted("y", fixture.Noon.Add(time.Hour), drift)}, nil,
			"y budget/allows-none until 18:00"},
		{"its node's own other reason", []budget.Budget{frozen(9), {Nodes: "0", Reasons: []candidate.Reason{under}, To: "2026-11-21"}, one}, nil,
			[]candidate.Node{fixture.Wanted("y", fixture.Noon, under, drift)}, nil,
			"y budget/allows-none until 00:00; y budget/allows-none until 18:00"},
		{"two older nodes, of which one comes", []budget.Budget{frozen(9), {Nodes: "0", Reasons: []candidate.Reason{under}, To: "2026-11-21"}, one}, nil,
			[]candidate.Node{
				fixture.Wanted("x", fixture.Noon, under), fixture.Wanted("y", fixture.Noon.Add(time.Hour), drift),
				fixture.Wanted("z", fixture.Noon.Add(2*time.Hour), drift),
			}, nil,
			"y budget/allows-none until 18:00; z budget/allows-none until 18:00 budget/exhausted"},
		{"a pause of its reason", []budget.Budget{frozen(9), one}, nil,
			[]candidate.Node{fixture.Wanted("x", fixture.Noon, under), fixture.Wanted("y", fixture.Noon.Add(time.Hour), drift)},
			func(in *disruptkit.Input) {
				in.Pauses = []probe.Pause{{Reasons: []candidate.Reason{under}, Until: fixture.Clock("19:00")}}
			}, "y budget/allows-none until 18:00"},
		{"do-not-disrupt", []budget.Budget{frozen(9), one}, nil,
			[]candidate.Node{fixture.Wanted("x", fixture.Noon, under), fixture.Wanted("y", fixture.Noon.Add(time.Hour), drift)},
			func(in *disruptkit.Input) { in.Nodes[0].DoNotDisrupt = true }, "y budget/allows-none until 18:00"},
		{"a place in the zone that it takes later", []budget.Budget{frozen(9), {Nodes: "1", TopologyKey: fixture.Zone}}, nil, fixture.Zoned("x* y*"),
			func(in *disruptkit.Input) {
				for i := range in.Nodes {
					in.Nodes[i].Labels[fixture.Zone] = "a"
				}
				in.Nodes[0].NominatedUntil = fixture.Clock("19:00")
			}, "y budget/allows-none until 18:00"},
		{"a start between two slots", []budget.Budget{hourly}, started,
			[]candidate.Node{
				fixture.Wanted("x", fixture.Noon, drift), fixture.Wanted("y", fixture.Noon.Add(time.Hour), drift),
				fixture.Wanted("z", fixture.Noon.Add(2*time.Hour), drift),
			},
			func(in *disruptkit.Input) { in.Nodes[0].NominatedUntil = fixture.Clock("13:00") },
			"y budget/paced until 12:45; z budget/paced until 14:45"},
		{"a minute's nomination, in which another starts", []budget.Budget{hourly}, nil,
			[]candidate.Node{
				fixture.Wanted("x", fixture.Noon, drift), fixture.Wanted("y", fixture.Noon.Add(time.Hour), drift),
				fixture.Wanted("z", fixture.Noon.Add(2*time.Hour), drift),
			},
			func(in *disruptkit.Input) { in.Nodes[0].NominatedUntil = fixture.Clock("12:01") },
			"y goes until 12:01; z budget/paced until 14:00"},
		{"two reasons, of which it starts for one", []budget.Budget{hourly}, started,
			[]candidate.Node{fixture.Wanted("x", fixture.Noon, drift, under), fixture.Wanted("y", fixture.Noon.Add(3*time.Hour), drift)}, nil,
			"y budget/paced until 13:45"},
		{"two reasons, of which it starts for the one that no pace counts", []budget.Budget{{Nodes: "1", Per: "15m", Reasons: []candidate.Reason{drift}}},
			map[string]disruptkit.Memory{"default": {Starts: []budget.Start{{Node: "gone", Reason: drift, At: fixture.Noon}}}},
			[]candidate.Node{
				fixture.Wanted("x", fixture.Noon, under), fixture.Wanted("y", fixture.Noon.Add(3*time.Hour), drift), fixture.Wanted("z", fixture.Noon.Add(5*time.Hour), drift),
			},
			func(in *disruptkit.Input) {
				x := &in.Nodes[0]
				x.NominatedUntil = fixture.Clock("12:30")
				x.Conditions = append(x.Conditions, candidate.Condition{Reason: drift, Since: x.Conditions[0].Since.Add(4 * time.Hour)})
			}, "y budget/paced until 12:15; z budget/paced"},
		{"a node that is not Ready, and makes room once it has started", []budget.Budget{{Nodes: "2"}, {Nodes: "0", Reasons: []candidate.Reason{under}, To: "2026-11-20"}}, nil,
			[]candidate.Node{
				fixture.Wanted("x", fixture.Noon, drift), fixture.Wanted("y", fixture.Noon.Add(time.Hour), drift), fixture.Wanted("z", fixture.Noon.Add(2*time.Hour), under),
			},
			func(in *disruptkit.Input) { in.Nodes[0].Phase = candidate.NotReady },
			"y budget/exhausted; z budget/allows-none until 00:00 budget/exhausted"},
		{"a deadline in a pause", []budget.Budget{hourly, {Nodes: "0", Reasons: []candidate.Reason{under}}}, started,
			[]candidate.Node{fixture.Wanted("x", fixture.Noon, under), fixture.Wanted("y", fixture.Noon.Add(time.Hour), drift), fixture.Wanted("z", fixture.Noon.Add(2*time.Hour), drift)},
			func(in *disruptkit.Input) {
				in.Nodes[0].Conditions[0].Deadline = fixture.Clock("18:00")
				in.Pauses = []probe.Pause{{Reasons: []candidate.Reason{under}, Until: fixture.Clock("12:10")}}
			}, "y budget/paced until 12:45; z budget/paced until 13:45"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, c.budgets...)}, Nodes: c.nodes, Memory: c.memory}
			if c.change != nil {
				c.change(&in)
			}
			d := disruptkit.Decide(in, "")
			var got []string
			for _, text := range fixture.Fates(d) {
				if !strings.HasPrefix(text, "x ") {
					got = append(got, text)
				}
			}
			if diff := cmp.Diff(c.want, strings.Join(got, "; ")); diff != "" {
				t.Error(diff)
			}
			if fault := tellsTheTruth(in, ""); fault != "" {
				t.Error(fault)
			}
		})
	}
}
