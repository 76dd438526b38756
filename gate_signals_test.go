package disruptkit_test

import (
	"slices"
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
