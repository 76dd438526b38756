package disruptkit_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/schedule"
)

// summarized decides each reason on the input, and reports on that.
func summarized(previous disruptkit.Report, in disruptkit.Input, reasons ...candidate.Reason) disruptkit.Report {
	var ds []disruptkit.Decision
	for _, reason := range reasons {
		ds = append(ds, disruptkit.Decide(in, reason))
	}
	return disruptkit.Summarize(previous, in, ds...)
}

// sampleLines returns the samples of a metric: "default Drifted AMIDrift 1", with - for a label that is empty.
func sampleLines(r disruptkit.Report, name string) []string {
	var lines []string
	for _, m := range r.Metrics {
		for _, s := range m.Samples {
			var words []string
			for _, l := range s.Labels {
				if l.Value == "" {
					l.Value = "-"
				}
				words = append(words, l.Value)
			}
			if m.Name == name {
				lines = append(lines, fmt.Sprintf("%s %v", strings.Join(words, " "), s.Value))
			}
		}
	}
	return lines
}

func wantLines(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(strings.Join(want, "\n"), strings.Join(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got)\n%s", what, diff)
	}
}

// frame returns the nodes of a line: "a b=Drifted old/c" is a, then b, in flight for Drifted, and c of the pool "old".
func frame(line string) (nodes []candidate.Node) {
	for _, word := range strings.Fields(line) {
		name, reason, inFlight := strings.Cut(word, "=")
		pool, name, found := strings.Cut(name, "/")
		if !found {
			pool, name = "default", pool
		}
		nodes = append(nodes, candidate.Node{Name: name, Pool: pool, Initialized: true, Ready: true,
			Deleting: inFlight, DisruptedFor: candidate.Reason(strings.TrimPrefix(reason, "?"))})
	}
	return nodes
}

var metricLabels = map[string]string{
	// "Labels: nodepool: Identifies the NodePool. method: Specifies the disruption method (e.g., Consolidation, Drift, Emptiness,
	// Expiration). reason: Provides additional detail on the reason for disruption (if applicable)." (RFC, "Metrics")
	"karpenter_nodepool_active_budgets":        "gauge nodepool method reason",
	"karpenter_nodepool_disrupted_nodes":       "counter nodepool method reason",
	"karpenter_nodepool_pods_held_by_schedule": "gauge nodepool",
	"karpenter_nodepool_blocked_nodes":         "gauge nodepool gate code",
	"karpenter_nodepool_disruption_stopped":    "gauge nodepool method reason",
}

func TestEachMetricHasItsNameItsTypeAndItsLabelsAlwaysInTheSameOrder(t *testing.T) {
	in := disruptkit.Input{Now: friday, Nodes: fleet(3, 2), Pools: []disruptkit.Pool{pool(t, budget.Budget{Nodes: "0"})}}
	in.Nodes[0].Deleting = true
	closed := schedule.MustParse("0 2 * * *", time.Hour, "")
	in.Nodes[1].Pods = []candidate.Pod{{Name: "batch", Terms: candidate.Terms{Window: closed}}}
	before := disruptkit.Summarize(disruptkit.Report{}, disruptkit.Input{Now: friday.Add(-time.Hour)})
	report := summarized(before, in, "Drifted")
	seen := map[string]bool{}
	for _, m := range report.Metrics {
		kind := "gauge"
		if m.Counter {
			kind = "counter"
		}
		if len(m.Samples) == 0 || seen[m.Name] || !strings.HasSuffix(m.Help, ".") {
			t.Errorf("%s: %d samples, seen before: %v, help %q", m.Name, len(m.Samples), seen[m.Name], m.Help)
		}
		seen[m.Name] = true
		for _, s := range m.Samples {
			got := kind
			for _, l := range s.Labels {
				got += " " + l.Name
			}
			if got != metricLabels[m.Name] {
				t.Errorf("%s is a %s, want %s", m.Name, got, metricLabels[m.Name])
			}
		}
	}
	if len(seen) != len(metricLabels) {
		t.Errorf("metrics: %v", seen)
	}
}

// "Value: Number of active budgets for each combination of method and reason in the NodePool." (RFC, "Metrics")
func TestActiveBudgetsAreCountedByMethodAndReason(t *testing.T) {
	night := budget.Budget{Nodes: "0", Schedule: "0 20 * * *", Duration: "10h"} // friday is noon
	for _, c := range []struct {
		name    string
		budgets []budget.Budget
		want    []string
	}{
		{"no list at all is the one default budget", nil, []string{"default - - 1"}},
		{"an empty list has nothing to count", []budget.Budget{}, nil},
		{"a budget that names nothing has no method and no reason", []budget.Budget{{Nodes: "5"}}, []string{"default - - 1"}},
		{"one that is not active now is there, with 0", []budget.Budget{night}, []string{"default - - 0"}},
		{"of two that name nothing the active one counts", []budget.Budget{night, {Nodes: "5"}}, []string{"default - - 1"}},
		{"two that are active add up", []budget.Budget{{Nodes: "3"}, {Nodes: "5"}}, []string{"default - - 2"}},
		{"one that names two methods counts for each", []budget.Budget{{Reasons: []candidate.Reason{"Empty", "Drifted"}}},
			[]string{"default Drifted - 1", "default Empty - 1"}},
		{"a child has its method and its own name", []budget.Budget{{Reasons: []candidate.Reason{"Drifted/AMIDrift"}}},
			[]string{"default Drifted AMIDrift 1"}},
		{"a method is not counted with its children", []budget.Budget{{Reasons: []candidate.Reason{"Drifted"}}, {Reasons: []candidate.Reason{"Drifted/AMIDrift"}}},
			[]string{"default Drifted - 1", "default Drifted AMIDrift 1"}},
		{"the RFC's spelling is that of the API", []budget.Budget{{Reasons: []candidate.Reason{"Drift:AMIDrift", "Consolidation"}}},
			[]string{"default Drifted AMIDrift 1", "default Underutilized - 1"}},
		{"outside of its windows is when it is active", []budget.Budget{{Nodes: "0", Schedule: "0 20 * * *", Duration: "10h", Outside: true}}, []string{"default - - 1"}},
		{"a budget for single zones is one", []budget.Budget{{Nodes: "1", TopologyKey: "zone", Reasons: []candidate.Reason{"Drifted"}}}, []string{"default Drifted - 1"}},
		{"a broken budget is active, since it holds back", []budget.Budget{{Nodes: "many", Reasons: []candidate.Reason{"Drifted"}}}, []string{"default Drifted - 1"}},
		{"one whose reasons are broken is for all", []budget.Budget{{Nodes: "1", Reasons: []candidate.Reason{"drifted"}}}, []string{"default - - 1"}},
		{"a list that is too long holds back as one", make([]budget.Budget, 51), []string{"default - - 1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := disruptkit.Input{Now: friday, Nodes: fleet(5, 0), Pools: []disruptkit.Pool{pool(t, c.budgets...)}}
			if c.budgets != nil && len(c.budgets) == 0 {
				in.Pools[0].Budgets, _ = budget.Compile(c.budgets)
			}
			wantLines(t, "active budgets", sampleLines(disruptkit.Summarize(disruptkit.Report{}, in), disruptkit.MetricActiveBudgets), c.want...)
		})
	}
}

func TestActiveBudgetsOfControlsHaveTheirMethod(t *testing.T) {
	spec := budget.Spec{Drift: budget.Control{Budgets: []budget.Budget{{Nodes: "2"}, {Nodes: "1", Reasons: []candidate.Reason{"AMIDrift"}}}}}
	set, err := spec.Compile()
	if err != nil {
		t.Fatal(err)
	}
	in := disruptkit.Input{Now: friday, Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}}
	got := sampleLines(disruptkit.Summarize(disruptkit.Report{}, in), disruptkit.MetricActiveBudgets)
	wantLines(t, "active budgets", got, "default - - 1", "default Drifted - 1", "default Drifted AMIDrift 1")
}

// "Counts the number of nodes that have been disrupted", "Cumulative count of disrupted nodes for each combination of method and
// reason in the NodePool." (RFC, "Metrics") The frames are an hour apart; the total and the last time are of the pool "default".
func TestNodesThatBeginToBeInFlightAreCountedOnce(t *testing.T) {
	for _, c := range []struct {
		name   string
		frames []string
		want   []string
		total  int
		last   string
	}{
		{"the first report counts nobody, since nobody knows since when", []string{"a=Drifted b"}, nil, 0, ""},
		{"one that goes is counted by its reason", []string{"a b", "a=Drifted b"}, []string{"default Drifted - 1"}, 1, "13:00"},
		{"by its method and its child", []string{"a", "a=Drifted/AMIDrift"}, []string{"default Drifted AMIDrift 1"}, 1, "13:00"},
		{"one that nobody knows the reason of is counted, too", []string{"a", "a=?"}, []string{"default - - 1"}, 1, "13:00"},
		{"as long as it is in flight it is not counted again", []string{"a", "a=Drifted", "a=Drifted", "a=Drifted"}, []string{"default Drifted - 1"}, 1, "13:00"},
		{"nor once its reason changes on the way", []string{"a", "a=?", "a=Drifted"}, []string{"default - - 1"}, 1, "13:00"},
		{"nor once it is gone", []string{"a", "a=Drifted", ""}, []string{"default Drifted - 1"}, 1, "13:00"},
		{"one in flight in the first report stays as it is", []string{"a=Drifted", "a=Drifted", ""}, nil, 0, ""},
		{"one that is new, and in flight already, is counted", []string{"a", "a b=Empty"}, []string{"default Empty - 1"}, 1, "13:00"},
		{"one that was kept after all, and goes again, is counted again", []string{"a", "a=Drifted", "a", "a=Drifted"}, []string{"default Drifted - 2"}, 2, "15:00"},
		{"another of the same name, after it is gone, is counted", []string{"a", "a=Drifted", "", "a=Drifted"}, []string{"default Drifted - 2"}, 2, "15:00"},
		{"two at once are two", []string{"a b", "a=Drifted b=Drifted"}, []string{"default Drifted - 2"}, 2, "13:00"},
		{"reasons are counted each on its own, and together in the total", []string{"a b c", "a=Drifted b c", "a=Drifted b=Empty c=Drifted/AMIDrift"},
			[]string{"default Drifted - 1", "default Drifted AMIDrift 1", "default Empty - 1"}, 3, "14:00"},
		{"pools are counted each on its own", []string{"a old/b", "a=Drifted old/b=Drifted", "a=Drifted old/b=Drifted"},
			[]string{"default Drifted - 1", "old Drifted - 1"}, 1, "13:00"},
		{"one of a pool that nobody knows is not counted", []string{"a lost/b", "a lost/b=Drifted"}, nil, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var report disruptkit.Report
			for i, line := range c.frames {
				in := disruptkit.Input{Now: friday.Add(time.Duration(i) * time.Hour), Nodes: frame(line)}
				in.Pools = []disruptkit.Pool{pool(t), {Name: "old"}}
				report = summarized(report, in, "")
			}
			wantLines(t, "disrupted nodes", sampleLines(report, disruptkit.MetricDisruptedNodes), c.want...)
			p := report.Pools[0]
			if p.Pool != "default" || p.TotalDisrupted != c.total {
				t.Errorf("%d nodes of %s in total, want %d", p.TotalDisrupted, p.Pool, c.total)
			}
			if last := strings.TrimPrefix(p.LastDisruptionTime.Format("15:04"), "00:00"); last != c.last {
				t.Errorf("the last at %q, want %q", last, c.last)
			}
		})
	}
}

func TestOfAPoolThatIsGoneNothingIsReported(t *testing.T) {
	with := disruptkit.Input{Now: friday, Pools: []disruptkit.Pool{pool(t), {Name: "old"}}, Nodes: frame("a old/b")}
	first := summarized(disruptkit.Report{}, with, "")
	with.Now, with.Nodes = friday.Add(time.Hour), frame("a=Drifted old/b=Drifted")
	second := summarized(first, with, "")
	without := with
	without.Now, without.Pools = friday.Add(2*time.Hour), without.Pools[:1]
	third := summarized(second, without, "")
	wantLines(t, "disrupted nodes", sampleLines(third, disruptkit.MetricDisruptedNodes), "default Drifted - 1")
	wantLines(t, "active budgets", sampleLines(third, disruptkit.MetricActiveBudgets), "default - - 1")
	if len(third.Pools) != 1 || len(third.Nodes) != 2 {
		t.Errorf("pools %v, nodes %v", third.Pools, third.Nodes)
	}
}

func TestASecondPoolOfTheSameNameLeavesNeitherAStatus(t *testing.T) {
	in := disruptkit.Input{Now: friday, Pools: []disruptkit.Pool{pool(t), pool(t)}, Nodes: fleet(3, 1)}
	first := summarized(disruptkit.Report{}, in, "")
	in.Nodes = slices.Clone(in.Nodes)
	in.Nodes[0].Deleting = true
	report := summarized(first, in, "")
	if len(report.Pools) != 0 || len(report.Events) != 0 {
		t.Errorf("pools %v, events %v", report.Pools, report.Events)
	}
	wantLines(t, "active budgets", sampleLines(report, disruptkit.MetricActiveBudgets))
	wantLines(t, "disrupted nodes", sampleLines(report, disruptkit.MetricDisruptedNodes))
}

func TestBlockedNodesAndHeldPodsAreCounted(t *testing.T) {
	night := candidate.Terms{Window: schedule.MustParse("0 2 * * *", 4*time.Hour, "")}
	noon := candidate.Terms{Window: schedule.MustParse("0 11 * * *", 4*time.Hour, "")}
	for _, c := range []struct {
		name          string
		set           func(in *disruptkit.Input)
		reasons       []candidate.Reason
		blocked, held []string
	}{
		{"nobody is", func(*disruptkit.Input) {}, []candidate.Reason{"Drifted"}, nil, []string{"default 0"}},
		{"a node with do-not-disrupt", func(in *disruptkit.Input) { in.Nodes[0].DoNotDisrupt = true },
			[]candidate.Reason{"Drifted"}, []string{"default node do-not-disrupt 1"}, []string{"default 0"}},
		{"one that two decisions hold back for the same is counted once", func(in *disruptkit.Input) { in.Nodes[0].DoNotDisrupt = true },
			[]candidate.Reason{"Drifted", ""}, []string{"default node do-not-disrupt 1"}, []string{"default 0"}},
		{"two pods outside of their schedules are two, on one node", func(in *disruptkit.Input) {
			in.Nodes[1].Pods = []candidate.Pod{{Name: "x", Terms: night}, {Name: "y", Terms: night}, {Name: "z", Terms: noon}}
		}, []candidate.Reason{"Drifted"}, []string{"default pod outside-schedule 1"}, []string{"default 2"}},
		{"they are counted once, however many decisions there are", func(in *disruptkit.Input) {
			in.Nodes[1].Pods = []candidate.Pod{{Name: "x", Terms: night}, {Name: "y", Terms: night}}
		}, []candidate.Reason{"Drifted", "", "Drifted"}, []string{"default pod outside-schedule 1"}, []string{"default 2"}},
		{"pods of the same name on two nodes are two", func(in *disruptkit.Input) {
			in.Nodes[0].Pods = []candidate.Pod{{Name: "x", Terms: night}}
			in.Nodes[1].Pods = []candidate.Pod{{Name: "x", Terms: night}}
		}, []candidate.Reason{"Drifted"}, []string{"default pod outside-schedule 2"}, []string{"default 2"}},
		{"a pod that is not to be disrupted at all is no matter of schedules", func(in *disruptkit.Input) {
			in.Nodes[1].Pods = []candidate.Pod{{Name: "x", Terms: candidate.Terms{Protect: candidate.Forever}}}
		}, []candidate.Reason{"Drifted"}, []string{"default pod do-not-disrupt 1"}, []string{"default 0"}},
		{"of a node that nobody wants gone nothing is", func(in *disruptkit.Input) {
			in.Nodes[4].Pods = []candidate.Pod{{Name: "x", Terms: night}}
		}, []candidate.Reason{"Drifted"}, nil, []string{"default 0"}},
		{"budgets are a gate", func(in *disruptkit.Input) { in.Pools[0].Budgets = pool(t, budget.Budget{Nodes: "0"}).Budgets },
			[]candidate.Reason{"Drifted"}, []string{"default budget allows-none 2"}, []string{"default 0"}},
		{"each gate counts the node", func(in *disruptkit.Input) {
			in.Pools[0].Budgets = pool(t, budget.Budget{Nodes: "0"}).Budgets
			in.Nodes[0].DoNotDisrupt = true
		}, []candidate.Reason{"Drifted"}, []string{"default budget allows-none 2", "default node do-not-disrupt 1"}, []string{"default 0"}},
		{"each code of a gate counts the node", func(in *disruptkit.Input) {
			in.Nodes[0].DoNotDisrupt, in.Nodes[0].NominatedUntil = true, friday.Add(time.Minute)
		}, []candidate.Reason{"Drifted"}, []string{"default node do-not-disrupt 1", "default node nominated 1"}, []string{"default 0"}},
		{"a code of two gates is counted for each", func(in *disruptkit.Input) {
			in.Pools[0].Budgets = pool(t, budget.Budget{Nodes: "0"}).Budgets
			in.Nodes[0].Blockers = []candidate.Blocker{{Gate: candidate.GateNode, Code: candidate.CodeAllowsNone}}
		}, []candidate.Reason{"Drifted"}, []string{"default budget allows-none 2", "default node allows-none 1"}, []string{"default 0"}},
		{"the caller's own blocker of that code is no pod", func(in *disruptkit.Input) {
			in.Nodes[0].Blockers = []candidate.Blocker{{Gate: candidate.GateNode, Code: candidate.CodeOutsideSchedule}}
		}, []candidate.Reason{"Drifted"}, []string{"default node outside-schedule 1"}, []string{"default 0"}},
		{"a node in flight is on its way, and held back by nothing", func(in *disruptkit.Input) {
			in.Pools[0].Budgets = pool(t, budget.Budget{Nodes: "1"}).Budgets
			in.Nodes[0].Deleting = true
		}, []candidate.Reason{"Drifted"}, []string{"default budget exhausted 1"}, []string{"default 0"}},
		{"what holds back only once a freeze is over is not counted", func(in *disruptkit.Input) {
			in.Pools[0].Budgets = pool(t, budget.Budget{Nodes: "1"}, budget.Budget{Nodes: "0", Schedule: "0 9 * * *", Duration: "8h"}).Budgets
		}, []candidate.Reason{"Drifted"}, []string{"default budget allows-none 2"}, []string{"default 0"}},
		{"a pod whose window is open now, but closed when a freeze ends, is not held", func(in *disruptkit.Input) {
			in.Pools[0].Budgets = pool(t, budget.Budget{Nodes: "0", Schedule: "0 9 * * *", Duration: "8h"}).Budgets
			in.Nodes[0].Pods = []candidate.Pod{{Name: "x", Terms: noon}}
		}, []candidate.Reason{"Drifted"}, []string{"default budget allows-none 2"}, []string{"default 0"}},
		{"a pod that its annotation and a PodDisruptionSchedule hold is one", func(in *disruptkit.Input) {
			in.Nodes[0].Pods = []candidate.Pod{{Name: "x", Terms: night}, {Name: "y", Terms: night}}
			in.Rules, _ = candidate.Compile(nil, []candidate.PodSchedule{{Name: "nights", Selector: &candidate.Selector{}, Schedule: "0 1 * * *"}})
		}, []candidate.Reason{"Drifted", "Drifted"}, []string{"default pod outside-schedule 1"}, []string{"default 2"}},
		{"of two reasons one is held back by a budget and one by its pods, and both count", func(in *disruptkit.Input) {
			in.Nodes, in.Pools[0].Budgets = in.Nodes[:1], pool(t, budget.Budget{Nodes: "0", Reasons: []candidate.Reason{"Drifted"}}).Budgets
			in.Nodes[0].HasGracePeriod, in.Nodes[0].Pods = true, []candidate.Pod{{Name: "x", Terms: night}}
			in.Nodes[0].Conditions = append(in.Nodes[0].Conditions, candidate.Condition{Reason: "Empty"})
		}, []candidate.Reason{""}, []string{"default budget allows-none 1", "default pod outside-schedule 1"}, []string{"default 1"}},
		{"a node of a pool that nobody knows is not", func(in *disruptkit.Input) { in.Nodes[0].Pool = "lost" }, []candidate.Reason{"Drifted"}, nil, []string{"default 0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := disruptkit.Input{Now: friday, Nodes: fleet(3, 2), Pools: []disruptkit.Pool{pool(t, budget.Budget{Nodes: "5"})}}
			c.set(&in)
			report := summarized(disruptkit.Report{}, in, c.reasons...)
			wantLines(t, "blocked nodes", sampleLines(report, disruptkit.MetricBlockedNodes), c.blocked...)
			wantLines(t, "held pods", sampleLines(report, disruptkit.MetricHeldPods), c.held...)
		})
	}
}

func TestStoppedCountsWhatStopsAReason(t *testing.T) {
	in := disruptkit.Input{Now: friday, Nodes: fleet(3, 1), Pools: []disruptkit.Pool{pool(t, budget.Budget{Nodes: "5"})}}
	p := probe.Probe{Name: "incident", Host: "incident.ops.svc", Port: 80}
	sick := probe.Observe(p, probe.Observation{}, probe.Response{At: friday, Status: 503})
	in.Pools[0].Verdicts = []probe.Verdict{probe.ProbeVerdict(p, sick, friday)}
	in.Verdicts = []probe.Verdict{probe.ProbeVerdict(p, probe.Observation{}, friday)}
	report := summarized(disruptkit.Report{}, in, "Drifted", "Empty", "Drifted")
	wantLines(t, "stopped", sampleLines(report, disruptkit.MetricStopped), "default Drifted - 2", "default Empty - 2")

	in.Pools[0].Verdicts, in.Verdicts = nil, nil
	report = summarized(report, in, "Drifted")
	wantLines(t, "stopped", sampleLines(report, disruptkit.MetricStopped), "default Drifted - 0")
}

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

// "nodes: Current number of nodes disrupted under this budget", "totalDisruptedNodes: Total number of nodes disrupted across all
// methods", "lastDisruptionTime: Timestamp of the last disruption".
func TestTheStatusOfANodePoolIsThatOfTheRFC(t *testing.T) {
	in := disruptkit.Input{Now: time.Date(2024, 1, 25, 11, 0, 0, 1e8, time.FixedZone("CET", 3600)), Nodes: fleet(500, 0)}
	in.Pools = []disruptkit.Pool{pool(t, budget.Budget{Nodes: "10%", Reasons: []candidate.Reason{"Drift:NodeImageDrift"}})}
	for i := range 5 {
		in.Nodes[i].Deleting, in.Nodes[i].DisruptedFor = true, "Drifted/NodeImageDrift"
	}
	before := disruptkit.Report{At: in.Now.Add(-time.Hour), Pools: []disruptkit.PoolStatus{{Pool: "default", TotalDisrupted: 15}}}
	report := summarized(before, in, "")
	if diff := cmp.Diff(rfcStatus, indented(t, report.Pools[0])); diff != "" {
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
		{"one that names two methods is there twice", []budget.Budget{{Nodes: "2", Reasons: []candidate.Reason{"Empty", "Drifted"}}}, "a=Empty",
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
			text, err := json.Marshal(summarized(disruptkit.Report{}, in, "").Pools[0])
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

func TestTheStatusOfANodePoolSurvivesItsJSON(t *testing.T) {
	for _, status := range []disruptkit.PoolStatus{
		{},
		{Nodes: 3, TotalDisrupted: 9, LastDisruptionTime: friday},
		{Nodes: 500, ActiveBudgets: []disruptkit.ActiveBudget{{"Drifted", "AMIDrift", 5, 45}, {"", "", 0, budget.Unlimited}}},
	} {
		status.Pool = "default"
		text := indented(t, status)
		got := disruptkit.PoolStatus{Pool: "default", Nodes: 77, TotalDisrupted: 88, LastDisruptionTime: friday.Add(1), Reasons: []disruptkit.ReasonStatus{{}}}
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(status, got); diff != "" {
			t.Errorf("status (-want +got)\n%s", diff)
		}
	}
}

func TestAStatusThatCannotBeReadIsAnErrorAndLeavesWhatWasThere(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a word for the total", `{"disruption":{"totalDisruptedNodes":"many"}}`, `status of a NodePool: totalDisruptedNodes "many" is no number of nodes: write one such as "5"`},
		{"less than none", `{"disruption":{"totalDisruptedNodes":"-1"}}`, `totalDisruptedNodes "-1" is no number`},
		{"a fraction", `{"disruption":{"totalDisruptedNodes":"1.5"}}`, `totalDisruptedNodes "1.5" is no number`},
		{"more than a machine counts", `{"disruption":{"totalDisruptedNodes":"99999999999999999999"}}`, `totalDisruptedNodes "99999999999999999999" is no number`},
		{"a percentage for the nodes of a budget", `{"disruption":{"activeBudgets":[{"nodes":"5%"}]}}`, `nodes "5%" is no number`},
		{"a word for what remains", `{"disruption":{"activeBudgets":[{"nodes":"5","remainingBudget":"none"}]}}`, `remainingBudget "none" is no number`},
		{"of several faults the first is named", `{"disruption":{"totalDisruptedNodes":"x","activeBudgets":[{"nodes":"y"}]}}`, `totalDisruptedNodes "x"`},
		{"a time that is none", `{"disruption":{"lastDisruptionTime":"yesterday"}}`, `yesterday`},
		{"a list", `[]`, `status of a NodePool: `},
		{"a number where the API has text", `{"disruption":{"totalDisruptedNodes":5}}`, `totalDisruptedNodes`},
		{"no JSON", `{`, `unexpected end of JSON input`},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := disruptkit.PoolStatus{Pool: "default", Nodes: 3, TotalDisrupted: 9, LastDisruptionTime: friday}
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
	stored := disruptkit.PoolStatus{Pool: "default"}
	if err := json.Unmarshal([]byte(rfcStatus), &stored); err != nil {
		t.Fatal(err)
	}
	in := disruptkit.Input{Now: friday, Nodes: frame("a=Drifted b c"), Pools: []disruptkit.Pool{pool(t)}}
	first := summarized(disruptkit.Report{Pools: []disruptkit.PoolStatus{stored}}, in, "Drifted")
	if p := first.Pools[0]; p.TotalDisrupted != 20 || !p.LastDisruptionTime.Equal(stored.LastDisruptionTime) || p.Nodes != 3 || len(first.Events) != 0 {
		t.Errorf("nothing has gone since, but: %+v, events %v", p, first.Events)
	}
	in.Now, in.Nodes = friday.Add(time.Hour), frame("a=Drifted b=Empty c")
	second := summarized(first, in, "Drifted")
	if p := second.Pools[0]; p.TotalDisrupted != 21 || !p.LastDisruptionTime.Equal(in.Now) {
		t.Errorf("one more has gone, but: %+v", p)
	}
}

// conditionLines returns the conditions of a node: "Type Status Reason 15:04 message".
func conditionLines(r disruptkit.Report, node string) (lines []string) {
	for _, n := range r.Nodes {
		for _, c := range n.Conditions {
			if n.Node == node {
				status := map[bool]string{true: "True", false: "False"}[c.Status]
				lines = append(lines, strings.Join([]string{c.Type, status, c.Reason, c.LastTransitionTime.Format("15:04"), c.Message}, " "))
			}
		}
	}
	return lines
}

const unrestricted = "DisruptionBudgetRestricted False WithinBudget 12:00 No budget restricts disruption now."

// "DisruptionBudgetRestricted", "BudgetExceeded", "DisruptionAllowed" and "WithinBudget", with their messages, are those of the
// RFC ("NodeClaimConditions"). The node is a-2, the younger of two that have drifted.
func TestTheConditionsOfANodeClaimSayWhetherItMayGo(t *testing.T) {
	zone := func(in *disruptkit.Input, sequential bool) {
		for i := range in.Nodes {
			in.Nodes[i].Labels = map[string]string{"zone": "a"}
		}
		in.Pools[0] = pool(t, budget.Budget{Nodes: "1", TopologyKey: "zone", Sequential: sequential})
	}
	for _, c := range []struct {
		name string
		set  func(in *disruptkit.Input)
		want []string
	}{
		{"within its budget it may", func(*disruptkit.Input) {},
			[]string{unrestricted, "DisruptionAllowed True WithinBudget 12:00 Disruption allowed within current budget."}},
		{"a budget that is used up restricts it", func(in *disruptkit.Input) { in.Pools[0] = pool(t, budget.Budget{Nodes: "1"}) }, []string{
			"DisruptionBudgetRestricted True BudgetExceeded 12:00 Disruption restricted due to budget limitations: " +
				"budget/exhausted: 1 of 5 nodes may go at once, 1 allowed before this one: budgets[0] is 1",
			"DisruptionAllowed False BudgetExceeded 12:00 Disruption not allowed: budget/exhausted: 1 of 5 nodes may go at once, 1 allowed before this one: budgets[0] is 1",
		}},
		{"so does one of 0, and says until when", func(in *disruptkit.Input) {
			in.Pools[0] = pool(t, budget.Budget{Nodes: "0", Schedule: "0 9 * * *", Duration: "8h"})
		}, []string{
			"DisruptionBudgetRestricted True BudgetExceeded 12:00 Disruption restricted due to budget limitations: " +
				"budget/allows-none: 0 of 5 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)",
			"DisruptionAllowed False BudgetExceeded 12:00 Disruption not allowed: " +
				"budget/allows-none: 0 of 5 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)",
		}},
		{"so does a zone's", func(in *disruptkit.Input) { zone(in, false) }, []string{
			"DisruptionBudgetRestricted True BudgetExceeded 12:00 Disruption restricted due to budget limitations: " +
				"topology/exhausted: 1 of 5 nodes of a may go at once, 1 allowed before this one: budgets[0] is 1 per zone",
			"DisruptionAllowed False BudgetExceeded 12:00 Disruption not allowed: " +
				"topology/exhausted: 1 of 5 nodes of a may go at once, 1 allowed before this one: budgets[0] is 1 per zone",
		}},
		{"a zone's of 0, too", func(in *disruptkit.Input) {
			zone(in, false)
			in.Pools[0] = pool(t, budget.Budget{Nodes: "0", TopologyKey: "zone"})
		}, []string{
			"DisruptionBudgetRestricted True BudgetExceeded 12:00 Disruption restricted due to budget limitations: " +
				"topology/allows-none: 0 of 5 nodes of a may go at once: budgets[0] is 0 per zone",
			"DisruptionAllowed False BudgetExceeded 12:00 Disruption not allowed: topology/allows-none: 0 of 5 nodes of a may go at once: budgets[0] is 0 per zone",
		}},
		{"another zone's turn is no budget", func(in *disruptkit.Input) { zone(in, true); in.Nodes[1].Labels = map[string]string{"zone": "b"} }, []string{
			unrestricted, "DisruptionAllowed False WaitsForDomain 12:00 Disruption not allowed: topology/waits-for-domain: b waits for a (0 in flight, 1 to go)"}},
		{"an annotation is no budget", func(in *disruptkit.Input) { in.Nodes[1].DoNotDisrupt = true }, []string{
			unrestricted, "DisruptionAllowed False DoNotDisrupt 12:00 Disruption not allowed: node/do-not-disrupt: the node is annotated karpenter.sh/do-not-disrupt: \"true\""}},
		{"a pod's PodDisruptionBudget is none of these budgets", func(in *disruptkit.Input) {
			in.Nodes[1].Pods = []candidate.Pod{{Namespace: "ml", Name: "train"}}
			in.Rules, _ = candidate.Compile([]candidate.PDB{{Namespace: "ml", Name: "all", Selector: &candidate.Selector{}}}, nil)
		}, []string{unrestricted, "DisruptionAllowed False AllowsNone 12:00 Disruption not allowed: pod/allows-none: pod ml/train has PDB ml/all, which allows no disruption now"}},
		{"where a budget and a gate hold it back, the budget is the reason, and both are told", func(in *disruptkit.Input) {
			in.Pools[0], in.Nodes[1].DoNotDisrupt = pool(t, budget.Budget{Nodes: "0"}), true
		}, []string{
			"DisruptionBudgetRestricted True BudgetExceeded 12:00 Disruption restricted due to budget limitations: budget/allows-none: 0 of 5 nodes may go now: budgets[0] is 0",
			"DisruptionAllowed False BudgetExceeded 12:00 Disruption not allowed: budget/allows-none: 0 of 5 nodes may go now: budgets[0] is 0; " +
				"node/do-not-disrupt: the node is annotated karpenter.sh/do-not-disrupt: \"true\"",
		}},
		{"of two gates the first is the reason", func(in *disruptkit.Input) {
			in.Nodes[1].DoNotDisrupt, in.Nodes[1].NominatedUntil = true, friday.Add(time.Minute)
		}, []string{unrestricted, "DisruptionAllowed False Nominated 12:00 Disruption not allowed: " +
			"node/nominated: a pending pod is expected on the node (until 2026-11-20T12:01:00Z); node/do-not-disrupt: the node is annotated karpenter.sh/do-not-disrupt: \"true\""}},
		{"the caller's own code becomes a word", func(in *disruptkit.Input) {
			in.Nodes[1].Blockers = []candidate.Blocker{{Gate: candidate.GateNode, Code: "no room_for-its pods", Message: "none"}}
		}, []string{unrestricted, "DisruptionAllowed False NoRoomForItsPods 12:00 Disruption not allowed: node/no room_for-its pods: none"}},
		{"no code at all is one, too", func(in *disruptkit.Input) {
			in.Nodes[1].Blockers = []candidate.Blocker{{Gate: "mine", Message: "none"}, {Gate: "mine", Message: "none"}}
		}, []string{unrestricted, "DisruptionAllowed False Blocked 12:00 Disruption not allowed: mine/: none"}},
		{"one that is in flight is on its way", func(in *disruptkit.Input) { in.Nodes[1].Deleting = true }, []string{
			unrestricted, "DisruptionAllowed False Deleting 12:00 Disruption not allowed: node/deleting: the node is already being disrupted"}},
		{"one that is in flight uses up the budget, which does not restrict it", func(in *disruptkit.Input) {
			in.Pools[0], in.Nodes[1].Deleting, in.Nodes[1].DisruptedFor = pool(t, budget.Budget{Nodes: "1"}), true, "Drifted"
		}, []string{
			unrestricted, "DisruptionAllowed False Deleting 12:00 Disruption not allowed: node/deleting: the node is already being disrupted for Drifted"}},
		{"a budget that only restricts it later is told, and does not restrict it now", func(in *disruptkit.Input) {
			day := budget.Budget{Nodes: "1", TopologyKey: "zone", Sequential: true, Schedule: "0 9 * * *", Duration: "8h"}
			in.Pools[0] = pool(t, day, budget.Budget{Nodes: "0", Schedule: "0 17 * * *", Duration: "16h"})
			for i := range in.Nodes {
				in.Nodes[i].Labels = map[string]string{"zone": string("ab"[i%2])}
			}
		}, []string{unrestricted, "DisruptionAllowed False WaitsForDomain 12:00 Disruption not allowed: " +
			"topology/waits-for-domain: b waits for a (0 in flight, 1 to go) (until 2026-11-20T17:00:00Z); " +
			"budget/allows-none: 0 of 5 nodes may go after that: budgets[1] is 0 (0 17 * * * for 16h, UTC)"}},
		{"what comes later is told last", func(in *disruptkit.Input) {
			in.Pools[0] = pool(t, budget.Budget{Nodes: "0", Schedule: "0 9 * * *", Duration: "8h"})
			noon := schedule.MustParse("0 11 * * *", 4*time.Hour, "")
			in.Nodes[1].Pods = []candidate.Pod{{Name: "x", Terms: candidate.Terms{Window: noon}}}
		}, []string{
			"DisruptionBudgetRestricted True BudgetExceeded 12:00 Disruption restricted due to budget limitations: " +
				"budget/allows-none: 0 of 5 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)",
			"DisruptionAllowed False BudgetExceeded 12:00 Disruption not allowed: " +
				"budget/allows-none: 0 of 5 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z); " +
				"pod/outside-schedule: after that, pod x may go only when its disruption schedule lets it: 0 11 * * * for 4h, UTC",
		}},
		{"one of two reasons that may go makes it go", func(in *disruptkit.Input) {
			in.Pools[0] = pool(t, budget.Budget{Nodes: "0", Reasons: []candidate.Reason{"Drifted"}})
			in.Nodes[1].Conditions = append(in.Nodes[1].Conditions, candidate.Condition{Reason: "Empty"})
		}, []string{unrestricted, "DisruptionAllowed True WithinBudget 12:00 Disruption allowed within current budget."}},
		{"where none of two may, both are told", func(in *disruptkit.Input) {
			in.Pools[0] = pool(t, budget.Budget{Nodes: "0", Reasons: []candidate.Reason{"Drifted"}}, budget.Budget{Nodes: "0%", Reasons: []candidate.Reason{"Empty"}})
			in.Nodes[1].Conditions = append(in.Nodes[1].Conditions, candidate.Condition{Reason: "Empty"})
		}, []string{
			"DisruptionBudgetRestricted True BudgetExceeded 12:00 Disruption restricted due to budget limitations: " +
				"budget/allows-none: 0 of 5 nodes may go now: budgets[0] is 0 (Drifted); budget/allows-none: 0 of 5 nodes may go now: budgets[1] is 0% (Empty)",
			"DisruptionAllowed False BudgetExceeded 12:00 Disruption not allowed: " +
				"budget/allows-none: 0 of 5 nodes may go now: budgets[0] is 0 (Drifted); budget/allows-none: 0 of 5 nodes may go now: budgets[1] is 0% (Empty)",
		}},
		{"where the same holds back both, it is told once", func(in *disruptkit.Input) {
			in.Pools[0], in.Nodes[1].DoNotDisrupt = pool(t, budget.Budget{Nodes: "0"}), true
			in.Nodes[1].Conditions = append(in.Nodes[1].Conditions, candidate.Condition{Reason: "Empty"})
		}, []string{
			"DisruptionBudgetRestricted True BudgetExceeded 12:00 Disruption restricted due to budget limitations: budget/allows-none: 0 of 5 nodes may go now: budgets[0] is 0",
			"DisruptionAllowed False BudgetExceeded 12:00 Disruption not allowed: budget/allows-none: 0 of 5 nodes may go now: budgets[0] is 0; " +
				"node/do-not-disrupt: the node is annotated karpenter.sh/do-not-disrupt: \"true\"",
		}},
		{"of one that nobody wants gone nothing is said", func(in *disruptkit.Input) { in.Nodes[1].Conditions = nil }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := disruptkit.Input{Now: friday, Nodes: fleet(3, 2), Pools: []disruptkit.Pool{pool(t, budget.Budget{Nodes: "5"})}}
			c.set(&in)
			wantLines(t, "conditions", conditionLines(summarized(disruptkit.Report{}, in, "Drifted", "Empty"), "a-2"), c.want...)
		})
	}
}

func TestAConditionKeepsItsTimeAsLongAsItsStatusStays(t *testing.T) {
	in := disruptkit.Input{Now: friday, Nodes: fleet(3, 1)}
	var report disruptkit.Report
	for i, step := range []struct{ budget, blocked, restricted, allowed string }{
		{"0", "", "True 12:00", "False 12:00"},
		{"0", "", "True 12:00", "False 12:00"},
		{"5", "do-not-disrupt", "False 14:00", "False 12:00"}, // another reason, the same status
		{"5", "", "False 14:00", "True 15:00"},
		{"6", "", "False 14:00", "True 15:00"},
		{"0", "", "True 17:00", "False 17:00"},
	} {
		in.Now, in.Pools = friday.Add(time.Duration(i)*time.Hour), []disruptkit.Pool{pool(t, budget.Budget{Nodes: step.budget})}
		in.Nodes = slices.Clone(in.Nodes)
		in.Nodes[0].DoNotDisrupt = step.blocked != ""
		report = summarized(report, in, "Drifted")
		var got []string
		for _, line := range conditionLines(report, "a-1") {
			words := strings.Fields(line)
			got = append(got, words[1]+" "+words[3])
		}
		wantLines(t, fmt.Sprint("conditions after ", i, " hours"), got, step.restricted, step.allowed)
	}
}

// A node that goes was restricted, or could go, and is neither any more; also where no decision is about it.
func TestTheConditionsOfANodeChangeOnceItIsInFlight(t *testing.T) {
	for _, nodes := range []string{"0", "5"} {
		in := disruptkit.Input{Now: friday, Nodes: fleet(3, 1), Pools: []disruptkit.Pool{pool(t, budget.Budget{Nodes: nodes})}}
		first := summarized(disruptkit.Report{}, in, "Drifted")
		in.Now, in.Nodes = friday.Add(time.Hour), slices.Clone(in.Nodes)
		in.Nodes[0].Deleting = true
		for _, asked := range [][]candidate.Reason{{"Drifted"}, {"Empty"}, nil} {
			var got []string
			for _, line := range conditionLines(summarized(first, in, asked...), "a-1") {
				got = append(got, strings.Join(strings.Fields(line)[:3], " "))
			}
			wantLines(t, fmt.Sprintf("conditions with a budget of %s, asked for %q", nodes, asked), got,
				"DisruptionBudgetRestricted False WithinBudget", "DisruptionAllowed False Deleting")
		}
	}
}

func TestTheJSONOfAConditionIsThatOfKubernetes(t *testing.T) {
	c := disruptkit.NodeCondition{Type: "DisruptionAllowed", Status: true, Reason: "WithinBudget", Message: "Disruption allowed within current budget.",
		LastTransitionTime: time.Date(2024, 1, 25, 10, 0, 0, 999, time.FixedZone("CET", 3600))}
	want := `{"type":"DisruptionAllowed","status":"True","reason":"WithinBudget","message":"Disruption allowed within current budget.","lastTransitionTime":"2024-01-25T09:00:00Z"}`
	for _, want := range []string{want, strings.Replace(want, `"True"`, `"False"`, 1)} {
		got, err := json.Marshal(c)
		if err != nil || string(got) != want {
			t.Errorf("%s, %v\nwant %s", got, err, want)
		}
		c.Status = false
	}
}

// "DisruptionDetails represents the method and reason for the disruption in the format of method:reason" (RFC).
func TestTheDetailsOfANodeInFlightAreItsMethodAndItsReason(t *testing.T) {
	in := disruptkit.Input{Now: friday, Pools: []disruptkit.Pool{pool(t)}, Nodes: frame("e=Drifted/AMIDrift d=Drifted c=? zoo/b=repair a")}
	in.Nodes[4].DisruptedFor = "Drifted" // stale: it is not in flight
	drained := candidate.Node{Name: "f", Pool: "default", InstanceTerminating: true, DisruptedFor: "Empty"}
	in.Nodes = append(in.Nodes, drained, candidate.Node{Name: "g", Pool: "default", Conditions: []candidate.Condition{{Reason: "Empty"}}, DisruptedFor: "Empty"})
	var got []string
	for _, n := range summarized(disruptkit.Report{}, in, "").Nodes {
		got = append(got, fmt.Sprintf("%s %s %v %q %d", n.Node, n.Pool, n.InFlight, n.Details, len(n.Conditions)))
	}
	wantLines(t, "nodes", got,
		`b zoo true "repair" 0`, `c default true "" 0`, `d default true "Drifted" 0`, `e default true "Drifted:AMIDrift" 0`,
		`f default true "Empty" 0`, `g default false "" 2`)
}

func eventLines(r disruptkit.Report) (lines []string) {
	for _, e := range r.Events {
		lines = append(lines, fmt.Sprintf("%s %s %q: %s", e.Name, e.Pool, e.Reason, e.Message))
	}
	return lines
}

// "EnteringDisruptionWindow: Triggered when a NodePool enters a disruption window as defined by the active budgets.
// ExitingDisruptionWindow: Occurs when a NodePool exits a disruption window. BudgetExceeded: Fired when the disruption actions
// exceed the specified budget for a NodePool." (RFC, "Events"). Each step has its time, its nodes and what is asked; all but the
// first of them have the events that they are to have. Times are told in UTC, wherever the budgets have theirs.
func TestEventsAreOfWhatChangesBetweenTwoReports(t *testing.T) {
	type step struct {
		at, nodes string
		asked     []candidate.Reason
		want      []string
	}
	drifted := []candidate.Reason{"Drifted"}
	office := budget.Budget{Nodes: "2", Schedule: "0 10 * * *", Duration: "8h", TimeZone: "Europe/Berlin"} // from 9 to 17 in UTC
	closed := office
	closed.Nodes, closed.Outside = "0", true
	day := []budget.Budget{office, closed}
	const entering = `EnteringDisruptionWindow default "Drifted": 2 of 3 nodes may be disrupted at once for Drifted, until 2026-11-20T17:00:00Z`
	const exceeded = `BudgetExceeded default "": 2 in flight or not Ready, and 1 may be at once: budgets[0] is 1`
	const exiting = `ExitingDisruptionWindow default "Drifted": no node may be disrupted for Drifted, until 2026-11-21T09:00:00Z`
	for _, c := range []struct {
		name    string
		budgets []budget.Budget
		steps   []step
	}{
		{"the first report has none, open or not", day, []step{{"10:00", "a b c", drifted, nil}}},
		{"a window opens, and that is told once", day, []step{
			{"08:00", "a b c", drifted, nil}, {"09:00", "a b c", drifted, []string{entering}}, {"10:00", "a b c", drifted, nil}}},
		{"a window closes, and that is told once", day, []step{
			{"16:59", "a b c", drifted, nil}, {"17:00", "a b c", drifted, []string{exiting}}, {"18:00", "a b c", drifted, nil}}},
		{"the next day it opens again", day, []step{{"08:00", "a b c", drifted, nil}, {"09:00", "a b c", drifted, []string{entering}},
			{"20:00", "a b c", drifted, []string{exiting}}}},
		{"what opened and closed between two reports was never seen", day, []step{{"08:00", "a b c", drifted, nil}, {"18:00", "a b c", drifted, nil}}},
		{"a reason that was not asked for at the time is compared with when it was", day, []step{
			{"08:00", "a b c", drifted, nil}, {"09:00", "a b c", []candidate.Reason{"Empty"}, nil}, {"09:30", "a b c", nil, nil}, {"10:00", "a b c", drifted, []string{entering}}}},
		{"one that was never asked for is not known to open", day, []step{{"08:00", "a b c", []candidate.Reason{"Empty"}, nil}, {"09:00", "a b c", drifted, nil}}},
		{"each reason has its own event, in order, and what was asked for all of them has none", day, []step{{"16:00", "a b c", []candidate.Reason{"Empty", "Drifted", ""}, nil},
			{"17:00", "a b c", []candidate.Reason{"Empty", "Drifted", ""}, []string{
				exiting,
				`ExitingDisruptionWindow default "Empty": no node may be disrupted for Empty, until 2026-11-21T09:00:00Z`}}}},
		{"where nothing limits, any number may go", []budget.Budget{{Nodes: "0", Schedule: "0 9 * * *", Duration: "8h"}}, []step{
			{"16:00", "a b c", drifted, nil},
			{"17:00", "a b c", drifted, []string{`EnteringDisruptionWindow default "Drifted": any number of 3 nodes may be disrupted at once for Drifted, until 2026-11-21T09:00:00Z`}}}},
		{"a pool that gets its first node and loses its last has no window", []budget.Budget{{Nodes: "10%"}}, []step{
			{"10:00", "", drifted, nil}, {"11:00", "a", drifted, nil}, {"12:00", "", drifted, nil}}},
		{"a window that opens while the pool is empty does open", day, []step{{"08:00", "", drifted, nil}, {"09:00", "", drifted, []string{
			`EnteringDisruptionWindow default "Drifted": 2 of 0 nodes may be disrupted at once for Drifted, until 2026-11-20T17:00:00Z`}},
			{"10:00", "a b c", drifted, nil}}},
		{"from some to more is none", []budget.Budget{{Nodes: "4"}, {Nodes: "2", Schedule: "0 9 * * *", Duration: "8h"}}, []step{
			{"16:00", "a b c", drifted, nil}, {"17:00", "a b c", drifted, nil}, {"09:00", "a b c", drifted, nil}}},
		{"more in flight than may be, which is told once", []budget.Budget{{Nodes: "1"}}, []step{{"10:00", "a b=Drifted c", drifted, nil},
			{"11:00", "a=Drifted b=Drifted c", drifted, []string{exceeded}},
			{"12:00", "a=Drifted b=Drifted c=Drifted", drifted, nil}}},
		{"as many in flight as may be is no excess", []budget.Budget{{Nodes: "2"}}, []step{{"10:00", "a b c", drifted, nil}, {"11:00", "a=Drifted b=Drifted c", drifted, nil}}},
		{"where it was exceeded before, it is told again", []budget.Budget{{Nodes: "1"}}, []step{{"10:00", "a=Drifted b=Drifted c", drifted,
			[]string{exceeded}},
			{"11:00", "a=Drifted c", drifted, nil},
			{"12:00", "a=Drifted c=Drifted", drifted, []string{exceeded}}}},
		{"what goes for several reasons exceeds a budget for all of them, which is told once", []budget.Budget{{Nodes: "1"}}, []step{
			{"10:00", "a b c d", []candidate.Reason{"Drifted", "Empty", "Underutilized"}, nil},
			{"11:00", "a=Drifted b=Empty c=Underutilized d", []candidate.Reason{"Drifted", "Empty", "Underutilized"},
				[]string{`BudgetExceeded default "": 3 in flight or not Ready, and 1 may be at once: budgets[0] is 1`}}}},
		{"whatever is asked, and if nothing is", []budget.Budget{{Nodes: "1"}}, []step{{"10:00", "a=Drifted b=Empty", nil, []string{exceeded}},
			{"11:00", "a=Drifted b=Empty", []candidate.Reason{""}, nil}}},
		{"a child's budget is exceeded by what goes for the child", []budget.Budget{{Nodes: "1", Reasons: []candidate.Reason{"Drifted/AMIDrift", "Empty"}}}, []step{
			{"10:00", "a=Drifted/AMIDrift b=Drifted c=Drifted/SubnetDrift", drifted, nil},
			{"11:00", "a=Drifted/AMIDrift b=Drifted/AMIDrift c=Empty", drifted,
				[]string{`BudgetExceeded default "": 3 in flight for Drifted/AMIDrift, Empty or not Ready, and 1 may be at once: budgets[0] is 1 (Drifted/AMIDrift, Empty)`}}}},
		{"a freeze of one reason is not exceeded by what goes for another", []budget.Budget{{Nodes: "0", Reasons: drifted}, {Nodes: "5"}}, []step{
			{"10:00", "a b", drifted, nil}, {"11:00", "a=Empty b", drifted, nil},
			{"12:00", "a=? b", drifted, []string{`BudgetExceeded default "": 1 in flight for Drifted or not Ready, and 0 may be at once: budgets[0] is 0 (Drifted)`}}}},
		{"each budget that is exceeded is told", []budget.Budget{{Nodes: "1"}, {Nodes: "20%"}, {Nodes: "9"}}, []step{{"10:00", "a=Drifted b=Empty c", drifted, []string{
			exceeded, `BudgetExceeded default "": 2 in flight or not Ready, and 1 may be at once: budgets[1] is 20%`}}}},
		{"a budget that is not active is not exceeded", []budget.Budget{{Nodes: "0", Schedule: "0 20 * * *", Duration: "2h"}}, []step{
			{"10:00", "a=Drifted", drifted, nil}, {"19:00", "a=Drifted", drifted, nil}}},
		{"a broken budget is exceeded by whatever goes for its reasons", []budget.Budget{{Nodes: "many", Reasons: drifted}}, []step{
			{"10:00", "a=Empty b=Drifted", drifted, []string{
				`BudgetExceeded default "": 1 in flight for Drifted or not Ready, and 0 may be at once: budgets[0] is broken`}}}},
		{"a list that is too long is exceeded by whatever goes", make([]budget.Budget, 51), []step{{"10:00", "a=Drifted b", drifted, []string{
			`BudgetExceeded default "": 1 in flight or not Ready, and 0 may be at once: 51 budgets are too many`}}}},
		{"a window that closes on nodes in flight is exceeded", day, []step{{"16:00", "a=Drifted b=Drifted c", drifted, nil},
			{"17:00", "a=Drifted b=Drifted c", drifted, []string{exiting,
				`BudgetExceeded default "": 2 in flight or not Ready, and 0 may be at once: budgets[1] is 0 (outside 0 10 * * * for 8h, Europe/Berlin)`}}}},
		{"where nothing limits nothing is exceeded", []budget.Budget{}, []step{{"10:00", "a b c", drifted, nil}, {"11:00", "a=Drifted b=Drifted c=Drifted", drifted, nil}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := budget.Compile(c.budgets)
			if err != nil {
				t.Log(err) // some are broken
			}
			var report disruptkit.Report
			for _, step := range c.steps {
				at, err := time.Parse("2006-01-02T15:04", "2026-11-20T"+step.at)
				if err != nil {
					t.Fatal(err)
				}
				in := disruptkit.Input{Now: at, Nodes: frame(step.nodes), Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}}
				report = summarized(report, in, step.asked...)
				wantLines(t, "events at "+step.at, eventLines(report), step.want...)
			}
		})
	}
}

func TestWhatWasNotAskedForStaysAsItWas(t *testing.T) {
	in := disruptkit.Input{Now: friday, Nodes: fleet(3, 0), Pools: []disruptkit.Pool{pool(t, budget.Budget{Nodes: "0", Reasons: []candidate.Reason{"Drifted"}})}}
	first := summarized(disruptkit.Report{}, in, "Drifted", "Empty", "Underutilized")
	in.Now, in.Pools = friday.Add(time.Hour), []disruptkit.Pool{pool(t, budget.Budget{Nodes: "2"})}
	second := summarized(first, in, "Empty")
	want := []disruptkit.ReasonStatus{{Reason: "Drifted", Closed: true}, {Reason: "Empty", Allowed: 2}, {Reason: "Underutilized", Allowed: budget.Unlimited}}
	if diff := cmp.Diff(want, second.Pools[0].Reasons); diff != "" {
		t.Errorf("reasons (-want +got)\n%s", diff)
	}
}

func TestTheZeroReportIsOfNothing(t *testing.T) {
	report := disruptkit.Summarize(disruptkit.Report{}, disruptkit.Input{})
	for _, m := range report.Metrics {
		if len(m.Samples) != 0 {
			t.Errorf("%s has samples: %v", m.Name, m.Samples)
		}
	}
	report.Metrics = nil
	if diff := cmp.Diff(disruptkit.Report{}, report); diff != "" {
		t.Errorf("report (-want +got)\n%s", diff)
	}
}
