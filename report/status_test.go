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

// statusLines tells statuses: "0 [Drifted] active 5 allowed 2 in use 3 remain", and "1 own" where that is another number.
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

// What AllowedByReason allows is what the statuses of the binding budgets say, and the least of all that decide. Everything in
// flight uses up a budget; where the most specific decide, what they decide for, what may be for a child that the budget names,
// and what nobody knows.
func TestStatusesAgreeWithAllowedByReasonAndDeciding(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := testkit.Arbitrary(generate.Budgets).Draw(t, "list")
		if rapid.IntRange(0, 5).Draw(t, "broken") == 0 {
			list = append(list, testkit.Arbitrary(generate.BrokenBudget).Draw(t, "broken budget"))
		}
		set, _ := testkit.Arbitrary(generate.Spec(list)).Draw(t, "spec").Compile()
		now, nodes, users := testkit.Arbitrary(generate.Time).Draw(t, "now"), rapid.IntRange(0, 300).Draw(t, "nodes"), drawUsers(t)
		uses := func(s budgetStatus, user candidate.Reason) bool {
			known, err := candidate.ParseReason(string(user))
			if user == notReady {
				return len(s.Reasons) == 0 || slices.ContainsFunc(s.Reasons, func(r candidate.Reason) bool { return r.Method() != candidate.Unhealthy })
			}
			return !set.MostSpecific() || err != nil || known != user || set.Deciding(set.Active(now), user).Has(s.Index) ||
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
		for i := range set.Deciding(set.Active(now), reason).All() {
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
