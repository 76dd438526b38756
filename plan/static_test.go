package plan_test

import (
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/plan"
)

// Karpenter, StaticDrift.ComputeCommands. A launch takes 2 minutes, and a drain 3.
func TestStaticPoolsKeepTheirLimit(t *testing.T) {
	limit := func(most int) func(string) (bool, int) { return func(string) (bool, int) { return true, most } }
	for _, test := range []struct {
		rule string
		m    plan.Model
		want string
	}{
		{"without a limit, all go that budgets allow", plan.Model{Pass: -1, Static: limit(0)},
			"a-1 Drifted 12:00:00 done 12:05:00; a-2 Drifted 12:00:00 done 12:05:00; a-3 Drifted 12:00:00 done 12:05:00"},
		{"all in one pass", plan.Model{Static: limit(9), Pass: time.Second},
			"a-1 Drifted 12:00:00 done 12:05:00; a-2 Drifted 12:00:00 done 12:05:00; a-3 Drifted 12:00:00 done 12:05:00"},
		{"whether pods fit elsewhere", plan.Model{Pass: -1, Static: limit(9), Room: func(n candidate.Node) string { return n.Pool }},
			"a-1 Drifted 12:00:00 done 12:05:00; a-2 Drifted 12:00:00 done 12:05:00; a-3 Drifted 12:00:00 done 12:05:00"},
		{"one more node than now is one at a time", plan.Model{Pass: -1, Static: limit(4)},
			"a-1 Drifted 12:00:00 done 12:05:00; a-2 Drifted 12:05:00 done 12:10:00; a-3 Drifted 12:10:00 done 12:15:00"},
		{"two more nodes are two", plan.Model{Pass: -1, Static: limit(5)},
			"a-1 Drifted 12:00:00 done 12:05:00; a-2 Drifted 12:00:00 done 12:05:00; a-3 Drifted 12:05:00 done 12:10:00"},
		{"at the limit, none is disrupted", plan.Model{Pass: -1, Static: limit(3)}, "a-1 Drifted never; a-2 Drifted never; a-3 Drifted never"},
		{"but for terminate-first", plan.Model{Pass: -1, Static: limit(3), TerminateFirst: true},
			"a-1 Drifted 12:00:00 done 12:03:00; a-2 Drifted 12:00:00 done 12:03:00; a-3 Drifted 12:00:00 done 12:03:00"},
		{"which begins once the limit is reached", plan.Model{Static: limit(4), TerminateFirst: true, Pass: time.Second},
			"a-1 Drifted 12:00:00 done 12:05:00; a-2 Drifted 12:00:01 done 12:03:01; a-3 Drifted 12:00:01 done 12:03:01"},
		{"a node that expires does as well", plan.Model{Pass: -1, Static: limit(3), Expires: expireAt(map[string]int{"a-1": 0})},
			"a-1 Expired 12:00:00 done 12:03:00; a-2 Drifted never; a-3 Drifted never"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			in := disruptkit.Input{Now: fixture.Noon, Dialect: dialect.Karpenter, Nodes: fixture.Fleet(0, 3)}
			in.Pools = []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "100%"})}
			for i := range in.Nodes {
				in.Nodes[i].Pods = []candidate.Pod{{Name: "web"}}
			}
			p := plan.Run(in, plan.Options{Model: test.m})
			if got := story(p.Nodes); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if strings.Contains(test.want, "never") && !strings.Contains(p.String(), "spec.limits.nodes") {
				t.Errorf("it does not say why:\n%s", p)
			}
		})
	}
}

// Terminate-first launches a replacement when the node is gone, and not before: so it is Ready 2 minutes later.
func TestTerminateFirstReplacesWhenTheNodeIsGone(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Dialect: dialect.Karpenter, Nodes: fixture.Fleet(0, 2)}
	in.Pools = []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "1"})}
	m := plan.Model{Pass: -1, Static: func(string) (bool, int) { return true, 2 }, TerminateFirst: true}
	p := plan.Run(in, plan.Options{Model: m})
	for i, n := range p.Nodes {
		gone := fixture.Noon.Add(time.Duration(i+1) * 3 * time.Minute) // a budget of 1 counts no node that joins
		if !n.Gone.Equal(gone) || !n.Ready.Equal(gone.Add(2*time.Minute)) {
			t.Errorf("%s is gone at %s, and replaced at %s", n.Name, n.Gone, n.Ready)
		}
	}
}

// Karpenter launches nothing for a drifted node without pods to move.
func TestNodesThatAreNotReplacedDrainAtOnce(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Dialect: dialect.Karpenter, Nodes: fixture.Fleet(0, 2)}
	in.Pools = []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "1"})}
	in.Nodes[0].Pods = []candidate.Pod{{Name: "web"}}
	p := plan.Run(in, plan.Options{Model: plan.Model{Pass: -1, Replaces: func(n candidate.Node) bool { return !n.Vacant() }}})
	if got, want := story(p.Nodes), "a-2 Drifted 12:00:00 done 12:03:00; a-1 Drifted 12:03:00 done 12:08:00"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A node whose PodDisruptionBudget is used up is skipped for another one, as in Karpenter.
func TestAnotherNodeGoesInThePlaceOfOneWhosePDBIsUsedUp(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Dialect: dialect.Karpenter, Nodes: fixture.Fleet(0, 4)}
	in.Pools = []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "2"})}
	rules, err := candidate.CompileRules([]candidate.PDB{{
		Namespace: "shop", Name: "web", DisruptionsAllowed: 1, Selector: selects("web"),
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	in.Rules = rules
	for i := range in.Nodes[:3] {
		in.Nodes[i].Pods = []candidate.Pod{{Namespace: "shop", Name: "web-" + in.Nodes[i].Name, Labels: map[string]string{"app": "web"}}}
	}
	in.Nodes[3].Pods = []candidate.Pod{{Namespace: "shop", Name: "job"}}
	in.Nodes[3].Conditions[0].Since = fixture.Noon.Add(-time.Minute) // the last in line
	takes := func(n candidate.Node, _ time.Time, _ float64) time.Duration {
		return map[string]time.Duration{"a-1": 2 * time.Minute, "a-2": 8 * time.Minute}[n.Name]
	}
	p := plan.Run(in, plan.Options{Model: plan.Model{Pass: -1, Launch: takes, Drain: plan.Constant(time.Minute), Eviction: plan.Constant(10 * time.Minute)}})
	var at time.Time
	for _, n := range p.Nodes {
		if n.Name == "a-4" {
			at = n.Start
		}
	}
	// a-1 is gone after 3 minutes, but its pod uses up the PDB for 10 minutes from its eviction on.
	if want := fixture.Noon.Add(3 * time.Minute); !at.Equal(want) {
		t.Errorf("a-4 goes at %s, want %s\n%s", at, want, p)
	}
}

// A node that a budget blocks uses no slot of the limit.
func TestNodesThatWaitForABudgetUseNoSlotOfALimit(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Dialect: dialect.Karpenter, Nodes: fixture.Fleet(0, 3)}
	in.Pools = []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "1"})}
	p := plan.Run(in, plan.Options{Model: plan.Model{Pass: -1, Static: func(string) (bool, int) { return true, 5 }}})
	want := plan.Wait{Gate: candidate.GateBudget, Code: candidate.CodeExhausted, For: 10 * time.Minute}
	last := p.Nodes[2].Waits
	if len(last) != 1 || last[0].Gate != want.Gate || last[0].Code != want.Code || last[0].For != want.For {
		t.Errorf("the last one waits for %v, want %v", last, want)
	}
}
