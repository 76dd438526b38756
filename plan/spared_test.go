package plan_test

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/plan"
)

// The real Karpenter does the same: see the classes "grace periods" and "drains that hang" in the module karpenter. A launch takes
// 2 minutes, a drain 3, and the grace period of the node 20.
func TestWhatAGracePeriodKillsAndWhenItsPodsAreReplaced(t *testing.T) {
	job := candidate.Pod{Name: "job", Terms: candidate.Terms{Protect: candidate.Forever}}
	app := func(name string) candidate.Pod {
		return candidate.Pod{Name: name, Labels: map[string]string{"app": "web"}}
	}
	for _, test := range []struct {
		rule                string
		pods                []candidate.Pod
		allowed             int
		change              func(*plan.Model)
		gone, ready, killed int // minutes after noon
	}{
		{rule: "a pod that can be evicted has a replacement first", pods: []candidate.Pod{{Name: "web"}}, gone: 5, ready: 2},
		{rule: "nothing is launched for one that cannot, until it is killed", pods: []candidate.Pod{job}, gone: 20, ready: 22, killed: 20},
		{rule: "nor for one that a PDB protects by its spec", pods: []candidate.Pod{app("web")}, gone: 20, ready: 22, killed: 20},
		{
			rule: "which is not so if its PDB allows nothing only now", pods: []candidate.Pod{app("web")}, gone: 22, ready: 2, killed: 22,
			change: func(m *plan.Model) { m.Spares = func(string) bool { return false } },
		},
		{rule: "nor if others can be evicted", pods: []candidate.Pod{job, {Name: "web"}}, gone: 22, ready: 2, killed: 22},
		{
			rule: "a pod that may take long to end is deleted early", pods: []candidate.Pod{job}, gone: 13, ready: 12, killed: 13,
			change: func(m *plan.Model) { m.PodGrace = func(string) time.Duration { return 10 * time.Minute } },
		},
		{
			rule: "a pod that still waits for its PDB is killed", pods: []candidate.Pod{app("a"), app("b")}, allowed: 1, gone: 22, ready: 2, killed: 22,
			change: func(m *plan.Model) { m.Eviction = plan.Constant(time.Hour) },
		},
		{
			rule: "and one that takes longer to end than the grace period lasts", pods: []candidate.Pod{{Name: "web"}}, gone: 22, ready: 2, killed: 22,
			change: func(m *plan.Model) {
				m.Drain, m.PodGrace = plan.Constant(time.Hour), func(string) time.Duration { return time.Hour }
			},
		},
	} {
		t.Run(test.rule, func(t *testing.T) {
			in := disruptkit.Input{Now: fixture.Noon, Dialect: dialect.Karpenter, Nodes: fixture.Fleet(0, 1)}
			in.Pools = []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "1"})}
			in.Nodes[0].Pods, in.Nodes[0].HasGracePeriod = test.pods, true
			rules, err := candidate.CompileRules([]candidate.PDB{{Name: "web", DisruptionsAllowed: test.allowed, Selector: selects("web")}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			in.Rules = rules
			m := plan.Model{
				Pass: -1, Grace: func(candidate.Node) time.Duration { return 20 * time.Minute }, Spares: func(string) bool { return true },
			}
			if test.change != nil {
				test.change(&m)
			}
			n := plan.Run(in, plan.Options{Model: m}).Nodes[0]
			minutes := func(at time.Time) int {
				if at.IsZero() {
					return 0
				}
				return int(at.Sub(fixture.Noon).Minutes())
			}
			if gone, ready, killed := minutes(n.Gone), minutes(n.Ready), minutes(n.Killed); gone != test.gone || ready != test.ready || killed != test.killed {
				t.Errorf("gone after %d minutes, ready %d, killed %d, want %d, %d, %d: %v", gone, ready, killed, test.gone, test.ready, test.killed, n.Blockers)
			}
		})
	}
}
