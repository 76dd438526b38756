package candidate_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
)

// TestTheIndexFindsWhatTryingEverySelectorDoes has many selectors in several namespaces, and pods with less and with
// more labels than the selectors ask for.
func TestTheIndexFindsWhatTryingEverySelectorDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		namespace := rapid.SampledFrom([]string{"shop", "ml", ""})
		var pdbs []candidate.PDB
		var schedules []candidate.PodSchedule
		for i, s := range rapid.SliceOfN(testkit.Arbitrary(generate.AnySelector), 0, 30).Draw(t, "selectors") {
			pdbs = append(pdbs, candidate.PDB{Namespace: namespace.Draw(t, "namespace"), Name: fmt.Sprintf("pdb-%02d", i), Selector: &s})
			schedules = append(schedules, candidate.PodSchedule{Name: fmt.Sprintf("schedule-%02d", i), Selector: &s, Schedule: "never"})
		}
		rules, _ := candidate.CompileRules(pdbs, schedules)
		for range 5 {
			labels := testkit.Arbitrary(generate.Labels).Draw(t, "labels")
			var want []string
			for _, p := range pdbs {
				if p.Namespace == "shop" && naiveMatch(*p.Selector, labels) {
					want = append(want, p.Name)
				}
			}
			for _, s := range schedules {
				if naiveMatch(*s.Selector, labels) {
					want = append(want, s.Name)
				}
			}
			if diff := cmp.Diff(want, selected(rules, labels)); diff != "" {
				t.Fatalf("%v: %s", labels, diff)
			}
		}
	})
}

// PDBs are numbered as Rules.PDBs lists them, and a node uses each once, whatever the number of pods that it selects.
func TestANodeUsesEachPDBOfItsPodsOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var pdbs []candidate.PDB
		for i, s := range rapid.SliceOfN(testkit.Arbitrary(generate.AnySelector), 0, 12).Draw(t, "selectors") {
			pdbs = append(pdbs, candidate.PDB{
				Namespace: rapid.SampledFrom([]string{"shop", "ml"}).Draw(t, "namespace"), Name: fmt.Sprintf("pdb-%02d", i),
				Selector: &s, DisruptionsAllowed: rapid.IntRange(-1, 3).Draw(t, "allowed"), AlwaysAllow: rapid.Bool().Draw(t, "always"),
			})
		}
		rules, err := candidate.CompileRules(pdbs, nil)
		if err != nil {
			t.Fatal(err)
		}
		var node candidate.Node
		var want []string
		for i := range rapid.IntRange(0, 4).Draw(t, "pods") {
			p := candidate.Pod{
				Namespace: rapid.SampledFrom([]string{"shop", "ml"}).Draw(t, "pod's namespace"), Name: fmt.Sprint("web-", i),
				Labels: testkit.Arbitrary(generate.Labels).Draw(t, "labels"), Unready: rapid.Bool().Draw(t, "unready"),
				Inactive: rapid.IntRange(0, 5).Draw(t, "inactive") == 0, Unevictable: rapid.IntRange(0, 5).Draw(t, "unevictable") == 0,
			}
			node.Pods = append(node.Pods, p)
			for _, b := range pdbs {
				counts := !p.Inactive && !p.Unevictable && (!b.AlwaysAllow || !p.Unready)
				if counts && b.Namespace == p.Namespace && naiveMatch(*b.Selector, p.Labels) && !slices.Contains(want, b.Name) {
					want = append(want, b.Name)
				}
			}
		}
		gate := fixture.Open(rules, fixture.Noon)
		v := gate.Judge(&node, candidate.Condition{})
		var got []string
		for pdb, pod := range v.PDBs() {
			b := rules.PDBs()[pdb]
			got = append(got, b.Name)
			if pod.Namespace != b.Namespace || !naiveMatch(*b.Selector, pod.Labels) {
				t.Fatalf("%s does not select %s", b.Name, pod)
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
		gate.Take(v)
		for i, b := range rules.PDBs() {
			left := b.DisruptionsAllowed
			if slices.Contains(want, b.Name) {
				left--
			}
			if gate.Left(i) != left {
				t.Fatalf("%s allows %d, then %d", b.Name, b.DisruptionsAllowed, gate.Left(i))
			}
			reserved := fixture.Open(rules, fixture.Noon)
			if reserved.Reserve(&node); reserved.Left(i) != left {
				t.Fatalf("%s allows %d, then %d once the node is in flight", b.Name, b.DisruptionsAllowed, reserved.Left(i))
			}
		}
	})
}
