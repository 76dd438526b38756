package candidate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
)

// selected returns which of the PDBs, all of which allow nothing, and of the PodSchedules, none of which is valid, hold
// back a pod with labels in the namespace shop.
func selected(rules candidate.Rules, labels map[string]string) []string {
	node := candidate.Node{Pods: []candidate.Pod{{Namespace: "shop", Name: "web", Labels: labels}}}
	var names []string
	for _, b := range fixture.Open(rules, fixture.Noon).Judge(&node, candidate.Condition{}).Blockers {
		switch b.Code {
		case candidate.CodeAllowsNone, candidate.CodeInvalidPDB:
			_, name, _ := strings.Cut(b.Message, " PDB shop/")
			name, _, _ = strings.Cut(name, ",")
			names = append(names, name)
		case candidate.CodeInvalidSchedule:
			_, name, _ := strings.Cut(b.Message, " PodDisruptionSchedule ")
			name, _, _ = strings.Cut(name, ",")
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// selecting returns rules of one PDB and one PodSchedule for each selector, called pdb-0, schedule-0 and so on.
func selecting(selectors ...*candidate.Selector) candidate.Rules {
	var pdbs []candidate.PDB
	var schedules []candidate.PodSchedule
	for i, s := range selectors {
		pdbs = append(pdbs, candidate.PDB{Namespace: "shop", Name: fmt.Sprintf("pdb-%d", i), Selector: s})
		schedules = append(schedules, candidate.PodSchedule{Name: fmt.Sprintf("schedule-%d", i), Selector: s, Schedule: "never"})
	}
	rules, _ := candidate.CompileRules(pdbs, schedules)
	return rules
}

// naiveMatch tries one term of a valid selector after the other.
func naiveMatch(s candidate.Selector, labels map[string]string) bool {
	for key, want := range s.MatchLabels {
		if got, there := labels[key]; !there || got != want {
			return false
		}
	}
	for _, r := range s.MatchExpressions {
		value, there := labels[r.Key]
		among := there && slices.Contains(r.Values, value)
		switch r.Operator {
		case "In":
			if !among {
				return false
			}
		case "NotIn":
			if among {
				return false
			}
		case "Exists":
			if !there {
				return false
			}
		case "DoesNotExist":
			if there {
				return false
			}
		}
	}
	return true
}

// metav1.LabelSelectorAsSelector refuses these selectors. A PDB with one blocks its namespace.
func TestSelectorsThatAreNone(t *testing.T) {
	const noName, noValue = "is not a label name: write one such as app.kubernetes.io/name", "is not a label value: write at most 63 letters, digits and -_. between them"
	type labels = map[string]string
	long := strings.Repeat("a", 64)
	for _, c := range []struct {
		name        string
		labels      labels
		expressions []candidate.Requirement
		want        []string
	}{
		{"Valid operators are In, NotIn, Exists and DoesNotExist", nil,
			[]candidate.Requirement{{Key: "app", Operator: "in", Values: []string{"a"}}, {Key: "app", Operator: "Equals", Values: []string{"a"}}, {Key: "app"}, {Key: "app", Operator: "Gt", Values: []string{"1"}}},
			[]string{
				`spec.selector.matchExpressions[0].operator: operator "in" is unknown: write In, NotIn, Exists or DoesNotExist`,
				`spec.selector.matchExpressions[1].operator: operator "Equals" is unknown: write In, NotIn, Exists or DoesNotExist`,
				`spec.selector.matchExpressions[2].operator: operator "" is unknown: write In, NotIn, Exists or DoesNotExist`,
				`spec.selector.matchExpressions[3].operator: operator "Gt" is unknown: write In, NotIn, Exists or DoesNotExist`,
			}},
		{"If the operator is In or NotIn, the values array must be non-empty", nil,
			[]candidate.Requirement{{Key: "app", Operator: "In"}, {Key: "app", Operator: "NotIn", Values: []string{}}},
			[]string{
				"spec.selector.matchExpressions[0].values: In has no values: write at least one",
				"spec.selector.matchExpressions[1].values: NotIn has no values: write at least one",
			}},
		{"If the operator is Exists or DoesNotExist, the values array must be empty", nil,
			[]candidate.Requirement{{Key: "app", Operator: "Exists", Values: []string{"a", "b"}}, {Key: "app", Operator: "DoesNotExist", Values: []string{""}}},
			[]string{
				`spec.selector.matchExpressions[0].values: Exists has the value "a": write none, or In or NotIn`,
				`spec.selector.matchExpressions[1].values: DoesNotExist has the value "": write none, or In or NotIn`,
			}},
		{"keys are label names", labels{"": "a", "a b": "a", "/app": "a", "app/": "a", "\xff": "a", long: "a"}, []candidate.Requirement{{Key: "-app", Operator: "Exists"}},
			[]string{
				`spec.selector.matchLabels[]: "" ` + noName,
				`spec.selector.matchLabels[/app]: "/app" ` + noName,
				`spec.selector.matchLabels[a b]: "a b" ` + noName,
				`spec.selector.matchLabels[` + long + `]: "` + long + `" ` + noName,
				`spec.selector.matchLabels[app/]: "app/" ` + noName,
				`"spec.selector.matchLabels[\xff]": "\xff" ` + noName,
				`spec.selector.matchExpressions[0].key: "-app" ` + noName,
			}},
		{"values are label values, and the first invalid one is named", labels{"app": "a b", "tier": long},
			[]candidate.Requirement{{Key: "app", Operator: "In", Values: []string{"ok", "-", "\x00"}}},
			[]string{
				`spec.selector.matchLabels[app]: "a b" ` + noValue,
				`spec.selector.matchLabels[tier]: "` + long + `" ` + noValue,
				`spec.selector.matchExpressions[0].values: "-" ` + noValue,
			}},
		{"every fault is named", labels{"a b": "a b"}, []candidate.Requirement{{Key: "a b", Operator: "Or", Values: []string{"a b"}}},
			[]string{
				`spec.selector.matchLabels[a b]: "a b" ` + noName,
				`spec.selector.matchLabels[a b]: "a b" ` + noValue,
				`spec.selector.matchExpressions[0].key: "a b" ` + noName,
				`spec.selector.matchExpressions[0].values: "a b" ` + noValue,
				`spec.selector.matchExpressions[0].operator: operator "Or" is unknown: write In, NotIn, Exists or DoesNotExist`,
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			selector := &candidate.Selector{MatchLabels: c.labels, MatchExpressions: c.expressions}
			rules, err := candidate.CompileRules([]candidate.PDB{{Namespace: "shop", Name: "web", Selector: selector, DisruptionsAllowed: 3}}, nil)
			var got, want []string
			for _, w := range rules.Warnings() {
				if w.Code != "invalid-pdb" || w.Object != "PodDisruptionBudget/shop/web" {
					t.Errorf("%s of %s", w.Code, w.Object)
				}
				got = append(got, w.Error())
			}
			for _, text := range c.want {
				want = append(want, "PodDisruptionBudget/shop/web: "+text)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if err == nil || err.Error() != strings.Join(want, "\n") {
				t.Errorf("the error is %v", err)
			}
			for _, l := range []labels{nil, {"app": "a"}} {
				if diff := cmp.Diff([]string{"web"}, selected(rules, l)); diff != "" {
					t.Errorf("%v: %s", l, diff)
				}
			}
			schedules, err := candidate.CompileRules(nil, []candidate.PodSchedule{{Name: "nightly", Selector: selector, Schedule: "0 2 * * *"}})
			if diff := cmp.Diff([]string{"nightly"}, selected(schedules, nil)); diff != "" || err == nil {
				t.Error(diff, err)
			}
		})
	}
}

func TestASelectorMatchesWhatItsTermsDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := testkit.Arbitrary(generate.AnySelector).Draw(t, "selector")
		rules := selecting(&s)
		for range 5 {
			labels := testkit.Arbitrary(generate.Labels).Draw(t, "labels")
			var want []string
			if naiveMatch(s, labels) {
				want = []string{"pdb-0", "schedule-0"}
			}
			if diff := cmp.Diff(want, selected(rules, labels)); diff != "" {
				t.Fatalf("%+v and %v: %s", s, labels, diff)
			}
		}
	})
}
