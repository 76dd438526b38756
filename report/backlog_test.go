package report_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/report"
)

// "candidates_remaining: Candidates that become actionable when the named blocker changes. oldest_backlog_age_seconds:
// Oldest blocked work, measured from its relevant condition, expiry, or unhealthy transition."
// (designs/disruption-performance-metrics.md of kubernetes-sigs/karpenter#3255.) "blocker is a bounded label with these
// initial values: budget, [...], nominated, [...], nodepool_health_gate, [...]" (the same).
func TestTheBacklogIsCountedUnderTheFirstBlocker(t *testing.T) {
	hours := func(h int) time.Time { return friday.Add(-time.Duration(h) * time.Hour) }
	for _, c := range []struct {
		name              string
		change            func(in *disruptkit.Input)
		remaining, oldest []string
	}{
		{"a budget is called budget, whichever its code is", func(*disruptkit.Input) {},
			[]string{"default drifted budget 3"}, []string{"default drifted budget 10800"}},
		{"a node that is held by itself counts there, and not under the budget", func(in *disruptkit.Input) { in.Nodes[2].DoNotDisrupt = true },
			[]string{"default drifted budget 2", "default drifted do_not_disrupt 1"}, []string{"default drifted budget 7200", "default drifted do_not_disrupt 10800"}},
		{"a nominated one has the RFC's word", func(in *disruptkit.Input) { in.Nodes[0].NominatedUntil = friday.Add(time.Minute) },
			[]string{"default drifted budget 2", "default drifted nominated 1"}, []string{"default drifted budget 10800", "default drifted nominated 3600"}},
		{"a node in flight is no backlog", func(in *disruptkit.Input) { in.Nodes[2].Leaving = candidate.Draining },
			[]string{"default drifted budget 2"}, []string{"default drifted budget 7200"}},
		{"since when is unknown has no age, and counts", func(in *disruptkit.Input) {
			for i := range 3 {
				in.Nodes[i].Conditions[0].Since = time.Time{}
			}
		}, []string{"default drifted budget 3"}, nil},
		{"a reason from the future is of no age", func(in *disruptkit.Input) {
			in.Nodes = in.Nodes[:1]
			in.Nodes[0].Conditions[0].Since = friday.Add(time.Hour)
		}, []string{"default drifted budget 1"}, []string{"default drifted budget 0"}},
		{"where all may be disrupted, nothing is left", func(in *disruptkit.Input) { in.Pools[0] = pool(t, budget.Budget{Nodes: "100%"}) }, nil, nil},
		{"a PodDisruptionBudget is called pdb", func(in *disruptkit.Input) {
			in.Pools[0] = pool(t, budget.Budget{Nodes: "100%"})
			in.Rules, _ = candidate.CompileRules([]candidate.PDB{{Namespace: "a", Name: "b", Selector: &candidate.Selector{}}}, nil)
			in.Nodes[1].Pods = []candidate.Pod{{Namespace: "a", Name: "p"}}
		}, []string{"default drifted pdb 1"}, []string{"default drifted pdb 7200"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := disruptkit.Input{Now: friday, Nodes: fleet(5, 3), Pools: []disruptkit.Pool{pool(t, budget.Budget{Nodes: "0"})}}
			for i := range 3 {
				in.Nodes[i].Conditions[0].Since = hours(i + 1)
			}
			c.change(&in)
			r := summarized(report.Report{}, in, "Drifted")
			wantLines(t, "remaining", sampleLines(r, report.MetricRemaining), c.remaining...)
			wantLines(t, "oldest", sampleLines(r, report.MetricBacklogAge), c.oldest...)
		})
	}
}

// Of one decision, each candidate that is blocked now is counted once, and nothing else is.
func TestTheBacklogAddsUpToWhatIsBlocked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := uniquelyNamed(t)
		d := disruptkit.Decide(in, testkit.Arbitrary(generate.Reason).Draw(t, "reason"))
		goes, blocked := map[string]bool{}, map[string]bool{}
		for i := range in.Nodes {
			goes[in.Nodes[i].Name] = in.Nodes[i].InFlight()
		}
		for _, c := range d.Allowed {
			goes[c.Node] = true
		}
		pools := map[string]bool{}
		for _, p := range in.Pools {
			pools[p.Name] = true
		}
		for _, c := range d.Blocked {
			if !goes[c.Node] && pools[c.Pool] {
				blocked[c.Node] = true
			}
		}
		var sum, ages float64
		r := report.Summarize(report.Report{}, in, d)
		for _, m := range r.Metrics {
			for _, s := range m.Samples {
				switch m.Name {
				case report.MetricRemaining:
					sum += s.Value
				case report.MetricBacklogAge:
					if ages++; s.Value < 0 {
						t.Fatalf("%v is %v s old", s.Labels, s.Value)
					}
				}
			}
		}
		if int(sum) != len(blocked) || ages > sum {
			t.Fatalf("%v candidates remain, and %d are blocked; %v ages", sum, len(blocked), ages)
		}
	})
}
