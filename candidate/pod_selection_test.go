package candidate_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
)

// A gate evaluates selectors once for pods that share a map of labels. Nobody can tell, in whatever namespaces the pods
// are, and however many maps there are.
func TestPodsThatShareTheirLabelsSayWhatPodsWithTheirOwnDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := testkit.Arbitrary(generate.Rules).Draw(t, "rules")
		shared := rapid.SliceOfN(testkit.Arbitrary(generate.Labels), 1, 40).Draw(t, "labels")
		together, apart := fixture.Open(rules, fixture.Noon), fixture.Open(rules, fixture.Noon)
		for i := range rapid.IntRange(1, 100).Draw(t, "pods") {
			p := candidate.Pod{Namespace: rapid.SampledFrom([]string{"", "shop", "ml"}).Draw(t, "namespace"), Name: fmt.Sprint("p", i)}
			p.Labels = rapid.SampledFrom(shared).Draw(t, "of the pod")
			said := together.Judge(&candidate.Node{Pods: []candidate.Pod{p}}, candidate.Condition{})
			p.Labels = maps.Clone(p.Labels)
			alone := apart.Judge(&candidate.Node{Pods: []candidate.Pod{p}}, candidate.Condition{})
			if diff := cmp.Diff(alone.Blockers, said.Blockers) + cmp.Diff(numbers(alone), numbers(said)); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}

func TestADigestSaysWhatItsPodsSay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := drawJudged(t)
		j.rules.FailClosed = rapid.Bool().Draw(t, "fail closed")
		j.rules.Dialect = rapid.SampledFrom([]dialect.Dialect{dialect.Disruptkit, dialect.Karpenter}).Draw(t, "dialect")
		j.node.Leaving = rapid.SampledFrom([]candidate.Leaving{candidate.Staying, candidate.Draining}).Draw(t, "leaving")
		nodes := []candidate.Node{j.node, testkit.Arbitrary(generate.Node(j.now)).Draw(t, "in flight"), testkit.Arbitrary(generate.Node(j.now)).Draw(t, "let through")}
		said := func() string {
			gate := fixture.Open(j.rules, j.now)
			gate.Reserve(&nodes[1])
			v := gate.Judge(&nodes[0], j.c)
			text := fmt.Sprintf("%+v until %s, waived %t, uses %v", v.Blockers, v.Until, v.Waived, v.Uses)
			gate.Take(gate.Judge(&nodes[2], candidate.Condition{}))
			return text + fmt.Sprintf(", spent %+v, left %d", gate.Spent(v), gate.Left(0))
		}
		want := said()
		nodes = candidate.Digest(j.rules, nodes)
		for range 2 { // judging changes no digest
			if diff := cmp.Diff(want, said()); diff != "" {
				t.Fatalf("(-pods +digest)\n%s", diff)
			}
		}
	})
}

func TestADigestThatDoesNotFitIsIgnored(t *testing.T) {
	allowing := func(allowed int) candidate.Rules {
		rules, _ := candidate.CompileRules([]candidate.PDB{webPDB(allowed)}, nil)
		return rules
	}
	rules, other := allowing(0), allowing(1)
	node := candidate.Digest(rules, []candidate.Node{{Name: "a", Pods: []candidate.Pod{webPod()}}})[0]
	blocked := func(r candidate.Rules, n candidate.Node) int {
		return len(candidate.OpenPods(r, fixture.Noon).Blockers(&n, candidate.Condition{Reason: candidate.Empty}))
	}
	if blocked(rules, node) != 1 {
		t.Error("its pod does not block it")
	}
	if blocked(other, node) != 0 {
		t.Error("other rules read what the first have read")
	}
	node.Pods = []candidate.Pod{{Namespace: "ml", Name: "other"}}
	if blocked(rules, node) != 0 {
		t.Error("other pods block as the first")
	}
	if node.Pods = nil; blocked(rules, node) != 0 {
		t.Error("pods block that are gone")
	}
}
