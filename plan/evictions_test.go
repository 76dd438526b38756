package plan_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/plan"
)

// The real Karpenter took 17m50s and 11m30s for the first two, with a launch of 1m40s, pods that end in 30s, and a
// first pass after 10s: see the tests of the module karpenter.
func TestEvictionsThatShareAPDBTakeTurns(t *testing.T) {
	for _, test := range []struct {
		pods, allowed int
		budget        string
		want          time.Duration
	}{
		{4, 1, "100%", 17*time.Minute + 40*time.Second},
		{2, 1, "4", 11*time.Minute + 20*time.Second},
		{4, 2, "100%", 9*time.Minute + 40*time.Second},
		{4, 200, "100%", 2*time.Minute + 10*time.Second}, // nobody waits
		{4, 0, "100%", 0}, // none may be disrupted
	} {
		t.Run(fmt.Sprint(test), func(t *testing.T) {
			in := disruptkit.Input{Now: fixture.Noon, Dialect: dialect.Karpenter, Nodes: fixture.Fleet(0, 8)}
			in.Pools = []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: test.budget})}
			rules, err := candidate.CompileRules([]candidate.PDB{{
				Namespace: "shop", Name: "web", DisruptionsAllowed: test.allowed, Selector: selects("web"),
			}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			in.Rules = rules
			for i := range in.Nodes {
				for j := range test.pods {
					in.Nodes[i].Pods = append(in.Nodes[i].Pods, candidate.Pod{
						Namespace: "shop", Name: fmt.Sprint("web-", i, "-", j), Labels: map[string]string{"app": "web"},
					})
				}
			}
			m := plan.Model{Pass: -1,
				Launch: plan.Constant(100 * time.Second), Drain: plan.Constant(30 * time.Second),
				Eviction: plan.Constant(30 * time.Second),
			}
			p := plan.Run(in, plan.Options{Model: m})
			if got := max(0, p.Finish.Sub(in.Now)); got != test.want {
				t.Errorf("done after %s, want %s\n%s", got, test.want, p)
			}
			if test.budget != "4" {
				return
			}
			for _, w := range p.Pools[0].Clock {
				if w.PDB == "shop/web" && w.For > 0 {
					return
				}
			}
			t.Errorf("nobody waits for the PDB: %+v", p.Pools[0].Clock)
		})
	}
}

// Pools that share a PodDisruptionBudget wait for each other, in Karpenter's dialect as well.
func TestEvictionsOfTwoPoolsTakeTurns(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Dialect: dialect.Karpenter}
	for _, name := range []string{"a", "b"} {
		pool := fixture.Pool(t, budget.Budget{Nodes: "1"})
		pool.Name = name
		in.Pools = append(in.Pools, pool)
		in.Nodes = append(in.Nodes, candidate.Node{
			Name: name, Pool: name, Phase: candidate.Running,
			Pods:       []candidate.Pod{{Namespace: "shop", Name: "web-" + name, Labels: map[string]string{"app": "web"}}},
			Conditions: []candidate.Condition{{Reason: candidate.Drifted}},
		})
	}
	rules, err := candidate.CompileRules([]candidate.PDB{
		{Namespace: "shop", Name: "web", DisruptionsAllowed: 1, Selector: selects("web")},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	in.Rules = rules
	p := plan.Run(in, plan.Options{Model: plan.Model{Pass: -1, Eviction: plan.Constant(7 * time.Minute)}})
	if got, want := p.Finish.Sub(in.Now), 12*time.Minute; got != want {
		t.Errorf("done after %s, want %s: 2m for the launches, 7m for the first pod, 3m to drain\n%s", got, want, p)
	}
}

// Pods of one node that share a PodDisruptionBudget are evicted as soon as each may be, in whatever order they are
// listed: one of them for each disruption that it allows.
func TestPodsOfANodeAreEvictedInTheOrderInWhichTheyMayBe(t *testing.T) {
	pod := func(name string, protected time.Duration) candidate.Pod {
		return candidate.Pod{
			Namespace: "shop", Name: name, Labels: map[string]string{"app": "web"}, Started: fixture.Noon,
			Terms: candidate.Terms{Protect: protected},
		}
	}
	free, soon, late := pod("free", 0), pod("soon", 20*time.Second), pod("late", time.Minute)
	for _, pods := range [][]candidate.Pod{{free, soon, late}, {late, soon, free}, {soon, late, free}} {
		for allowed, want := range map[int]time.Duration{ // each eviction uses it up until the replacement is Ready
			1: 2*time.Minute + 30*time.Second + 3*time.Minute,
			2: 2*time.Minute + 3*time.Minute,
			3: time.Minute + 3*time.Minute,
		} {
			in := disruptkit.Input{Now: fixture.Noon, Dialect: dialect.Karpenter, Nodes: fixture.Fleet(0, 1)}
			in.Pools = []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "0"})}
			rules, err := candidate.CompileRules([]candidate.PDB{
				{Namespace: "shop", Name: "web", DisruptionsAllowed: allowed, Selector: selects("web")},
			}, nil)
			if err != nil {
				t.Fatal(err)
			}
			in.Rules, in.Nodes[0].Pods = rules, pods
			p := plan.Run(in, plan.Options{Model: plan.Model{
				Pass: -1, Eviction: plan.Constant(30 * time.Second), Expires: expireAt(map[string]int{"a-1": 0}),
			}})
			if got := p.Nodes[0].Gone.Sub(in.Now); got != want {
				t.Errorf("%d allowed, %s listed first: gone after %s, want %s", allowed, pods[0].Name, got, want)
			}
		}
	}
}
