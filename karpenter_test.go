package disruptkit_test

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/probe"
)

// The same objects, decided by both: what only disruptkit knows has no effect in Karpenter's dialect.
func TestDecideInKarpentersDialect(t *testing.T) {
	const zone = "topology.kubernetes.io/zone"
	noon := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	node := func(name, in string, reason candidate.Reason) candidate.Node {
		return candidate.Node{
			Name: name, Pool: "default", Labels: map[string]string{zone: in}, Phase: candidate.Running, Conditions: []candidate.Condition{{Reason: reason, Since: noon.Add(-time.Hour)}},
		}
	}
	pool := func(budgets ...budget.Budget) disruptkit.Pool {
		set, _ := budget.Compile(append([]budget.Budget{}, budgets...))
		return disruptkit.Pool{Name: "default", Budgets: set}
	}
	denied := []probe.Verdict{{Probe: "slo", Code: "no-answer"}}
	rolling := budget.Budget{Nodes: "2", TopologyKey: zone, Sequential: true}
	tests := []struct {
		name           string
		in             disruptkit.Input
		own, karpenter string // who may be disrupted
		noEffect       int    // warnings
	}{
		{"zones do not take turns", disruptkit.Input{
			Pools: []disruptkit.Pool{pool(rolling)}, Nodes: []candidate.Node{node("a", "a", "Drifted"), node("b", "b", "Drifted"), node("c", "c", "Drifted")},
		}, "a", "a b", 2},
		{"a probe of the pool is not asked", disruptkit.Input{
			Pools: []disruptkit.Pool{func() disruptkit.Pool { p := pool(); p.Verdicts = denied; return p }()}, Nodes: []candidate.Node{node("a", "a", "Drifted")},
		}, "", "a", 1},
		{"nor is one of the cluster", disruptkit.Input{
			Pools: []disruptkit.Pool{pool()}, Verdicts: denied, Nodes: []candidate.Node{node("a", "a", "Drifted")},
		}, "", "a", 1},
		{"the breaker of repair is Karpenter's own", disruptkit.Input{
			Pools: []disruptkit.Pool{func() disruptkit.Pool {
				p := pool()
				p.Verdicts = []probe.Verdict{{
					Probe: "repair", Allowed: true, Code: candidate.CodeTooManyUnhealthy, Denied: []probe.Denial{{Reason: candidate.Unhealthy}},
				}}
				return p
			}()},
			Nodes: []candidate.Node{node("a", "a", "Unhealthy"), node("b", "b", "Drifted")},
		}, "b", "b", 0},
		{"an expired node that reboots uses the place that it has", disruptkit.Input{
			Pools: []disruptkit.Pool{pool(budget.Budget{Nodes: "2"})},
			Nodes: []candidate.Node{node("b", "b", "Drifted"), func() candidate.Node {
				n := node("a", "a", "Expired")
				n.Rebooting, n.Conditions[0].Since = true, noon.Add(-2*time.Hour)
				return n
			}()},
		}, "b", "a b", 0},
		{"one that was never initialized uses none", disruptkit.Input{
			Pools: []disruptkit.Pool{pool(budget.Budget{Nodes: "1"})},
			Nodes: []candidate.Node{node("b", "b", "Drifted"), func() candidate.Node {
				n := node("a", "a", "Expired")
				n.Phase, n.Conditions[0].Since = candidate.Registered, noon.Add(-2*time.Hour)
				return n
			}()},
		}, "b", "a b", 0},
		{"nobody pauses", disruptkit.Input{
			Pools: []disruptkit.Pool{pool()}, Pauses: []probe.Pause{{By: "alice"}}, Nodes: []candidate.Node{node("a", "a", "Drifted")},
		}, "", "a", 1},
		{"nobody has a deadline", disruptkit.Input{
			Pools: []disruptkit.Pool{pool(budget.Budget{Nodes: "1"})},
			Nodes: []candidate.Node{node("a", "a", "Drifted"), func() candidate.Node {
				n := node("b", "b", "Drifted")
				n.Conditions[0].Deadline = noon
				return n
			}()},
		}, "b", "a", 1},
		{"nobody is overdue, and pods block nodes with a grace period", disruptkit.Input{
			Pools: []disruptkit.Pool{pool()},
			Nodes: []candidate.Node{func() candidate.Node {
				n := node("b", "b", "Empty")
				n.Conditions[0].Deadline, n.HasGracePeriod = noon, true
				n.Pods = []candidate.Pod{{Name: "p", Terms: candidate.Terms{Protect: candidate.Forever}}}
				return n
			}()},
		}, "b", "", 1},
		{"nobody is in maintenance", disruptkit.Input{
			Pools: []disruptkit.Pool{pool(budget.Budget{Nodes: "1"})},
			Nodes: []candidate.Node{func() candidate.Node {
				n := node("a", "a", "Drifted")
				kube.Maintain(&n, candidate.Maintenance{Condition: "Drained", Since: noon})
				return n
			}(), node("b", "b", "Drifted")},
		}, "", "a", 1},
		{"but what leaves for more than that leaves", disruptkit.Input{
			Pools: []disruptkit.Pool{pool(budget.Budget{Nodes: "1"})},
			Nodes: []candidate.Node{func() candidate.Node {
				n := node("a", "a", "Drifted")
				n.Leaving = candidate.Draining
				kube.Maintain(&n, candidate.Maintenance{Condition: "Drained", Since: noon})
				return n
			}(), node("b", "b", "Drifted")},
		}, "", "", 0},
		{"nobody backs off", disruptkit.Input{
			Pools: []disruptkit.Pool{pool()}, Nodes: []candidate.Node{node("a", "a", "Drifted")},
			Memory: map[string]disruptkit.Memory{"default": {Backoff: disruptkit.Backoff{Level: 1, Until: noon.Add(time.Minute)}, Starts: []budget.Start{{Node: "gone", At: noon}}}},
		}, "", "a", 0},
		{"a PodDisruptionBudget that is not valid stops the cluster, nodes without pods included", disruptkit.Input{
			Pools: []disruptkit.Pool{pool()}, Nodes: []candidate.Node{node("a", "a", "Drifted")},
			Rules: func() candidate.Rules {
				broken := &candidate.Selector{MatchLabels: map[string]string{"a b": "c"}}
				rules, _ := candidate.CompileRules([]candidate.PDB{{Namespace: "elsewhere", Name: "pdb", Selector: broken}}, nil)
				return rules
			}(),
		}, "a", "", 0},
		{"children are their method", disruptkit.Input{
			Pools: []disruptkit.Pool{pool(budget.Budget{Nodes: "0", Reasons: []candidate.Reason{"Drifted/AMIDrift"}})},
			Nodes: []candidate.Node{node("a", "a", "Drifted/AMIDrift")},
		}, "", "a", 0},
		{"nodes of the same name are distinct", disruptkit.Input{
			Pools: []disruptkit.Pool{pool()}, Nodes: []candidate.Node{node("a", "a", "Drifted"), node("a", "b", "Drifted")},
		}, "", "a a", 0},
		{"an expired node is disrupted, whatever blocks it here", disruptkit.Input{
			Pools: []disruptkit.Pool{pool(budget.Budget{Nodes: "0"})},
			Nodes: []candidate.Node{func() candidate.Node {
				n := node("a", "a", "Expired")
				n.DoNotDisrupt, n.Phase, n.Pods = true, candidate.Launched, []candidate.Pod{{Name: "p", Terms: candidate.Terms{Protect: candidate.Forever}}}
				return n
			}()},
		}, "", "a", 0},
		{"and then uses up budgets", disruptkit.Input{
			Pools: []disruptkit.Pool{pool(budget.Budget{Nodes: "1"})},
			Nodes: []candidate.Node{node("a", "a", "Expired"), node("b", "b", "Drifted")},
		}, "a", "a", 0},
		{"but none that belongs to no pool", disruptkit.Input{
			Pools: []disruptkit.Pool{pool()}, Nodes: []candidate.Node{func() candidate.Node { n := node("a", "a", "Expired"); n.Pool = ""; return n }()},
		}, "", "", 0},
		{"but not twice", disruptkit.Input{
			Pools: []disruptkit.Pool{pool()}, Nodes: []candidate.Node{func() candidate.Node { n := node("a", "a", "Expired"); n.Leaving = candidate.Draining; return n }()},
		}, "", "", 0},
		{"a node that belongs to nobody has no limit", disruptkit.Input{
			Pools: []disruptkit.Pool{pool()}, Nodes: []candidate.Node{func() candidate.Node { n := node("a", "a", "Expired"); n.Pool = ""; return n }()},
		}, "", "", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for d, want := range map[dialect.Dialect]string{dialect.Disruptkit: test.own, dialect.Karpenter: test.karpenter} {
				in := test.in
				in.Now, in.Dialect = noon, d
				decision := disruptkit.Decide(in, "")
				var goes []string
				for _, c := range decision.Allowed {
					goes = append(goes, c.Node)
				}
				if got := strings.Join(goes, " "); got != want {
					t.Errorf("%s: %q may be disrupted, want %q: %v", d, got, want, decision.Blocked)
				}
				n := 0
				for _, w := range decision.Warnings {
					if w.Code == candidate.CodeNoEffect {
						n++
					}
				}
				if d == dialect.Karpenter && (n != test.noEffect || !maps.EqualFunc(decision.Memory, in.Memory, disruptkit.Memory.Equal)) {
					t.Errorf("%d warnings (%v), want %d; %v is remembered, and was %v", n, decision.Warnings, test.noEffect, decision.Memory, in.Memory)
				}
			}
		})
	}
}

// What only disruptkit knows changes no decision in Karpenter's dialect.
func TestWhatKarpenterDoesNotKnowChangesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		inputs func(generate.Source) disruptkit.Input
		change func(disruptkit.Input) disruptkit.Input
	}{
		"missing nodes": {generate.Desired, func(in disruptkit.Input) disruptkit.Input { return wanting(in, 9) }},
		"groups":        {generate.Grouped, func(in disruptkit.Input) disruptkit.Input { in.Groups = nil; return in }},
		"minimum age":   {generate.Aged, withoutAges},
		"order":         {generate.Ordered, func(in disruptkit.Input) disruptkit.Input { return byAge(in, "") }},
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				in, asked := testkit.Arbitrary(c.inputs).Draw(t, "input"), testkit.Arbitrary(generate.Asked).Draw(t, "asked")
				in.Dialect = dialect.Karpenter
				with, without := disruptkit.Decide(in, asked), disruptkit.Decide(c.change(in), asked)
				with.Warnings, without.Warnings = nil, nil // one of them says that it has no effect
				if diff := cmp.Diff(without, with, compiled, cmpopts.EquateEmpty()); diff != "" {
					t.Fatal(diff)
				}
			})
		})
	}
}

// In Karpenter's dialect the nodes of two pools may share a name: what is allowed of one pool is not in flight in the other.
func TestApplyTellsNodesOfOneNameApartByTheirPools(t *testing.T) {
	noon := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	node := candidate.Node{Name: "a", Pool: "p", Phase: candidate.Running}
	drifted := node
	drifted.Conditions = []candidate.Condition{{Reason: candidate.Drifted, Since: noon.Add(-time.Hour)}}
	other := node
	other.Pool = "q"
	in := disruptkit.Input{
		Now: noon, Dialect: dialect.Karpenter, Pools: []disruptkit.Pool{{Name: "p"}, {Name: "q"}}, Nodes: []candidate.Node{drifted, other},
	}
	applied := in.Apply(disruptkit.Decide(in, candidate.Drifted)).Nodes
	if applied[0].Leaving != candidate.Draining || applied[0].DisruptedFor != candidate.Drifted || applied[1].Leaving == candidate.Draining {
		t.Errorf("in flight: %t in p, %t in q", applied[0].Leaving == candidate.Draining, applied[1].Leaving == candidate.Draining)
	}
}

// Karpenter reads what is wrong with a number of nodes only while the budget is active. So what blocks a node changes when its window ends,
// even if another budget allows none either.
func TestAFaultThatEndsIsAChangeInKarpentersDialect(t *testing.T) {
	noon := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	set, _ := budget.Compile([]budget.Budget{{Nodes: "many", Schedule: "0 9 * * *", Duration: "8h"}, {Nodes: "0"}})
	in := disruptkit.Input{Now: noon, Dialect: dialect.Karpenter, Pools: []disruptkit.Pool{{Name: "p", Budgets: set}}, Nodes: []candidate.Node{
		{Name: "a", Pool: "p", Phase: candidate.Running, Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: noon}}},
	}}
	d := disruptkit.Decide(in, candidate.Drifted)
	if want := noon.Add(5 * time.Hour); !d.NextChange.Equal(want) {
		t.Errorf("the next change is at %v, want %v", d.NextChange, want)
	}
	before := d.Blocked[0].Blockers[0].Code
	in.Now = d.NextChange
	if d := disruptkit.Decide(in, candidate.Drifted); d.Blocked[0].Blockers[0].Code == before {
		t.Errorf("nothing changes: %v", d.Blocked)
	}
}
