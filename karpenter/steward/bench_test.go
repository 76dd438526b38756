package steward

import (
	"fmt"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/replay"
)

// BenchmarkDecide decides on 5,000 nodes in 20 pools with ten pods each: held, and all of them drifted, or drifted and consolidatable.
func BenchmarkDecide(b *testing.B) {
	for name, reasons := range map[string][]candidate.Reason{
		"held":                   nil,
		"drifted":                {candidate.Drifted},
		"drifted+consolidatable": {candidate.Drifted, candidate.Underutilized},
	} {
		b.Run(name, func(b *testing.B) {
			s := large(b, reasons)
			b.ReportAllocs()
			for b.Loop() {
				Decide(s)
			}
		})
	}
}

// BenchmarkDecideRecorded is BenchmarkDecide where all have drifted, and decisions are recorded. It describes how many bytes those of a pass have.
func BenchmarkDecideRecorded(b *testing.B) {
	s, to := large(b, []candidate.Reason{candidate.Drifted}), &counter{}
	for b.Loop() {
		decide(s, replay.NewRecorder(to, func(err error) { b.Error(err) }))
	}
	b.ReportMetric(float64(to.bytes)/float64(b.N), "recorded-B/op")
}

type counter struct{ bytes int }

func (c *counter) Write(text []byte) (int, error) {
	c.bytes += len(text)
	return len(text), nil
}

// large returns 5,000 nodes that have some reasons.
func large(b *testing.B, reasons []candidate.Reason) Snapshot {
	b.Helper()
	set, err := budget.Compile([]budget.Budget{{Nodes: "10%"}, {Nodes: "5", TopologyKey: "zone", Sequential: true}})
	if err != nil {
		b.Fatal(err)
	}
	s := Snapshot{Input: disruptkit.Input{Now: noon}, Marks: map[string]annotation.Mark{}}
	for p := range 20 {
		pool := fmt.Sprint("p", p)
		s.Input.Pools = append(s.Input.Pools, disruptkit.Pool{Name: pool, Budgets: set})
		for i := range 250 {
			n := candidate.Node{
				Name: fmt.Sprintf("%s-%d", pool, i), Pool: pool, Labels: map[string]string{"zone": fmt.Sprint(i % 3)}, Phase: candidate.Running,
				ReadySince: noon.Add(-time.Hour), Pods: make([]candidate.Pod, 10),
			}
			for j := range n.Pods {
				n.Pods[j] = candidate.Pod{Namespace: "default", Name: fmt.Sprintf("%s-%d", n.Name, j)}
			}
			for _, r := range reasons {
				n.Conditions = append(n.Conditions, candidate.Condition{Reason: r, Since: noon.Add(-time.Duration(i) * time.Minute)})
			}
			s.Marks[n.Name] = held
			s.Input.Nodes = append(s.Input.Nodes, n)
		}
	}
	return s
}
