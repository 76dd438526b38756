package report_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/report"
)

// The status of a NodePool in the RFC ("NodePool Status"), but for "Drift", which is Drifted in the API.
const rfcStatus = `{
  "disruption": {
    "activeBudgets": [
      {
        "method": "Drifted",
        "reason": "NodeImageDrift",
        "nodes": "5",
        "remainingBudget": "45"
      }
    ],
    "totalDisruptedNodes": "20",
    "lastDisruptionTime": "2024-01-25T10:00:00Z"
  },
  "resources": {
    "nodes": 500
  }
}`

func indented(t *testing.T, v any) string {
	t.Helper()
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// "nodes: Current number of nodes disrupted under this budget", "totalDisruptedNodes: Total number of nodes disrupted
// across all methods", "lastDisruptionTime: Timestamp of the last disruption".
func TestTheStatusOfANodePoolIsThatOfTheRFC(t *testing.T) {
	in := disruptkit.Input{Now: time.Date(2024, 1, 25, 11, 0, 0, 1e8, time.FixedZone("CET", 3600)), Nodes: fleet(500, 0)}
	in.Pools = []disruptkit.Pool{pool(t, budget.Budget{Nodes: "10%", Reasons: []candidate.Reason{"Drift:NodeImageDrift"}})}
	for i := range 5 {
		in.Nodes[i].Leaving, in.Nodes[i].DisruptedFor = candidate.Draining, "Drifted/NodeImageDrift"
	}
	before := report.Report{At: in.Now.Add(-time.Hour), Pools: []report.PoolStatus{{Pool: "default", TotalDisrupted: 15}}}
	r := summarized(before, in, "")
	if diff := cmp.Diff(rfcStatus, indented(t, r.Pools[0])); diff != "" {
		t.Errorf("status (-want +got)\n%s", diff)
	}
}

func TestActiveBudgetsInTheStatus(t *testing.T) {
	for _, c := range []struct {
		name    string
		budgets []budget.Budget
		nodes   string
		want    string
	}{
		{"of a pool without budgets there are none", []budget.Budget{}, "a b", `[]`},
		{"one for all names neither method nor reason", []budget.Budget{{Nodes: "2"}}, "a b=Empty", `[{"nodes":"1","remainingBudget":"1"}]`},
		{"one that is not active now is left out", []budget.Budget{{Nodes: "0", Schedule: "0 2 * * *", Duration: "1h"}}, "a", `[]`},
		{"one for single zones is left out: what is left of each is not one number",
			[]budget.Budget{{Nodes: "1", TopologyKey: "zone"}, {Nodes: "7"}}, "a", `[{"nodes":"0","remainingBudget":"7"}]`},
		{"one that names two methods appears twice", []budget.Budget{{Nodes: "2", Reasons: []candidate.Reason{"Empty", "Drifted"}}}, "a=Empty",
			`[{"method":"Empty","nodes":"1","remainingBudget":"1"},{"method":"Drifted","nodes":"1","remainingBudget":"1"}]`},
		{"they are in the order of the list", []budget.Budget{{Nodes: "9"}, {Nodes: "4", Reasons: []candidate.Reason{"Empty"}}, {Nodes: "5"}}, "a",
			`[{"nodes":"0","remainingBudget":"9"},{"method":"Empty","nodes":"0","remainingBudget":"4"},{"nodes":"0","remainingBudget":"5"}]`},
		{"where more is in flight than may be, nothing remains", []budget.Budget{{Nodes: "1"}}, "a=Empty b=Drifted c", `[{"nodes":"2","remainingBudget":"0"}]`},
		{"a percentage is of the counted nodes, and rounds up", []budget.Budget{{Nodes: "40%"}}, "a b c=Drifted", `[{"nodes":"1","remainingBudget":"1"}]`},
		{"a broken one allows nothing", []budget.Budget{{Nodes: "some", Reasons: []candidate.Reason{"Drifted"}}}, "a b",
			`[{"method":"Drifted","nodes":"0","remainingBudget":"0"}]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, _ := budget.Compile(c.budgets)
			in := disruptkit.Input{Now: friday, Nodes: frame(c.nodes), Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}}
			text, err := json.Marshal(summarized(report.Report{}, in, "").Pools[0])
			if err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprintf(`{"disruption":{"activeBudgets":%s,"totalDisruptedNodes":"0"},"resources":{"nodes":%d}}`, c.want, len(in.Nodes))
			if diff := cmp.Diff(want, string(text)); diff != "" {
				t.Errorf("status (-want +got)\n%s", diff)
			}
		})
	}
}

// Karpenter writes its resources as quantities of Kubernetes, which are text. Totals go on after them as well.
func TestTheStatusThatKarpenterWritesIsRead(t *testing.T) {
	for nodes, want := range map[string]int{`"5"`: 5, `5`: 5, `"0"`: 0, `"1500"`: 1500, `"2k"`: 2000, `"1M"`: 1_000_000, `null`: 0} {
		got := report.PoolStatus{Pool: "default"}
		text := `{"disruption":{"totalDisruptedNodes":"20"},"resources":{"cpu":"64","memory":"257Gi","nodes":` + nodes + `}}`
		if err := json.Unmarshal([]byte(text), &got); err != nil || got.Nodes != want || got.TotalDisrupted != 20 {
			t.Errorf("%s: %+v, %v", nodes, got, err)
		}
	}
	for _, nodes := range []string{`"many"`, `"k"`, `1.5`, `{}`, `"-1k"`} {
		got := report.PoolStatus{Pool: "default"}
		err := json.Unmarshal([]byte(`{"resources":{"nodes":`+nodes+`}}`), &got)
		if err == nil || !strings.Contains(err.Error(), "is not a number of nodes") {
			t.Errorf("%s: %+v, %v", nodes, got, err)
		}
	}
}

func TestAStatusThatCannotBeReadIsAnErrorAndLeavesWhatWasThere(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a word for the total", `{"disruption":{"totalDisruptedNodes":"many"}}`, `status of a NodePool: totalDisruptedNodes "many" is not a number of nodes: write one such as "5"`},
		{"less than none", `{"disruption":{"totalDisruptedNodes":"-1"}}`, `totalDisruptedNodes "-1" is not a number`},
		{"a fraction", `{"disruption":{"totalDisruptedNodes":"1.5"}}`, `totalDisruptedNodes "1.5" is not a number`},
		{"more than a machine counts", `{"disruption":{"totalDisruptedNodes":"99999999999999999999"}}`, `totalDisruptedNodes "99999999999999999999" is not a number`},
		{"a percentage for the nodes of a budget", `{"disruption":{"activeBudgets":[{"nodes":"5%"}]}}`, `nodes "5%" is not a number`},
		{"a word for what remains", `{"disruption":{"activeBudgets":[{"nodes":"5","remainingBudget":"none"}]}}`, `remainingBudget "none" is not a number`},
		{"of several faults the first is named", `{"disruption":{"totalDisruptedNodes":"x","activeBudgets":[{"nodes":"y"}]}}`, `totalDisruptedNodes "x"`},
		{"a time that is none", `{"disruption":{"lastDisruptionTime":"yesterday"}}`, `yesterday`},
		{"a list", `[]`, `status of a NodePool: `},
		{"a number where the API has text", `{"disruption":{"totalDisruptedNodes":5}}`, `totalDisruptedNodes`},
		{"no JSON", `{`, `unexpected end of JSON input`},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := report.PoolStatus{Pool: "default", Nodes: 3, TotalDisrupted: 9, LastDisruptionTime: friday}
			got := before
			err := json.Unmarshal([]byte(c.text), &got)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %s", err, c.want)
			}
			if diff := cmp.Diff(before, got); diff != "" {
				t.Errorf("it changed (-before +after)\n%s", diff)
			}
		})
	}
}

// An autoscaler that restarts has the status of its NodePools, and nothing else.
func TestAfterARestartTotalsGoOnWhereTheStatusSaysThatTheyWere(t *testing.T) {
	stored := report.PoolStatus{Pool: "default"}
	if err := json.Unmarshal([]byte(rfcStatus), &stored); err != nil {
		t.Fatal(err)
	}
	in := disruptkit.Input{Now: friday, Nodes: frame("a=Drifted b c"), Pools: []disruptkit.Pool{pool(t)}}
	first := summarized(report.Report{Pools: []report.PoolStatus{stored}}, in, "Drifted")
	if p := first.Pools[0]; p.TotalDisrupted != 20 || !p.LastDisruptionTime.Equal(stored.LastDisruptionTime) || p.Nodes != 3 || len(first.Events) != 0 {
		t.Errorf("nothing has gone since, but: %+v, events %v", p, first.Events)
	}
	in.Now, in.Nodes = friday.Add(time.Hour), frame("a=Drifted b=Empty c")
	second := summarized(first, in, "Drifted")
	if p := second.Pools[0]; p.TotalDisrupted != 21 || !p.LastDisruptionTime.Equal(in.Now) {
		t.Errorf("one more has gone, but: %+v", p)
	}
}
