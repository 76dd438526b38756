package report_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
	"github.com/disruptkit/disruptkit/report"
	"github.com/disruptkit/disruptkit/schedule"
)

// sampleLines returns the samples of a metric: "default Drifted AMIDrift 1", with - for a label that is empty.
func sampleLines(r report.Report, name string) []string {
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

var metricLabels = map[string]string{
	// "Labels: nodepool: Identifies the NodePool. method: Specifies the disruption method (e.g., Consolidation, Drift, Emptiness,
	// Expiration). reason: Provides additional detail on the reason for disruption (if applicable)." (RFC, "Metrics")
	"karpenter_nodepool_active_budgets":                        "gauge nodepool method reason",
	"karpenter_nodepool_disrupted_nodes":                       "counter nodepool method reason",
	"karpenter_nodepool_pods_held_by_schedule":                 "gauge nodepool",
	"karpenter_nodepool_blocked_nodes":                         "gauge nodepool gate code",
	"karpenter_nodepool_overdue_nodes":                         "gauge nodepool method reason",
	"karpenter_nodepool_disruption_stopped":                    "gauge nodepool method reason",
	"karpenter_nodepool_broken_budgets":                        "gauge nodepool",
	"karpenter_nodepool_nodes_without_opening_before_deadline": "gauge nodepool method reason",
	// NodePoolAllowedDisruptions and NodePoolNodesConsumingBudgets of Karpenter (pkg/controllers/disruption, metrics.go)
	"karpenter_nodepools_allowed_disruptions":     "gauge nodepool reason",
	"karpenter_nodepools_nodes_consuming_budgets": "gauge nodepool reason",
	// "candidates_remaining | Gauge | nodepool, reason, consolidation_type, blocker", "oldest_backlog_age_seconds | Gauge | nodepool, reason,
	// consolidation_type, blocker" (designs/disruption-performance-metrics.md of kubernetes-sigs/karpenter#3255)
	"karpenter_voluntary_disruption_candidates_remaining":       "gauge nodepool reason blocker",
	"karpenter_voluntary_disruption_oldest_backlog_age_seconds": "gauge nodepool reason blocker",
	"karpenter_nodepool_disruption_eta_timestamp_seconds":       "gauge nodepool probability",
	"karpenter_nodepool_disruption_behind_plan_seconds":         "gauge nodepool",
}

func TestEachMetricHasItsNameItsTypeAndItsLabelsAlwaysInTheSameOrder(t *testing.T) {
	in := disruptkit.Input{Now: friday, Nodes: fleet(3, 2), Pools: []disruptkit.Pool{pool(t, budget.Budget{Nodes: "0"})}}
	in.Nodes[0].Leaving = candidate.Draining
	in.Nodes[1].Conditions[0].Deadline = friday
	closed := schedule.MustParse("0 2 * * *", time.Hour, "")
	in.Nodes[1].Pods = []candidate.Pod{{Name: "batch", Terms: candidate.Terms{Window: closed}}}
	before := report.Summarize(report.Report{}, disruptkit.Input{Now: friday.Add(-time.Hour)})
	r := summarized(before, in, "Drifted").With(report.Outlook{Pool: "default", Middle: friday, Planned: friday})
	seen := map[string]bool{}
	for _, m := range r.Metrics {
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
			wantLines(t, "active budgets", sampleLines(report.Summarize(report.Report{}, in), report.MetricActiveBudgets), c.want...)
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
	got := sampleLines(report.Summarize(report.Report{}, in), report.MetricActiveBudgets)
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
			var r report.Report
			for i, line := range c.frames {
				in := disruptkit.Input{Now: friday.Add(time.Duration(i) * time.Hour), Nodes: frame(line)}
				in.Pools = []disruptkit.Pool{pool(t), {Name: "old"}}
				r = summarized(r, in, "")
			}
			wantLines(t, "disrupted nodes", sampleLines(r, report.MetricDisruptedNodes), c.want...)
			p := r.Pools[0]
			if p.Pool != "default" || p.TotalDisrupted != c.total {
				t.Errorf("%d nodes of %s in total, want %d", p.TotalDisrupted, p.Pool, c.total)
			}
			if last := strings.TrimPrefix(p.LastDisruptionTime.Format("15:04"), "00:00"); last != c.last {
				t.Errorf("the last at %q, want %q", last, c.last)
			}
		})
	}
}

func TestStoppedCountsWhatStopsAReason(t *testing.T) {
	in := disruptkit.Input{Now: friday, Nodes: fleet(3, 1), Pools: []disruptkit.Pool{pool(t, budget.Budget{Nodes: "5"})}}
	p := probe.Probe{Name: "incident", Host: "incident.ops.svc", Port: 80}
	sick := httpget.Observe(p, probe.Observation{}, httpget.Response{At: friday, Status: 503})
	in.Pools[0].Verdicts = []probe.Verdict{probe.ProbeVerdict(p, sick, friday)}
	in.Verdicts = []probe.Verdict{probe.ProbeVerdict(p, probe.Observation{}, friday)}
	r := summarized(report.Report{}, in, "Drifted", "Empty", "Drifted")
	wantLines(t, "stopped", sampleLines(r, report.MetricStopped), "default Drifted - 2", "default Empty - 2")

	in.Pools[0].Verdicts, in.Verdicts = nil, nil
	r = summarized(r, in, "Drifted")
	wantLines(t, "stopped", sampleLines(r, report.MetricStopped), "default Drifted - 0")
}

// "The number of nodes for a given NodePool that can be concurrently disrupting at a point in time", "The number of nodes consuming
// the budget of a nodepool at a point in time" (Karpenter, metrics.go; BuildDisruptionBudgetMapping sets them). That they are
// Karpenter's values, the module karpenter checks.
func TestKarpentersOwnGaugesAreThere(t *testing.T) {
	for _, c := range []struct {
		name               string
		budgets            []budget.Budget
		nodes              string
		asked              []candidate.Reason
		allowed, consuming []string
	}{
		{"what may go at once, and what uses that up, whatever it goes for", []budget.Budget{{Nodes: "3"}}, "a b=Empty c=Drifted d", []candidate.Reason{"Drifted"},
			[]string{"default drifted 3"}, []string{"default drifted 2"}},
		{"each method has a value of its own", []budget.Budget{{Nodes: "3"}, {Nodes: "1", Reasons: []candidate.Reason{"Empty"}}}, "a b=Empty", []candidate.Reason{"Empty", "Drifted"},
			[]string{"default drifted 3", "default empty 1"}, []string{"default drifted 1", "default empty 1"}},
		{"repair does not count what is only not Ready, and all count reboots", []budget.Budget{{Nodes: "3"}}, "a=NotReady b=Rebooting c=Drifted d", []candidate.Reason{"Unhealthy", "Drifted"},
			[]string{"default drifted 3", "default unhealthy 3"}, []string{"default drifted 3", "default unhealthy 2"}},
		{"no limit is Karpenter's largest number", []budget.Budget{}, "a", []candidate.Reason{"Drifted"},
			[]string{"default drifted 2.147483647e+09"}, []string{"default drifted 0"}},
		{"Karpenter knows neither children nor all reasons at once", []budget.Budget{{Nodes: "3"}}, "a", []candidate.Reason{"", "Drifted/AMIDrift"}, nil, nil},
		{"of a pool without nodes they are there, too", []budget.Budget{{Nodes: "10%"}}, "", []candidate.Reason{"Drifted"},
			[]string{"default drifted 0"}, []string{"default drifted 0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := budget.Compile(c.budgets)
			if err != nil {
				t.Fatal(err)
			}
			in := disruptkit.Input{Now: friday, Nodes: frame(c.nodes), Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}}
			r := summarized(report.Report{}, in, c.asked...)
			wantLines(t, "allowed", sampleLines(r, report.MetricAllowedDisruptions), c.allowed...)
			wantLines(t, "consuming", sampleLines(r, report.MetricConsumingNodes), c.consuming...)
		})
	}
}
