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
)

// alice pauses everything, for an incident.
func alice(change func(p *probe.Pause)) probe.Pause {
	p := probe.Pause{By: "alice", Why: "INC-1234", Until: fixture.Clock("14:00")}
	if change != nil {
		change(&p)
	}
	return p
}

func TestPausesBlockNodes(t *testing.T) {
	zone := func(names ...string) func(p *probe.Pause) {
		return func(p *probe.Pause) { p.Key, p.Domains = fixture.Zone, names }
	}
	never := budget.Budget{Nodes: "0", Reasons: []candidate.Reason{"Drifted/SubnetDrift"}}
	for _, c := range []struct {
		name    string
		pauses  []probe.Pause
		budgets []budget.Budget
		nodes   string
		change  func(in *disruptkit.Input)
		want    string
	}{
		{"of the whole cluster", []probe.Pause{alice(nil)}, nil, "a1*", nil, `
- a1 probe/paused: paused by alice: INC-1234 (until 2026-11-20T14:00:00Z)
next change: 14:00
`},
		{"until somebody takes it out, with a warning", []probe.Pause{alice(func(p *probe.Pause) { p.Until = time.Time{} })}, nil, "a1*", nil, `
- a1 probe/paused: paused by alice: INC-1234
! no-end: Pause/alice: INC-1234: until: the pause has no end, and applies until somebody removes it: write when it ends
`},
		{"until somebody takes it out, since its end is before its beginning", []probe.Pause{alice(func(p *probe.Pause) { p.From = fixture.Clock("15:00") })}, nil, "a1*", nil, `
- a1 probe/paused: paused by alice: INC-1234
! invalid-pause: Pause/alice: INC-1234: until: the pause ends at 2026-11-20T14:00:00Z, but begins at 2026-11-20T15:00:00Z, so it applies until it is removed: write a later end
`},
		{"of a zone that is inbound, nodes elsewhere whose pods may move there", []probe.Pause{alice(func(p *probe.Pause) { zone("a")(p); p.Inbound = true })}, nil, "a1* b1* b2* c1*",
			func(in *disruptkit.Input) {
				in.Nodes[1].Pods = []candidate.Pod{{Name: "web"}}
				in.Nodes[2].Pods = []candidate.Pod{{Name: "db", NodeSelector: map[string]string{fixture.Zone: "b"}}}
				in.Nodes[3].Pods = []candidate.Pod{{Name: "logs", Stays: true}}
			}, `
+ b2 Drifted
+ c1 Drifted
- a1 probe/paused: paused in a by alice: INC-1234 (until 2026-11-20T14:00:00Z)
- b1 probe/paused: paused in a by alice: INC-1234; its pods may move there (until 2026-11-20T14:00:00Z)
next change: 14:00
`},
		{"of zones, each told of once", []probe.Pause{alice(zone("a", "a", "x", "x"))}, nil, "a1*", nil, `
- a1 probe/paused: paused in a, x by alice: INC-1234 (until 2026-11-20T14:00:00Z)
! unknown-domain: Pause/alice: INC-1234: domains: no node has the value "x" of the label topology.kubernetes.io/zone: if that is not a zone that is empty now, write one that nodes have
next change: 14:00
`},
		{"no longer once it is over, with a warning until it is removed", []probe.Pause{alice(func(p *probe.Pause) { p.Until = fixture.Noon })}, nil, "a1*", nil, `
+ a1 Drifted
! no-effect: Pause/alice: INC-1234: until: the pause ended at 2026-11-20T12:00:00Z, and no longer applies: remove it, or write a later end
`},
		{"of other pools alone", []probe.Pause{alice(func(p *probe.Pause) { p.Pools = []probe.PoolSelector{"gpu"} })}, nil, "a1*", nil, `
+ a1 Drifted
! unknown-pool: Pause/alice: INC-1234: pools: no pool has the name or the label "gpu", and none is paused by it: write a pool's name, key=value or the value of a label
next change: 14:00
`},
		{"of nodes without a label", []probe.Pause{alice(zone(""))}, nil, "a1* b1*", func(in *disruptkit.Input) { in.Nodes[0].Labels = nil }, `
+ b1 Drifted
- a1 probe/paused: paused in nodes without the label by alice: INC-1234 (until 2026-11-20T14:00:00Z)
next change: 14:00
`},
		{"a roll skips a paused zone at once", []probe.Pause{alice(zone("a"))}, []budget.Budget{fixture.Sequential("1")}, "a1* a2 b1*", func(in *disruptkit.Input) {
			in.Memory = fixture.Rolling("a", "")
		}, `
+ b1 Drifted until 14:00
- a1 probe/paused: paused in a by alice: INC-1234 (until 2026-11-20T14:00:00Z)
- a1 topology/waits-for-domain: a waits for b (0 in flight, 1 to go)
roll of default: topology.kubernetes.io/zone=b
next change: 14:00
`},
		{"but not while nodes are in flight there", []probe.Pause{alice(zone("a"))}, []budget.Budget{fixture.Sequential("1")}, "a1* a2* b1*", func(in *disruptkit.Input) {
			in.Nodes[0].Leaving, in.Nodes[0].DisruptedFor, in.Memory = candidate.Draining, "Drifted", fixture.Rolling("a", "")
		}, `
- a1 node/deleting: the node is already being disrupted for Drifted
- a1 probe/paused: paused in a by alice: INC-1234 (until 2026-11-20T14:00:00Z)
- a1 topology/exhausted: 1 of 2 nodes of a may be disrupted at once, 1 in flight: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time
- a2 probe/paused: paused in a by alice: INC-1234 (until 2026-11-20T14:00:00Z)
- a2 topology/exhausted: 1 of 2 nodes of a may be disrupted at once, 1 in flight: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time
- b1 topology/waits-for-domain: b waits for a (1 in flight, 1 to go)
roll of default: topology.kubernetes.io/zone=a
next change: 14:00
`},
		{"nor before its new nodes are Ready", []probe.Pause{alice(zone("a"))}, []budget.Budget{fixture.Sequential("1")}, "a1* a2 b1*", func(in *disruptkit.Input) {
			in.Nodes[1].Phase, in.Memory = candidate.NotReady, fixture.Rolling("a", "")
		}, `
- a1 probe/paused: paused in a by alice: INC-1234 (until 2026-11-20T14:00:00Z)
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: paused in a by alice: INC-1234; a2 is not Ready
roll of default: topology.kubernetes.io/zone=a
next change: 14:00
`},
		{"a zone with a node that also waits for something else has its patience", []probe.Pause{alice(func(p *probe.Pause) { p.Reasons = []candidate.Reason{"Drifted/AMIDrift"}; zone("a")(p) })},
			[]budget.Budget{fixture.Sequential("1"), never}, "a1* b1*", func(in *disruptkit.Input) {
				in.Nodes[0].Conditions = []candidate.Condition{{Reason: "Drifted/AMIDrift", Since: fixture.Noon.Add(-9 * time.Hour)}, {Reason: "Drifted/SubnetDrift", Since: fixture.Noon.Add(-time.Hour)}}
				in.Memory = fixture.Rolling("a", "")
			}, `
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: budgets never allow it for Drifted/SubnetDrift (until 2026-11-20T12:15:00Z)
- a1 probe/paused: paused in a by alice: INC-1234 (until 2026-11-20T14:00:00Z)
- a1 budget/allows-none: 0 of 2 nodes may be disrupted now: budgets[1] is 0 (Drifted/SubnetDrift)
roll of default: topology.kubernetes.io/zone=a, idle since 12:00
next change: 12:15
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Zoned(c.nodes), Pauses: c.pauses,
				Pools: []disruptkit.Pool{fixture.Pool(t, append([]budget.Budget{}, c.budgets...)...)}}
			if c.change != nil {
				c.change(&in)
			}
			if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), fixture.Turns(disruptkit.Decide(in, ""))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAPausedPoolHasABlocker(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t)}, Pauses: []probe.Pause{
		alice(nil), {By: "bob", Why: "a zone alone", Key: fixture.Zone, Domains: []string{"a"}},
	}}
	got := disruptkit.Decide(in, candidate.Drifted).Pools[0].Blockers
	if len(got) != 1 || got[0].Message != "paused by alice: INC-1234" {
		t.Error(got)
	}
}

// A budget may know reasons that disruptkit does not.
func TestAReasonOfTheCallersOwnCanBePaused(t *testing.T) {
	set, err := budget.Spec{Budgets: []budget.Budget{}, Methods: []candidate.Reason{"Rebalanced"}}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}, Nodes: fixture.Zoned("a1* a2*"),
		Pauses: []probe.Pause{alice(func(p *probe.Pause) { p.Reasons = []candidate.Reason{"Rebalanced"} })}}
	in.Nodes[1].Conditions[0].Reason = "Rebalanced"
	d := disruptkit.Decide(in, "")
	if diff := cmp.Diff([]string{"a1 goes", "a2 probe/paused until 14:00"}, fixture.Fates(d)); diff != "" || len(d.Warnings) > 0 {
		t.Error(diff, d.Warnings)
	}
}

// One more pause never allows more nodes, and what is paused stays, whatever else is in the input. Which zone's turn it is may change:
// a zone that is skipped lets the next one start.
func TestOneMorePauseNeverAllowsMoreNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Unzoned).Filter(func(in disruptkit.Input) bool { return len(in.Pools) > 0 }).Draw(t, "input")
		for i := range in.Pools { // with the most specific, one that stays allows others of its reason
			in.Pools[i].Budgets, _ = budget.Compile(in.Pools[i].Budgets.Budgets())
		}
		in.Rules = candidate.Rules{}
		asked := testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		before := len(disruptkit.Decide(in, asked).Allowed)
		p := testkit.Arbitrary(generate.Pause(in.Now)).Draw(t, "pause")
		in.Pauses = append(in.Pauses[:len(in.Pauses):len(in.Pauses)], p)
		d := disruptkit.Decide(in, asked)
		if len(d.Allowed) > before {
			t.Fatalf("%d may be disrupted, and %d with one more pause", before, len(d.Allowed))
		}
		enforced, _ := p.Enforced()
		holds, _ := enforced.State(in.Now)
		for _, c := range d.Allowed {
			for i := range in.Nodes {
				for _, pool := range in.Pools {
					if n := &in.Nodes[i]; holds && n.Name == c.Node && n.Pool == pool.Name && enforced.Concerns(c.Reason, c.Pool, pool.Labels) && enforced.Includes(n.Labels) {
						t.Fatalf("%s may be disrupted, and is paused", c.Node)
					}
				}
			}
		}
	})
}

func TestTheOrderOfPausesNeverMatters(t *testing.T) {
	zone := func(by, key string, zones ...string) probe.Pause {
		return probe.Pause{By: by, Why: "INC-1234", Until: fixture.Clock("14:00"), Key: key, Domains: zones}
	}
	pauses := []probe.Pause{alice(nil), zone("bob", fixture.Zone, "a"), zone("carol", fixture.Zone, "a", "b"), zone("bob", "rack", "7"), zone("", fixture.Zone, "x")}
	nodes := fixture.Zoned("a1* b1* a2")
	nodes[0].Labels["rack"] = "7"
	decide := func(pauses ...probe.Pause) string {
		in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("1"))}, Nodes: nodes, Pauses: pauses}
		return fixture.Turns(disruptkit.Decide(in, candidate.Drifted))
	}
	want := decide(pauses...)
	for i := range pauses {
		for j := range i {
			other := slices.Clone(pauses)
			other[i], other[j] = other[j], other[i]
			if diff := cmp.Diff(want, decide(other...)); diff != "" {
				t.Errorf("%d and %d in the other order: %s", j, i, diff)
			}
		}
	}
}
