package report_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/report"
)

// Of one decision, each candidate that is held back now is counted once, and nothing else is.
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
