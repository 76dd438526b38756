package report

import (
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

type reasons = []candidate.Reason

// notReady stands for a node that is only not Ready, among those in flight.
const notReady = "not Ready"

func drawUsers(t *rapid.T) reasons {
	reason := rapid.OneOf(testkit.Arbitrary(generate.Reason), testkit.Arbitrary(generate.Reason),
		rapid.SampledFrom(reasons{"", "repair", "Drift", "Drifted/Other", notReady}))
	return rapid.SliceOfN(reason, 0, 12).Draw(t, "in flight")
}

func usageOf(users reasons) (u budget.Usage) {
	for _, user := range users {
		if user == notReady {
			u.NotReady++
		} else {
			u.Add(user, 1)
		}
	}
	return u
}

// statusLines tells statuses: "0 [Drifted] active 5 allowed 2 in use 3 remain", and "1 own" where that is another
// number.
func statusLines(all []budgetStatus) (lines []string) {
	for _, s := range all {
		line := fmt.Sprintf("%d %v", s.Index, s.Reasons)
		if s.Key != "" {
			line += " per " + s.Key
		}
		if s.Per != 0 {
			line += " per " + s.Per.String()
		}
		if s.active {
			line += " active"
		}
		line = fmt.Sprintf("%s %d allowed %d in use %d remain", line, s.allowed, s.inUse, s.remaining())
		if s.own != s.inUse {
			line += fmt.Sprintf(" %d own", s.own)
		}
		if s.exceeded() {
			line += " exceeded"
		}
		lines = append(lines, line)
	}
	return lines
}

func TestStatusesSayHowEachBudgetStands(t *testing.T) {
	friday := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	const night, hours = "0 20 * * *", "10h"
	inFlight := reasons{"Drifted", "Drifted/AMIDrift", "Empty", ""}
	child := budget.Spec{MostSpecific: true, Budgets: []budget.Budget{
		{Nodes: "9"}, {Nodes: "5", Reasons: reasons{"Drifted"}}, {Nodes: "3", Reasons: reasons{"Drifted/AMIDrift"}},
	}}
	for _, c := range []struct {
		name  string
		spec  budget.Spec
		nodes int
		users reasons
		want  []string
	}{
		{"no list is the default budget", budget.Spec{}, 30, nil, []string{"0 [] active 3 allowed 0 in use 3 remain"}},
		{"an empty list has none", budget.Spec{Budgets: []budget.Budget{}}, 30, inFlight, nil},
		{"everything in flight uses up each budget", budget.Spec{Budgets: []budget.Budget{{Nodes: "9"}, {Nodes: "5", Reasons: reasons{"Underutilized"}}}},
			30, inFlight, []string{"0 [] active 9 allowed 4 in use 5 remain", "1 [Underutilized] active 5 allowed 4 in use 1 remain 1 own"}},
		{"where more is in use than is allowed, nothing remains", budget.Spec{Budgets: []budget.Budget{{Nodes: "3"}}}, 30, inFlight,
			[]string{"0 [] active 3 allowed 4 in use 0 remain exceeded"}},
		{"a percentage is of the nodes, and rounds up", budget.Spec{Budgets: []budget.Budget{{Nodes: "10%"}}}, 11, nil,
			[]string{"0 [] active 2 allowed 0 in use 2 remain"}},
		{"less than no nodes are none", budget.Spec{Budgets: []budget.Budget{{Nodes: "50%"}, {Nodes: "2"}}}, -8, nil,
			[]string{"0 [] active 0 allowed 0 in use 0 remain", "1 [] active 2 allowed 0 in use 2 remain"}},
		{"one that is not active has its number all the same", budget.Spec{Budgets: []budget.Budget{{Nodes: "4", Schedule: night, Duration: hours}}},
			30, inFlight, []string{"0 [] 4 allowed 4 in use 0 remain"}},
		{"nor is it exceeded", budget.Spec{Budgets: []budget.Budget{{Nodes: "3", Schedule: night, Duration: hours}}},
			30, inFlight, []string{"0 [] 3 allowed 4 in use 0 remain"}},
		{"a pace has no number", budget.Spec{Budgets: []budget.Budget{{Nodes: "1", Per: "1h"}}}, 30, inFlight,
			[]string{"0 [] per 1h0m0s active 0 allowed 0 in use 0 remain"}},
		{"nodes that are not Ready count for it as well", budget.Spec{Budgets: []budget.Budget{{Nodes: "4", Schedule: night, Duration: hours}}},
			30, reasons{notReady, "Empty"}, []string{"0 [] 4 allowed 2 in use 2 remain"}},
		{"outside of its window it is active", budget.Spec{Budgets: []budget.Budget{{Nodes: "4", Schedule: night, Duration: hours, Outside: true}}},
			30, nil, []string{"0 [] active 4 allowed 0 in use 4 remain"}},
		{"one for single zones has no number", budget.Spec{Budgets: []budget.Budget{{Nodes: "4", TopologyKey: "zone"}}}, 30, inFlight,
			[]string{"0 [] per zone active 0 allowed 0 in use 0 remain"}},
		{"one for single zones that is not active", budget.Spec{Budgets: []budget.Budget{{Nodes: "4", TopologyKey: "zone", Schedule: night, Duration: hours}}},
			30, inFlight, []string{"0 [] per zone 0 allowed 0 in use 0 remain"}},
		{"broken ones are in their place, always active, and allow nothing", budget.Spec{Budgets: []budget.Budget{
			{Nodes: "7"}, {Nodes: "many", Reasons: reasons{"Drifted"}, Schedule: night, Duration: hours}, {Nodes: "2", TopologyKey: "zone"}, {Nodes: "8"}}}, 30, nil,
			[]string{"0 [] active 7 allowed 0 in use 7 remain", "1 [Drifted] active 0 allowed 0 in use 0 remain",
				"2 [] per zone active 0 allowed 0 in use 0 remain", "3 [] active 8 allowed 0 in use 8 remain"}},
		{"one whose reasons are broken is for all", budget.Spec{Budgets: []budget.Budget{{Nodes: "7", Reasons: reasons{"drifted"}}}}, 30, nil,
			[]string{"0 [] active 0 allowed 0 in use 0 remain"}},
		{"a list that is too long is one invalid budget", budget.Spec{Budgets: make([]budget.Budget, 51)}, 30, nil,
			[]string{"-1 [] active 0 allowed 0 in use 0 remain"}},
		{"reasons are in the spelling of the API", budget.Spec{Budgets: []budget.Budget{{Nodes: "1", Reasons: reasons{"Consolidation", "Drift:AMIDrift"}}}}, 30, nil,
			[]string{"0 [Underutilized Drifted/AMIDrift] active 1 allowed 0 in use 1 remain"}},
		{"the most specific budget alone is used up", child, 30, reasons{"Drifted/AMIDrift", "Drifted/SubnetDrift", "Empty"},
			[]string{"0 [] active 9 allowed 1 in use 8 remain", "1 [Drifted] active 5 allowed 1 in use 4 remain", "2 [Drifted/AMIDrift] active 3 allowed 1 in use 2 remain"}},
		{"what goes for a method, nobody knows for which child, uses up its children's as well", child, 30, reasons{"Drifted"},
			[]string{"0 [] active 9 allowed 0 in use 9 remain", "1 [Drifted] active 5 allowed 1 in use 4 remain", "2 [Drifted/AMIDrift] active 3 allowed 1 in use 2 remain 0 own"}},
		{"what goes for an unknown reason uses up all", child, 30, reasons{"", "repair"},
			[]string{"0 [] active 9 allowed 2 in use 7 remain", "1 [Drifted] active 5 allowed 2 in use 3 remain 1 own", "2 [Drifted/AMIDrift] active 3 allowed 2 in use 1 remain 1 own"}},
		{"what is not Ready uses up all budgets but those of repair", budget.Spec{Budgets: []budget.Budget{
			{Nodes: "5"}, {Nodes: "1", Reasons: reasons{"Unhealthy", "Unhealthy/Ready"}}, {Nodes: "1", Reasons: reasons{"Drifted", "Unhealthy"}}}}, 30, reasons{notReady, notReady, "Empty"},
			[]string{"0 [] active 5 allowed 3 in use 2 remain", "1 [Unhealthy Unhealthy/Ready] active 1 allowed 1 in use 0 remain 0 own",
				"2 [Drifted Unhealthy] active 1 allowed 3 in use 0 remain 2 own exceeded"}},
		{"also where the most specific decide", budget.Spec{MostSpecific: true, Budgets: []budget.Budget{
			{Nodes: "5"}, {Nodes: "1", Reasons: reasons{"Unhealthy"}}, {Nodes: "3", Reasons: reasons{"Drifted"}, Schedule: night, Duration: hours}, {Nodes: "x", Reasons: reasons{"Unhealthy/Ready"}}}},
			30, reasons{notReady, notReady, "Unhealthy"},
			[]string{"0 [] active 5 allowed 2 in use 3 remain", "1 [Unhealthy] active 1 allowed 1 in use 0 remain", "2 [Drifted] 3 allowed 2 in use 1 remain 0 own",
				"3 [Unhealthy/Ready] active 0 allowed 1 in use 0 remain 0 own"}},
		{"by day, when the child's budget is not active, the method's is used up", budget.Spec{MostSpecific: true, Budgets: []budget.Budget{
			{Nodes: "5", Reasons: reasons{"Drifted"}}, {Nodes: "3", Reasons: reasons{"Drifted/AMIDrift"}, Schedule: night, Duration: hours}}}, 30, reasons{"Drifted/AMIDrift"},
			[]string{"0 [Drifted] active 5 allowed 1 in use 4 remain", "1 [Drifted/AMIDrift] 3 allowed 1 in use 2 remain 0 own"}},
		{"a broken one is used up by what it blocks", budget.Spec{MostSpecific: true, Budgets: []budget.Budget{
			{Nodes: "5"}, {Nodes: "x", Reasons: reasons{"Drifted"}}}}, 30, reasons{"Drifted/AMIDrift", "Empty"},
			[]string{"0 [] active 5 allowed 2 in use 3 remain", "1 [Drifted] active 0 allowed 1 in use 0 remain exceeded"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, _ := c.spec.Compile()
			got := statusLines(statuses(set, friday, c.nodes, usageOf(c.users)))
			if diff := cmp.Diff(strings.Join(c.want, "\n"), strings.Join(got, "\n")); diff != "" {
				t.Errorf("statuses (-want +got)\n%s", diff)
			}
		})
	}
}

// Without a time, nobody knows which budgets are active. So all are, and allow nothing.
func TestWithoutATimeNothingIsAllowed(t *testing.T) {
	night := budget.Budget{Nodes: "4", Schedule: "0 20 * * *", Duration: "10h"}
	paced, zoned := night, night
	paced.Per, zoned.TopologyKey = "1h", "zone"
	set, err := budget.Compile([]budget.Budget{night, {Nodes: "50%"}, paced, zoned})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"0 [] active 0 allowed 1 in use 0 remain exceeded", "1 [] active 0 allowed 1 in use 0 remain exceeded",
		"2 [] per 1h0m0s active 0 allowed 0 in use 0 remain", "3 [] per zone active 0 allowed 0 in use 0 remain"}
	if diff := cmp.Diff(want, statusLines(statuses(set, time.Time{}, 30, usageOf(reasons{"Empty"})))); diff != "" {
		t.Error(diff)
	}
}

// What AllowedByReason allows is what the statuses of the binding budgets say, and the least of all that decide.
// Everything in flight uses up a budget; where the most specific decide, what they decide for, what may be for a child
// that the budget names, and what nobody knows.
func TestStatusesAgreeWithAllowedByReasonAndDeciding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := testkit.Arbitrary(generate.Budgets).Draw(t, "list")
		if rapid.IntRange(0, 5).Draw(t, "broken") == 0 {
			list = append(list, testkit.Arbitrary(generate.BrokenBudget).Draw(t, "invalid budget"))
		}
		set, _ := testkit.Arbitrary(generate.Spec(list)).Draw(t, "spec").Compile()
		now, nodes, users := testkit.Arbitrary(generate.Time).Draw(t, "now"), rapid.IntRange(0, 300).Draw(t, "nodes"), drawUsers(t)
		uses := func(s budgetStatus, user candidate.Reason) bool {
			known, err := candidate.ParseReason(string(user))
			if user == notReady {
				return len(s.Reasons) == 0 || slices.ContainsFunc(s.Reasons, func(r candidate.Reason) bool { return r.Method() != candidate.Unhealthy })
			}
			return !set.MostSpecific() || err != nil || known != user || set.Deciding(now, user).Has(s.Index) ||
				slices.ContainsFunc(s.Reasons, func(r candidate.Reason) bool { return r == user || strings.HasPrefix(string(r), string(user)+"/") })
		}
		byIndex := map[int]budgetStatus{}
		for _, status := range statuses(set, now, nodes, usageOf(users)) {
			byIndex[status.Index] = status
			want := 0
			for _, user := range users {
				if status.Key == "" && uses(status, user) {
					want++
				}
			}
			if !set.Broken().Has(status.Index) && status.inUse != want {
				t.Fatalf("budgets[%d]: %d of %v use it up, want %d", status.Index, status.inUse, users, want)
			}
		}
		reason := testkit.Arbitrary(generate.Reason).Draw(t, "reason")
		allowance, err := budget.AllowedByReason(set, now, nodes, reason)
		if err != nil {
			return
		}
		least := budget.Unlimited
		for i := range set.Deciding(now, reason).All() {
			status := byIndex[i]
			least = min(least, status.allowed)
			if binds := allowance.Binding.Has(i); !status.active || binds != (status.allowed == allowance.Nodes) {
				t.Fatalf("%d nodes by %v, and budgets[%d] decides: %+v", allowance.Nodes, allowance.Binding, i, status)
			}
		}
		if least != allowance.Nodes {
			t.Fatalf("%d nodes are allowed, and at least %d by the budgets that decide", allowance.Nodes, least)
		}
	})
}
