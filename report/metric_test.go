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
	// "Labels: nodepool: Identifies the NodePool. method: Specifies the disruption method (e.g., Consolidation, Drift,
	// Emptiness, Expiration). reason: Provides additional detail on the reason for disruption (if applicable)." (RFC,
	// "Metrics")
	"karpenter_nodepool_active_budgets":                        "gauge nodepool method reason",
	"karpenter_nodepool_disrupted_nodes":                       "counter nodepool method reason",
	"karpenter_nodepool_pods_held_by_schedule":                 "gauge nodepool",
	"karpenter_nodepool_blocked_nodes":                         "gauge nodepool gate code",
	"karpenter_nodepool_overdue_nodes":                         "gauge nodepool method reason",
	"karpenter_nodepool_disruption_stopped":                    "gauge nodepool method reason",
	"karpenter_nodepool_broken_budgets":                        "gauge nodepool",
	"karpenter_nodepool_nodes_without_opening_before_deadline": "gauge nodepool method reason",
	// NodePoolAllowedDisruptions and NodePoolNodesConsumingBudgets of Karpenter (pkg/controllers/disruption,
	// metrics.go)
	"karpenter_nodepools_allowed_disruptions":     "gauge nodepool reason",
	"karpenter_nodepools_nodes_consuming_budgets": "gauge nodepool reason",
	// "candidates_remaining | Gauge | nodepool, reason, consolidation_type, blocker", "oldest_backlog_age_seconds |
	// Gauge | nodepool, reason, consolidation_type, blocker" (designs/disruption-performance-metrics.md of
	// kubernetes-sigs/karpenter#3255)
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

func TestStoppedCountsWhatStopsAReason(t *testing.T) {
	in := disruptkit.Input{Now: friday, Nodes: fleet(3, 1), Pools: []disruptkit.Pool{pool(t, budget.Budget{Nodes: "5"})}}
	p := httpget.Spec{Name: "incident", Host: "incident.ops.svc", Port: 80}
	sick := httpget.Observe(p, probe.Observation{}, httpget.Response{At: friday, Status: 503})
	in.Pools[0].Verdicts = []probe.Verdict{probe.ProbeVerdict(p.Probe(), sick, friday)}
	in.Verdicts = []probe.Verdict{probe.ProbeVerdict(p.Probe(), probe.Observation{}, friday)}
	r := summarized(report.Report{}, in, "Drifted", "Empty", "Drifted")
	wantLines(t, "stopped", sampleLines(r, report.MetricStopped), "default Drifted - 2", "default Empty - 2")

	in.Pools[0].Verdicts, in.Verdicts = nil, nil
	r = summarized(r, in, "Drifted")
	wantLines(t, "stopped", sampleLines(r, report.MetricStopped), "default Drifted - 0")
}

// "The number of nodes for a given NodePool that can be concurrently disrupting at a point in time", "The number of
// nodes consuming the budget of a nodepool at a point in time" (Karpenter, metrics.go; BuildDisruptionBudgetMapping
// sets them). That they are Karpenter's values, the module karpenter checks.
func TestKarpentersOwnGaugesAreThere(t *testing.T) {
	for _, c := range []struct {
		name               string
		budgets            []budget.Budget
		nodes              string
		asked              []candidate.Reason
		allowed, consuming []string
	}{
		{"what may be disrupted at once, and what uses that up, whatever it is disrupted for", []budget.Budget{{Nodes: "3"}}, "a b=Empty c=Drifted d", []candidate.Reason{"Drifted"},
			[]string{"default drifted 3"}, []string{"default drifted 2"}},
		{"each method has a value of its own", []budget.Budget{{Nodes: "3"}, {Nodes: "1", Reasons: []candidate.Reason{"Empty"}}}, "a b=Empty", []candidate.Reason{"Empty", "Drifted"},
			[]string{"default drifted 3", "default empty 1"}, []string{"default drifted 1", "default empty 1"}},
		{"repair does not count what is only not Ready, and all count reboots", []budget.Budget{{Nodes: "3"}}, "a=NotReady b=Rebooting c=Drifted d", []candidate.Reason{"Unhealthy", "Drifted"},
			[]string{"default drifted 3", "default unhealthy 3"}, []string{"default drifted 3", "default unhealthy 2"}},
		{"no limit is Karpenter's largest number", []budget.Budget{}, "a", []candidate.Reason{"Drifted"},
			[]string{"default drifted 2.147483647e+09"}, []string{"default drifted 0"}},
		{"Karpenter knows neither children nor all reasons at once", []budget.Budget{{Nodes: "3"}}, "a", []candidate.Reason{"", "Drifted/AMIDrift"}, nil, nil},
		{"of a pool without nodes they are there as well", []budget.Budget{{Nodes: "10%"}}, "", []candidate.Reason{"Drifted"},
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
