package candidate_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/generate"
)

func TestTheZeroRulesHoldNothingBack(t *testing.T) {
	var rules candidate.Rules
	if rules.PDBs() != nil || rules.PodSchedules() != nil || rules.Warnings() != nil {
		t.Error("there is something in them")
	}
	checkEdges(t, rules, webPod())
	p := webPod()
	p.Terms.Invalid, p.Terms.Protect = true, candidate.Forever
	rules.FailClosed = true // it needs nothing else
	if got := len(rules.DrainGate(candidate.Node{}, p, noon)); got != 2 {
		t.Errorf("%d blockers", got)
	}
}

// TestCompile checks what is kept of PDBs and PodSchedules, and in which order.
func TestCompile(t *testing.T) {
	broken := &candidate.Selector{MatchLabels: map[string]string{"a b": "c"}}
	db := &candidate.Selector{MatchLabels: map[string]string{"app": "db"}}
	rules, err := candidate.Compile([]candidate.PDB{
		{Namespace: "shop", Name: "web", Selector: selectsWeb(), DisruptionsAllowed: 3},
		{Namespace: "shop", Name: "none"},
		{Namespace: "shop", Name: "db", Selector: db, DisruptionsAllowed: -7, AlwaysAllow: true},
		{Namespace: "ml", Name: "z", Selector: broken, DisruptionsAllowed: 2, AlwaysAllow: true},
		{Namespace: "ml", Name: "none"},
	}, []candidate.PodSchedule{
		{Name: "weekly", Selector: selectsWeb(), Schedule: "@weekly"},
		{Name: "none", Schedule: "@daily"},
		{Name: "daily", Selector: broken, Schedule: "25 * * * *", TimeZone: "Mars"},
	})
	wantPDBs := []candidate.PDB{
		{Namespace: "ml", Name: "z", Selector: broken}, // as it is enforced
		{Namespace: "shop", Name: "db", Selector: db, AlwaysAllow: true},
		{Namespace: "shop", Name: "web", Selector: selectsWeb(), DisruptionsAllowed: 3},
	}
	wantSchedules := []candidate.PodSchedule{
		{Name: "daily", Selector: broken, Schedule: "25 * * * *", TimeZone: "Mars"},
		{Name: "weekly", Selector: selectsWeb(), Schedule: "@weekly"},
	}
	if diff := cmp.Diff(wantPDBs, rules.PDBs()) + cmp.Diff(wantSchedules, rules.PodSchedules()); diff != "" {
		t.Error(diff)
	}
	want := []string{
		"no-effect PodDisruptionBudget/ml/none: spec.selector: it is absent, and selects no pods: write the labels of the pods, or {} for all",
		`invalid-pdb PodDisruptionBudget/ml/z: spec.selector.matchLabels[a b]: "a b" is not a label name: write one such as app.kubernetes.io/name`,
		"no-effect PodDisruptionBudget/shop/none: spec.selector: it is absent, and selects no pods: write the labels of the pods, or {} for all",
		`invalid-schedule PodDisruptionSchedule/daily: spec.selector.matchLabels[a b]: "a b" is not a label name: write one such as app.kubernetes.io/name`,
		`invalid-schedule PodDisruptionSchedule/daily: spec.timeZone: time zone "Mars" is unknown: write a tz database name such as "Europe/Berlin", or "UTC"`,
		"no-effect PodDisruptionSchedule/none: spec.selector: it is absent, and selects no pods: write the labels of the pods, or {} for all",
	}
	var got, errs []string
	for _, w := range rules.Warnings() {
		got = append(got, w.Code+" "+w.Error())
		errs = append(errs, w.Error())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err == nil || err.Error() != strings.Join(errs, "\n") {
		t.Errorf("the error is %v", err)
	}
	if _, err := candidate.Compile([]candidate.PDB{webPDB(1)}, nil); err != nil {
		t.Error(err)
	}
}

func TestWarningsOfRulesAreTheCallers(t *testing.T) {
	rules, _ := candidate.Compile([]candidate.PDB{{Namespace: "shop", Name: "web"}}, nil)
	rules.Warnings()[0].Object = "mine"
	rules.PDBs()
	if got := rules.Warnings()[0].Object; got != "PodDisruptionBudget/shop/web" {
		t.Errorf("the rules now warn of %s", got)
	}
}

func TestCompileKeepsNothingThatIsChangedLater(t *testing.T) {
	selector := candidate.Selector{
		MatchLabels:      map[string]string{"app": "web"},
		MatchExpressions: []candidate.Requirement{{Key: "tier", Operator: "NotIn", Values: []string{"z", "b", "a"}}},
	}
	pdbs := []candidate.PDB{{Namespace: "shop", Name: "web", Selector: &selector}}
	schedules := []candidate.PodSchedule{{Name: "nightly", Selector: &selector, Schedule: "never"}}
	rules, _ := candidate.Compile(pdbs, schedules)
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
				Selector: arbitrary(generate.Selector).Draw(t, "selector"), DisruptionsAllowed: rapid.IntRange(-1, 2).Draw(t, "allowed"),
				AlwaysAllow: rapid.Bool().Draw(t, "always"),
			})
		}
		var schedules []candidate.PodSchedule
		for range rapid.IntRange(0, 4).Draw(t, "schedules") {
			text := rapid.SampledFrom([]string{"", "@daily", "never"})
			schedules = append(schedules, candidate.PodSchedule{Name: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "name"),
				Selector: arbitrary(generate.Selector).Draw(t, "selector"), Schedule: text.Draw(t, "schedule"), BlockSchedule: text.Draw(t, "block")})
		}
		rules, err := candidate.Compile(pdbs, schedules)
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
		turned, turnedErr := candidate.Compile(turnedPDBs, turnedSchedules)
		if fmt.Sprint(err) != fmt.Sprint(turnedErr) {
			t.Fatalf("%v\n\n%v", err, turnedErr)
		}
		if diff := cmp.Diff(rules.Warnings(), turned.Warnings()) + cmp.Diff(rules.PDBs(), turned.PDBs()) + cmp.Diff(rules.PodSchedules(), turned.PodSchedules()); diff != "" {
			t.Fatal(diff)
		}
		labels := arbitrary(generate.Pods(noon)).Draw(t, "pods")
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
		again, _ := candidate.Compile(j.rules.PDBs(), j.rules.PodSchedules())
		again.FailClosed = j.rules.FailClosed
		want, got := j.judge(), again.At(j.now).Judge(&j.node, j.c)
		if diff := cmp.Diff(want.Blockers, got.Blockers); diff != "" || !want.Until.Equal(got.Until) {
			t.Fatal(diff, want.Until, got.Until)
		}
	})
}

// TestAHundredThousandPDBs has them in the shapes in which there are most for one pod to ask.
func TestAHundredThousandPDBs(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a hundred thousand PDBs several times")
	}
	const many, onePod = 100_000, 10_000
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
			rules, _ := candidate.Compile(pdbs, nil)
			node := candidate.Node{Pods: []candidate.Pod{{Namespace: "shop", Name: "web-0", Labels: c.labels}}}
			gate := rules.At(noon)
			v := gate.Judge(&node, candidate.Condition{})
			if got := len(numbers(v)); got != c.want {
				t.Errorf("it has %d PDBs, want %d", got, c.want)
			}
			codes := map[string]int{}
			for _, b := range v.Blockers {
				codes[b.Code]++
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

func TestCompileLeavesItsInputAlone(t *testing.T) {
	pdbs := []candidate.PDB{{Namespace: "shop", Name: "web", Selector: &candidate.Selector{}}, {Namespace: "ml", Name: "train", Selector: &candidate.Selector{}}}
	schedules := []candidate.PodSchedule{{Name: "nightly", Selector: &candidate.Selector{}}, {Name: "daily"}}
	wantPDBs, wantSchedules := slices.Clone(pdbs), slices.Clone(schedules)
	rules, _ := candidate.Compile(pdbs, schedules)
	rules.PDBs()[0].Name = "x"
	if diff := cmp.Diff(wantPDBs, pdbs) + cmp.Diff(wantSchedules, schedules); diff != "" || rules.PDBs()[0].Name != "train" {
		t.Error(diff)
	}
}
