package report_test

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/report"
)

// Labels are joined with a NUL and split again: a name with a NUL in it has more parts than there are labels.
func TestNamesWithANULDoNotPanic(t *testing.T) {
	in := disruptkit.Input{Now: friday, Pools: []disruptkit.Pool{{Name: "a\x00b"}}}
	r := report.Summarize(report.Report{}, in)
	wantLines(t, "active budgets", sampleLines(r, report.MetricActiveBudgets), "a\x00b - - 1")
}

// Of two nodes of a name, the one in flight is counted again by each report.
func TestOneOfTwoNodesOfANameIsCountedOnce(t *testing.T) {
	var r report.Report
	for i, line := range []string{"a a", "a=Drifted a", "a=Drifted a", "a=Drifted a"} {
		in := disruptkit.Input{Now: friday.Add(time.Duration(i) * time.Hour), Nodes: frame(line), Pools: []disruptkit.Pool{pool(t)}}
		for i := range in.Nodes {
			in.Nodes[i].Conditions = []candidate.Condition{{Reason: "Drifted"}}
		}
		r = summarized(r, in, "Drifted")
	}
	wantLines(t, "disrupted nodes", sampleLines(r, report.MetricDisruptedNodes), "default Drifted - 1")
}

func TestWhoIsInFlightInTheFirstReportIsNotCountedAndNodesOfOneNameCountOnce(t *testing.T) {
	for _, c := range []struct{ first, then, want string }{
		{"a=Drifted b", "a=Drifted b", "0"}, // it was in flight before anybody looked
		{"a=Drifted b", "a=Drifted b=Drifted", "1"},
		{"a a", "a=Drifted a=Drifted", "1"},
		{"a=Drifted", "a=Empty", "0"}, // for whatever it is now
	} {
		in := disruptkit.Input{Now: friday, Nodes: frame(c.first), Pools: []disruptkit.Pool{pool(t)}}
		r := summarized(report.Report{}, in, "Drifted")
		wantLines(t, c.first, sampleLines(r, report.MetricDisruptedNodes))
		in.Now, in.Nodes = friday.Add(time.Hour), frame(c.then)
		got := sampleLines(summarized(r, in, "Drifted"), report.MetricDisruptedNodes)
		if c.want == "0" {
			wantLines(t, c.then, got)
		} else {
			wantLines(t, c.then, got, "default Drifted - "+c.want)
		}
	}
}

// Decisions are to be made on the input. Those on another are about pools that are not there.
func TestDecisionsOnAnotherInputReportNoPoolThatIsNotThere(t *testing.T) {
	other := disruptkit.Input{Now: friday, Nodes: fleet(3, 1), Pools: []disruptkit.Pool{pool(t, budget.Budget{Nodes: "0"})}}
	in := disruptkit.Input{Now: friday, Nodes: frame("old/b"), Pools: []disruptkit.Pool{{Name: "old"}}}
	r := report.Summarize(report.Report{}, in, disruptkit.Decide(other, "Drifted"))
	for _, m := range r.Metrics {
		for _, s := range m.Samples {
			if s.Labels[0].Value != "old" {
				t.Errorf("%s: %v", m.Name, s)
			}
		}
	}
	wantLines(t, "events", eventLines(r))
}
