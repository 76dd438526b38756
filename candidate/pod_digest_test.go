package candidate_test

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
)

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
			text := fmt.Sprintf("%+v until %s, waived %t, uses %v", v.Blockers, v.Until, v.Waived, pods(v))
			gate.Take(gate.Judge(&nodes[2], candidate.Condition{}))
			return text + fmt.Sprintf(", spent %+v, left %d", gate.Spent(v), gate.Left(0))
		}
		want := said()
		candidate.Digest(j.rules, nodes)
		for range 2 { // judging changes no digest
			if diff := cmp.Diff(want, said()); diff != "" {
				t.Fatalf("(-pods +digest)\n%s", diff)
			}
		}
	})
}

// pods returns the pods that use PDBs, by the positions of those.
func pods(v fixture.Verdict) map[int]string {
	names := map[int]string{}
	for pdb, pod := range v.PDBs() {
		names[pdb] = pod.String()
	}
	return names
}

// pdbRules has one PDB for all pods of a namespace.
func pdbRules(t *testing.T, namespace string, allowed int) candidate.Rules {
	t.Helper()
	r, err := candidate.CompileRules([]candidate.PDB{{Namespace: namespace, Name: "all", DisruptionsAllowed: allowed, Selector: &candidate.Selector{}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestWhatTheDigestOfANodeSays(t *testing.T) {
	now := time.Unix(1e9, 0)
	drifted, empty := candidate.Condition{Reason: candidate.Drifted}, candidate.Condition{Reason: candidate.Empty}
	dated := candidate.Condition{Reason: candidate.Empty, Deadline: now.Add(2 * time.Hour)}
	for _, test := range []struct {
		rule    string
		node    candidate.Node
		c       candidate.Condition
		allowed int
		want    string // of blockers, and of what is spent once another has gone
	}{
		{"a PDB that allows nothing", candidate.Node{}, drifted, 0, "allows-none; "},
		{"a PDB that another uses up", candidate.Node{}, drifted, 1, "; exhausted"},
		{"a node with a grace period: PDBs do not refuse it", candidate.Node{HasGracePeriod: true}, drifted, 0, "; "},
		{"nor once they are used up", candidate.Node{HasGracePeriod: true}, drifted, 1, "; "},
		{"a node that is terminated: up to its deadline", candidate.Node{Leaving: candidate.Draining, Deadline: now.Add(time.Hour)}, drifted, 0, "allows-none 1h0m0s; "},
		{"a grace period, and a reason that waits for pods", candidate.Node{HasGracePeriod: true}, empty, 0, "allows-none; "},
		{"that waits for them up to its deadline", candidate.Node{HasGracePeriod: true}, dated, 0, "allows-none 2h0m0s; "},
	} {
		t.Run(test.rule, func(t *testing.T) {
			nodes := []candidate.Node{test.node, {}}
			nodes[0].Pods = []candidate.Pod{{Namespace: "shop", Name: "a"}}
			nodes[1].Pods = nodes[0].Pods
			rules := pdbRules(t, "shop", test.allowed)
			for i := range 3 { // without digests, and with the same ones twice
				gate := fixture.Open(rules, now)
				v := gate.Judge(&nodes[0], test.c)
				gate.Take(gate.Judge(&nodes[1], drifted))
				got := ""
				for i, list := range [][]candidate.Blocker{v.Blockers, gate.Spent(v)} {
					got += []string{"", "; "}[i]
					for _, b := range list {
						if got += string(b.Code); !b.Until.IsZero() {
							got += " " + b.Until.Sub(now).String()
						}
					}
				}
				if got != test.want {
					t.Errorf("digested %t: got %q, want %q", nodes[0].Digest != nil, got, test.want)
				}
				if i == 0 {
					candidate.Digest(rules, nodes)
				}
			}
			plain := []candidate.Node{{Pods: nodes[0].Pods, Digest: nodes[0].Digest}}
			if b := fixture.Open(rules, now).Judge(&plain[0], empty).Blockers; len(b) > 0 && !b[0].Until.IsZero() {
				t.Errorf("the digest has changed: %s", b[0])
			}
		})
	}
}

func TestADigestThatDoesNotFitIsIgnored(t *testing.T) {
	now, none, other := time.Unix(1e9, 0), pdbRules(t, "shop", 0), pdbRules(t, "other", 0)
	fresh := func() candidate.Node {
		return candidate.Node{Pods: []candidate.Pod{{Namespace: "shop", Name: "a"}}}
	}
	for _, test := range []struct {
		rule   string
		change func(n *candidate.Node)
		rules  candidate.Rules
		want   int // blockers
	}{
		{"the same pods, by the same rules", func(*candidate.Node) {}, none, 1},
		{"other rules", func(*candidate.Node) {}, other, 0},
		{"other pods", func(n *candidate.Node) { n.Pods = []candidate.Pod{{Namespace: "other", Name: "a"}} }, none, 0},
		{"fewer pods", func(n *candidate.Node) { n.Pods = n.Pods[:0] }, none, 0},
		{"more pods", func(n *candidate.Node) {
			n.Pods = append(n.Pods, candidate.Pod{Name: "b", Terms: candidate.Terms{Protect: candidate.Forever}})
		}, none, 2},
	} {
		t.Run(test.rule, func(t *testing.T) {
			n := []candidate.Node{fresh()}
			candidate.Digest(none, n)
			test.change(&n[0])
			if got := fixture.Open(test.rules, now).Judge(&n[0], candidate.Condition{}).Blockers; len(got) != test.want {
				t.Errorf("got %q, want %d", got, test.want)
			}
		})
	}
}

func TestANodeWithMorePDBsThanADigestHoldsIsRead(t *testing.T) {
	for _, n := range []int{63, 64, 65} {
		var pdbs []candidate.PDB
		node := candidate.Node{Name: "n"}
		for i := range n {
			app := map[string]string{"app": fmt.Sprint(i)}
			pdbs = append(pdbs, candidate.PDB{Namespace: "shop", Name: fmt.Sprint(i), DisruptionsAllowed: i % 2, Selector: &candidate.Selector{MatchLabels: app}})
			node.Pods = append(node.Pods, candidate.Pod{Namespace: "shop", Name: fmt.Sprint(i), Labels: app})
		}
		rules, err := candidate.CompileRules(pdbs, nil)
		if err != nil {
			t.Fatal(err)
		}
		digested := []candidate.Node{node}
		candidate.Digest(rules, digested)
		plain, fast := fixture.Open(rules, time.Unix(1e9, 0)), fixture.Open(rules, time.Unix(1e9, 0))
		v, w := plain.Judge(&node, candidate.Condition{}), fast.Judge(&digested[0], candidate.Condition{})
		if diff := cmp.Diff(v.Blockers, w.Blockers); diff != "" || len(v.Blockers) != (n+1)/2 || !maps.Equal(pods(v), pods(w)) {
			t.Errorf("%d PDBs: (-pods +digest)\n%s", n, diff)
		}
		plain.Take(v)
		fast.Take(w)
		if diff := cmp.Diff(plain.Spent(v), fast.Spent(w)); diff != "" || len(plain.Spent(v)) != n/2 {
			t.Errorf("%d PDBs, spent: (-pods +digest)\n%s", n, diff)
		}
	}
}
