package budget_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
)

// The quotations are from the disruption-controls-by-method RFC, most of them from "Clarifying Behavioral Questions". Its
// examples are in testdata/by_method.json, in its own spellings: action and method, reason, Drift, Consolidation.

// byMethod compiles an example. The most specific of its budgets decide, as the RFC has it.
func byMethod(t *testing.T, name string) (budget.Set, error) {
	t.Helper()
	data, err := os.ReadFile("testdata/by_method.json")
	if err != nil {
		t.Fatal(err)
	}
	var examples map[string]json.RawMessage
	if err := json.Unmarshal(data, &examples); err != nil {
		t.Fatal(err)
	}
	spec := budget.Spec{MostSpecific: true}
	if err := json.Unmarshal(examples[name], &spec); err != nil {
		t.Fatalf("%q: %v", name, err)
	}
	return spec.Compile()
}

func soundExample(t *testing.T, name string) budget.Set {
	t.Helper()
	set, err := byMethod(t, name)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// specific compiles a list of which the most specific decide.
func specific(t testing.TB, budgets ...budget.Budget) budget.Set {
	t.Helper()
	set, err := budget.Spec{Budgets: budgets, MostSpecific: true}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

type reasons = []candidate.Reason

var (
	aFriday = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	aMonday = time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
)

const unlimited = budget.Unlimited

// allows checks what there is for each reason of 100 nodes.
func allows(t *testing.T, set budget.Set, now time.Time, want map[candidate.Reason]int) {
	t.Helper()
	got := map[candidate.Reason]int{}
	for reason := range want {
		allowance, err := budget.AllowedByReason(set, now, 100, reason)
		if err != nil {
			t.Errorf("%s: %v", reason, err)
		}
		got[reason] = allowance.Nodes
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", now.Format("Mon 2006-01-02 15:04"), diff)
	}
}

// remain checks how many more there may be for each reason of 100 nodes while others are in flight.
func remain(t *testing.T, set budget.Set, now time.Time, inFlight, want map[candidate.Reason]int) {
	t.Helper()
	got, u := map[candidate.Reason]int{}, usage(inFlight)
	for reason := range want {
		allowance, err := budget.AllowedByReason(set, now, 100, reason)
		if err != nil {
			t.Errorf("%s: %v", reason, err)
		}
		got[reason] = allowance.Remaining(set.InUse(now, 100, reason, u))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("in flight %v (-want +got):\n%s", inFlight, diff)
	}
}

func usage(inFlight map[candidate.Reason]int) (u budget.Usage) {
	for reason, n := range inFlight {
		u.Add(reason, n)
	}
	return u
}

// "Should users be able to change the order that disruption actions are executed in to solve this problem? The answer is no".
func TestTheOrderOfTheListChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := append([]budget.Budget{}, testkit.Arbitrary(generate.Budgets).Draw(t, "budgets")...) // nil would be another list
		shuffled := rapid.Permutation(list).Draw(t, "shuffled")
		now, nodes := testkit.Arbitrary(generate.Time).Draw(t, "now"), rapid.IntRange(0, 300).Draw(t, "nodes")
		reason, u := testkit.Arbitrary(generate.Reason).Draw(t, "reason"), drawUsage(t)
		said := func(list []budget.Budget) (int, int) {
			set, err := budget.Spec{Budgets: append([]budget.Budget{}, list...), MostSpecific: true}.Compile()
			if err != nil {
				t.Fatal(err)
			}
			allowance, err := budget.AllowedByReason(set, now, nodes, reason)
			if err != nil {
				t.Fatal(err)
			}
			return allowance.Nodes, set.InUse(now, 100, reason, u)
		}
		allowed, used := said(list)
		if a, b := said(shuffled); a != allowed || b != used {
			t.Fatalf("%d allowed and %d in use, in another order %d and %d", allowed, used, a, b)
		}
	})
}

// "DisruptionDetails represents the method and reason for the disruption in the format of "method:reason"."
func TestAReasonMayBeWrittenAsTheDetailsOfTheRFC(t *testing.T) {
	for reason, details := range map[candidate.Reason]candidate.Reason{
		"Drifted": "Drifted", "Drifted/AMIDrift": "Drifted:AMIDrift", "Underutilized/TooBig": "Underutilized:TooBig", "Expired": "Expired",
	} {
		allows(t, specific(t, budget.Budget{Nodes: "3", Reasons: reasons{details}}), aFriday, map[candidate.Reason]int{reason: 3})
	}
}

// The status of the RFC's pool of 500 nodes: "nodes: 5 # Current number of nodes disrupted under this budget" and
// "remainingBudget: 45".
func TestThePoolOfTheRFCsStatusHas45OfItsBudgetLeft(t *testing.T) {
	set := soundExample(t, "the NodePool status")
	const reason = "Drifted/NodeImageDrift"
	allowance, err := budget.AllowedByReason(set, aFriday, 500, reason)
	if err != nil || allowance.Nodes != 50 {
		t.Fatalf("%+v, %v", allowance, err)
	}
	// "totalDisruptedNodes: 20": the other 15 go for something else.
	u := usage(map[candidate.Reason]int{reason: 5, "Underutilized": 10, "Drifted/AMIDrift": 5})
	if left := allowance.Remaining(set.InUse(aFriday, 100, reason, u)); left != 45 || u.For("") != 20 {
		t.Errorf("%d left, %d in all", left, u.For(""))
	}
}

func TestWhatDecidesForAReason(t *testing.T) {
	set := specific(t,
		budget.Budget{Nodes: "9"},
		budget.Budget{Nodes: "8", Reasons: reasons{"Drift", "Empty/Buffer"}},
		budget.Budget{Nodes: "7", Reasons: reasons{"Drifted", "Drifted/AMIDrift"}},
		budget.Budget{Nodes: "2", Reasons: reasons{"Empty", "Drifted/AMIDrift"}},
		budget.Budget{Nodes: "5", Schedule: "0 11 * * *", Duration: "1h"},
	)
	for reason, want := range map[candidate.Reason]string{
		"Drifted": "1,2", "Drifted/AMIDrift": "2,3", "Drifted/SubnetDrift": "1,2", "Empty": "3", "Empty/Buffer": "1", "Empty/Other": "3",
		"Expired": "0", "Underutilized/TooBig": "0", "": "0,1,2,3",
	} {
		if got := set.Deciding(aFriday, reason); got.String() != want {
			t.Errorf("%q: %s decide, want %s", reason, got, want)
		}
	}
	if got := set.Deciding(aFriday.Add(-time.Minute), "Expired"); got.String() != "0,4" {
		t.Errorf("before noon %s decide", got)
	}
}

// A slowSpec is a Spec as its documentation has it, in lists and without any shortcut.
type slowSpec struct {
	budgets  []budget.Budget
	broken   []bool
	specific bool
}

// slow restates which budgets a Spec has, and who resolves them. Children in controls are those that generate.Control names.
func slow(spec budget.Spec) slowSpec {
	var s slowSpec
	s.budgets = slices.Clone(spec.Budgets)
	if spec.Budgets == nil && spec.Defaults.Budgets == nil {
		s.budgets = []budget.Budget{{Nodes: "10%"}}
	}
	s.budgets = append(s.budgets, spec.Defaults.Budgets...)
	for _, c := range []struct {
		budget.Control
		method candidate.Reason
	}{{spec.Consolidation, "Underutilized"}, {spec.Drift, "Drifted"}, {spec.Expiration, "Expired"}, {spec.Emptiness, "Empty"}} {
		for _, b := range c.Budgets {
			named := reasons{}
			for _, r := range b.Reasons {
				if !strings.Contains(string(r), "/") {
					r = c.method + "/" + r
				}
				named = append(named, r)
			}
			if len(named) == 0 {
				named = reasons{c.method}
			}
			b.Reasons = named
			s.budgets = append(s.budgets, b)
		}
	}
	s.specific = spec.MostSpecific
	for _, c := range []budget.Control{spec.Defaults, spec.Consolidation, spec.Drift, spec.Expiration, spec.Emptiness} {
		s.specific = s.specific || c.Budgets != nil || c.DisruptAfter != "" || c.ConsolidationPolicy != ""
	}
	for _, b := range s.budgets {
		_, err := budget.Compile([]budget.Budget{b})
		s.broken = append(s.broken, err != nil)
	}
	return s
}

// deciding returns "those that name the reason itself; if there is none, those that name its method; else those that name
// nothing", of the active ones.
func (s slowSpec) deciding(t *rapid.T, now time.Time, reason candidate.Reason) (decide []int) {
	method, _, child := strings.Cut(string(reason), "/")
	names := []candidate.Reason{reason, candidate.Reason(method), ""}
	if !child {
		names = names[1:]
	}
	for _, name := range names {
		for i, b := range s.budgets {
			named := slices.Contains(b.Reasons, name) || name == "" && len(b.Reasons) == 0
			if !s.specific || reason == "" {
				named = covers(b, reason)
			}
			if named && !s.broken[i] && active(t, b, now) {
				decide = append(decide, i)
			}
		}
		if len(decide) > 0 {
			return decide
		}
	}
	return nil
}

// allowed returns the minimum of those that decide, and 0 for what is broken.
func (s slowSpec) allowed(t *rapid.T, now time.Time, nodes int, reason candidate.Reason) (allowed int, binding []int) {
	allowed = unlimited
	limit := func(i, n int) {
		switch {
		case n < allowed:
			allowed, binding = n, []int{i}
		case n == allowed:
			binding = append(binding, i)
		}
	}
	for _, i := range s.deciding(t, now, reason) {
		limit(i, scaled(s.budgets[i].Nodes, nodes))
	}
	for i, b := range s.budgets {
		unknown := slices.ContainsFunc(b.Reasons, func(r candidate.Reason) bool { _, err := candidate.ParseReason(string(r)); return err != nil })
		if s.broken[i] && (unknown || covers(b, reason)) {
			limit(i, 0)
		}
	}
	slices.Sort(binding)
	return allowed, binding
}

// drawSpec draws a Spec, also with invalid budgets, or with what generate.Spec does not have.
func drawSpec(t *rapid.T) (budget.Spec, slowSpec, budget.Set) {
	list := testkit.Arbitrary(generate.Budgets).Draw(t, "list")
	if rapid.IntRange(0, 5).Draw(t, "nil") == 0 {
		list = nil
	}
	if rapid.IntRange(0, 5).Draw(t, "broken") == 0 {
		list = append(list, testkit.Arbitrary(generate.BrokenBudget).Draw(t, "invalid budget"))
	}
	spec := testkit.Arbitrary(generate.Spec(list)).Draw(t, "spec")
	if rapid.IntRange(0, 4).Draw(t, "expires") == 0 {
		spec.Expiration = testkit.Arbitrary(generate.Control).Draw(t, "expiration")
	}
	set, _ := spec.Compile()
	return spec, slow(spec), set
}

func drawReason(t *rapid.T) candidate.Reason {
	return rapid.OneOf(testkit.Arbitrary(generate.Reason), rapid.SampledFrom(reasons{"", "Expired/Other", "Underutilized/AMIDrift"})).Draw(t, "reason")
}

func TestTheMostSpecificOfTheActiveBudgetsDecide(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, s, set := drawSpec(t)
		if set.MostSpecific() != s.specific {
			t.Fatalf("the most specific decide: %t", set.MostSpecific())
		}
		nodes := rapid.IntRange(0, 500).Draw(t, "nodes")
		for range 5 {
			now, reason := testkit.Arbitrary(generate.Time).Draw(t, "now"), drawReason(t)
			want, binding := s.allowed(t, now, nodes, reason)
			got, err := budget.AllowedByReason(set, now, nodes, reason)
			if got.Nodes != want || !slices.Equal(slices.Collect(got.Binding.All()), binding) {
				t.Fatalf("%s at %v: %d bound by %s (%v), want %d bound by %v", reason, now, got.Nodes, got.Binding, err, want, binding)
			}
			if decide := slices.Collect(set.Deciding(now, reason).All()); !slices.Equal(decide, s.deciding(t, now, reason)) {
				t.Fatalf("%s at %v: %v decide, want %v", reason, now, decide, s.deciding(t, now, reason))
			}
		}
	})
}
