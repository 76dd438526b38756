package budget_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
)

func TestABrokenDeadlineIsIgnored(t *testing.T) {
	const holds = "; until then, windows and paces hold as if there were no deadline"
	for _, c := range []struct{ name, drift, want string }{
		{"no time", `{"deadline": "0s"}`, `drift.deadline: deadline "0s" is zero, and windows would never hold: write how long they hold at most, such as 336h` + holds},
		{"a negative time", `{"deadline": "-1h"}`, `drift.deadline: deadline "-1h" is not a duration of at most a year: write one such as 336h, or Never` + holds},
		{"more than a year", `{"deadline": "8785h"}`, `drift.deadline: deadline "8785h" is not a duration of at most a year: write one such as 336h, or Never` + holds},
		{"more than fits", `{"deadline": "99999999999h"}`, `drift.deadline: deadline "99999999999h" is not a duration of at most a year: write one such as 336h, or Never` + holds},
		{"days", `{"deadline": "14d"}`, `drift.deadline: deadline "14d" is not a duration of at most a year: write one such as 336h, or Never` + holds},
		{"a date", `{"deadline": "2026-12-24"}`, `drift.deadline: deadline "2026-12-24" is not a duration of at most a year: write one such as 336h, or Never` + holds},
		{"before disruptAfter", `{"deadline": "1h", "disruptAfter": "90m"}`, `drift.deadline: deadline "1h" comes before drift.disruptAfter "90m" has passed: write a longer one` + holds},
		{"where nodes never go", `{"deadline": "1h", "disruptAfter": "Never"}`, `drift.deadline: deadline "1h" has no effect, since drift.disruptAfter is Never: leave one of them out` + holds},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := decoded(t, `{"drift": `+c.drift+`, "defaults": {"deadline": "1h"}}`).Compile()
			if fmt.Sprint(err) != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if d := set.Deadline("Drifted"); d != candidate.Forever {
				t.Error(d)
			}
		})
	}
}

func TestADeadlineAndADisruptAfterMayBeInTwoControls(t *testing.T) {
	const holds = "; until then, windows and paces hold as if there were no deadline"
	for _, c := range []struct {
		name, spec, want string
		drifted, empty   time.Duration // the deadlines
	}{
		{"the method waits for longer than the deadline of the defaults", `{"defaults": {"deadline": "1h"}, "drift": {"disruptAfter": "24h"}}`,
			`defaults.deadline: deadline "1h" comes before drift.disruptAfter "24h" has passed: write a longer one` + holds, candidate.Forever, time.Hour},
		{"the defaults wait for longer than the deadline of the method", `{"defaults": {"disruptAfter": "24h"}, "drift": {"deadline": "1h"}, "emptiness": {"deadline": "48h"}}`,
			`drift.deadline: deadline "1h" comes before defaults.disruptAfter "24h" has passed: write a longer one` + holds, candidate.Forever, 48 * time.Hour},
		{"the method does not wait as the defaults do", `{"defaults": {"disruptAfter": "24h"}, "drift": {"deadline": "1h", "disruptAfter": "0s"}}`,
			"<nil>", time.Hour, candidate.Forever},
		{"nodes never go for the method", `{"defaults": {"deadline": "1h"}, "drift": {"disruptAfter": "Never"}}`, "<nil>", candidate.Forever, time.Hour},
		{"nodes never go unless the method says so", `{"defaults": {"disruptAfter": "Never"}, "drift": {"deadline": "1h"}}`,
			`drift.deadline: deadline "1h" has no effect, since defaults.disruptAfter is Never: leave one of them out` + holds, candidate.Forever, candidate.Forever},
		{"a deadline of zero is reported once", `{"defaults": {"deadline": "0s"}, "drift": {"disruptAfter": "24h"}}`,
			`defaults.deadline: deadline "0s" is zero, and windows would never hold: write how long they hold at most, such as 336h` + holds, candidate.Forever, candidate.Forever},
		{"as is one that comes before disruptAfter", `{"defaults": {"deadline": "1h", "disruptAfter": "24h"}}`,
			`defaults.deadline: deadline "1h" comes before defaults.disruptAfter "24h" has passed: write a longer one` + holds, candidate.Forever, candidate.Forever},
		{"as is one that has no effect", `{"defaults": {"deadline": "1h", "disruptAfter": "Never"}}`,
			`defaults.deadline: deadline "1h" has no effect, since defaults.disruptAfter is Never: leave one of them out` + holds, candidate.Forever, candidate.Forever},
		{"as is one of more than a year", `{"defaults": {"deadline": "8785h"}, "drift": {"disruptAfter": "24h"}}`,
			`defaults.deadline: deadline "8785h" is not a duration of at most a year: write one such as 336h, or Never` + holds, candidate.Forever, candidate.Forever},
		{"an invalid disruptAfter is reported once", `{"drift": {"deadline": "1h", "disruptAfter": "1d"}}`,
			`drift.disruptAfter: disruptAfter "1d" is not a duration: write one such as 30m or 1h, or Never; until then, nothing that it covers is disrupted`, candidate.Forever, candidate.Forever},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := decoded(t, c.spec).Compile()
			if got := fmt.Sprint(err); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			if drifted, empty := set.Deadline("Drifted"), set.Deadline("Empty"); drifted != c.drifted || empty != c.empty {
				t.Errorf("deadlines %v, %v, want %v, %v", drifted, empty, c.drifted, c.empty)
			}
		})
	}
}

func TestTheDeadlineOfAReason(t *testing.T) {
	const year = 8784 * time.Hour
	for _, c := range []struct {
		name, spec string
		reason     candidate.Reason
		want       time.Duration
	}{
		{"none is never", `{}`, "Drifted", candidate.Forever},
		{"that of its method", `{"drift": {"deadline": "336h"}}`, "Drifted/AMIDrift", 336 * time.Hour},
		{"not that of another", `{"drift": {"deadline": "336h"}}`, "Empty", candidate.Forever},
		{"that of the defaults", `{"drift": {"deadline": "336h"}, "defaults": {"deadline": "8784h"}}`, "Unhealthy", year},
		{"not that of the defaults, where its method has one", `{"drift": {"deadline": "336h"}, "defaults": {"deadline": "1h"}}`, "Drifted", 336 * time.Hour},
		{"never, whatever the defaults", `{"drift": {"deadline": "Never"}, "defaults": {"deadline": "1h"}}`, "Drifted", candidate.Forever},
		{"never alone", `{"drift": {"deadline": "Never"}}`, "Drifted", candidate.Forever},
		{"as soon as it may be disrupted", `{"drift": {"deadline": "1h", "disruptAfter": "1h"}}`, "Drifted", time.Hour},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := decoded(t, c.spec).Compile()
			if err != nil {
				t.Fatal(err)
			}
			if got := set.Deadline(c.reason); got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// If budgets allow any node now, and other budgets apply at other times, an overdue node is allowed no more.
func TestOverdueNodesGetNoMoreThanOpenBudgetsGive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := testkit.Arbitrary(generate.Budgets).Draw(t, "budgets")
		set, _ := testkit.Arbitrary(generate.Spec(list)).Draw(t, "spec").Compile()
		now, nodes, reason := testkit.Arbitrary(generate.Time).Draw(t, "now"), rapid.IntRange(0, 200).Draw(t, "nodes"), testkit.Arbitrary(generate.Reason).Draw(t, "reason")
		allowance, _ := budget.AllowedByReason(set, now, nodes, reason)
		if late := set.Overdue(nodes, reason); allowance.Nodes > 0 && late.Nodes > allowance.Nodes {
			t.Fatalf("%v at once, but %v where nodes are overdue", allowance, late)
		}
	})
}
