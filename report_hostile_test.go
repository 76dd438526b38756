package disruptkit_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/generate"
)

// Labels are joined with a NUL and split again: a name with a NUL in it has more parts than there are labels.
func TestNamesWithANULDoNotPanic(t *testing.T) {
	in := disruptkit.Input{Now: friday, Pools: []disruptkit.Pool{{Name: "a\x00b"}}}
	report := disruptkit.Summarize(disruptkit.Report{}, in)
	wantLines(t, "active budgets", sampleLines(report, disruptkit.MetricActiveBudgets), "a\x00b - - 1")
}

// Of two nodes of a name, the one in flight is counted again by each report.
func TestOneOfTwoNodesOfANameIsCountedOnce(t *testing.T) {
	var report disruptkit.Report
	for i, line := range []string{"a a", "a=Drifted a", "a=Drifted a", "a=Drifted a"} {
		in := disruptkit.Input{Now: friday.Add(time.Duration(i) * time.Hour), Nodes: frame(line), Pools: []disruptkit.Pool{pool(t)}}
		for i := range in.Nodes {
			in.Nodes[i].Conditions = []candidate.Condition{{Reason: "Drifted"}}
		}
		report = summarized(report, in, "Drifted")
	}
	wantLines(t, "disrupted nodes", sampleLines(report, disruptkit.MetricDisruptedNodes), "default Drifted - 1")
}

// The order of two nodes of a name shows.
func TestAReportDoesNotDependOnTheOrderOfNodesOfTheSameName(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := generate.Input().Draw(t, "in")
		asked := drawAsked(t)
		want := told(summarized(disruptkit.Report{}, in, asked...))
		if diff := cmp.Diff(want, told(summarized(disruptkit.Report{}, shuffled(t, in), asked...))); diff != "" {
			t.Fatal(diff)
		}
	})
}

// The order of decisions shows, in messages and in the reason of DisruptionAllowed.
func TestAReportDoesNotDependOnTheOrderOfDecisions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := uniquelyNamed(t)
		asked := drawAsked(t)
		want := told(summarized(disruptkit.Report{}, in, asked...))
		if diff := cmp.Diff(want, told(summarized(disruptkit.Report{}, in, rapid.Permutation(asked).Draw(t, "order")...))); diff != "" {
			t.Fatal(diff)
		}
	})
}

// "What no decision is about, such as a reason that was not asked for, stays as it was in the previous report": the conditions
// of a node do not.
func TestConditionsStayWhereNobodyAsked(t *testing.T) {
	in := disruptkit.Input{Now: friday, Nodes: fleet(3, 1), Pools: []disruptkit.Pool{pool(t, budget.Budget{Nodes: "0"})}}
	first := summarized(disruptkit.Report{}, in, "Drifted")
	want := conditionLines(first, "a-1")
	in.Now = friday.Add(time.Hour)
	second := summarized(first, in, "Empty")
	wantLines(t, "conditions while another reason is asked", conditionLines(second, "a-1"), want...)
	in.Now = friday.Add(2 * time.Hour)
	third := summarized(second, in, "Drifted")
	wantLines(t, "conditions once it is asked again", conditionLines(third, "a-1"), want...)
}

// A node that may go for one reason is counted as blocked, by already-allowed, or, after Apply, by deleting.
func TestANodeThatMayGoIsNotBlocked(t *testing.T) {
	in := disruptkit.Input{Now: friday, Nodes: fleet(3, 1), Pools: []disruptkit.Pool{pool(t, budget.Budget{Nodes: "5"})}}
	in.Nodes[0].Conditions = append(in.Nodes[0].Conditions, candidate.Condition{Reason: "Empty", Since: friday})
	wantLines(t, "blocked in one decision", sampleLines(summarized(disruptkit.Report{}, in, ""), disruptkit.MetricBlockedNodes))
	empty := disruptkit.Decide(in, "Empty")
	drifted := disruptkit.Decide(in.Apply(empty), "Drifted")
	wantLines(t, "blocked in two", sampleLines(disruptkit.Summarize(disruptkit.Report{}, in, empty, drifted), disruptkit.MetricBlockedNodes))
}

// Null is to leave what is there, and less than no nodes are none.
func TestTheStatusLeavesWhatNullAndRefusesLessThanNone(t *testing.T) {
	got := disruptkit.PoolStatus{Pool: "default", TotalDisrupted: 9}
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
	for _, code := range []string{"3-strikes", "404", "x"} {
		in := disruptkit.Input{Now: friday, Nodes: fleet(3, 1), Pools: []disruptkit.Pool{pool(t, budget.Budget{Nodes: "5"})}}
		in.Nodes[0].Blockers = []candidate.Blocker{{Gate: "mine", Code: code}}
		for _, n := range summarized(disruptkit.Report{}, in, "Drifted").Nodes {
			for _, c := range n.Conditions {
				if !valid.MatchString(c.Reason) {
					t.Errorf("%q of code %q", c.Reason, code)
				}
			}
		}
	}
}

// What the status was is lost while a pool is there twice.
func TestTotalsSurviveAPoolThatIsThereTwiceForAWhile(t *testing.T) {
	in := disruptkit.Input{Now: friday, Pools: []disruptkit.Pool{pool(t)}, Nodes: frame("a b")}
	report := summarized(disruptkit.Report{}, in, "")
	in.Now, in.Nodes = friday.Add(time.Hour), frame("a=Drifted b")
	report = summarized(report, in, "")
	in.Now, in.Pools = friday.Add(2*time.Hour), []disruptkit.Pool{pool(t), pool(t)}
	report = summarized(report, in, "")
	in.Now, in.Pools = friday.Add(3*time.Hour), in.Pools[:1]
	report = summarized(report, in, "")
	if got := fmt.Sprint(report.Pools[0].TotalDisrupted, sampleLines(report, disruptkit.MetricDisruptedNodes)); got != "1 [default Drifted - 1]" {
		t.Errorf("in total, and the counter: %s", got)
	}
}
