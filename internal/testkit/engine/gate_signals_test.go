package engine_test

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
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/probe"
)

// of returns a node that has been a candidate for a reason for some hours.
func of(name, pool string, reason candidate.Reason, hours int) candidate.Node {
	n := fixture.Sharing(name, pool, "", hours)
	n.Conditions[0].Reason = reason
	return n
}

// TestSignalsBlockNodes checks the result of each node, and what blocks whole pools.
func TestSignalsBlockNodes(t *testing.T) {
	denies := func(reasons ...candidate.Reason) probe.Verdict {
		v := probe.Verdict{Probe: "health", Allowed: true}
		for _, r := range reasons {
			v.Denied = append(v.Denied, probe.Denial{Reason: r})
		}
		return v
	}
	in := func(pools []probe.PoolSelector, v probe.Verdict) probe.Verdict {
		v.Denied = slices.Clone(v.Denied)
		for i := range v.Denied {
			v.Denied[i].Pools = pools
		}
		return v
	}
	until := func(at string, v probe.Verdict) probe.Verdict {
		v.Denied = slices.Clone(v.Denied)
		for i := range v.Denied {
			v.Denied[i].Until = fixture.Clock(at)
		}
		return v
	}
	well := probe.Verdict{Probe: "health", Allowed: true}
	ill := probe.Verdict{Probe: "incidents", Code: "unhealthy", Cause: "it answered 503"}
	for _, c := range []struct {
		name    string
		cluster []probe.Verdict
		pool    []probe.Verdict // of p; q has the label team=search
		budgets []budget.Budget // of both; none is no limit
		nodes   []candidate.Node
		fates   []string
		pools   []string
		next    string
	}{
		{
			name:  "nothing blocks nodes where all is well",
			pool:  []probe.Verdict{well, well},
			nodes: []candidate.Node{of("n1", "p", "Drifted", 1)},
			fates: []string{"n1 goes"},
		},
		{
			name:  "all verdicts have to allow nodes, and each that does not is a blocker",
			pool:  []probe.Verdict{well, denies("Drifted"), ill},
			nodes: []candidate.Node{of("n1", "p", "Drifted", 2), of("n2", "p", "Empty", 1)},
			fates: []string{"n1 probe/denied probe/unhealthy", "n2 probe/unhealthy"},
			pools: []string{
				"p : probe/denied: health: it denies Drifted", "p : probe/unhealthy: incidents: it answered 503",
				"p Drifted: probe/denied: health: it denies Drifted", "p Drifted: probe/unhealthy: incidents: it answered 503",
				"p Empty: probe/unhealthy: incidents: it answered 503",
			},
		},
		{
			name:  "the zero verdict allows nothing",
			pool:  []probe.Verdict{{}},
			nodes: []candidate.Node{of("n1", "p", "Drifted", 1)},
			fates: []string{"n1 probe/not-observed"},
			pools: []string{"p : probe/not-observed: a probe: nothing has been observed yet", "p Drifted: probe/not-observed: a probe: nothing has been observed yet"},
		},
		{
			name:  "a method that is denied is with its children; a child that is denied alone",
			pool:  []probe.Verdict{denies("Drifted/AMIDrift", "Empty")},
			nodes: []candidate.Node{of("n1", "p", "Drifted", 4), of("n2", "p", "Drifted/AMIDrift", 3), of("n3", "p", "Drifted/SubnetDrift", 2), of("n4", "p", "Empty/Buffer", 1)},
			fates: []string{"n1 goes", "n3 goes", "n2 probe/denied", "n4 probe/denied"},
			pools: []string{
				"p : probe/denied: health: it denies Drifted/AMIDrift; Empty",
				"p Drifted/AMIDrift: probe/denied: health: it denies Drifted/AMIDrift",
				"p Empty/Buffer: probe/denied: health: it denies Empty",
			},
		},
		{
			name: "one signal for the cluster denies by name, label and value of a label",
			cluster: []probe.Verdict{
				in([]probe.PoolSelector{"p"}, denies("Empty")), in([]probe.PoolSelector{"team=search"}, denies("Drifted")),
				in([]probe.PoolSelector{"search"}, denies("Underutilized")), in([]probe.PoolSelector{"team=p", "q=search"}, denies("Drifted")),
			},
			nodes: []candidate.Node{
				of("n1", "p", "Empty", 6), of("n2", "q", "Empty", 5), of("n3", "p", "Drifted", 4), of("n4", "q", "Drifted", 3),
				of("n5", "p", "Underutilized", 2), of("n6", "q", "Underutilized", 1),
			},
			fates: []string{"n2 goes", "n3 goes", "n5 goes", "n1 probe/denied", "n4 probe/denied", "n6 probe/denied"},
			pools: []string{
				"p : probe/denied: health: it denies Empty in p", "p Empty: probe/denied: health: it denies Empty in p",
				"q : probe/denied: health: it denies Drifted in team=search", "q : probe/denied: health: it denies Underutilized in search",
				"q Drifted: probe/denied: health: it denies Drifted in team=search",
				"q Underutilized: probe/denied: health: it denies Underutilized in search",
			},
		},
		{
			name:  "two breakers of one name lift together",
			pool:  []probe.Verdict{until("12:30", denies("Drifted")), until("12:10", denies("Drifted"))},
			nodes: []candidate.Node{of("n1", "p", "Drifted", 1)},
			fates: []string{"n1 probe/denied until 12:30 probe/denied until 12:30"},
			pools: []string{
				"p : probe/denied: health: it denies Drifted (until 2026-11-20T12:30:00Z)", "p : probe/denied: health: it denies Drifted (until 2026-11-20T12:30:00Z)",
				"p Drifted: probe/denied: health: it denies Drifted (until 2026-11-20T12:30:00Z)", "p Drifted: probe/denied: health: it denies Drifted (until 2026-11-20T12:30:00Z)",
			},
			next: "12:10",
		},
		{
			name:    "a candidate that a breaker blocks leaves its slot to a younger one",
			pool:    []probe.Verdict{until("12:30", denies("Drifted"))},
			budgets: []budget.Budget{{Nodes: "1"}},
			nodes:   []candidate.Node{of("n1", "p", "Drifted", 2), of("n2", "p", "Empty", 1)},
			fates:   []string{"n2 goes", "n1 probe/denied until 12:30 budget/exhausted"},
			pools: []string{
				"p : probe/denied: health: it denies Drifted (until 2026-11-20T12:30:00Z)",
				"p Drifted: probe/denied: health: it denies Drifted (until 2026-11-20T12:30:00Z)",
			},
			next: "12:30",
		},
		{
			name:  "when a verdict goes stale is the next change, but what it allows lasts, since probes go on to be answered",
			pool:  []probe.Verdict{{Probe: "health", Allowed: true, StaleAt: fixture.Clock("12:01")}},
			nodes: []candidate.Node{of("n1", "p", "Drifted", 1)},
			fates: []string{"n1 goes"},
			next:  "12:01",
		},
		{
			name:  "a verdict that has become stale allows nothing, nor what it denied",
			pool:  []probe.Verdict{{Probe: "health", Allowed: true, StaleAt: fixture.Clock("12:00"), Denied: []probe.Denial{{Reason: "Drifted", Until: fixture.Clock("12:30")}}}},
			nodes: []candidate.Node{of("n1", "p", "Drifted", 2), of("n2", "p", "Empty", 1)},
			fates: []string{"n1 probe/stale", "n2 probe/stale"},
			pools: []string{
				"p : probe/stale: health: the last answer has been too old since 2026-11-20T12:00:00Z",
				"p Drifted: probe/stale: health: the last answer has been too old since 2026-11-20T12:00:00Z",
				"p Empty: probe/stale: health: the last answer has been too old since 2026-11-20T12:00:00Z",
			},
		},
		{
			name:  "what the node says comes before what probes say, and what budgets say after it",
			pool:  []probe.Verdict{ill},
			nodes: []candidate.Node{fixture.InFlight(of("n1", "p", "Drifted", 2)), of("n2", "p", "Drifted", 1)}, budgets: []budget.Budget{{Nodes: "1"}},
			fates: []string{"n1 node/deleting probe/unhealthy budget/exhausted", "n2 probe/unhealthy budget/exhausted"},
			pools: []string{"p : probe/unhealthy: incidents: it answered 503", "p Drifted: probe/unhealthy: incidents: it answered 503"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := budget.Compile(append([]budget.Budget{}, c.budgets...))
			if err != nil {
				t.Fatal(err)
			}
			d := disruptkit.Decide(disruptkit.Input{
				Now: fixture.Noon, Verdicts: c.cluster, Nodes: c.nodes,
				Pools: []disruptkit.Pool{{Name: "p", Budgets: set, Verdicts: c.pool}, {Name: "q", Budgets: set, Labels: map[string]string{"team": "search"}}},
			}, "")
			if diff := cmp.Diff(c.fates, fixture.Fates(d)); diff != "" {
				t.Error(diff)
			}
			var pools []string
			for _, p := range d.Pools {
				for _, b := range p.Blockers {
					pools = append(pools, p.Pool+" "+string(p.Reason)+": "+b.String())
				}
			}
			if diff := cmp.Diff(c.pools, pools); diff != "" {
				t.Error(diff)
			}
			if next := fixture.Clock(c.next); !d.NextChange.Equal(next) {
				t.Errorf("the next change is %v, want %v", d.NextChange, next)
			}
		})
	}
}

func TestWhatIsDeniedToNoPoolIsWarnedOfOnce(t *testing.T) {
	v := probe.Verdict{Probe: "incidents", Allowed: true, Denied: []probe.Denial{
		{Reason: "Drifted", Pools: []probe.PoolSelector{"p", "gpu", "team=serach"}}, {Reason: "Empty", Pools: []probe.PoolSelector{"gpu", "search"}},
	}}
	d := disruptkit.Decide(disruptkit.Input{
		Now: fixture.Noon, Verdicts: []probe.Verdict{v},
		Pools: []disruptkit.Pool{
			{Name: "p", Verdicts: []probe.Verdict{v}},
			{Name: "q", Labels: map[string]string{"team": "search"}, Verdicts: []probe.Verdict{
				{Probe: "of q alone", Denied: []probe.Denial{{Pools: []probe.PoolSelector{"p"}}}},
				{Probe: "shared", Denied: []probe.Denial{{Pools: []probe.PoolSelector{"r"}}}},
			}},
			{Name: "r", Verdicts: []probe.Verdict{{Probe: "shared", Denied: []probe.Denial{{Pools: []probe.PoolSelector{"r"}}}}}},
		},
	}, candidate.Drifted)
	var got []string
	for _, w := range d.Warnings {
		got = append(got, string(w.Code)+" "+w.Error())
	}
	want := []string{
		`unknown-pool DisruptionProbe/incidents: nodePools: no pool that it counts for has the name or the label "gpu", and nothing is denied there: write a pool's name, key=value or the value of a label`,
		`unknown-pool DisruptionProbe/incidents: nodePools: no pool that it counts for has the name or the label "team=serach", and nothing is denied there: write a pool's name, key=value or the value of a label`,
		`unknown-pool DisruptionProbe/of q alone: nodePools: no pool that it counts for has the name or the label "p", and nothing is denied there: write a pool's name, key=value or the value of a label`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSignalsOfTwoPoolsWithOneNameAreAmbiguous(t *testing.T) {
	v := probe.Verdict{Allowed: true, StaleAt: fixture.Noon.Add(time.Minute)}
	d := disruptkit.Decide(disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{
		{Name: "p", Verdicts: []probe.Verdict{v, {}}, Blockers: []candidate.Blocker{{Gate: "mine", Code: "x", Message: "x"}}}, {Name: "p"},
	}}, candidate.Drifted)
	if !d.NextChange.IsZero() || d.Pools[0].Blockers != nil {
		t.Errorf("the next change is %v, and %v blocks", d.NextChange, d.Pools[0].Blockers)
	}
}

func TestThePoolsOwnBlockersAreReportedWithoutCandidates(t *testing.T) {
	own := candidate.Blocker{Gate: "mine", Code: "x", Message: "x", Until: fixture.Clock("12:30")}
	d := disruptkit.Decide(disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{{Name: "p", Blockers: []candidate.Blocker{own}, Verdicts: []probe.Verdict{{}}}}}, candidate.Drifted)
	if got := d.Pools[0].Blockers; len(got) != 2 || got[0] != own || !d.NextChange.Equal(own.Until) {
		t.Errorf("%v, and the next change is %v", got, d.NextChange)
	}
}

func TestOneMoreVerdictNeverAllowsMoreNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Unzoned).Filter(func(in disruptkit.Input) bool { return len(in.Pools) > 0 }).Draw(t, "input")
		in.Rules = candidate.Rules{} // a node that stays leaves its disruption to another
		reason := testkit.Arbitrary(generate.Reason).Draw(t, "reason")
		for i := range in.Nodes { // the same of its place
			for j := range in.Nodes[i].Conditions {
				in.Nodes[i].Conditions[j].Reason = reason
			}
		}
		more := in
		one := testkit.Arbitrary(generate.Verdict(in.Now)).Draw(t, "one more")
		if rapid.Bool().Draw(t, "of the cluster") {
			more.Verdicts = append(slices.Clone(in.Verdicts), one)
		} else {
			more.Pools = slices.Clone(in.Pools)
			more.Pools[0].Verdicts = append(slices.Clone(in.Pools[0].Verdicts), one)
		}
		a, b := disruptkit.Decide(in, reason), disruptkit.Decide(more, reason)
		for _, c := range b.Allowed {
			if !slices.ContainsFunc(a.Allowed, func(o candidate.Candidate) bool { return fixture.Key(o) == fixture.Key(c) }) {
				t.Fatalf("%s may be disrupted only with one more verdict, %s", c.Node, one)
			}
		}
	})
}

func TestTheOrderOfVerdictsNeverMatters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Input).Draw(t, "input")
		in.Verdicts = rapid.SliceOfN(testkit.Arbitrary(generate.Verdict(in.Now)), 0, 4).Draw(t, "verdicts")
		shuffled := in
		shuffled.Verdicts = rapid.Permutation(in.Verdicts).Draw(t, "shuffled")
		if diff := cmp.Diff(disruptkit.Decide(in, ""), disruptkit.Decide(shuffled, "")); diff != "" {
			t.Fatal(diff)
		}
	})
}

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

// A node that only an inbound pause blocks is free once its pods cannot move there.
func TestPodsThatASelectorKeepsOutMakeInboundPausesThoseOfTheirDomains(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, asked := testkit.Arbitrary(generate.Inbound).Draw(t, "input"), testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		for i := range in.Nodes {
			n := &in.Nodes[i]
			n.PodsUnknown = false
			for j := range n.Pods {
				n.Pods[j].NodeSelector = map[string]string{"zone": "elsewhere", "rack": "elsewhere"}
			}
		}
		without := in
		without.Pauses = slices.Clone(in.Pauses)
		for i := range without.Pauses {
			without.Pauses[i].Inbound = false
		}
		got, want := disruptkit.Decide(in, asked), disruptkit.Decide(without, asked)
		got.Warnings, want.Warnings = nil, nil // "inbound adds nothing"
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestAnInboundPauseNeverAllowsANodeWhosePodsMayMoveThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, asked := testkit.Arbitrary(generate.Inbound).Draw(t, "input"), testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		in.Dialect = dialect.Disruptkit
		for _, c := range disruptkit.Decide(in, asked).Allowed {
			pool := in.Pools[slices.IndexFunc(in.Pools, func(p disruptkit.Pool) bool { return p.Name == c.Pool })]
			node := in.Nodes[slices.IndexFunc(in.Nodes, func(n candidate.Node) bool { return n.Name == c.Node })]
			for _, written := range in.Pauses {
				p, _ := written.Enforced()
				if holds, _ := p.State(in.Now); holds && p.Concerns(c.Reason, pool.Name, pool.Labels) && p.Awaits(&node) {
					t.Fatalf("%s goes for %s in spite of %v", c.Node, c.Reason, p)
				}
			}
		}
	})
}
