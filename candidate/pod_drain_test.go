package candidate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/drain"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
)

// A pod may be evicted if it would not block a node that runs nothing else.
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
		// Together they block the node, if the reason is not eventual.
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
