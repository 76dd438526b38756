package plan_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/admission"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/plan"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/schedule"
)

func TestTryFindsWhatHelps(t *testing.T) {
	pdb := fixture.PDB("web")
	pdb.DisruptionsAllowed = 0
	broken := fixture.PDB("db")
	broken.DisruptionsAllowed = -1
	pods := func(terms candidate.Terms) []candidate.Node {
		nodes := fixture.Fleet(0, 1)
		nodes[0].Pods = []candidate.Pod{{Name: "p", Terms: terms}}
		return nodes
	}
	one := budget.Budget{Nodes: "1"}
	for _, test := range []struct {
		rule    string
		budgets []budget.Budget
		nodes   []candidate.Node
		in      func(*disruptkit.Input)
		want    string
	}{
		{"nothing is to go", []budget.Budget{one}, fixture.Fleet(3, 0), nil, ""},
		{"nothing helps", []budget.Budget{one}, fixture.Fleet(0, 1), nil, ""},
		{"a budget is taken out, or doubled", []budget.Budget{one}, fixture.Fleet(0, 2), nil, `
pool default has budgets: [] instead of 1 (no limit; without the field, 10%): done on Fri 20 Nov 2026 12:05 UTC instead of Fri 20 Nov 2026 12:10 UTC, 5m earlier
budgets[0] of pool default is 2 instead of 1: done on Fri 20 Nov 2026 12:05 UTC instead of Fri 20 Nov 2026 12:10 UTC, 5m earlier
`},
		{"a freeze is an hour shorter", []budget.Budget{fixture.Freeze}, fixture.Fleet(0, 1), nil, `
pool default has budgets: [] instead of 0 (0 9 * * * for 8h, UTC) (no limit; without the field, 10%): done on Fri 20 Nov 2026 12:05 UTC instead of Fri 20 Nov 2026 17:05 UTC, 5h00m earlier
budgets[0] of pool default is 0 (0 9 * * * for 7h, UTC) instead of 0 (0 9 * * * for 8h, UTC): done on Fri 20 Nov 2026 16:05 UTC instead of Fri 20 Nov 2026 17:05 UTC, 1h00m earlier
`},
		{"a PDB is taken out, and what it does not block is no help", []budget.Budget{one}, []candidate.Node{fixture.Sharing("a-1", "default", "a", 9, "web")},
			func(in *disruptkit.Input) { in.Rules = rules(t, pdb, broken) }, `
PDB shop/web allows one eviction: done on Fri 20 Nov 2026 12:05 UTC instead of never; 1 more node done
PDB shop/web is taken out, so that its pods may all be evicted at once: done on Fri 20 Nov 2026 12:05 UTC instead of never; 1 more node done
`},
		{"a node's annotation", []budget.Budget{one}, doNotDisrupt(fixture.Fleet(0, 1), 0), nil, `
no node of pool default is annotated do-not-disrupt: done on Fri 20 Nov 2026 12:05 UTC instead of never; 1 more node done
`},
		{"a veto of repair", []budget.Budget{one}, []candidate.Node{func() candidate.Node { n := unhealthy("u"); n.DoNotRepair = true; return n }()}, nil, `
no node of pool default is annotated do-not-repair: done on Fri 20 Nov 2026 12:05 UTC instead of never; 1 more node done
`},
		{"a pod's annotation", []budget.Budget{one}, pods(candidate.Terms{Protect: candidate.Forever}), nil, `
no pod of pool default is annotated do-not-disrupt: done on Fri 20 Nov 2026 12:05 UTC instead of never; 1 more node done
`},
		{"a pod's schedule", []budget.Budget{one}, pods(candidate.Terms{Window: schedule.MustParse("0 13 * * *", time.Hour, "")}), nil, `
no pod of pool default has a disruption schedule: done on Fri 20 Nov 2026 12:05 UTC instead of Fri 20 Nov 2026 13:05 UTC, 1h00m earlier
`},
		{"turns", []budget.Budget{fixture.Sequential("1")}, fixture.Zoned("a1* b1*"), nil, `
pool default has budgets: [] instead of 1 per topology.kubernetes.io/zone, one at a time (no limit; without the field, 10%): done on Fri 20 Nov 2026 12:05 UTC instead of Fri 20 Nov 2026 12:10 UTC, 5m earlier
the zones of pool default do not take turns: done on Fri 20 Nov 2026 12:05 UTC instead of Fri 20 Nov 2026 12:10 UTC, 5m earlier
`},
		{"a node that is not Ready recovers", []budget.Budget{one}, notReady(fixture.Fleet(1, 1), 0), nil, `
pool default has budgets: [] instead of 1 (no limit; without the field, 10%): done on Fri 20 Nov 2026 12:05 UTC instead of never; 1 more node done
a-1 of pool default is Ready: done on Fri 20 Nov 2026 12:05 UTC instead of never; 1 more node done
budgets[0] of pool default is 2 instead of 1: done on Fri 20 Nov 2026 12:05 UTC instead of never; 1 more node done
`},
		{"a probe", []budget.Budget{one}, fixture.Fleet(0, 1), func(in *disruptkit.Input) { in.Verdicts = []probe.Verdict{{Code: "unhealthy"}} }, `
no probe blocks nodes of pool default: done on Fri 20 Nov 2026 12:05 UTC instead of never; 1 more node done
`},
		{"a pause", []budget.Budget{one}, fixture.Fleet(0, 1), func(in *disruptkit.Input) { in.Pauses = []probe.Pause{{By: "alice"}} }, `
no pause blocks nodes of pool default: done on Fri 20 Nov 2026 12:05 UTC instead of never; 1 more node done
`},
		{"the budgets of a group", nil, fixture.Fleet(0, 2), func(in *disruptkit.Input) {
			in.Groups = []disruptkit.Group{{Name: "web", Pools: []string{"default"}, Budgets: fixture.Pool(t, one).Budgets}}
			in.Pools[0].Budgets = fixture.Pool(t, budget.Budget{Nodes: "2"}).Budgets
		}, `
the budgets of group web are taken out: done on Fri 20 Nov 2026 12:05 UTC instead of Fri 20 Nov 2026 12:10 UTC, 5m earlier
`},
		{"what the caller has against a node", []budget.Budget{one}, []candidate.Node{func() candidate.Node { n := fixture.Fleet(0, 1)[0]; n.Blockers = fixture.Spent; return n }()}, nil, `
pod/pdb blocks no node of pool default: done on Fri 20 Nov 2026 12:05 UTC instead of never; 1 more node done
`},
		{"the most helpful comes first, and more nodes before less time", []budget.Budget{{Nodes: "2"}, fixture.Freeze}, doNotDisrupt(fixture.Fleet(0, 6), 5), nil, `
no node of pool default is annotated do-not-disrupt: done on Fri 20 Nov 2026 17:15 UTC, as before; 1 more node done
budgets[1] of pool default, 0 (0 9 * * * for 8h, UTC), is taken out: done on Fri 20 Nov 2026 12:15 UTC instead of Fri 20 Nov 2026 17:15 UTC, 5h00m earlier
budgets[1] of pool default is 0 (0 9 * * * for 7h, UTC) instead of 0 (0 9 * * * for 8h, UTC): done on Fri 20 Nov 2026 16:15 UTC instead of Fri 20 Nov 2026 17:15 UTC, 1h00m earlier
budgets[0] of pool default, 2, is taken out: done on Fri 20 Nov 2026 17:05 UTC instead of Fri 20 Nov 2026 17:15 UTC, 10m earlier
budgets[0] of pool default is 4 instead of 2: done on Fri 20 Nov 2026 17:10 UTC instead of Fri 20 Nov 2026 17:15 UTC, 5m earlier
`},
		{"a pool that is planned alone, and does not end it all", []budget.Budget{one}, append(fixture.Fleet(0, 2), fixture.Sharing("o-1", "other", "a", 1, "web")), func(in *disruptkit.Input) {
			in.Pools = append(in.Pools, disruptkit.Pool{Name: "other", Budgets: fixture.Pool(t, budget.Budget{Nodes: "0", Schedule: "0 12 * * *", Duration: "30m"}).Budgets})
		}, `
pool other has budgets: [] instead of 0 (0 12 * * * for 30m, UTC) (no limit; without the field, 10%): done on Fri 20 Nov 2026 12:10 UTC instead of Fri 20 Nov 2026 12:35 UTC, 25m earlier
pool default has budgets: [] instead of 1 (no limit; without the field, 10%): done on Fri 20 Nov 2026 12:35 UTC, as before; pool default 5m earlier
budgets[0] of pool default is 2 instead of 1: done on Fri 20 Nov 2026 12:35 UTC, as before; pool default 5m earlier
`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, test.budgets...)}, Nodes: test.nodes}
			if test.in != nil {
				test.in(&in)
			}
			var lines strings.Builder
			for _, trial := range slices.SortedStableFunc(plan.Try(in, plan.Options{}, plan.Run(in, plan.Options{})), plan.Trial.Compare) {
				lines.WriteString(trial.Change + ": " + trial.Comparison.String() + "\n")
			}
			if diff := cmp.Diff(strings.TrimPrefix(test.want, "\n"), lines.String()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func notReady(nodes []candidate.Node, which ...int) []candidate.Node {
	for _, i := range which {
		nodes[i].Phase = candidate.NotReady
	}
	return nodes
}

func TestCompare(t *testing.T) {
	at := func(hour int) time.Time {
		if hour == 0 {
			return time.Time{}
		}
		return fixture.Noon.Add(time.Duration(hour-12) * time.Hour)
	}
	pools := func(name string, hour, done int) (p plan.Plan) {
		p.Pools = []plan.Pool{{Name: name}}
		for i := range done {
			p.Nodes = append(p.Nodes, plan.Node{Name: fmt.Sprint(name, i), Pool: name, Outcome: plan.Done, Gone: at(hour)})
		}
		return p
	}
	late := func(n int) plan.Plan {
		p := pools("a", 12, 3)
		p.Pools[0].Late = n
		return p
	}
	three := func(a, b, c int) (p plan.Plan) {
		for _, one := range []plan.Plan{pools("a", a, 1), pools("b", b, 1), pools("c", c, 1)} {
			p.Pools, p.Nodes = append(p.Pools, one.Pools...), append(p.Nodes, one.Nodes...)
		}
		return p
	}
	for _, test := range []struct {
		rule          string
		first, second plan.Plan
		want          string
		gain          time.Duration
	}{
		{"earlier", pools("a", 14, 3), pools("a", 12, 5), "done on Fri 20 Nov 2026 12:00 UTC instead of Fri 20 Nov 2026 14:00 UTC, 2h00m earlier; 2 more nodes done", 2 * time.Hour},
		{"the same", pools("a", 12, 3), pools("a", 12, 3), "done on Fri 20 Nov 2026 12:00 UTC, as before", 0},
		{"from never", pools("a", 0, 0), pools("a", 12, 3), "done on Fri 20 Nov 2026 12:00 UTC instead of never; 3 more nodes done", 0},
		{"to never", pools("a", 12, 3), pools("a", 0, 0), "no node is ever done, instead of Fri 20 Nov 2026 12:00 UTC; 3 fewer nodes done", 0},
		{"a pool that is not the last",
			three(13, 14, 12), three(12, 14, 13),
			"done on Fri 20 Nov 2026 14:00 UTC, as before; pool a 1h00m earlier; pool c 1h00m later", 0},
		{"more are late", late(1), late(3), "done on Fri 20 Nov 2026 12:00 UTC, as before; 2 more nodes late", 0},
		{"fewer are late", late(3), late(2), "done on Fri 20 Nov 2026 12:00 UTC, as before; 1 fewer node late", 0},
	} {
		t.Run(test.rule, func(t *testing.T) {
			c := plan.Compare(test.first, test.second)
			if c.String() != test.want || c.Gain() != test.gain {
				t.Errorf("got  %s (%s)\nwant %s (%s)", c, c.Gain(), test.want, test.gain)
			}
			done := 0
			for _, p := range c.Pools {
				done += p.Done
			}
			if done != c.Done {
				t.Errorf("the pools do not add up: %+v", c)
			}
		})
	}
}

// A pass starts one node, whatever the budget of those behind it.
func TestABudgetOfNodesThatPassesWouldNotStartDoesNotBlockThem(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Dialect: dialect.Karpenter, Nodes: fixture.Fleet(0, 60)}
	for i := range in.Nodes {
		in.Nodes[i].Pool = []string{"large", "small"}[i%2]
	}
	for pool, nodes := range map[string]string{"large": "20", "small": "2"} {
		p := fixture.Pool(t, budget.Budget{Nodes: nodes})
		p.Name = pool
		in.Pools = append(in.Pools, p)
	}
	held := plan.HeldBy(in, plan.Options{Model: plan.Model{Pass: 20 * time.Second}, Horizon: 3 * time.Minute})
	if held["large"] != 0 || held["small"] != 1 {
		t.Errorf("%v: the budget of large never holds up a pass, and that of small does", held)
	}
}

// If a budget that blocks no node is taken out, each node starts when it does with it. So Try does not take it out.
func TestABudgetThatBlocksNoNodeChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, o := crowded(t), plan.Options{Model: testkit.Arbitrary(model).Draw(t, "model"), Horizon: 3 * time.Hour}
		passes(t, in, &o.Model)
		p, all := plan.Run(in, o), plan.HeldBy(in, o)
		for i, pool := range in.Pools {
			held := all[pool.Name]
			for at := range pool.Budgets.Budgets() {
				set, err := plan.WithoutBudget(pool.Budgets, at)
				if held.Has(at) || err != nil {
					continue
				}
				other := in
				other.Pools = slices.Clone(in.Pools)
				other.Pools[i].Budgets = set
				for j, n := range plan.Run(other, o).Nodes {
					if was := p.Nodes[j]; was.Name != n.Name || !was.Start.Equal(n.Start) {
						t.Fatalf("without %s of %s, %s goes at %v instead of %v", pool.Budgets.Place(at), pool.Name, n.Name, n.Start, was.Start)
					}
				}
			}
		}
	})
}

// Nothing is tried that the engine rejects: Karpenter's API server admits each list, and drops no more than before; in
// other engines no budget becomes invalid.
func TestNothingIsTriedThatTheEngineRejects(t *testing.T) {
	tried := map[dialect.Dialect]int{}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"any", "single", "paced", "soaked", "spread", "shared", "grouped", "united"}).Draw(t, "generator")
		in := testkit.Arbitrary(generate.Inputs[name]).Draw(t, "input")
		in.Dialect = rapid.SampledFrom([]dialect.Dialect{dialect.Disruptkit, dialect.Karpenter}).Draw(t, "dialect")
		p := plan.Run(in, plan.Options{Horizon: 10 * 24 * time.Hour, Decisions: 200})
		for change, other := range plan.Changed(in, p) {
			tried[in.Dialect]++
			for i, pool := range other.Pools {
				before, after := in.Pools[i].Budgets, pool.Budgets
				if reflect.DeepEqual(before.Spec(), after.Spec()) {
					continue
				}
				if more := refused(t, in.Dialect, after) - refused(t, in.Dialect, before); more > 0 || in.Dialect == dialect.Karpenter && rejected(t, after) {
					t.Errorf("%s: pool %s is refused: %v, before %v", change, pool.Name, after, before)
				}
			}
		}
	})
	if !testing.Short() && (tried[dialect.Disruptkit] == 0 || tried[dialect.Karpenter] == 0) {
		t.Errorf("tried: %v", tried)
	}
}

// refused counts what an engine drops of a list, or does not understand in it.
func refused(t *rapid.T, d dialect.Dialect, s budget.Set) int {
	if d != dialect.Karpenter {
		return len(s.Warnings())
	}
	_, dropped, _ := admission.Admit(written(t, s))
	return len(dropped)
}

// rejected reports whether Karpenter's API server rejects a list.
func rejected(t *rapid.T, s budget.Set) bool {
	_, _, err := admission.Admit(written(t, s))
	return err != nil
}

func written(t *rapid.T, s budget.Set) []byte {
	text, err := json.Marshal(s.Spec())
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A pod that is annotated holds up the drain of its node until the grace period ends, and so the slot that the node takes.
func TestTryFindsWhatHoldsUpDrainsUntilPodsAreKilled(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(0, 3)}
	in.Pools = []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "1"})}
	for i := range in.Nodes {
		in.Nodes[i].HasGracePeriod = true
	}
	in.Nodes[0].Pods = []candidate.Pod{{Name: "p", Terms: candidate.Terms{Protect: candidate.Forever}}}
	o := plan.Options{Model: plan.Model{Grace: func(candidate.Node) time.Duration { return 4 * time.Hour }}}
	var tried []string
	for trial := range plan.Try(in, o, plan.Run(in, o)) {
		tried = append(tried, trial.Change)
	}
	if want := "no pod of pool default is annotated do-not-disrupt"; !slices.Contains(tried, want) {
		t.Errorf("%q helps, want %q too", tried, want)
	}
}
