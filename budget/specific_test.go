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
	"github.com/disruptkit/disruptkit/report"
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

// "For example, if there's a 10-node budget for "Drift" and a separate 10-node budget for "Consolidation", but a 15-node
// budget for "All" determining which nodes will get disrupted becomes unclear."
func TestABudgetForAllReasonsDoesNotLimitMethodsWithTheirOwn(t *testing.T) {
	set := specific(t, budget.Budget{Nodes: "10", Reasons: reasons{"Drift"}}, budget.Budget{Nodes: "10", Reasons: reasons{"Consolidation"}},
		budget.Budget{Nodes: "15"})
	allows(t, set, aFriday, map[candidate.Reason]int{"Drifted": 10, "Underutilized": 10, "Empty": 15, "Expired": 15})
	remain(t, set, aFriday, map[candidate.Reason]int{"Drifted": 10},
		map[candidate.Reason]int{"Drifted": 0, "Underutilized": 10, "Empty": 15})
}

// "It means that "Consolidation" and "Drift" actions have specific budgets of 10 nodes each, while all other actions (e.g.,
// expiration and emptiness) share a common budget of 5 nodes."
func TestAnUndefinedActionIsAllActionsButThoseWithBudgetsOfTheirOwn(t *testing.T) {
	set := soundExample(t, "the undefined action case, repaired")
	allows(t, set, aFriday, map[candidate.Reason]int{
		"Underutilized": 10, "Drifted": 10, "Drifted/AMIDrift": 10, "Expired": 5, "Empty": 5,
	})
	for _, c := range []struct {
		name           string
		inFlight, want map[candidate.Reason]int
	}{
		{"the others share their 5", map[candidate.Reason]int{"Expired": 3},
			map[candidate.Reason]int{"Expired": 2, "Empty": 2, "Drifted": 10, "Underutilized": 10}},
		{"what one of them exhausts, none of them has", map[candidate.Reason]int{"Empty": 5},
			map[candidate.Reason]int{"Expired": 0, "Empty": 0, "Drifted": 10, "Underutilized": 10}},
		{"drift in flight does not eat the consolidation budget", map[candidate.Reason]int{"Drifted": 10},
			map[candidate.Reason]int{"Drifted": 0, "Underutilized": 10, "Expired": 5}},
		{"nor does consolidation that of drift", map[candidate.Reason]int{"Underutilized": 12},
			map[candidate.Reason]int{"Drifted": 10, "Underutilized": 0, "Empty": 5}},
		{"children of drift share what it has", map[candidate.Reason]int{"Drifted/AMIDrift": 4, "Drifted/SubnetDrift": 3, "Drifted": 2},
			map[candidate.Reason]int{"Drifted": 1, "Drifted/AMIDrift": 1, "Drifted/NodeClassDrift": 1, "Empty": 5}},
		{"nodes in flight for an unknown reason, or not Ready, eat every budget", map[candidate.Reason]int{"": 2, "Expired": 1},
			map[candidate.Reason]int{"Drifted": 8, "Underutilized": 8, "Expired": 2, "Empty": 2}},
		{"and so do those for a reason that no budget can know", map[candidate.Reason]int{"repair": 6},
			map[candidate.Reason]int{"Drifted": 4, "Underutilized": 4, "Expired": 0, "Empty": 0}},
	} {
		t.Run(c.name, func(t *testing.T) { remain(t, set, aFriday, c.inFlight, c.want) })
	}
}

// "If you need gaurenteed disruption for a particular action, you can just specify that action in a budget."
func TestWhoeverNeedsGuaranteedDisruptionSpecifiesTheAction(t *testing.T) {
	shared := specific(t, budget.Budget{Nodes: "5"})
	exhausted := map[candidate.Reason]int{"Drifted": 5}
	remain(t, shared, aFriday, exhausted, map[candidate.Reason]int{"Expired": 0, "Empty": 0})
	own := specific(t, budget.Budget{Nodes: "5"}, budget.Budget{Nodes: "2", Reasons: reasons{"Expiration"}})
	remain(t, own, aFriday, exhausted, map[candidate.Reason]int{"Expired": 2, "Empty": 0})
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

// "All disruption methods may have a child Reason EX: Drift has AMIDrift. We must support any cloudprovider.DriftReason".
func TestAnyDriftReasonOfCoreAWSAndAzureCanHaveABudget(t *testing.T) {
	for _, child := range []string{"NodePoolDrifted", "RequirementsDrifted", "AMIDrift", "SubnetDrift", "SecurityGroupDrift", "NodeClassDrift",
		"K8sVersionDrift", "ImageVersionDrift"} {
		var spec budget.Spec
		text := `{"budgets": [{"nodes": 7, "method": "Drift", "reason": "` + child + `"}, {"nodes": 2}]}`
		if err := json.Unmarshal([]byte(text), &spec); err != nil {
			t.Fatal(err)
		}
		spec.MostSpecific = true
		set, err := spec.Compile()
		if err != nil {
			t.Fatal(err)
		}
		allows(t, set, aFriday, map[candidate.Reason]int{"Drifted": 2, candidate.Reason("Drifted/" + child): 7, "Drifted/Another": 2})
	}
}

// "All disruption methods affected by the current Budgets implementation (Consolidation, Emptiness, Expiration, Drift) should be
// supported", and "the method interface has a Type() implying that other methods also will want to specify disruption method
// types at a finer granularity".
func TestEveryMethodCanHaveABudgetAndChildren(t *testing.T) {
	for rfc, ours := range map[candidate.Reason]candidate.Reason{
		"Consolidation": "Underutilized", "Emptiness": "Empty", "Expiration": "Expired", "Drift": "Drifted",
	} {
		set := specific(t, budget.Budget{Nodes: "3", Reasons: reasons{rfc}}, budget.Budget{Nodes: "9", Reasons: reasons{rfc + ":Child"}})
		want := map[candidate.Reason]int{ours + "/Child": 9, ours + "/Another": 3}
		for _, other := range candidate.Methods() {
			want[other] = unlimited
		}
		want[ours] = 3
		allows(t, set, aFriday, want)
	}
	set, err := budget.Spec{Budgets: []budget.Budget{{Nodes: "1"}, {Nodes: "4", Reasons: reasons{"Moved"}}, {Nodes: "6", Reasons: reasons{"Moved/Rack"}}},
		MostSpecific: true, Methods: reasons{"Moved"}}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	allows(t, set, aFriday, map[candidate.Reason]int{"Moved": 4, "Moved/Rack": 6, "Moved/Row": 4, "Empty": 1})
	remain(t, set, aFriday, map[candidate.Reason]int{"Moved/Row": 3, "Empty": 1},
		map[candidate.Reason]int{"Moved": 1, "Moved/Rack": 6, "Moved/Row": 1, "Drifted": 0})
}

// "Users can set a general budget for all "Drift" disruptions, and then further refine the control by specifying different
// budgets or schedules for specific reasons like "AMIDrift"."
func TestAChildMayHaveAScheduleOfItsOwn(t *testing.T) {
	set := specific(t, budget.Budget{Nodes: "5", Reasons: reasons{"Drift"}},
		budget.Budget{Nodes: "0", Reasons: reasons{"Drift:AMIDrift"}, Schedule: "0 2 * * *", Duration: "3h", Outside: true},
		budget.Budget{Nodes: "8", Reasons: reasons{"Drift:AMIDrift"}, Schedule: "0 2 * * *", Duration: "3h"})
	for after, ami := range map[time.Duration]int{0: 0, 14*time.Hour - 1: 0, 14 * time.Hour: 8, 17*time.Hour - 1: 8, 17 * time.Hour: 0} {
		allows(t, set, aFriday.Add(after), map[candidate.Reason]int{"Drifted": 5, "Drifted/SubnetDrift": 5, "Drifted/AMIDrift": ami})
	}
}

// "DisruptionDetails represents the method and reason for the disruption in the format of "method:reason"."
func TestDetailsAreMethodAndReasonAndAreAcceptedBack(t *testing.T) {
	for reason, want := range map[candidate.Reason]string{
		"Drifted": "Drifted", "Drifted/AMIDrift": "Drifted:AMIDrift", "Underutilized/TooBig": "Underutilized:TooBig", "Expired": "Expired",
	} {
		details := report.Details(reason)
		if details != want {
			t.Errorf("%s: %s, want %s", reason, details, want)
		}
		set := specific(t, budget.Budget{Nodes: "3", Reasons: reasons{candidate.Reason(details)}})
		allows(t, set, aFriday, map[candidate.Reason]int{reason: 3})
	}
}

// "In this case, do we only allow for 25 disruptions for any drift method regardless of the reason? Or Do we say that for
// NodeImageDrift, we allow 50 and for all other drift reasons we allow 25? I would say the ladder is the desirable behavior".
func TestAChildsBudgetStandsNextToThatOfItsMethod(t *testing.T) {
	set := soundExample(t, "a conflicting child reason")
	allows(t, set, aFriday, map[candidate.Reason]int{
		"Drifted/NodeImageDrift": 50, "Drifted/K8sVersionUpgrade": 25, "Drifted": 25, "Underutilized": unlimited,
	})
	for _, c := range []struct {
		name           string
		inFlight, want map[candidate.Reason]int
	}{
		{"the 50 in flight do not eat the 25", map[candidate.Reason]int{"Drifted/NodeImageDrift": 50},
			map[candidate.Reason]int{"Drifted/NodeImageDrift": 0, "Drifted/K8sVersionUpgrade": 25, "Drifted": 25}},
		{"nor the 25 the 50", map[candidate.Reason]int{"Drifted/K8sVersionUpgrade": 25},
			map[candidate.Reason]int{"Drifted/NodeImageDrift": 50, "Drifted/AMIDrift": 0, "Drifted": 0}},
		{"of drift of which nobody knows for which child, any child could have been meant", map[candidate.Reason]int{"Drifted": 20},
			map[candidate.Reason]int{"Drifted/NodeImageDrift": 30, "Drifted/AMIDrift": 5, "Drifted": 5}},
	} {
		t.Run(c.name, func(t *testing.T) { remain(t, set, aFriday, c.inFlight, c.want) })
	}
	// Without the RFC, "karpenter takes the most restrictive budget".
	restrictive, err := budget.Spec{Budgets: set.Budgets()}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	allows(t, restrictive, aFriday, map[candidate.Reason]int{"Drifted/NodeImageDrift": 25, "Drifted/K8sVersionUpgrade": 25})
	remain(t, restrictive, aFriday, map[candidate.Reason]int{"Drifted/NodeImageDrift": 20, "Empty": 3},
		map[candidate.Reason]int{"Drifted/NodeImageDrift": 2, "Drifted": 2})
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

func TestOnlyBudgetsThatAreActiveShadow(t *testing.T) {
	list := []budget.Budget{
		{Nodes: "9"},
		{Nodes: "6", Reasons: reasons{"Drifted"}, Schedule: "0 12 * * *", Duration: "4h"},
		{Nodes: "3", Reasons: reasons{"Drifted/AMIDrift"}, Schedule: "0 14 * * *", Duration: "4h"},
	}
	set := specific(t, list...)
	for hour, want := range map[int]map[candidate.Reason]int{
		11: {"Drifted/AMIDrift": 9, "Drifted": 9, "Empty": 9},
		12: {"Drifted/AMIDrift": 6, "Drifted": 6, "Empty": 9},
		14: {"Drifted/AMIDrift": 3, "Drifted": 6, "Empty": 9},
		16: {"Drifted/AMIDrift": 3, "Drifted": 9, "Empty": 9},
		18: {"Drifted/AMIDrift": 9, "Drifted": 9, "Empty": 9},
	} {
		allows(t, set, time.Date(2026, 11, 20, hour, 0, 0, 0, time.UTC), want)
	}
}

func TestBrokenBudgetsNeitherShadowNorAreShadowed(t *testing.T) {
	for _, c := range []struct {
		name    string
		budgets []budget.Budget
		want    map[candidate.Reason]int
		binding string // for AMIDrift
	}{
		{"a broken budget for a method lets nothing of it go, though its child has a budget",
			[]budget.Budget{{Nodes: "x", Reasons: reasons{"Drifted"}}, {Nodes: "9", Reasons: reasons{"Drifted/AMIDrift"}}},
			map[candidate.Reason]int{"Drifted/AMIDrift": 0, "Drifted": 0, "Empty": unlimited}, "0"},
		{"a broken budget for a child does not take the place of one for its method",
			[]budget.Budget{{Nodes: "x", Reasons: reasons{"Drifted/AMIDrift"}}, {Nodes: "0", Reasons: reasons{"Drifted"}}, {Nodes: "4"}},
			map[candidate.Reason]int{"Drifted/AMIDrift": 0, "Drifted": 0, "Drifted/SubnetDrift": 0, "Empty": 4}, "0,1"},
		{"a broken budget for all lets nothing go",
			[]budget.Budget{{Nodes: "x"}, {Nodes: "9", Reasons: reasons{"Drifted/AMIDrift"}}, {Nodes: "9", Reasons: reasons{"Empty"}}},
			map[candidate.Reason]int{"Drifted/AMIDrift": 0, "Drifted": 0, "Empty": 0}, "0"},
		{"so does one with a reason that is not known, whatever others it has",
			[]budget.Budget{{Nodes: "5", Reasons: reasons{"Drifted/AMIDrift", "drifted"}}, {Nodes: "9", Reasons: reasons{"Empty"}}},
			map[candidate.Reason]int{"Drifted/AMIDrift": 0, "Empty": 0, "Expired": 0}, "0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := budget.Spec{Budgets: c.budgets, MostSpecific: true}.Compile()
			if err == nil {
				t.Fatal("it compiles")
			}
			for reason, want := range c.want {
				if got, _ := budget.AllowedByReason(set, aFriday, 100, reason); got.Nodes != want {
					t.Errorf("%s: %d, want %d", reason, got.Nodes, want)
				}
			}
			if got, _ := budget.AllowedByReason(set, aFriday, 100, "Drifted/AMIDrift"); got.Binding.String() != c.binding {
				t.Errorf("bound by %s, want %s", got.Binding, c.binding)
			}
			if decide := set.Deciding(set.Active(aFriday), "Drifted/AMIDrift"); decide&set.Broken() != 0 {
				t.Errorf("%s decide, although %s are broken", decide, set.Broken())
			}
		})
	}
}

func TestBudgetsForSingleZonesDoNotShadow(t *testing.T) {
	set := specific(t, budget.Budget{Nodes: "1", TopologyKey: "topology.kubernetes.io/zone", Reasons: reasons{"Drifted/AMIDrift"}},
		budget.Budget{Nodes: "4", Reasons: reasons{"Drifted"}})
	allows(t, set, aFriday, map[candidate.Reason]int{"Drifted/AMIDrift": 4, "Drifted": 4})
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
		if got := set.Deciding(set.Active(aFriday), reason); got.String() != want {
			t.Errorf("%q: %s decide, want %s", reason, got, want)
		}
	}
	if got := set.Deciding(set.Active(aFriday.Add(-time.Minute)), "Expired"); got.String() != "0,4" {
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

// drawSpec draws one, also with broken budgets, or with what is there that generate.Spec does not have.
func drawSpec(t *rapid.T) (budget.Spec, slowSpec, budget.Set) {
	list := testkit.Arbitrary(generate.Budgets).Draw(t, "list")
	if rapid.IntRange(0, 5).Draw(t, "nil") == 0 {
		list = nil
	}
	if rapid.IntRange(0, 5).Draw(t, "broken") == 0 {
		list = append(list, testkit.Arbitrary(generate.BrokenBudget).Draw(t, "broken budget"))
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
			if decide := slices.Collect(set.Deciding(set.Active(now), reason).All()); !slices.Equal(decide, s.deciding(t, now, reason)) {
				t.Fatalf("%s at %v: %v decide, want %v", reason, now, decide, s.deciding(t, now, reason))
			}
		}
	})
}
