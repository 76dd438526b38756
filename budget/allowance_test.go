package budget_test

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/robfig/cron/v3"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/mistake"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/schedule"
)

// oracle reads budgets that compile the obvious, slow way: each is parsed anew, and in UTC robfig/cron says whether it
// is active, as in Karpenter's Budget.IsActive.
// friday is a time at which nothing special happens.
var friday = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func oracle(t *rapid.T, budgets []budget.Budget, now time.Time, nodes int, reason candidate.Reason) (allowed int, binding []int) {
	allowed = budget.Unlimited
	for i, b := range budgets {
		if n := scaled(b.Nodes, nodes); covers(b, reason) && active(t, b, now) {
			switch {
			case n < allowed:
				allowed, binding = n, []int{i}
			case n == allowed:
				binding = append(binding, i)
			}
		}
	}
	return allowed, binding
}

func scaled(text string, nodes int) int {
	if text == "" {
		text = "10%"
	}
	n, ok := new(big.Int).SetString(strings.TrimSuffix(text, "%"), 10)
	if !ok {
		panic(text)
	}
	if strings.HasSuffix(text, "%") {
		n.Mul(n, big.NewInt(int64(nodes)))
		n.Add(n, big.NewInt(99))
		n.Div(n, big.NewInt(100))
	}
	return int(n.Int64())
}

func covers(b budget.Budget, reason candidate.Reason) bool {
	if len(b.Reasons) == 0 || reason == "" {
		return true
	}
	return slices.ContainsFunc(b.Reasons, func(r candidate.Reason) bool {
		return r == reason || strings.HasPrefix(string(reason), string(r)+"/")
	})
}

func active(t *rapid.T, b budget.Budget, now time.Time) bool {
	if dated, on := onDates(b, now); dated {
		return on != b.Outside
	}
	if b.Schedule == "" {
		return true
	}
	d, err := time.ParseDuration(b.Duration)
	if err != nil {
		t.Fatal(err)
	}
	w, err := schedule.Parse(b.Schedule, d, b.TimeZone)
	if err != nil {
		t.Fatal(err)
	}
	open := schedule.InWindow(w, now)
	if b.TimeZone == "" || b.TimeZone == "UTC" {
		spec, err := cron.ParseStandard("TZ=UTC " + b.Schedule)
		if err != nil {
			t.Fatal(err)
		}
		if hit := spec.Next(now.Add(-d)); !hit.IsZero() && !hit.After(now) != open {
			t.Fatalf("%s at %v: open %t, robfig/cron says otherwise", b, now, open)
		}
	}
	return open != b.Outside
}

func TestAllowedByReasonIsTheMinimumOverActiveBudgetsThatCoverTheReason(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		budgets := testkit.Arbitrary(generate.Budgets).Draw(t, "budgets")
		set, err := budget.Compile(budgets)
		if err != nil {
			t.Fatal(err)
		}
		nodes := rapid.IntRange(0, 500).Draw(t, "nodes")
		for range 5 {
			now := testkit.Arbitrary(generate.Time).Draw(t, "now")
			reason := rapid.OneOf(testkit.Arbitrary(generate.Reason), rapid.Just(candidate.Reason(""))).Draw(t, "reason")
			want, binding := oracle(t, budgets, now, nodes, reason)
			got, err := budget.AllowedByReason(set, now, nodes, reason)
			if err != nil {
				t.Fatal(err)
			}
			if got.Nodes != want || !slices.Equal(slices.Collect(got.Binding.All()), binding) {
				t.Fatalf("%s at %v: %d bound by %s, want %d bound by %v", reason, now, got.Nodes, got.Binding, want, binding)
			}
		}
	})
}

func TestOneMoreBudgetNeverAllowsMoreAndTheOrderNeverMatters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		budgets := testkit.Arbitrary(generate.Budgets).Draw(t, "budgets")
		more := append(slices.Clone(budgets), rapid.OneOf(testkit.Arbitrary(generate.Budget), testkit.Arbitrary(generate.BrokenBudget)).Draw(t, "one more"))
		shuffled := rapid.Permutation(more).Draw(t, "shuffled")
		now := testkit.Arbitrary(generate.Time).Draw(t, "now")
		nodes := rapid.IntRange(0, 500).Draw(t, "nodes")
		reason := testkit.Arbitrary(generate.Reason).Draw(t, "reason")
		allowed := func(budgets []budget.Budget) int {
			set, _ := budget.Compile(budgets)
			got, _ := budget.AllowedByReason(set, now, nodes, reason)
			return got.Nodes
		}
		if a, b := allowed(more), allowed(budgets); a > b {
			t.Fatalf("one more budget allows %d instead of %d", a, b)
		}
		if a, b := allowed(more), allowed(shuffled); a != b {
			t.Fatalf("in another order %d instead of %d", b, a)
		}
	})
}

func TestABrokenBudgetAllowsNothingForItsReasons(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		broken := testkit.Arbitrary(generate.BrokenBudget).Draw(t, "broken")
		set, err := budget.Compile([]budget.Budget{{Nodes: "100%"}, broken})
		if err == nil || len(set.Warnings()) == 0 {
			t.Fatal("no fault is reported")
		}
		now := testkit.Arbitrary(generate.Time).Draw(t, "now")
		reason := testkit.Arbitrary(generate.Reason).Draw(t, "reason")
		got, err := budget.AllowedByReason(set, now, 50, reason)
		typo := slices.Contains(broken.Reasons, "drifted")
		if typo || covers(broken, reason) {
			if got.Nodes != 0 || err == nil || got.Binding.String() != "1" {
				t.Fatalf("%d allowed, bound by %s, error %v", got.Nodes, got.Binding, err)
			}
		} else if got.Nodes != 50 || err != nil {
			t.Fatalf("%s is not named, but %d allowed, error %v", reason, got.Nodes, err)
		}
	})
}

func TestUntilIsWhenTheNumberChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set, err := budget.Compile(testkit.Arbitrary(generate.Budgets).Draw(t, "budgets"))
		if err != nil {
			t.Fatal(err)
		}
		now := testkit.Arbitrary(generate.Time).Draw(t, "now")
		nodes := rapid.IntRange(0, 50).Draw(t, "nodes")
		reason := testkit.Arbitrary(generate.Reason).Draw(t, "reason")
		allowed := func(at time.Time) int {
			a, _ := budget.AllowedByReason(set, at, nodes, reason)
			return a.Nodes
		}
		until := set.Until(now, nodes, reason)
		end := until
		if end.IsZero() {
			end = now.AddDate(30, 0, 0)
		} else if !end.After(now) || allowed(end) == allowed(now) {
			t.Fatalf("%d at %v, and %d at its end %v", allowed(now), now, allowed(end), end)
		}
		for range 20 {
			at := now.Add(time.Duration(rapid.Int64Range(0, int64(end.Sub(now))-1).Draw(t, "at")))
			if allowed(at) != allowed(now) {
				t.Fatalf("%d at %v, but %d at %v, before the end %v", allowed(now), now, allowed(at), at, until)
			}
		}
	})
}

func TestTheZeroSetIsKarpentersDefault(t *testing.T) {
	got, err := budget.AllowedByReason(budget.Set{}, friday, 25, candidate.Drifted)
	if err != nil || got.Nodes != 3 || got.Binding.String() != "0" {
		t.Errorf("%+v, %v", got, err)
	}
	if written := (budget.Set{}).Budgets(); len(written) != 1 || written[0].Nodes != "10%" {
		t.Errorf("%+v", written)
	}
}

// Karpenter v1.15: a budget that names Unhealthy is for repair alone, and freezes nothing else.
func TestABudgetForRepairIsForNothingElse(t *testing.T) {
	set, err := budget.Compile([]budget.Budget{{Nodes: "1", Reasons: []candidate.Reason{"Unhealthy"}}, {Nodes: "50%"}})
	if err != nil {
		t.Fatal(err)
	}
	for reason, want := range map[candidate.Reason]int{
		"Unhealthy": 1, "Unhealthy/Ready": 1, "Unhealthy/example.com/DiskHealthy": 1, "Drifted": 5, "Empty": 5, "Underutilized": 5,
	} {
		if got, err := budget.AllowedByReason(set, friday, 10, reason); err != nil || got.Nodes != want {
			t.Errorf("%s: %d, %v, want %d", reason, got.Nodes, err, want)
		}
	}
}

func TestAReasonThatNoBudgetCanKnowIsAllowedNothing(t *testing.T) {
	for reason, want := range map[candidate.Reason]string{
		"drifted":           `reason "drifted" is unknown: write Drifted`,
		"Drift":             `reason "Drift" is not spelled as in the API: write Drifted, or use candidate.ParseReason`,
		"Moved":             `reason "Moved" is unknown: write Drifted, Empty, Underutilized, Expired or Unhealthy, or a child of one such as Drifted/AMIDrift`,
		"/AMIDrift":         `reason "/AMIDrift" is unknown: write Drifted, Empty, Underutilized, Expired or Unhealthy, or a child of one such as Drifted/AMIDrift`,
		"Drifted/AMIDrift ": `reason "Drifted/AMIDrift " has a malformed child: write the reason of a condition, such as Drifted/AMIDrift`,
		"Drifted/Drift":     `reason "Drifted/Drift" is not spelled as in the API: write Drifted, or use candidate.ParseReason`,
		"Drifted:AMIDrift":  `reason "Drifted:AMIDrift" is not spelled as in the API: write Drifted/AMIDrift, or use candidate.ParseReason`,
	} {
		got, err := budget.AllowedByReason(budget.Set{}, friday, 100, reason)
		if err == nil || err.Error() != want || got != (budget.Allowance{}) {
			t.Errorf("%s: %+v, %v", reason, got, err)
		}
		if until := (budget.Set{}).Until(friday, 100, reason); !until.IsZero() {
			t.Errorf("%s: allowed from %v on", reason, until)
		}
	}
	set, err := budget.Spec{
		Budgets: []budget.Budget{{Nodes: "2", Reasons: []candidate.Reason{"Moved"}}, {Nodes: "1", Reasons: []candidate.Reason{"Moved/Rack"}}},
		Methods: []candidate.Reason{"Moved"},
	}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	for reason, want := range map[candidate.Reason]int{"Moved": 2, "Moved/Rack": 1, "Drifted": budget.Unlimited} {
		if got, err := budget.AllowedByReason(set, friday, 100, reason); err != nil || got.Nodes != want {
			t.Errorf("declared %s: %d, %v, want %d", reason, got.Nodes, err, want)
		}
	}
}

func TestAMethodOfOnesOwnIsANewWord(t *testing.T) {
	for _, method := range []candidate.Reason{"", "Drift", "Drifted", "a/b", "a:b", "Consolidation", "Drifted/AMIDrift"} {
		set, err := budget.Spec{Budgets: []budget.Budget{{Nodes: "0"}}, Methods: []candidate.Reason{"Moved", method}}.Compile()
		want := fmt.Sprintf("methods[1]: %q cannot be a custom method: write a new word without / and :", method)
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v", method, err)
		}
		if got, err := budget.AllowedByReason(set, friday, 100, method); got.Nodes != 0 {
			t.Errorf("%q: %d allowed, %v", method, got.Nodes, err)
		}
	}
}

func TestMoreThanFiftyBudgetsAllowNothing(t *testing.T) {
	set, err := budget.Compile(slices.Repeat([]budget.Budget{{Nodes: "10"}}, 51))
	if err == nil || !strings.Contains(err.Error(), "51 budgets are too many: write at most 50") {
		t.Error(err)
	}
	for _, reason := range candidate.Methods() {
		if got, err := budget.AllowedByReason(set, friday, 100, reason); err == nil || got != (budget.Allowance{}) {
			t.Errorf("%s: %+v, %v", reason, got, err)
		}
	}
	if _, err := budget.Compile(slices.Repeat([]budget.Budget{{Nodes: "10"}}, 50)); err != nil {
		t.Error(err)
	}
	set, _ = budget.Compile(slices.Repeat([]budget.Budget{{TopologyKey: "rack"}}, 51))
	if scopes := set.Scopes(""); len(scopes) != 0 || set.Warnings()[0].Value != "51" {
		t.Errorf("scopes %v, warnings %v", scopes, set.Warnings())
	}
}

func TestTheErrorNamesAllThatIsBrokenForTheReason(t *testing.T) {
	set, _ := budget.Compile([]budget.Budget{{Nodes: "x"}, {Nodes: "0"}, {Nodes: "y"}, {Nodes: "z", Reasons: []candidate.Reason{"Empty"}}})
	got, err := budget.AllowedByReason(set, friday, 100, candidate.Drifted)
	if err == nil || strings.Count(err.Error(), "\n") != 1 || !strings.Contains(err.Error(), "budgets[0]") || !strings.Contains(err.Error(), "budgets[2]") {
		t.Error(err)
	}
	if got.Binding.String() != "0,1,2" {
		t.Errorf("bound by %s", got.Binding)
	}
}

func TestASetReportsItsInvalidBudgets(t *testing.T) {
	set, err := budget.Compile([]budget.Budget{{Nodes: "1", TopologyKey: "rack"}, {Nodes: "x"}, {}, {Nodes: "1", Sequential: true}})
	if err == nil {
		t.Fatal("it compiles")
	}
	broken := set.Broken()
	if broken.String() != "1,3" || !broken.Has(1) || broken.Has(2) || broken.Has(-1) || broken.Has(64) {
		t.Errorf("broken: %s", broken)
	}
}

func TestRemainingIsNeverNegative(t *testing.T) {
	for _, c := range []struct{ nodes, disrupting, want int }{
		{5, 2, 3}, {5, 5, 0}, {5, 9, 0}, {5, -3, 5}, {0, 0, 0}, {budget.Unlimited, 9, budget.Unlimited},
	} {
		if got := (budget.Allowance{Nodes: c.nodes}).Remaining(c.disrupting); got != c.want {
			t.Errorf("%d allowed, %d disrupting: %d remain, want %d", c.nodes, c.disrupting, got, c.want)
		}
	}
}

func TestAllowedByReasonAllocatesNothing(t *testing.T) {
	set := fiftyBudgets(t)
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	if n := testing.AllocsPerRun(100, func() { _, _ = budget.AllowedByReason(set, now, 100, candidate.Drifted) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// fiftyBudgets are all scheduled, each at another time.
func fiftyBudgets(t testing.TB) budget.Set {
	t.Helper()
	var budgets []budget.Budget
	for i := range 50 {
		budgets = append(budgets, budget.Budget{
			Nodes:    fmt.Sprint(60 - i), // descending: each budget may bind when its turn comes
			Schedule: fmt.Sprintf("%d %d * * mon-fri", i, i%24),
			Duration: fmt.Sprintf("%dh", 1+i%20),
			Reasons:  []candidate.Reason{candidate.Drifted, candidate.Underutilized},
		})
	}
	set, err := budget.Compile(budgets)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func BenchmarkAllowedByReason(b *testing.B) {
	now := time.Date(2026, 11, 20, 12, 34, 56, 0, time.UTC)
	one, err := budget.Compile([]budget.Budget{{Nodes: "10%", Schedule: "0 9 * * mon-fri", Duration: "8h"}})
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		budgets int
		set     budget.Set
	}{{1, one}, {50, fiftyBudgets(b)}} {
		b.Run(fmt.Sprintf("budgets=%d", c.budgets), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = budget.AllowedByReason(c.set, now, 100, candidate.Drifted)
			}
		})
	}
}

func BenchmarkUntil(b *testing.B) {
	now := time.Date(2026, 11, 20, 12, 34, 56, 0, time.UTC)
	set := fiftyBudgets(b)
	b.ReportAllocs()
	for b.Loop() {
		set.Until(now, 100, candidate.Drifted)
	}
}

func TestWithoutATimeNothingIsAllowed(t *testing.T) {
	night := budget.Budget{Nodes: "4", Schedule: "0 20 * * *", Duration: "10h"}
	set, err := budget.Compile([]budget.Budget{night, {Nodes: "50%"}})
	if err != nil {
		t.Fatal(err)
	}
	var missing candidate.Warning
	if got, err := budget.AllowedByReason(set, time.Time{}, 30, "Empty"); got != (budget.Allowance{}) || !errors.As(err, &missing) || missing.Code != mistake.CodeNoTime {
		t.Errorf("%v, %v", got, err)
	}
	night.Reasons = reasons{"Empty"}
	for _, set := range []budget.Set{set, specific(t, night, budget.Budget{Nodes: "9"})} {
		if room, end := set.Room(time.Time{}, 30, "Empty", usageOf(reasons{"Drifted"})); room || !end.IsZero() {
			t.Errorf("%v: room: %t up to %v", set, room, end)
		}
	}
}
