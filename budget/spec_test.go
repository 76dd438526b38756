package budget_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
)

// "Duration … is required if Schedule is set." (RFC, "Approach A".) Its own examples leave it out.
func TestExamplesOfTheRFCThatHaveSchedulesWithoutDurationsSaySo(t *testing.T) {
	const advice = " has no duration: write how long the budget stays active after each hit, such as 8h"
	for name, want := range map[string]struct {
		error string
		open  map[candidate.Reason]int // of 100 nodes; what is not there has 0
	}{
		"approach A, as it stands there": {`budgets[0].duration: schedule "0 0 1 * *"` + advice,
			map[candidate.Reason]int{"Underutilized": 10, "Empty": 10, "Expired": 10, "Unhealthy": 10}},
		"the undefined action case, as it stands there": {`budgets[0].duration: schedule "* * * * *"` + advice +
			"\nbudgets[1].duration: schedule \"* * * * *\"" + advice + "\nbudgets[2].duration: schedule \"* * * * *\"" + advice, nil},
		"approach B, with its schedule without a duration": {`drift.budgets[0].duration: schedule "@yearly"` + advice,
			map[candidate.Reason]int{"Underutilized": 10, "Empty": 10, "Expired": 10, "Unhealthy": 10, "Drifted": 10, "Drifted/NodeImageDrift": 10}},
	} {
		t.Run(name, func(t *testing.T) {
			set, err := byMethod(t, name)
			if err == nil {
				t.Fatal("it compiles")
			}
			if diff := cmp.Diff(want.error, err.Error()); diff != "" {
				t.Error(diff)
			}
			for _, reason := range append(candidate.Methods(), "Drifted/K8sVersionUpgrade", "Drifted/NodeImageDrift") {
				if got, _ := budget.AllowedByReason(set, aFriday, 100, reason); got.Nodes != want.open[reason] {
					t.Errorf("%s: %d, want %d", reason, got.Nodes, want.open[reason])
				}
			}
		})
	}
}

func TestApproachARepaired(t *testing.T) {
	set := soundExample(t, "approach A, repaired")
	for day, drift := range map[int]int{30: 10, 31: 15, 32: 10} { // of November, 31 is the first of the next month
		allows(t, set, time.Date(2026, 11, day, 23, 59, 59, 0, time.UTC), map[candidate.Reason]int{
			"Drifted": drift, "Drifted/AMIDrift": drift, "Underutilized": 10, "Empty": 10, "Expired": 10,
		})
	}
	// "all actions that are not Drift" share theirs; drift has its own on the first, and shares before it.
	remain(t, set, time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC), map[candidate.Reason]int{"Empty": 4, "Drifted": 6},
		map[candidate.Reason]int{"Drifted": 9, "Underutilized": 6, "Empty": 6})
	remain(t, set, time.Date(2026, 11, 30, 23, 59, 59, 0, time.UTC), map[candidate.Reason]int{"Empty": 4, "Drifted": 6},
		map[candidate.Reason]int{"Drifted": 0, "Underutilized": 0, "Empty": 0})
}

func TestApproachBRepaired(t *testing.T) {
	set := soundExample(t, "approach B, repaired")
	const images, versions = "Drifted/NodeImageDrift", "Drifted/K8sVersionUpgrade"
	for _, c := range []struct {
		name, at string
		want     map[candidate.Reason]int
	}{
		{"the first of a month, a Sunday", "2026-02-01T00:30:00Z",
			map[candidate.Reason]int{"Drifted": 20, images: 10, versions: 20, "Underutilized": 10, "Expired": 10, "Empty": 10}},
		{"the second hour of that Sunday, which only node images have", "2026-02-01T01:30:00Z",
			map[candidate.Reason]int{"Drifted": unlimited, images: 10, versions: unlimited, "Underutilized": unlimited, "Empty": unlimited}},
		{"the third, which nobody has", "2026-02-01T02:00:00Z",
			map[candidate.Reason]int{"Drifted": unlimited, images: unlimited, versions: unlimited, "Expired": unlimited}},
		{"the first of a month, a Monday", "2026-06-01T00:59:59Z",
			map[candidate.Reason]int{"Drifted": 20, images: 20, versions: 20, "Underutilized": 10, "Expired": 10, "Empty": 10}},
		{"the second hour of that Monday", "2026-06-01T01:00:00Z",
			map[candidate.Reason]int{"Drifted": unlimited, images: unlimited, versions: unlimited, "Underutilized": unlimited}},
		{"New Year, when versions have a budget of their own", "2026-01-01T00:30:00Z",
			map[candidate.Reason]int{"Drifted": 20, images: 20, versions: 50, "Underutilized": 10}},
		{"the rest of that day", "2026-01-01T23:59:59Z",
			map[candidate.Reason]int{"Drifted": unlimited, images: unlimited, versions: 50, "Underutilized": unlimited}},
		{"the day after", "2026-01-02T00:00:00Z", map[candidate.Reason]int{"Drifted": unlimited, versions: unlimited}},
		{"a Sunday that is no first", "2026-06-07T01:59:59Z",
			map[candidate.Reason]int{"Drifted": unlimited, images: 10, versions: unlimited, "Empty": unlimited}},
	} {
		t.Run(c.name, func(t *testing.T) {
			now, err := time.Parse(time.RFC3339, c.at)
			if err != nil {
				t.Fatal(err)
			}
			allows(t, set, now, c.want)
		})
	}
	for reason, want := range map[candidate.Reason]time.Duration{
		"Underutilized": 30 * time.Minute, "Underutilized/TooBig": 30 * time.Minute, "Drifted": time.Hour, images: time.Hour, versions: time.Hour,
		"Expired": candidate.Forever, "Expired/Old": candidate.Forever, "Empty": 0, "Empty/Buffer": 0, "": 0,
	} {
		if got := set.Minimum(reason).Held; got != want {
			t.Errorf("%q has to hold for %v, want %v", reason, got, want)
		}
	}
	if got := set.Minimum("repair").Held; got != 0 {
		t.Errorf("a reason that nobody knows has to hold for %v", got)
	}
	var places []string
	for i, b := range set.Budgets() {
		places = append(places, set.Place(i)+" is "+b.String())
	}
	if diff := cmp.Diff([]string{
		"defaults.budgets[0] is 10% (0 0 1 * * for 1h, UTC)",
		"drift.budgets[0] is 20% (Drifted; 0 0 1 * * for 1h, UTC)",
		"drift.budgets[1] is 10% (Drifted/NodeImageDrift; 0 0 * * 0 for 2h, UTC)",
		"drift.budgets[2] is 50% (Drifted/K8sVersionUpgrade; @yearly for 24h, UTC)",
	}, places); diff != "" {
		t.Error(diff)
	}
}

func decoded(t testing.TB, text string) (spec budget.Spec) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &spec); err != nil {
		t.Fatal(err)
	}
	return spec
}

func TestControlsDistinguishCustomMethodsFromChildren(t *testing.T) {
	spec := decoded(t, `{"budgets": [{"nodes": 3, "reasons": ["Moved"]}], "defaults": {"disruptAfter": "7m"}, "drift": {"budgets": [{"nodes": 1, "reason": "Moved"}]}}`)
	if set, err := spec.Compile(); err == nil || len(set.Warnings()) != 1 {
		t.Errorf("a method that nobody declared: %v", err)
	}
	spec.Methods = reasons{"Moved"}
	set, err := spec.Compile()
	want := `drift.budgets[0].reasons[0]: reason "Moved" does not belong to this method: write Drifted or a child of it, or move the budget`
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if got := set.Minimum("Moved/Rack").Held; got != 7*time.Minute {
		t.Errorf("a method without a control has to hold for %v", got)
	}
}

// Wherever a Spec is broken, something says so, quotes it and says what to write; and nothing more may be disrupted.
func TestEveryFaultOfAControlIsNamedAndSaysWhatToWrite(t *testing.T) {
	const (
		after  = ": write one such as 30m or 1h, or Never; until then, nothing that it covers is disrupted"
		policy = " is unknown: write WhenEmpty, WhenEmptyOrUnderutilized or Balanced; until then, it is treated as WhenEmpty"
	)
	for _, c := range []struct {
		name, json, want string
		never            reasons // what is never disrupted then
		zero             reasons // or for which no node is allowed
	}{
		{"a disruptAfter below nothing", `{"drift": {"disruptAfter": "-1h"}}`,
			`drift.disruptAfter: disruptAfter "-1h" is not a duration` + after, reasons{"Drifted"}, nil},
		{"a disruptAfter that is none", `{"defaults": {"disruptAfter": "soon"}, "drift": {"disruptAfter": "1h"}}`,
			`defaults.disruptAfter: disruptAfter "soon" is not a duration` + after, reasons{"Empty", "Expired", "Underutilized", "Unhealthy"}, nil},
		{"a Never in lower case", `{"expiration": {"disruptAfter": "never"}}`,
			`expiration.disruptAfter: disruptAfter "never" is not a duration` + after, reasons{"Expired"}, nil},
		{"a disruptAfter without a unit", `{"emptiness": {"disruptAfter": "30"}}`,
			`emptiness.disruptAfter: disruptAfter "30" is not a duration` + after, reasons{"Empty"}, nil},
		{"a disruptAfter in days", `{"consolidation": {"disruptAfter": "1d"}}`,
			`consolidation.disruptAfter: disruptAfter "1d" is not a duration` + after, reasons{"Underutilized"}, nil},
		{"a disruptAfter that overflows", `{"drift": {"disruptAfter": "99999999h"}}`,
			`drift.disruptAfter: disruptAfter "99999999h" is not a duration` + after, reasons{"Drifted"}, nil},
		{"a consolidationPolicy in other case", `{"consolidationPolicy": "whenEmpty"}`,
			`consolidationPolicy: consolidationPolicy "whenEmpty"` + policy, reasons{"Underutilized"}, nil},
		{"a consolidationPolicy that is none, in the control", `{"consolidation": {"consolidationPolicy": "Never", "disruptAfter": "1m"}}`,
			`consolidation.consolidationPolicy: consolidationPolicy "Never"` + policy, reasons{"Underutilized"}, nil},
		{"a consolidationPolicy in the control for drift", `{"drift": {"consolidationPolicy": "WhenEmpty"}}`,
			`drift.consolidationPolicy: consolidationPolicy "WhenEmpty" belongs to consolidation: write it there`, reasons{"Underutilized"}, nil},
		{"a consolidationPolicy in the defaults", `{"defaults": {"consolidationPolicy": "WhenEmpty"}}`,
			`defaults.consolidationPolicy: consolidationPolicy "WhenEmpty" belongs to consolidation: write it there`, reasons{"Underutilized"}, nil},
		{"a consolidateAfter that is none", `{"consolidateAfter": "soon"}`,
			`consolidateAfter: consolidateAfter "soon" is not a duration: write one such as 30s, or Never; until then, it is treated as Never`,
			reasons{"Underutilized", "Empty"}, nil},
		{"an order that is none", `{"budgets": [], "order": "youngest"}`,
			`order: order "youngest" is unknown: write one of oldest, newest, cheapest, rank; until then, no node is allowed`, nil, candidate.Methods()},
		{"an order in other case", `{"order": "Oldest"}`,
			`order: order "Oldest" is unknown: write one of oldest, newest, cheapest, rank; until then, no node is allowed`, nil, candidate.Methods()},
		{"large units that may do what nobody knows", `{"oversized": "always"}`,
			`oversized: oversized "always" is unknown: write alone, or leave it out; until then, no node is allowed`, nil, candidate.Methods()},
		{"a reason of another method", `{"drift": {"budgets": [{"reasons": ["Consolidation"]}]}}`,
			`drift.budgets[0].reasons[0]: reason "Consolidation" does not belong to this method: write Drifted or a child of it, or move the budget`,
			nil, candidate.Methods()},
		{"a reason of another method next to one of its own", `{"drift": {"budgets": [{"reasons": ["AMIDrift", "Consolidation"]}]}}`,
			`drift.budgets[0].reasons[1]: reason "Consolidation" does not belong to this method: write Drifted or a child of it, or move the budget`,
			nil, candidate.Methods()},
		{"a child of another method", `{"emptiness": {"budgets": [{"nodes": 3}, {"method": "Drift", "reason": "AMIDrift"}]}}`,
			`emptiness.budgets[1].reasons[0]: reason "Drift:AMIDrift" does not belong to this method: write Empty or a child of it, or move the budget`,
			nil, candidate.Methods()},
		{"a child without its method, in the defaults", `{"defaults": {"budgets": [{"reason": "AMIDrift"}]}}`,
			`defaults.budgets[0].reasons[0]: reason "AMIDrift" is unknown: write Drifted/AMIDrift`, nil, candidate.Methods()},
		{"a child that no condition can have", `{"drift": {"budgets": [{"reason": "AMI Drift"}]}}`,
			`drift.budgets[0].reasons[0]: reason "AMI Drift" is unknown: write Drifted, Empty, Underutilized, Expired or Unhealthy, or a child of one such as Drifted/AMIDrift`,
			nil, candidate.Methods()},
		{"a method in other case, which is no child of itself", `{"drift": {"budgets": [{"nodes": 0, "reason": "drift"}]}}`,
			`drift.budgets[0].reasons[0]: reason "drift" is unknown: write Drifted`, nil, candidate.Methods()},
		{"a child twice", `{"drift": {"budgets": [{"reasons": ["AMIDrift", "Drift:AMIDrift"]}]}}`,
			`drift.budgets[0].reasons[1]: reason "Drift:AMIDrift" appears twice: write it once`, nil, reasons{"Drifted/AMIDrift"}},
		{"an invalid budget allows nothing for its method alone", `{"budgets": [], "drift": {"budgets": [{"nodes": "ten"}]}}`,
			`drift.budgets[0].nodes: nodes "ten": write a count such as 5, or a percentage from 0% to 100%`, nil, reasons{"Drifted"}},
		{"or for its child alone", `{"budgets": [], "drift": {"budgets": [{"nodes": 4, "reason": "AMIDrift", "outside": true}]}}`,
			`drift.budgets[0].outside: outside has no schedule to be outside of: also set schedule and duration, or leave it out`,
			nil, reasons{"Drifted/AMIDrift"}},
		{"everything at once", `{"consolidateAfter": "x", "drift": {"disruptAfter": "y", "budgets": [{"nodes": "z"}]}, "expiration": {"consolidationPolicy": "Balanced"}}`,
			`drift.disruptAfter: disruptAfter "y" is not a duration` + after + `
expiration.consolidationPolicy: consolidationPolicy "Balanced" belongs to consolidation: write it there
consolidateAfter: consolidateAfter "x" is not a duration: write one such as 30s, or Never; until then, it is treated as Never
drift.budgets[0].nodes: nodes "z": write a count such as 5, or a percentage from 0% to 100%`, reasons{"Empty", "Underutilized", "Drifted"}, reasons{"Drifted"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := decoded(t, c.json).Compile()
			if err == nil {
				t.Fatal("it compiles")
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Error(diff)
			}
			for _, w := range set.Warnings() {
				if w.Code != candidate.CodeInvalidBudget || w.Value != "true" && !strings.Contains(w.Message, w.Value) || w.Field == "" {
					t.Errorf("%+v", w)
				}
			}
			for _, reason := range append(candidate.Methods(), "Drifted/AMIDrift") {
				covered := func(by candidate.Reason) bool { return by.Covers(reason) }
				if got := set.Minimum(reason).Held == candidate.Forever; got != slices.Contains(c.never, reason.Method()) {
					t.Errorf("%s is never disrupted: %t", reason, got)
				}
				if got, _ := budget.AllowedByReason(set, aFriday, 100, reason); (got.Nodes == 0) != slices.ContainsFunc(c.zero, covered) {
					t.Errorf("%s: %d allowed", reason, got.Nodes)
				}
			}
		})
	}
}

func TestMoreThanFiftyBudgetsInAllAllowNothing(t *testing.T) {
	ten := slices.Repeat([]budget.Budget{{Nodes: "9"}}, 10)
	spec := budget.Spec{Budgets: ten, Defaults: budget.Control{Budgets: ten}, Consolidation: budget.Control{Budgets: ten},
		Drift: budget.Control{Budgets: ten}, Expiration: budget.Control{Budgets: ten}}
	if _, err := spec.Compile(); err != nil {
		t.Errorf("fifty: %v", err)
	}
	spec.Emptiness.Budgets = ten[:1]
	spec.Emptiness.DisruptAfter = "Never"
	set, err := spec.Compile()
	if err == nil || err.Error() != "budgets: 51 budgets are too many: write at most 50" {
		t.Errorf("fifty-one: %v", err)
	}
	for _, reason := range candidate.Methods() {
		if got, err := budget.AllowedByReason(set, aFriday, 100, reason); got.Nodes != 0 || err == nil {
			t.Errorf("%s: %d, %v", reason, got.Nodes, err)
		}
	}
	if !set.MostSpecific() || set.Minimum("Empty").Held != candidate.Forever || len(set.Budgets()) != 51 || set.Place(50) != "emptiness.budgets[0]" {
		t.Errorf("what is not broken is gone: %t, %v, %d, %s", set.MostSpecific(), set.Minimum("Empty").Held, len(set.Budgets()), set.Place(50))
	}
}

// An annotation adds budgets behind those of spec.disruption, and controls.
func TestWhatSomebodyAddsIsNamedByItsOwnPlaces(t *testing.T) {
	spec := decoded(t, `{"budgets": [{"nodes": "ten"}, {"nodes": 1}, {"nodes": 2, "per": "0s"}, {"nodes": 3}],
		"consolidateAfter": "soon", "consolidationPolicy": "maybe", "defaults": {"deadline": "x"}, "drift": {"disruptAfter": "y", "budgets": [{"nodes": "six"}]}}`)
	spec.Addition = budget.Addition{Name: "note", First: 2}
	set, _ := spec.Compile()
	var places, fields []string
	for i := range set.Budgets() {
		places = append(places, set.Place(i))
	}
	for _, w := range set.Warnings() {
		fields = append(fields, w.Field)
	}
	slices.Sort(fields)
	if diff := cmp.Diff([]string{"budgets[0]", "budgets[1]", "note budgets[0]", "note budgets[1]", "note drift.budgets[0]"}, places); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"budgets[0].nodes", "note budgets[0].per", "note consolidateAfter", "note consolidationPolicy", "note defaults.deadline",
		"note drift.budgets[0].nodes", "note drift.disruptAfter"}, slices.Compact(fields)); diff != "" {
		t.Error(diff)
	}
	spec.Addition.Name = ""
	if set, _ := spec.Compile(); set.Place(2) != "budgets[2]" {
		t.Errorf("an Addition without a name adds %s", set.Place(2))
	}
	spec = set.Spec()
	spec.Budgets[3].Nodes = "many"
	if other, _ := spec.Compile(); !strings.Contains(fmt.Sprint(other.Warnings()), "note budgets[1].nodes") {
		t.Error(other.Warnings())
	}
}

func TestPlaces(t *testing.T) {
	set, err := decoded(t, `{"emptiness": {"budgets": [{"nodes": 6}]}, "expiration": {"budgets": [{"nodes": 5}]}, "drift": {"budgets": [{"nodes": 4}]},
		"consolidation": {"budgets": [{"nodes": 3}]}, "defaults": {"budgets": [{"nodes": 1}, {"nodes": 2}]}, "budgets": [{"nodes": 0}]}`).Compile()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"budgets[0]", "defaults.budgets[0]", "defaults.budgets[1]", "consolidation.budgets[0]", "drift.budgets[0]",
		"expiration.budgets[0]", "emptiness.budgets[0]", "budgets[7]"}
	for i, w := range want {
		if got := set.Place(i); got != w {
			t.Errorf("%d is written at %s, want %s", i, got, w)
		}
	}
	for i, b := range set.Budgets() {
		if b.Nodes != fmt.Sprint(i) {
			t.Errorf("%s is %s", set.Place(i), b.Nodes)
		}
	}
	if got := set.Place(-1); got != "budgets[-1]" {
		t.Error(got)
	}
	zero := budget.Set{}
	if zero.Place(0) != "budgets[0]" || zero.MostSpecific() || zero.Minimum("Drifted").Held != 0 || !zero.Regroups(aFriday, "Drifted").IsZero() {
		t.Error("the zero Set is not Karpenter's default")
	}
}

func TestCompileLeavesASpecAsItIs(t *testing.T) {
	spec := decoded(t, `{"budgets": [{"reasons": ["Drift"]}], "drift": {"budgets": [{"reasons": ["AMIDrift"]}]}}`)
	spec.Methods = reasons{"Moved"}
	set, err := spec.Compile()
	if err != nil {
		t.Fatal(err)
	}
	if spec.Drift.Budgets[0].Reasons[0] != "AMIDrift" {
		t.Errorf("Compile writes to the Spec: %+v", spec.Drift.Budgets)
	}
	spec.Drift.Budgets[0].Reasons[0], spec.Budgets[0].Reasons[0], spec.Methods[0] = "x", "y", "z"
	if diff := cmp.Diff([]budget.Budget{{Reasons: reasons{"Drift"}}, {Reasons: reasons{"Drifted/AMIDrift"}}}, set.Budgets()); diff != "" {
		t.Errorf("the Set shares with the Spec: %s", diff)
	}
	if _, err := budget.AllowedByReason(set, aFriday, 1, "Moved"); err != nil {
		t.Error(err)
	}
}

func TestASpecFlattens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec, _, set := drawSpec(t)
		flat, _ := budget.Spec{Budgets: set.Budgets(), MostSpecific: set.MostSpecific()}.Compile()
		text, err := json.Marshal(spec)
		if err != nil {
			t.Fatal(err)
		}
		again := budget.Spec{MostSpecific: spec.MostSpecific}
		if err := json.Unmarshal(text, &again); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if diff := cmp.Diff(spec, again); diff != "" {
			t.Fatalf("%s: %s", text, diff)
		}
		back, _ := again.Compile()
		nodes, users := rapid.IntRange(0, 300).Draw(t, "nodes"), drawUsage(t)
		for range 4 {
			now, reason := testkit.Arbitrary(generate.Time).Draw(t, "now"), drawReason(t)
			want, _ := budget.AllowedByReason(set, now, nodes, reason)
			for what, other := range map[string]budget.Set{"flattened": flat, "after a round trip": back} {
				if got, _ := budget.AllowedByReason(other, now, nodes, reason); got != want {
					t.Fatalf("%s: %+v, want %+v", what, got, want)
				}
				if a, b := other.InUse(now, 100, reason, users), set.InUse(now, 100, reason, users); a != b {
					t.Fatalf("%s: %d in use, want %d", what, a, b)
				}
			}
			if got, want := back.Minimum(reason).Held, set.Minimum(reason).Held; got != want {
				t.Fatalf("after a round trip: %q has to hold for %v, want %v", reason, got, want)
			}
		}
	})
}
