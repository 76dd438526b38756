package candidate_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit/candidate"
)

// TestCompile checks what is kept of PDBs and PodSchedules, and in which order.
func TestCompile(t *testing.T) {
	broken := &candidate.Selector{MatchLabels: map[string]string{"a b": "c"}}
	db := &candidate.Selector{MatchLabels: map[string]string{"app": "db"}}
	rules, err := candidate.CompileRules([]candidate.PDB{
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
	if diff := cmp.Diff(wantPDBs, rules.PDBs()); diff != "" {
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
		got = append(got, string(w.Code)+" "+w.Error())
		errs = append(errs, w.Error())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err == nil || err.Error() != strings.Join(errs, "\n") {
		t.Errorf("the error is %v", err)
	}
	if _, err := candidate.CompileRules([]candidate.PDB{{Namespace: "shop", Name: "web", Selector: selectsWeb(), DisruptionsAllowed: 1}}, nil); err != nil {
		t.Error(err)
	}
}

func TestWarningsOfRulesAreTheCallers(t *testing.T) {
	rules, _ := candidate.CompileRules([]candidate.PDB{{Namespace: "shop", Name: "web"}}, nil)
	rules.Warnings()[0].Object = "mine"
	rules.PDBs()
	if got := rules.Warnings()[0].Object; got != "PodDisruptionBudget/shop/web" {
		t.Errorf("the rules now warn of %s", got)
	}
}

func TestCompileLeavesItsInputAlone(t *testing.T) {
	pdbs := []candidate.PDB{{Namespace: "shop", Name: "web", Selector: &candidate.Selector{}}, {Namespace: "ml", Name: "train", Selector: &candidate.Selector{}}}
	schedules := []candidate.PodSchedule{{Name: "nightly", Selector: &candidate.Selector{}}, {Name: "daily"}}
	wantPDBs, wantSchedules := slices.Clone(pdbs), slices.Clone(schedules)
	rules, _ := candidate.CompileRules(pdbs, schedules)
	rules.PDBs()[0].Name = "x"
	if diff := cmp.Diff(wantPDBs, pdbs) + cmp.Diff(wantSchedules, schedules); diff != "" || rules.PDBs()[0].Name != "train" {
		t.Error(diff)
	}
}
