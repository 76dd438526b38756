package report_test

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/report"
)

func TestOverdueNodesAreCountedAndTold(t *testing.T) {
	in := disruptkit.Input{Now: friday, Nodes: fleet(4, 4), Pools: []disruptkit.Pool{pool(t, budget.Budget{Nodes: "1"})}}
	due := func(node int, c candidate.Condition, hours int) {
		c.Since, c.Deadline = friday.Add(-99*time.Hour), friday.Add(time.Duration(hours)*time.Hour)
		in.Nodes[node].Conditions = append(in.Nodes[node].Conditions, c)
	}
	in.Nodes[0].Conditions, in.Nodes[1].Conditions = nil, nil
	due(0, candidate.Condition{Reason: "Drifted"}, -2)
	due(0, candidate.Condition{Reason: "Empty"}, 3)
	due(1, candidate.Condition{Reason: "Drifted"}, 0)
	due(2, candidate.Condition{Reason: "Drifted/AMIDrift"}, 1) // beside Drifted, without a deadline

	r := summarized(report.Report{}, in, "Drifted", "Empty", "Drifted")
	wantLines(t, "overdue", sampleLines(r, report.MetricOverdueNodes), "default Drifted - 2", "default Drifted AMIDrift 0", "default Empty - 0")
	for node, want := range map[string][]string{
		"a-1": {"DisruptionOverdue True DeadlinePassed 12:00 The node has been overdue since 2026-11-20T10:00:00Z for Drifted."},
		"a-2": {"DisruptionOverdue True DeadlinePassed 12:00 The node has been overdue since 2026-11-20T12:00:00Z for Drifted."},
		"a-3": {"DisruptionOverdue False DeadlineAhead 12:00 The node will be overdue from 2026-11-20T13:00:00Z for Drifted/AMIDrift."},
		"a-4": nil,
	} {
		wantLines(t, node, conditionLines(r, node)[2:], want...)
	}

	in.Now = friday.Add(time.Hour)
	in.Nodes[0].Leaving = candidate.Draining
	r = summarized(r, in, "Drifted")
	wantLines(t, "in flight", conditionLines(r, "a-1")[2:])
	wantLines(t, "not in flight", sampleLines(r, report.MetricOverdueNodes), "default Drifted - 1", "default Drifted AMIDrift 1")
	wantLines(t, "since when", conditionLines(r, "a-2")[2:], "DisruptionOverdue True DeadlinePassed 12:00 The node has been overdue since 2026-11-20T12:00:00Z for Drifted.")
	wantLines(t, "now", conditionLines(r, "a-3")[2:], "DisruptionOverdue True DeadlinePassed 13:00 The node has been overdue since 2026-11-20T13:00:00Z for Drifted/AMIDrift.")
}

func TestNodesThatNothingAllowsBeforeTheirDeadlineAreCounted(t *testing.T) {
	closes := budget.Budget{Nodes: "0", Schedule: "0 11 * * *", Duration: "8h"} // friday is noon: until 19:00
	for _, c := range []struct {
		name   string
		change func(n *candidate.Node)
		hours  int
		want   string
	}{
		{"a window that opens before the deadline is an opening", func(*candidate.Node) {}, 8, "default Drifted - 0"},
		{"one that opens after it is none", func(*candidate.Node) {}, 6, "default Drifted - 1"},
		{"one that opens just then is none", func(*candidate.Node) {}, 7, "default Drifted - 1"},
		{"a node that is kept for good has none", func(n *candidate.Node) { n.DoNotDisrupt = true }, 8, "default Drifted - 1"},
		{"one that is overdue has had its chance", func(*candidate.Node) {}, -1, "default Drifted - 0"},
		{"one in flight needs none", func(n *candidate.Node) { n.Leaving = candidate.Draining }, 6, "default Drifted - 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := disruptkit.Input{Now: friday, Nodes: fleet(4, 1), Pools: []disruptkit.Pool{pool(t, closes)}}
			in.Nodes[0].Conditions[0].Since, in.Nodes[0].Conditions[0].Deadline = friday.Add(-99*time.Hour), friday.Add(time.Duration(c.hours)*time.Hour)
			c.change(&in.Nodes[0])
			wantLines(t, "no opening", sampleLines(summarized(report.Report{}, in, "Drifted"), report.MetricNoOpening), c.want)
		})
	}
}

func TestInvalidBudgetsAreCountedWhetherTheyBlockSomethingOrNot(t *testing.T) {
	for _, c := range []struct {
		name    string
		budgets []budget.Budget
		want    string
	}{
		{"none is broken", []budget.Budget{{Nodes: "1"}}, "default 0"},
		{"a number that is none", []budget.Budget{{Nodes: "1"}, {Nodes: "many"}}, "default 1"},
		{"two of three", []budget.Budget{{Nodes: "1"}, {Nodes: "many"}, {Nodes: "0", Schedule: "never", Duration: "1h"}}, "default 2"},
		{"a list that is too long is broken once", make([]budget.Budget, 51), "default 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := disruptkit.Input{Now: friday, Nodes: fleet(4, 0), Pools: []disruptkit.Pool{pool(t, c.budgets...)}}
			wantLines(t, "broken", sampleLines(summarized(report.Report{}, in, "Drifted"), report.MetricBrokenBudgets), c.want)
		})
	}
}
