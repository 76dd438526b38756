package disruptkit_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/topology"
)

// named returns what a Source names, as the message has it. It fails if the blocker is of a code that needs a Source, and has none.
func named(t *rapid.T, in disruptkit.Input, c candidate.Candidate, b candidate.Blocker) (names []string) {
	s := b.Source
	if s == nil {
		s = &candidate.Source{}
	}
	domain := func(name string) string {
		if name == "" {
			return topology.Domain{}.String()
		}
		return name
	}
	needs := func(there bool) {
		if !there {
			t.Fatalf("%s %s: %s has no such source: %#v", c.Node, c.Reason, b, b.Source)
		}
	}
	switch b.Gate {
	case candidate.GateBudget:
		i := slices.IndexFunc(in.Pools, func(p disruptkit.Pool) bool { return p.Name == c.Pool })
		one := strings.Contains(b.Message, "the node is overdue, and 1 of") && !strings.Contains(b.Message, "budgets[") // if no limit is above 0
		needs(len(s.Budgets) > 0 || one || b.Code == candidate.CodeUnknownReason || b.Code == candidate.CodeNoTime)
		for _, at := range s.Budgets {
			if b.Code != candidate.CodeInvalidBudget {
				names = append(names, in.Pools[i].Budgets.In(in.Dialect).Place(at)+" is ")
			}
		}
	case candidate.GateTopology:
		needs(s.Key != "" && len(s.Budgets) == 1)
		if b.Code != candidate.CodeNoLabel {
			names = append(names, domain(s.Domain))
		}
		if b.Code == candidate.CodeWaitsForDomain {
			names = append(names, domain(s.WaitsFor))
		}
	case candidate.GatePod:
		switch b.Code {
		case candidate.CodeAllowsNone, candidate.CodeExhausted, candidate.CodeInvalidPDB:
			needs(len(s.PDBs) == 1)
		case candidate.CodeSeveralPDBs:
			needs(len(s.PDBs) > 1)
		case candidate.CodeInvalidSchedule:
			needs(s.PodSchedule != "")
		}
		names = append(names, s.PDBs[:min(3, len(s.PDBs))]...)
		names = append(names, s.PodSchedule)
	case candidate.GateProbe:
		needs(b.Source != nil)
		names = append(names, s.Probe, s.By, s.Why)
	}
	return names
}

func TestTheSourceOfABlockerIsWhatItsMessageNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := inAnyDialect(t)
		for _, c := range disruptkit.Decide(in, testkit.Arbitrary(generate.Asked).Draw(t, "asked")).Blocked {
			for _, b := range c.Blockers {
				for _, name := range named(t, in, c, b) {
					if !strings.Contains(b.Message, name) {
						t.Fatalf("%q does not name %q", b.Message, name)
					}
				}
			}
		}
	})
}

// The property sees messages; this sees each field.
func TestEachGateNamesItsSource(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	web := map[string]string{"app": "web"}
	selector := &candidate.Selector{MatchLabels: web}
	node := func(name, zone string, deleting bool) candidate.Node {
		n := candidate.Node{Name: name, Pool: "p", Phase: candidate.Running, Leaving: candidate.Draining, Labels: map[string]string{"zone": zone}}
		if !deleting {
			n.Leaving, n.Conditions = candidate.Staying, []candidate.Condition{{Reason: candidate.Drifted, Since: now.Add(-time.Hour)}}
		}
		return n
	}
	for _, c := range []struct {
		name      string
		budgets   []budget.Budget
		pdbs      []candidate.PDB
		schedules []candidate.PodSchedule
		pauses    []probe.Pause
		verdicts  []probe.Verdict
		want      candidate.Source
	}{
		{name: "the budgets that set the limit", budgets: []budget.Budget{{Nodes: "50%"}, {Nodes: "0"}, {Nodes: "0", Reasons: []candidate.Reason{candidate.Drifted}}},
			want: candidate.Source{Budgets: []int{1, 2}}},
		{name: "the pace", budgets: []budget.Budget{{Nodes: "9"}, {Nodes: "1", Per: "1h"}}, want: candidate.Source{Budgets: []int{1}}},
		{name: "the zone, and the one that it waits for", budgets: []budget.Budget{{Nodes: "9"}, {Nodes: "1", TopologyKey: "zone", Sequential: true}},
			want: candidate.Source{Budgets: []int{1}, Key: "zone", Domain: "a", WaitsFor: "b"}},
		{name: "the PodDisruptionBudget", budgets: []budget.Budget{}, pdbs: []candidate.PDB{{Namespace: "shop", Name: "web", Selector: selector}},
			want: candidate.Source{PDBs: []string{"shop/web"}}},
		{name: "all of a pod that has several", budgets: []budget.Budget{}, pdbs: []candidate.PDB{
			{Namespace: "shop", Name: "b", Selector: selector, DisruptionsAllowed: 1}, {Namespace: "shop", Name: "a", Selector: selector, DisruptionsAllowed: 1},
		}, want: candidate.Source{PDBs: []string{"shop/a", "shop/b"}}},
		{name: "the PodDisruptionSchedule", budgets: []budget.Budget{}, schedules: []candidate.PodSchedule{{Name: "nights", Selector: selector, Schedule: "0 2 * * *"}},
			want: candidate.Source{PodSchedule: "nights"}},
		{name: "who paused it", budgets: []budget.Budget{}, pauses: []probe.Pause{{By: "alice", Why: "INC-1234"}}, want: candidate.Source{By: "alice", Why: "INC-1234"}},
		{name: "the probe", budgets: []budget.Budget{}, verdicts: []probe.Verdict{{Probe: "health"}}, want: candidate.Source{Probe: "health"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := budget.Compile(c.budgets)
			if err != nil {
				t.Fatal(err)
			}
			rules, err := candidate.CompileRules(c.pdbs, c.schedules)
			if err != nil {
				t.Fatal(err)
			}
			n := node("n", "a", false)
			n.Pods = []candidate.Pod{{Namespace: "shop", Name: "web-0", Labels: web}}
			d := disruptkit.Decide(disruptkit.Input{
				Now: now, Rules: rules, Pauses: c.pauses, Verdicts: c.verdicts,
				Pools: []disruptkit.Pool{{Name: "p", Budgets: set}},
				Nodes: []candidate.Node{n, node("other", "b", true)},
			}, candidate.Drifted)
			var got []*candidate.Source
			for _, blocked := range d.Blocked {
				for _, b := range blocked.Blockers {
					if b.Source != nil {
						got = append(got, b.Source)
					}
				}
			}
			if diff := cmp.Diff([]*candidate.Source{&c.want}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Few random inputs have such a node.
func TestAZoneThatWaitsForAnotherNamesBoth(t *testing.T) {
	ordered := fixture.Sequential("1")
	ordered.Reasons = []candidate.Reason{"Drifted/AMIDrift"}
	nodes := fixture.Zoned("a1* b1*")
	nodes[1].Conditions[0].Reason = "Drifted/AMIDrift"
	d := disruptkit.Decide(disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, ordered)}, Nodes: nodes}, candidate.Drifted)
	want := &candidate.Source{Budgets: []int{0}, Key: "topology.kubernetes.io/zone", Domain: "b", WaitsFor: "a"}
	if diff := cmp.Diff(want, d.Blocked[0].Blockers[0].Source); diff != "" {
		t.Error(diff)
	}
}
