package report_test

import (
	"encoding/json"
	"regexp"
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

// Null is to leave what is there, and less than no nodes are none.
func TestTheStatusLeavesWhatNullAndRefusesLessThanNone(t *testing.T) {
	got := report.PoolStatus{Pool: "default", TotalDisrupted: 9}
	if err := json.Unmarshal([]byte(`null`), &got); err != nil || got.TotalDisrupted != 9 {
		t.Errorf("null: %+v, %v", got, err)
	}
	if err := json.Unmarshal([]byte(`{"resources":{"nodes":-3}}`), &got); err == nil {
		t.Errorf("-3 nodes: %+v", got)
	}
	err := json.Unmarshal([]byte(`{"disruption":{"totalDisruptedNodes":5}}`), &got)
	if err == nil || regexp.MustCompile(`Go |poolStatusJSON`).MatchString(err.Error()) {
		t.Errorf("a number where text is: the error speaks of Go: %v", err)
	}
}

// The API server refuses a condition whose reason does not match this.
func TestTheReasonOfAConditionIsOneThatKubernetesTakes(t *testing.T) {
	valid := regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`)
	for _, code := range []candidate.Code{"3-strikes", "404", "x"} {
		in := disruptkit.Input{Now: friday, Nodes: fleet(3, 1), Pools: []disruptkit.Pool{pool(t, budget.Budget{Nodes: "5"})}}
		in.Nodes[0].Blockers = []candidate.Blocker{{Gate: "mine", Code: code}}
		for _, n := range summarized(report.Report{}, in, "Drifted").Nodes {
			for _, c := range n.Conditions {
				if !valid.MatchString(c.Reason) {
					t.Errorf("%q of code %q", c.Reason, code)
				}
			}
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
	if len(r.Pools) != 1 || len(r.Nodes) != 0 || len(r.Events) != 0 {
		t.Errorf("pools %v, nodes %v, events %v", r.Pools, r.Nodes, r.Events)
	}
}
