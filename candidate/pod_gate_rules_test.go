package candidate_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/drain"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
)

func podSchedules(rules candidate.Rules) []candidate.PodSchedule {
	_, all := rules.Written()
	return all
}

func TestTheZeroRulesBlockNothing(t *testing.T) {
	var rules candidate.Rules
	if rules.PDBs() != nil || podSchedules(rules) != nil || rules.Warnings() != nil {
		t.Error("there is something in them")
	}
	fixture.CheckEdges(t, rules, webPod())
	p := webPod()
	p.Terms.Invalid, p.Terms.Protect = true, candidate.Forever
	rules.FailClosed = true // it needs nothing else
	if got := len(drain.Gate(rules, candidate.Node{}, p, fixture.Noon)); got != 2 {
		t.Errorf("%d blockers", got)
	}
}

func TestCompileKeepsNothingThatIsChangedLater(t *testing.T) {
	selector := candidate.Selector{
		MatchLabels:      map[string]string{"app": "web"},
		MatchExpressions: []candidate.Requirement{{Key: "tier", Operator: "NotIn", Values: []string{"z", "b", "a"}}},
	}
	pdbs := []candidate.PDB{{Namespace: "shop", Name: "web", Selector: &selector}}
	schedules := []candidate.PodSchedule{{Name: "nightly", Selector: &selector, Schedule: "never"}}
	rules, _ := candidate.CompileRules(pdbs, schedules)
	if values := selector.MatchExpressions[0].Values; !slices.Equal(values, []string{"z", "b", "a"}) {
		t.Errorf("the values are sorted: %v", values)
	}
	pdbs[0].Namespace, pdbs[0].DisruptionsAllowed, schedules[0].Schedule = "ml", 5, "* * * * *"
	selector.MatchLabels["app"] = "db"
	selector.MatchExpressions[0].Key, selector.MatchExpressions[0].Values[0] = "app", "web"
	want := []string{"nightly", "web"}
	if diff := cmp.Diff(want, selected(rules, map[string]string{"app": "web", "tier": "x"})); diff != "" {
		t.Error(diff)
	}
	for _, labels := range []map[string]string{{"app": "web", "tier": "z"}, {"app": "db"}} {
		if got := selected(rules, labels); got != nil {
			t.Errorf("%v is selected by %v", labels, got)
		}
	}
}

func TestTheOrderOfWhatIsCompiledNeverMatters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var pdbs []candidate.PDB
		for range rapid.IntRange(0, 5).Draw(t, "PDBs") { // with names in common
			pdbs = append(pdbs, candidate.PDB{
				Namespace: rapid.SampledFrom([]string{"shop", "ml"}).Draw(t, "namespace"), Name: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "name"),
				Selector: testkit.Arbitrary(generate.Selector).Draw(t, "selector"), DisruptionsAllowed: rapid.IntRange(-1, 2).Draw(t, "allowed"),
				AlwaysAllow: rapid.Bool().Draw(t, "always"),
			})
		}
		var schedules []candidate.PodSchedule
		for range rapid.IntRange(0, 4).Draw(t, "schedules") {
			text := rapid.SampledFrom([]string{"", "@daily", "never"})
			schedules = append(schedules, candidate.PodSchedule{Name: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "name"),
				Selector: testkit.Arbitrary(generate.Selector).Draw(t, "selector"), Schedule: text.Draw(t, "schedule"), BlockSchedule: text.Draw(t, "block")})
		}
		rules, err := candidate.CompileRules(pdbs, schedules)
		turnedPDBs, turnedSchedules := rapid.Permutation(pdbs).Draw(t, "turned PDBs"), rapid.Permutation(schedules).Draw(t, "turned schedules")
		copied := func(s *candidate.Selector) *candidate.Selector { // at another address
			if s != nil {
				c := *s
				s = &c
			}
			return s
		}
		for i := range turnedPDBs {
			turnedPDBs[i].Selector = copied(turnedPDBs[i].Selector)
		}
		for i := range turnedSchedules {
			turnedSchedules[i].Selector = copied(turnedSchedules[i].Selector)
		}
		turned, turnedErr := candidate.CompileRules(turnedPDBs, turnedSchedules)
		if fmt.Sprint(err) != fmt.Sprint(turnedErr) {
			t.Fatalf("%v\n\n%v", err, turnedErr)
		}
		if diff := cmp.Diff(rules.Warnings(), turned.Warnings()) + cmp.Diff(rules.PDBs(), turned.PDBs()); diff != "" {
			t.Fatal(diff)
		}
		labels := testkit.Arbitrary(generate.Pods(fixture.Noon)).Draw(t, "pods")
		for _, p := range labels {
			if diff := cmp.Diff(selected(rules, p.Labels), selected(turned, p.Labels)); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}

// What Rules return compiles to the same Rules.
func TestRulesCompileAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		j := drawJudged(t)
		again, _ := candidate.CompileRules(j.rules.PDBs(), podSchedules(j.rules))
		again.FailClosed = j.rules.FailClosed
		want, got := j.judge(), fixture.Open(again, j.now).Judge(&j.node, j.c)
		if diff := cmp.Diff(want.Blockers, got.Blockers); diff != "" || !want.Until.Equal(got.Until) {
			t.Fatal(diff, want.Until, got.Until)
		}
	})
}

// TestTwentyThousandPDBs has them in the shapes in which there are most for one pod to ask.
func TestTwentyThousandPDBs(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles twenty thousand PDBs several times")
	}
	const many, onePod = 20_000, 5_000
	name := func(i int) string { return fmt.Sprintf("pdb-%06d", i) }
	exists, notIn := candidate.Requirement{Key: "app", Operator: "Exists"}, candidate.Requirement{Key: "app", Operator: "NotIn", Values: []string{"db"}}
	for label, c := range map[string]struct {
		number int
		pdb    func(i int) candidate.PDB
		labels map[string]string
		want   int // PDBs of the pod
	}{
		"each for pods of its own": {many, func(i int) candidate.PDB {
			return candidate.PDB{Namespace: "shop", Name: name(i), Selector: &candidate.Selector{MatchLabels: map[string]string{"app": name(i)}}}
		}, map[string]string{"app": name(4711)}, 1},
		"each for a label of its own": {many, func(i int) candidate.PDB {
			return candidate.PDB{Namespace: "shop", Name: name(i), Selector: &candidate.Selector{MatchLabels: map[string]string{name(i): ""}}}
		}, map[string]string{name(1): "", name(2): "", "app": ""}, 2},
		"each in a namespace of its own": {many, func(i int) candidate.PDB {
			return candidate.PDB{Namespace: name(i), Name: "all", Selector: &candidate.Selector{}}
		}, nil, 0},
		"of no certain value": {many, func(i int) candidate.PDB {
			return candidate.PDB{Namespace: "shop", Name: name(i), Selector: &candidate.Selector{MatchExpressions: []candidate.Requirement{exists, notIn}}}
		}, map[string]string{"app": "db"}, 0},
		"all for one pod": {onePod, func(i int) candidate.PDB {
			return candidate.PDB{Namespace: "shop", Name: name(i), Selector: selectsWeb(), DisruptionsAllowed: 1}
		}, webLabels, onePod},
		"all broken": {onePod, func(i int) candidate.PDB {
			return candidate.PDB{Namespace: "shop", Name: name(i), Selector: &candidate.Selector{MatchLabels: map[string]string{"a b": ""}}}
		}, nil, onePod},
		"all of one name": {onePod, func(int) candidate.PDB { return webPDB(1) }, webLabels, onePod},
	} {
		t.Run(label, func(t *testing.T) {
			var pdbs []candidate.PDB
			for i := range c.number {
				pdbs = append(pdbs, c.pdb(i))
			}
			rules, _ := candidate.CompileRules(pdbs, nil)
			node := candidate.Node{Pods: []candidate.Pod{{Namespace: "shop", Name: "web-0", Labels: c.labels}}}
			gate := fixture.Open(rules, fixture.Noon)
			v := gate.Judge(&node, candidate.Condition{})
			if got := len(numbers(v)); got != c.want {
				t.Errorf("it has %d PDBs, want %d", got, c.want)
			}
			codes := map[string]int{}
			for _, b := range v.Blockers {
				codes[string(b.Code)]++
				if len(b.Message) > 300 {
					t.Errorf("%d bytes say: %.100s…", len(b.Message), b.Message)
				}
			}
			want := map[string]map[string]int{
				"each for pods of its own":    {"allows-none": 1},
				"each for a label of its own": {"allows-none": 2, "several-pdbs": 1},
				"all for one pod":             {"several-pdbs": 1},
				"all broken":                  {"invalid-pdb": onePod},
				"all of one name":             {"several-pdbs": 1},
			}[label]
			if !maps.Equal(want, codes) {
				t.Errorf("%v, want %v", codes, want)
			}
			gate.Take(v)
		})
	}
}
