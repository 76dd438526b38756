package report_test

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/report"
	"github.com/disruptkit/disruptkit/schedule"
)

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
		{"one that two decisions block for the same is counted once", func(in *disruptkit.Input) { in.Nodes[0].DoNotDisrupt = true },
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
		{"a node in flight is on its way, and blocked by nothing", func(in *disruptkit.Input) {
			in.Pools[0].Budgets = pool(t, budget.Budget{Nodes: "1"}).Budgets
			in.Nodes[0].Leaving = candidate.Draining
		}, []candidate.Reason{"Drifted"}, []string{"default budget exhausted 1"}, []string{"default 0"}},
		{"what blocks only once a freeze is over is not counted", func(in *disruptkit.Input) {
			in.Pools[0].Budgets = pool(t, budget.Budget{Nodes: "1"}, budget.Budget{Nodes: "0", Schedule: "0 9 * * *", Duration: "8h"}).Budgets
		}, []candidate.Reason{"Drifted"}, []string{"default budget allows-none 2"}, []string{"default 0"}},
		{"a pod whose window is open now, but closed when a freeze ends, is not held", func(in *disruptkit.Input) {
			in.Pools[0].Budgets = pool(t, budget.Budget{Nodes: "0", Schedule: "0 9 * * *", Duration: "8h"}).Budgets
			in.Nodes[0].Pods = []candidate.Pod{{Name: "x", Terms: noon}}
		}, []candidate.Reason{"Drifted"}, []string{"default budget allows-none 2"}, []string{"default 0"}},
		{"a pod that its annotation and a PodDisruptionSchedule hold is one", func(in *disruptkit.Input) {
			in.Nodes[0].Pods = []candidate.Pod{{Name: "x", Terms: night}, {Name: "y", Terms: night}}
			in.Rules, _ = candidate.CompileRules(nil, []candidate.PodSchedule{{Name: "nights", Selector: &candidate.Selector{}, Schedule: "0 1 * * *"}})
		}, []candidate.Reason{"Drifted", "Drifted"}, []string{"default pod outside-schedule 1"}, []string{"default 2"}},
		{"of two reasons one is blocked by a budget and one by its pods, and both count", func(in *disruptkit.Input) {
			in.Nodes, in.Pools[0].Budgets = in.Nodes[:1], pool(t, budget.Budget{Nodes: "0", Reasons: []candidate.Reason{"Drifted"}}).Budgets
			in.Nodes[0].HasGracePeriod, in.Nodes[0].Pods = true, []candidate.Pod{{Name: "x", Terms: night}}
			in.Nodes[0].Conditions = append(in.Nodes[0].Conditions, candidate.Condition{Reason: "Empty"})
		}, []candidate.Reason{""}, []string{"default budget allows-none 1", "default pod outside-schedule 1"}, []string{"default 1"}},
		{"a node of a pool that nobody knows is not", func(in *disruptkit.Input) { in.Nodes[0].Pool = "lost" }, []candidate.Reason{"Drifted"}, nil, []string{"default 0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := disruptkit.Input{Now: friday, Nodes: fleet(3, 2), Pools: []disruptkit.Pool{pool(t, budget.Budget{Nodes: "5"})}}
			c.set(&in)
			r := summarized(report.Report{}, in, c.reasons...)
			wantLines(t, "blocked nodes", sampleLines(r, report.MetricBlockedNodes), c.blocked...)
			wantLines(t, "held pods", sampleLines(r, report.MetricHeldPods), c.held...)
		})
	}
}
