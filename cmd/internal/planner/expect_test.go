package planner

import (
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/plan"
)

func TestAnExpectationIsASentence(t *testing.T) {
	from := time.Date(2026, 11, 20, 10, 30, 0, 0, time.UTC)
	after := func(hours float64) time.Time { return from.Add(time.Duration(hours * float64(time.Hour))) }
	goes := func(hours float64) plan.Node { return plan.Node{Name: "a", Outcome: plan.Done, Start: after(hours)} }
	never := plan.Node{Name: "a", Outcome: plan.Never, Blockers: []candidate.Blocker{{Message: "pod x is annotated", ForGood: true}, {Message: "0 of 2"}}}
	expires := goes(2)
	expires.Reason, expires.Expires = candidate.Expired, expires.Start
	stays := expires
	stays.Outcome, stays.Blockers = plan.Never, never.Blockers
	for _, row := range []struct {
		name string
		e    plan.Expectation
		want string
	}{
		{"one run", plan.Expectation{Node: goes(2), Starts: plan.Spread{Early: after(2), Middle: after(2), Late: after(2)}, Runs: 1}, "expected Fri 20 Nov 12:30"},
		{"many that agree", plan.Expectation{Node: goes(2), Starts: plan.Spread{Early: after(2), Middle: after(2), Late: after(2)}, Runs: 50}, "expected Fri 20 Nov 12:30"},
		{"many that do not", plan.Expectation{Node: goes(2), Starts: plan.Spread{Early: after(1.5), Middle: after(2), Late: after(14)}, Runs: 50},
			"expected Fri 20 Nov 12:30 (8 of 10 runs: 12:00 to Sat 21 Nov 00:30)"},
		{"some in which it is never", plan.Expectation{Node: goes(2), Starts: plan.Spread{Early: after(1.5), Middle: after(2)}, Runs: 50},
			"expected Fri 20 Nov 12:30, and in 1 of 10 runs not at all"},
		{"by its expiry", plan.Expectation{Node: expires, Starts: plan.Spread{Early: after(2), Middle: after(2), Late: after(2)}, Runs: 1},
			"expected Fri 20 Nov 12:30, because it expires"},
		{"by its expiry, and its drain never ends", plan.Expectation{Node: stays, Starts: plan.Spread{Early: after(2), Middle: after(2), Late: after(2)}, Runs: 1},
			"expected Fri 20 Nov 12:30, because it expires; its drain never ends: pod x is annotated, 0 of 2"},
		{"never", plan.Expectation{Node: never, Runs: 1}, "not expected until this changes: pod x is annotated"},
		{"beyond the horizon", plan.Expectation{Node: plan.Node{Outcome: plan.Open, Blockers: never.Blockers[1:]}, Runs: 1}, "not expected within 90 days: 0 of 2"},
		{"too much work", plan.Expectation{Node: plan.Node{Name: "a"}, Stopped: true}, "when it is expected would take long to plan: kubectl disruption plan -o json has it"},
	} {
		if got := Expected(row.e, &candidate.Node{}, from); got != row.want {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
	}
}
