package report_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/report"
)

var friday = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// fleet returns so many nodes of the pool "default", a-1 being the oldest of those that drifted.
func fleet(ready, drifted int) []candidate.Node {
	var nodes []candidate.Node
	for i := range ready + drifted {
		n := candidate.Node{Name: fmt.Sprintf("a-%d", i+1), Pool: "default", Phase: candidate.Running}
		if i < drifted {
			n.Conditions = []candidate.Condition{{Reason: "Drifted", Since: friday.Add(time.Duration(i-99) * time.Hour)}}
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// pool returns the pool "default". Some of its budgets may be broken.
func pool(t testing.TB, budgets ...budget.Budget) disruptkit.Pool {
	t.Helper()
	set, err := budget.Compile(budgets)
	if err != nil {
		t.Log(err)
	}
	return disruptkit.Pool{Name: "default", Budgets: set}
}

// summarized decides each reason on the input, and reports on that.
func summarized(previous report.Report, in disruptkit.Input, reasons ...candidate.Reason) report.Report {
	var ds []disruptkit.Decision
	for _, reason := range reasons {
		ds = append(ds, disruptkit.Decide(in, reason))
	}
	return report.Summarize(previous, in, ds...)
}

func wantLines(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(strings.Join(want, "\n"), strings.Join(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got)\n%s", what, diff)
	}
}

// frame returns the nodes of a line: "a b=Drifted old/c" is a, then b, in flight for Drifted, and c of the pool "old".
// Instead of a reason, NotReady and Rebooting say that.
func frame(line string) (nodes []candidate.Node) {
	for _, word := range strings.Fields(line) {
		name, reason, inFlight := strings.Cut(word, "=")
		pool, name, found := strings.Cut(name, "/")
		if !found {
			pool, name = "default", pool
		}
		n := candidate.Node{Name: name, Pool: pool, Phase: candidate.Running, Rebooting: reason == "Rebooting"}
		if reason == "NotReady" {
			n.Phase = candidate.NotReady
		} else if inFlight && !n.Rebooting {
			n.Leaving, n.DisruptedFor = candidate.Draining, candidate.Reason(strings.TrimPrefix(reason, "?"))
		}
		nodes = append(nodes, n)
	}
	return nodes
}

func TestOfAPoolThatIsGoneNothingIsReported(t *testing.T) {
	with := disruptkit.Input{Now: friday, Pools: []disruptkit.Pool{pool(t), {Name: "old"}}, Nodes: frame("a old/b")}
	first := summarized(report.Report{}, with, "")
	with.Now, with.Nodes = friday.Add(time.Hour), frame("a=Drifted old/b=Drifted")
	second := summarized(first, with, "")
	without := with
	without.Now, without.Pools = friday.Add(2*time.Hour), without.Pools[:1]
	third := summarized(second, without, "")
	wantLines(t, "disrupted nodes", sampleLines(third, report.MetricDisruptedNodes), "default Drifted - 1")
	wantLines(t, "active budgets", sampleLines(third, report.MetricActiveBudgets), "default - - 1")
	if len(third.Pools) != 1 || len(third.Nodes) != 2 {
		t.Errorf("pools %v, nodes %v", third.Pools, third.Nodes)
	}
}

func TestASecondPoolOfTheSameNameLeavesNeitherAStatus(t *testing.T) {
	in := disruptkit.Input{Now: friday, Pools: []disruptkit.Pool{pool(t), pool(t)}, Nodes: fleet(3, 1)}
	first := summarized(report.Report{}, in, "", "Drifted")
	in.Nodes = slices.Clone(in.Nodes)
	in.Nodes[0].Leaving = candidate.Draining
	r := summarized(first, in, "", "Drifted")
	if len(r.Pools) != 0 || len(r.Events) != 0 {
		t.Errorf("pools %v, events %v", r.Pools, r.Events)
	}
	wantLines(t, "active budgets", sampleLines(r, report.MetricActiveBudgets))
	wantLines(t, "allowed", sampleLines(r, report.MetricAllowedDisruptions))
	wantLines(t, "disrupted nodes", sampleLines(r, report.MetricDisruptedNodes))
}

func TestWhatWasNotAskedForStaysAsItWas(t *testing.T) {
	in := disruptkit.Input{Now: friday, Nodes: fleet(3, 0), Pools: []disruptkit.Pool{pool(t, budget.Budget{Nodes: "0", Reasons: []candidate.Reason{"Drifted"}})}}
	first := summarized(report.Report{}, in, "Drifted", "Empty", "Underutilized")
	in.Now, in.Pools = friday.Add(time.Hour), []disruptkit.Pool{pool(t, budget.Budget{Nodes: "2"})}
	second := summarized(first, in, "Empty")
	want := []report.ReasonStatus{{Reason: "Drifted", Closed: true}, {Reason: "Empty", Allowed: 2}, {Reason: "Underutilized", Allowed: budget.Unlimited}}
	if diff := cmp.Diff(want, second.Pools[0].Reasons); diff != "" {
		t.Errorf("reasons (-want +got)\n%s", diff)
	}
}

func TestTheReportOfNothingIsEmpty(t *testing.T) {
	r := report.Summarize(report.Report{}, disruptkit.Input{Now: friday})
	for _, m := range r.Metrics {
		if len(m.Samples) != 0 {
			t.Errorf("%s has samples: %v", m.Name, m.Samples)
		}
	}
	r.Metrics = nil
	if diff := cmp.Diff(report.Report{At: friday}, r); diff != "" {
		t.Errorf("report (-want +got)\n%s", diff)
	}
}

// Without a time nothing may go (disruptkit.Decide), which is no window that closes.
func TestAnInputWithoutATimeLeavesTheReportAsItWas(t *testing.T) {
	in := disruptkit.Input{Now: friday, Nodes: frame("a b=Drifted"), Pools: []disruptkit.Pool{pool(t, budget.Budget{Nodes: "0"})}}
	first := summarized(report.Report{}, in, "Drifted")
	if len(first.Events) == 0 {
		t.Fatal("the first report has no events")
	}
	in.Now, in.Nodes = time.Time{}, frame("a=Drifted")
	second := summarized(first, in, "Drifted")
	first.Events = nil
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("report (-before +after)\n%s", diff)
	}
	in.Now = friday.Add(time.Hour)
	if events := summarized(second, in, "Drifted").Events; len(events) != 0 {
		t.Errorf("once there is a time again: %v", events)
	}
}
