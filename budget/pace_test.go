package budget_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
)

func TestAPaceThatIsBrokenAllowsNothing(t *testing.T) {
	for _, c := range []struct{ name, budget, want string }{
		{"no time", `{"nodes": "2", "per": "0h"}`, `budgets[0].per: per "0h" is zero: write the time within which so many nodes may start, such as 1h`},
		{"no time in seconds", `{"nodes": "2", "per": "0s"}`, `budgets[0].per: per "0s" is zero: write the time within which so many nodes may start, such as 1h`},
		{"no time without a unit", `{"nodes": "2", "per": "0"}`, `budgets[0].per: per "0" is zero: write the time within which so many nodes may start, such as 1h`},
		{"seconds", `{"nodes": "2", "per": "90s"}`, `budgets[0].per: per "90s" is not in whole hours and minutes: write one such as 1h, 90m or 24h`},
		{"a number without a unit", `{"nodes": "2", "per": "1"}`, `budgets[0].per: per "1" is not in whole hours and minutes: write one such as 1h, 90m or 24h`},
		{"a negative time", `{"nodes": "2", "per": "-1h"}`, `budgets[0].per: per "-1h" is negative: write the time within which so many nodes may start, such as 1h`},
		{"a negative time in seconds", `{"nodes": "2", "per": "-1s"}`, `budgets[0].per: per "-1s" is negative: write the time within which so many nodes may start, such as 1h`},
		{"more than a year", `{"nodes": "2", "per": "8785h"}`, `budgets[0].per: per "8785h" is longer than a year: write at most 8784h`},
		{"more than fits", `{"nodes": "2", "per": "99999999999h"}`, `budgets[0].per: per "99999999999h" is longer than a year: write at most 8784h`},
		{"a day in words", `{"nodes": "2", "per": "day"}`, `budgets[0].per: per "day" is not in whole hours and minutes: write one such as 1h, 90m or 24h`},
		{"none per hour", `{"nodes": "0%", "per": "1h"}`, `budgets[0].nodes: nodes "0%" per 1h never lets a node start: leave per out, if nothing should go`},
		{"of zones", `{"nodes": "2", "per": "1h", "topologyKey": "zone"}`, `budgets[0].per: per "1h" applies to the whole pool, and topologyKey to single zones: ` +
			`starts are not counted by zone, since nodes that are gone are in none; write the pace in a separate budget`},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := decoded(t, `{"budgets": [`+c.budget+`]}`).Compile()
			if fmt.Sprint(err) != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if allowance, _ := budget.AllowedByReason(set, aMonday, 100, "Drifted"); allowance.Nodes != 0 {
				t.Errorf("%v", allowance)
			}
		})
	}
}

// ago are starts of Drifted nodes some minutes before aMonday.
func ago(minutes ...int) (starts []budget.Start) {
	for _, m := range minutes {
		starts = append(starts, budget.Start{Node: fmt.Sprint(m), Reason: "Drifted", At: aMonday.Add(time.Duration(-m) * time.Minute)})
	}
	return starts
}

func TestHowManyNodesMayStart(t *testing.T) {
	because := func(reason candidate.Reason, starts ...budget.Start) []budget.Start {
		for i := range starts {
			starts[i].Reason = reason
		}
		return starts
	}
	for _, c := range []struct {
		name, spec string
		reason     candidate.Reason
		starts     []budget.Start
		want       string // how many may start, because of which budgets, and when one more may
	}{
		{"without a pace, any number", `{"budgets": [{"nodes": "1"}]}`, "Drifted", ago(0, 1), "any, [] 00:00"},
		{"none of an hour has started", `{"budgets": [{"nodes": "2", "per": "1h"}]}`, "Drifted", nil, "2, [0] 00:00"},
		{"one has", `{"budgets": [{"nodes": "2", "per": "1h"}]}`, "Drifted", ago(59), "1, [0] 00:00"},
		{"one that started an hour ago counts no longer", `{"budgets": [{"nodes": "2", "per": "1h"}]}`, "Drifted", ago(60), "2, [0] 00:00"},
		{"two have: until the first counts no longer", `{"budgets": [{"nodes": "2", "per": "1h"}]}`, "Drifted", ago(59, 10), "0, [0] 00:01"},
		{"three have: until two count no longer", `{"budgets": [{"nodes": "2", "per": "1h"}]}`, "Drifted", ago(59, 10, 5), "0, [0] 00:50"},
		{"the slowest pace decides", `{"budgets": [{"nodes": "2", "per": "1h"}, {"nodes": "3", "per": "24h"}]}`, "Drifted", ago(600, 500, 400), "0, [1] 14:00"},
		{"a percentage rounds up", `{"budgets": [{"nodes": "1%", "per": "1h"}]}`, "Drifted", nil, "2, [0] 00:00"}, // of 101 nodes
		{"a pace counts starts for its own reasons", `{"budgets": [{"nodes": "1", "per": "1h", "reasons": ["Drifted"]}]}`, "Drifted", because("Empty", ago(1)...), "1, [0] 00:00"},
		{"and holds back no other", `{"budgets": [{"nodes": "1", "per": "1h", "reasons": ["Drifted"]}]}`, "Empty", ago(1), "any, [] 00:00"},
		{"a child's, too", `{"budgets": [{"nodes": "1", "per": "1h", "reasons": ["Drifted"]}]}`, "Drifted/AMIDrift", because("Drifted/SubnetDrift", ago(1)...), "0, [0] 00:59"},
		{"one of a child counts starts for the method, which may be of that child", `{"budgets": [{"nodes": "1", "per": "1h", "reasons": ["Drifted/AMIDrift"]}]}`, "Drifted/AMIDrift", ago(1), "0, [0] 00:59"},
		{"a start for a reason that nobody knows counts for all", `{"budgets": [{"nodes": "1", "per": "1h", "reasons": ["Drifted"]}]}`, "Drifted", because("", ago(1)...), "0, [0] 00:59"},
		{"where the most specific decide, a start counts where its own reason's budget decides", `{"drift": {"budgets": [{"nodes": "1", "per": "1h"}]}, "defaults": {"budgets": [{"nodes": "2", "per": "1h"}]}}`, "Empty", ago(1), "2, [0] 00:00"},
		{"and not where a less specific one does", `{"drift": {"budgets": [{"nodes": "1", "per": "1h"}]}, "defaults": {"budgets": [{"nodes": "2", "per": "1h"}]}}`, "Drifted", because("Empty", ago(1, 2)...), "1, [1] 00:00"},
		{"a pace that is not active now", `{"budgets": [{"nodes": "1", "per": "1h", "schedule": "0 9 * * *", "duration": "8h"}]}`, "Drifted", ago(1), "any, [] 00:00"},
		{"a pace that ends", `{"budgets": [{"nodes": "1", "per": "24h", "schedule": "0 9 * * *", "duration": "8h", "outside": true}]}`, "Drifted", ago(1), "0, [0] 09:00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			set, err := decoded(t, c.spec).Compile()
			if err != nil {
				t.Fatal(err)
			}
			allowance := pacing(set, aMonday, 101, c.reason, c.starts).MayStart(budget.Usage{}, budget.Usage{})
			n := fmt.Sprint(allowance.Nodes)
			if allowance.Nodes == budget.Unlimited {
				n = "any"
			}
			if got := fmt.Sprintf("%s, [%s] %s", n, allowance.Binding, firstStart(set, aMonday, 101, c.reason, c.starts).Format("15:04")); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// What starts as soon as NextStart says keeps the pace: within no time that long, more nodes start than it lets, whatever the
// schedules and reasons. And it is not slower than it has to be: a moment before, one more would be too many.
func TestNextStartIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(testkit.Arbitrary(generate.Pace), 1, 3).Draw(t, "budgets")
		spec := budget.Spec{Budgets: list, MostSpecific: rapid.Bool().Draw(t, "specific")}
		set, err := spec.Compile()
		if err != nil {
			t.Fatal(err)
		}
		now, nodes := aMonday, rapid.IntRange(1, 30).Draw(t, "nodes")
		var starts []budget.Start
		for i := range rapid.IntRange(1, 12).Draw(t, "starts") {
			reason := testkit.Arbitrary(generate.Reason).Draw(t, "reason")
			next := firstStart(set, now, nodes, reason, starts)
			if next.IsZero() {
				return
			}
			if next.Before(now) {
				t.Fatalf("%v is before %v", next, now)
			}
			for _, at := range []time.Time{next, next.Add(-1)} {
				may := !at.Before(now) && mayStart(spec, at, nodes, reason, starts)
				if want := at.Equal(next); may != want && !at.Before(now) {
					t.Fatalf("one more may start for %s at %v: %t, and NextStart is %v; %v", reason, at, may, next, starts)
				}
			}
			now = next
			starts = append(starts, budget.Start{Node: fmt.Sprint(i), Reason: reason, At: now})
			if rapid.Bool().Draw(t, "later") {
				now = now.Add(time.Duration(rapid.IntRange(1, 90).Draw(t, "minutes")) * time.Minute)
			}
		}
	})
}

// mayStart asks each pace on its own, from how it is written.
func mayStart(spec budget.Spec, at time.Time, nodes int, reason candidate.Reason, starts []budget.Start) bool {
	for i, b := range spec.Budgets {
		if !pacesDecide(spec, at, reason)[i] {
			continue
		}
		n := 0
		per, _ := time.ParseDuration(b.Per)
		for _, s := range starts {
			if s.At.After(at.Add(-per)) && !s.At.After(at) {
				ofAChild := slices.ContainsFunc(b.Reasons, func(r candidate.Reason) bool { return s.Reason.Covers(r) })
				counts := ofAChild || (spec.MostSpecific && pacesDecide(spec, at, s.Reason)[i]) || !spec.MostSpecific && coversAny(b.Reasons, s.Reason)
				if counts {
					n++
				}
			}
		}
		alone, _ := budget.Compile([]budget.Budget{{Nodes: b.Nodes}})
		if limit, _ := budget.AllowedByReason(alone, at, nodes, ""); n >= limit.Nodes {
			return false
		}
	}
	return true
}

func coversAny(reasons []candidate.Reason, reason candidate.Reason) bool {
	return len(reasons) == 0 || slices.ContainsFunc(reasons, func(r candidate.Reason) bool { return r.Covers(reason) })
}

// pacesDecide returns the active paces that decide for a reason: as they would if they were no paces.
func pacesDecide(spec budget.Spec, at time.Time, reason candidate.Reason) map[int]bool {
	spec.Budgets = slices.Clone(spec.Budgets)
	for i := range spec.Budgets {
		spec.Budgets[i].Per = ""
	}
	set, err := spec.Compile()
	if err != nil {
		panic(err)
	}
	decide := map[int]bool{}
	for i := range set.Deciding(set.Active(at), reason).All() {
		decide[i] = true
	}
	return decide
}

func TestTheForecastShowsPacesBesideTheNumber(t *testing.T) {
	set, err := decoded(t, `{"budgets": [{"nodes": "5"}, {"nodes": "2", "per": "1h", "schedule": "0 9 * * *", "duration": "8h", "reasons": ["Drifted"]}, {"nodes": "0", "schedule": "0 16 * * *", "duration": "2h"}]}`).Compile()
	if err != nil {
		t.Fatal(err)
	}
	for reason, want := range map[candidate.Reason][]string{
		"Drifted": {"00:00 5 at once (budgets 0) paces []", "09:00 5 at once (budgets 0) paces [1]", "16:00 0 at once (budgets 2) paces []", "18:00 5 at once (budgets 0) paces []"},
		"Empty":   {"00:00 5 at once (budgets 0) paces []", "16:00 0 at once (budgets 2) paces []", "18:00 5 at once (budgets 0) paces []"},
	} {
		segments, err := set.Forecast(aMonday, aMonday.AddDate(0, 0, 1), 100, reason)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range segments {
			got = append(got, fmt.Sprintf("%s %s paces [%s]", s.Start.Format("15:04"), s.Allowance, s.Paces))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}
