package candidate_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/drain"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
)

var webLabels = map[string]string{"app": "web"}

// selectsWeb selects pods that are labelled app=web.
func selectsWeb() *candidate.Selector { return &candidate.Selector{MatchLabels: webLabels} }

// webPDB is the PDB shop/web.
func webPDB(allowed int) candidate.PDB {
	return candidate.PDB{Namespace: "shop", Name: "web", Selector: selectsWeb(), DisruptionsAllowed: allowed}
}

// webPod is the pod shop/web-0.
func webPod() candidate.Pod {
	return candidate.Pod{Namespace: "shop", Name: "web-0", Labels: webLabels, Started: fixture.Noon.Add(-240 * time.Hour)}
}

// TestPDBs quotes PodDisruptionBudgetSpec of the Kubernetes API, and Karpenter's CanEvictPods.
func TestPDBs(t *testing.T) {
	const none = "pod/allows-none: pod shop/web-0 has PDB shop/web, which allows no disruption now"
	unready := func(p *candidate.Pod) { p.Unready = true }
	for _, c := range []struct {
		name string
		pdbs []candidate.PDB
		pod  func(*candidate.Pod)
		want []string
	}{
		{name: "a PDB that allows a disruption blocks no pod", pdbs: []candidate.PDB{webPDB(1)}},
		{name: "nor does one that allows more", pdbs: []candidate.PDB{webPDB(1 << 40)}},
		{name: "an allowance ≤ 0 blocks", pdbs: []candidate.PDB{webPDB(0)}, want: []string{none}},
		{name: "a negative allowance is none", pdbs: []candidate.PDB{webPDB(-1)}, want: []string{none}},
		{name: "the most negative allowance is none", pdbs: []candidate.PDB{webPDB(-1 << 63)}, want: []string{none}},
		{name: "it is one of its own namespace", pdbs: []candidate.PDB{
			{Namespace: "ml", Name: "web", Selector: selectsWeb()}, {Namespace: "", Name: "web", Selector: selectsWeb()},
			{Namespace: "Shop", Name: "web", Selector: selectsWeb()}}},
		{name: "a pod without a namespace has PDBs without one", pdbs: []candidate.PDB{{Name: "web", Selector: selectsWeb()}},
			pod:  func(p *candidate.Pod) { p.Namespace = "" },
			want: []string{"pod/allows-none: pod web-0 has PDB web, which allows no disruption now"}},
		{name: "A null selector will match no pods", pdbs: []candidate.PDB{{Namespace: "shop", Name: "web"}}},
		{name: "while an empty ({}) selector will select all pods within the namespace",
			pdbs: []candidate.PDB{{Namespace: "shop", Name: "all", Selector: &candidate.Selector{}}, {Namespace: "ml", Name: "all", Selector: &candidate.Selector{}}},
			pod:  func(p *candidate.Pod) { p.Labels = nil },
			want: []string{"pod/allows-none: pod shop/web-0 has PDB shop/all, which allows no disruption now"}},
		{name: "an invalid selector blocks its namespace, whatever it allows",
			pdbs: []candidate.PDB{{Namespace: "shop", Name: "db", DisruptionsAllowed: 5,
				Selector: &candidate.Selector{MatchExpressions: []candidate.Requirement{{Key: "app", Operator: "is", Values: []string{"db"}}}}}},
			want: []string{"pod/invalid-pdb: pod shop/web-0 may have PDB shop/db, which is not valid: " +
				`spec.selector.matchExpressions[0].operator: operator "is" is unknown: write In, NotIn, Exists or DoesNotExist`}},
		{name: "and no other namespace",
			pdbs: []candidate.PDB{{Namespace: "ml", Name: "db", Selector: &candidate.Selector{MatchLabels: map[string]string{"a b": ""}}}}},
		{name: "also for pods that are not Ready",
			pdbs: []candidate.PDB{{Namespace: "shop", Name: "db", DisruptionsAllowed: 5, AlwaysAllow: true, Selector: &candidate.Selector{MatchLabels: map[string]string{"a b": ""}}}},
			pod:  unready,
			want: []string{"pod/invalid-pdb: pod shop/web-0 may have PDB shop/db, which is not valid: spec.selector.matchLabels[a b]: " +
				`"a b" is not a label name: write one such as app.kubernetes.io/name`}},
		{name: "two broken PDBs are not several: perhaps none of them selects the pod",
			pdbs: []candidate.PDB{
				{Namespace: "shop", Name: "x", Selector: &candidate.Selector{MatchExpressions: []candidate.Requirement{{Key: "app", Operator: "In"}}}},
				{Namespace: "shop", Name: "y", Selector: &candidate.Selector{MatchExpressions: []candidate.Requirement{{Key: "app", Operator: "In"}}}}, webPDB(1)},
			want: []string{
				"pod/invalid-pdb: pod shop/web-0 may have PDB shop/x, which is not valid: spec.selector.matchExpressions[0].values: In has no values: write at least one",
				"pod/invalid-pdb: pod shop/web-0 may have PDB shop/y, which is not valid: spec.selector.matchExpressions[0].values: In has no values: write at least one",
			}},

		{name: "if the PDB policy is set to allow evicting unhealthy pods, then it won't stop us from evicting unhealthy pods",
			pdbs: []candidate.PDB{{Namespace: "shop", Name: "web", Selector: selectsWeb(), AlwaysAllow: true}}, pod: unready},
		{name: "Healthy pods will be subject to the PDB for eviction",
			pdbs: []candidate.PDB{{Namespace: "shop", Name: "web", Selector: selectsWeb(), AlwaysAllow: true}}, want: []string{none}},
		{name: "without that policy pods that are not Ready stay", pdbs: []candidate.PDB{webPDB(0)}, pod: unready, want: []string{none}},

		{name: "Kubernetes doesn't support multiple PDBs on a single pod",
			pdbs: []candidate.PDB{webPDB(1), {Namespace: "shop", Name: "all", Selector: &candidate.Selector{}, DisruptionsAllowed: 1}},
			want: []string{"pod/several-pdbs: pod shop/web-0 has 2 PDBs, and eviction refuses pods with more than one: shop/all, shop/web, for good"}},
		{name: "Regardless of whether the PDBs allow disruptions",
			pdbs: []candidate.PDB{webPDB(0), {Namespace: "shop", Name: "all", Selector: &candidate.Selector{}, DisruptionsAllowed: 1}},
			want: []string{
				"pod/several-pdbs: pod shop/web-0 has 2 PDBs, and eviction refuses pods with more than one: shop/all, shop/web, for good",
				none,
			}},
		{name: "and also of a pod that is not Ready",
			pdbs: []candidate.PDB{
				{Namespace: "shop", Name: "web", Selector: selectsWeb(), AlwaysAllow: true},
				{Namespace: "shop", Name: "all", Selector: &candidate.Selector{}, AlwaysAllow: true}},
			pod:  unready,
			want: []string{"pod/several-pdbs: pod shop/web-0 has 2 PDBs, and eviction refuses pods with more than one: shop/all, shop/web, for good"}},
		{name: "they are named in their order, however they select",
			pdbs: []candidate.PDB{webPDB(1), {Namespace: "shop", Name: "z-all", Selector: &candidate.Selector{}, DisruptionsAllowed: 1}},
			want: []string{"pod/several-pdbs: pod shop/web-0 has 2 PDBs, and eviction refuses pods with more than one: shop/web, shop/z-all, for good"}},
		{name: "of many PDBs the first three are named",
			pdbs: []candidate.PDB{
				{Namespace: "shop", Name: "d", Selector: selectsWeb(), DisruptionsAllowed: 1}, {Namespace: "shop", Name: "b", Selector: selectsWeb(), DisruptionsAllowed: 1},
				{Namespace: "shop", Name: "a", Selector: selectsWeb(), DisruptionsAllowed: 1}, {Namespace: "shop", Name: "c", Selector: selectsWeb(), DisruptionsAllowed: 1}},
			want: []string{"pod/several-pdbs: pod shop/web-0 has 4 PDBs, and eviction refuses pods with more than one: shop/a, shop/b, shop/c, for good"}},
		{name: "a broken PDB is not one of several: perhaps it does not select the pod",
			pdbs: []candidate.PDB{webPDB(1), {Namespace: "shop", Name: "all", Selector: &candidate.Selector{}, DisruptionsAllowed: 1},
				{Namespace: "shop", Name: "x", Selector: &candidate.Selector{MatchExpressions: []candidate.Requirement{{Key: "app", Operator: "In"}}}}},
			want: []string{
				"pod/several-pdbs: pod shop/web-0 has 2 PDBs, and eviction refuses pods with more than one: shop/all, shop/web, for good",
				"pod/invalid-pdb: pod shop/web-0 may have PDB shop/x, which is not valid: spec.selector.matchExpressions[0].values: In has no values: write at least one",
			}},
		{name: "PDBs that select others are not several",
			pdbs: []candidate.PDB{webPDB(1), {Namespace: "shop", Name: "db", Selector: &candidate.Selector{MatchLabels: map[string]string{"app": "db"}}},
				{Namespace: "ml", Name: "web", Selector: selectsWeb()}, {Namespace: "shop", Name: "none"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rules, _ := candidate.CompileRules(c.pdbs, nil)
			p := webPod()
			if c.pod != nil {
				c.pod(&p)
			}
			node := candidate.Node{Name: "a", Pods: []candidate.Pod{p}}
			v := fixture.Open(rules, fixture.Noon).Judge(&node, candidate.Condition{Reason: candidate.Underutilized})
			if diff := cmp.Diff(c.want, fixture.Said(v.Blockers)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.want, fixture.Said(drain.Gate(rules, node, p, fixture.Noon))); diff != "" {
				t.Errorf("the drain gate: %s", diff)
			}
		})
	}
}

func TestAVerdictNamesThePDBsThatItsNodeUses(t *testing.T) {
	rules, err := candidate.CompileRules([]candidate.PDB{
		webPDB(1),
		{Namespace: "shop", Name: "db", Selector: &candidate.Selector{MatchLabels: map[string]string{"app": "db"}}},
		{Namespace: "shop", Name: "job", Selector: &candidate.Selector{MatchLabels: map[string]string{"app": "job"}}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	node := candidate.Node{HasGracePeriod: true, Pods: []candidate.Pod{
		{Namespace: "shop", Name: "web-1", Labels: webLabels}, {Namespace: "shop", Name: "db-0", Labels: map[string]string{"app": "db"}},
		{Namespace: "ml", Name: "web-2", Labels: webLabels}, webPod(),
	}}
	for _, reason := range []candidate.Reason{candidate.Empty, candidate.Drifted} { // also where they do not refuse it
		v := fixture.Open(rules, fixture.Noon).Judge(&node, candidate.Condition{Reason: reason})
		got := map[string]string{}
		for pdb, pod := range v.PDBs() {
			got[rules.PDBs()[pdb].Name] = pod.String()
		}
		if diff := cmp.Diff(map[string]string{"db": "shop/db-0", "web": "shop/web-0"}, got); diff != "" {
			t.Errorf("%s: %s", reason, diff)
		}
		for range v.PDBs() {
			break // that ends the loop
		}
	}
}

// "They may not all be evictable simultaneously, but for every PDB that controls the pods at least one pod can be
// evicted" (Karpenter, CanEvictPods)
func TestANodeUsesOneDisruptionOfAPDBAndIsNotPinnedByItsSecondPod(t *testing.T) {
	rules, err := candidate.CompileRules([]candidate.PDB{webPDB(1)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var node candidate.Node
	for _, name := range []string{"web-2", "web-0", "web-1"} {
		p := webPod()
		p.Name = name
		node.Pods = append(node.Pods, p)
	}
	gate := fixture.Open(rules, fixture.Noon)
	v := gate.Judge(&node, candidate.Condition{})
	if v.Blockers != nil || gate.Spent(v) != nil {
		t.Errorf("blocked by %q and %q", fixture.Said(v.Blockers), fixture.Said(gate.Spent(v)))
	}
	before := gate.Judge(&node, candidate.Condition{})
	gate.Take(v)
	if gate.Left(0) != 0 || gate.Left(1) != 0 || gate.Left(-1) != 0 {
		t.Errorf("%d, and of PDBs that are none %d and %d are left", gate.Left(0), gate.Left(1), gate.Left(-1))
	}
	// The blocker names the node's first pod by name, whether the node was judged before or is judged now.
	after := gate.Judge(&node, candidate.Condition{})
	want := []string{"pod/exhausted: pod shop/web-0 has PDB shop/web, which is used up"}
	if diff := cmp.Diff(want, fixture.Said(gate.Spent(before))); diff != "" || before.Blockers != nil {
		t.Error(diff, fixture.Said(before.Blockers))
	}
	if diff := cmp.Diff(want, fixture.Said(after.Blockers)); diff != "" || gate.Spent(after) != nil {
		t.Error(diff, fixture.Said(gate.Spent(after)))
	}
	// A node that was never judged uses up nothing, and nothing blocks it.
	if gate.Take(fixture.Verdict{}); gate.Left(0) != 0 || gate.Spent(fixture.Verdict{}) != nil {
		t.Errorf("%d are left, spent is %q", gate.Left(0), fixture.Said(gate.Spent(fixture.Verdict{})))
	}
	if left := rules.PDBs()[0].DisruptionsAllowed; left != 1 {
		t.Errorf("the rules are changed: %d", left)
	}
}
