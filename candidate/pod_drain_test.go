package candidate_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/drain"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
)

// TestTheDrainGate is the RFC's change to IsEvictable ("check disruption schedule"), and its "TerminationGracePeriod
// Interaction".
func TestTheDrainGate(t *testing.T) {
	const (
		forGood = `pod/do-not-disrupt: pod shop/web-0 is annotated karpenter.sh/do-not-disrupt: "true", for good`
		outside = "pod/outside-schedule: pod shop/web-0 may go only when its disruption schedule lets it: 0 2 * * * for 4h, UTC (until 2026-11-21T02:00:00Z)"
		none    = "pod/allows-none: pod shop/web-0 has PDB shop/web, which allows no disruption now"
	)
	draining := candidate.Node{Name: "a", Pool: "default", Leaving: candidate.Draining, DisruptedFor: candidate.Drifted, HasGracePeriod: true, Deadline: fixture.Noon}
	early, last := fixture.Noon.Add(-time.Hour), fixture.Noon.Add(-1)
	for _, c := range []struct {
		name    string
		node    func(*candidate.Node)
		pod     func(*candidate.Pod)
		allowed int
		now     time.Time
		want    []string
	}{
		{name: "a pod that asks for nothing is evicted", allowed: 1, now: early},
		{name: "Does not have an active \"karpenter.sh/do-not-disrupt\" annotation (Karpenter, IsEvictable)",
			pod: func(p *candidate.Pod) { p.Terms.Protect = candidate.Forever }, allowed: 1, now: early,
			want: []string{`pod/do-not-disrupt: pod shop/web-0 is annotated karpenter.sh/do-not-disrupt: "true" (until 2026-11-20T12:00:00Z)`}},
		{name: "without a deadline it holds for good", node: func(n *candidate.Node) { n.Deadline = time.Time{} },
			pod: func(p *candidate.Pod) { p.Terms.Protect = candidate.Forever }, allowed: 1, now: early, want: []string{forGood}},
		{name: "the disruption schedule holds while the node drains, also where the reason is eventual",
			node: func(n *candidate.Node) { n.Deadline = time.Time{} },
			pod:  func(p *candidate.Pod) { p.Terms = closedNow() }, allowed: 1, now: early, want: []string{outside}},
		{name: "up to the deadline", pod: func(p *candidate.Pod) { p.Terms = closedNow() }, allowed: 1, now: last,
			want: []string{"pod/outside-schedule: pod shop/web-0 may go only when its disruption schedule lets it: 0 2 * * * for 4h, UTC (until 2026-11-20T12:00:00Z)"}},
		{name: "an open window lets the pod go", pod: func(p *candidate.Pod) { p.Terms = openNow() }, allowed: 1, now: last},
		{name: "the PDB holds while the node drains", now: last, want: []string{none + " (until 2026-11-20T12:00:00Z)"}},
		{name: "When a node has exceeded its TGP: Pods are forcefully evicted regardless of their disruption schedule",
			pod: func(p *candidate.Pod) { p.Terms = closedNow() }, allowed: 1, now: fixture.Noon},
		{name: "and of do-not-disrupt, of annotations that are not valid, and of the PDB",
			pod: func(p *candidate.Pod) { p.Terms = candidate.Terms{Protect: candidate.Forever, Invalid: true} }, now: fixture.Noon},
		{name: "and so it stays", pod: func(p *candidate.Pod) { p.Terms = closedNow() }, now: fixture.Noon.Add(10_000 * time.Hour)},
		{name: "annotations that are not valid hold by policy", pod: func(p *candidate.Pod) { p.Terms.Invalid = true }, allowed: 1, now: last,
			want: []string{"pod/invalid-annotation: pod shop/web-0 has invalid annotations, which by policy block it (until 2026-11-20T12:00:00Z)"}},
		{name: "residual pods ride the reboot (Karpenter, reboot.Controller): its deadline waives nothing",
			node: func(n *candidate.Node) { n.Leaving, n.Rebooting = candidate.Staying, true }, pod: func(p *candidate.Pod) { p.Terms.Protect = candidate.Forever }, now: fixture.Noon,
			want: []string{none, forGood}},
		{name: "nor does it tell an end before", node: func(n *candidate.Node) { n.Leaving, n.Rebooting = candidate.Staying, true },
			pod: func(p *candidate.Pod) { p.Terms = closedNow() }, allowed: 1, now: early, want: []string{outside}},
		{name: "a pod that asks for nothing is evicted before a reboot, too", node: func(n *candidate.Node) { n.Leaving, n.Rebooting = candidate.Staying, true }, allowed: 1, now: fixture.Noon},
		{name: "a node that is terminated while it reboots has its deadline", node: func(n *candidate.Node) { n.Rebooting = true },
			pod: func(p *candidate.Pod) { p.Terms.Protect = candidate.Forever }, now: fixture.Noon},
		{name: "pods that are Inactive need no eviction", pod: func(p *candidate.Pod) { p.Terms, p.Inactive = closedNow(), true }, now: early},
		{name: "pods that are Unevictable get none: nothing is said of a PDB", pod: func(p *candidate.Pod) { p.Unevictable = true }, now: early},
		{name: "a node that is not marked for deletion drains, too: the caller says so by asking", node: func(n *candidate.Node) { n.Leaving = candidate.Staying },
			pod: func(p *candidate.Pod) { p.Terms = closedNow() }, now: fixture.Noon},
		{name: "a node that does not drain is asked in the same way", node: func(n *candidate.Node) { *n = candidate.Node{} },
			pod: func(p *candidate.Pod) { p.Terms = closedNow() }, now: early, want: []string{none, outside}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules, err := candidate.CompileRules([]candidate.PDB{webPDB(c.allowed)}, nil)
			if err != nil {
				t.Fatal(err)
			}
			rules.FailClosed = true
			n, p := draining, webPod()
			if c.node != nil {
				c.node(&n)
			}
			if c.pod != nil {
				c.pod(&p)
			}
			other := webPod() // of which nobody asks
			other.Name, other.Terms.Protect = "other", candidate.Forever
			n.Pods = []candidate.Pod{other, p}
			before := n
			before.Pods = slices.Clone(n.Pods)
			if diff := cmp.Diff(c.want, fixture.Said(drain.Gate(rules, n, p, c.now))); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(before, n, sameWindows); diff != "" {
				t.Errorf("the node is changed: %s", diff)
			}
		})
	}
}

// A pod may be evicted when it would not hold back a node that runs nothing else.
func TestTheDrainGateAgreesWithThePodGate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := drawJudged(t)
		var all []candidate.Blocker
		for _, p := range j.node.Pods {
			alone := j.node
			alone.Pods = []candidate.Pod{p}
			got := drain.Gate(j.rules, j.node, p, j.now)
			want := fixture.Open(j.rules, j.now).Judge(&alone, candidate.Condition{Reason: candidate.Empty}).Blockers
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatal(diff)
			}
			all = append(all, got...)
		}
		// Together they say what holds back the node, where the reason is not eventual.
		held := fixture.Open(j.rules, j.now).Judge(&j.node, candidate.Condition{Reason: candidate.Empty}).Blockers
		if (len(all) > 0) != (len(held) > 0) {
			t.Fatalf("the pods say %q, the node %q", fixture.Said(all), fixture.Said(held))
		}
	})
}

// The Rules are safe for concurrent use: the race detector looks on.
func TestRulesAreSharedByManyGates(t *testing.T) {
	rules, err := candidate.CompileRules([]candidate.PDB{webPDB(0)}, []candidate.PodSchedule{{Name: "nightly", Selector: selectsWeb(), Schedule: "@daily"}})
	if err != nil {
		t.Fatal(err)
	}
	node := candidate.Node{Pods: []candidate.Pod{webPod()}}
	node.Pods[0].Terms = closedNow()
	want := fixture.Said(fixture.Open(rules, fixture.Noon).Judge(&node, candidate.Condition{}).Blockers)
	done := make(chan []string)
	for range 8 {
		go func() {
			gate := fixture.Open(rules, fixture.Noon)
			v := gate.Judge(&node, candidate.Condition{})
			gate.Take(v)
			drain.Gate(rules, node, node.Pods[0], fixture.Noon)
			rules.PDBs()
			rules.Warnings()
			done <- fixture.Said(v.Blockers)
		}()
	}
	for range 8 {
		if diff := cmp.Diff(want, <-done); diff != "" {
			t.Error(diff)
		}
	}
}
