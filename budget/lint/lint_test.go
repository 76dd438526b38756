package lint_test

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
	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/schedule"
)

var lintNow = time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC) // a Monday

func decodeSpec(t testing.TB, text string) budget.Spec {
	t.Helper()
	var spec budget.Spec
	if err := json.Unmarshal([]byte(text), &spec); err != nil {
		t.Fatal(err)
	}
	return spec
}

// told returns a line for each finding, without what people read.
func told(findings []lint.Finding) []string {
	var lines []string
	for _, f := range findings {
		line := fmt.Sprintf("%s %s [%s]", f.Severity, f.Code, f.Budgets)
		if f.Reason != "" {
			line += " " + string(f.Reason)
		}
		if f.Span != (schedule.Span{}) {
			line += " " + stamp(f.Span.Start) + ".." + stamp(f.Span.End)
		}
		lines = append(lines, line)
	}
	return lines
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04")
}

func TestLint(t *testing.T) {
	const zone = `"topologyKey": "topology.kubernetes.io/zone", "sequential": true`
	for name, c := range map[string]struct {
		spec  string
		nodes int
		want  []string
	}{
		"Karpenter's default is sound":               {`{}`, 100, nil},
		"an always-active budget is as well":         {`{"budgets": [{"nodes": "5"}]}`, 100, nil},
		"and so are freezes that come and go evenly": {`{"budgets": [{"nodes": "20%"}, {"nodes": "0", "schedule": "0 9 * * *", "duration": "8h"}]}`, 100, nil},
		"the days of a week may touch":               {`{"budgets": [{"nodes": "2"}, {"nodes": "0", "schedule": "0 0 * * mon-fri", "duration": "24h"}]}`, 100, nil},
		"an hour that occurs twice overlaps nothing": {`{"budgets": [{"nodes": "2"},
			{"nodes": "0", "schedule": "30 2 * * *", "duration": "2h", "timeZone": "Europe/Berlin"}]}`, 100, nil},
		"a yearly freeze is sound": {`{"budgets": [{"nodes": "2"}, {"nodes": "0", "schedule": "0 0 24 12 *", "duration": "72h"}]}`, 100, nil},

		"an invalid budget": {`{"budgets": [{"nodes": "10%"}, {"nodes": "110%", "reasons": ["Drifted"]}]}`, 100, []string{
			"error invalid [1]"}},
		"a schedule that can never hit": {`{"budgets": [{"nodes": "10%"}, {"nodes": "0", "schedule": "0 0 30 2 *", "duration": "1h", "reasons": ["Empty"]}]}`, 100, []string{
			"error never-fires [1]"}},
		"fifty-one budgets": {`{"budgets": [` + strings.Repeat(`{"nodes": "5"}, `, 50) + `{"nodes": "5"}]}`, 100, []string{
			"error invalid []"}},
		"a broken disruptAfter": {`{"drift": {"disruptAfter": "soon"}}`, 100, []string{"error invalid []"}},

		"a leap day that is not in the coming year": {`{"budgets": [{"nodes": "10%"}, {"nodes": "0", "schedule": "0 0 29 2 *", "duration": "24h"}]}`, 100, []string{
			"info never-fires [1] ..2028-02-29T00:00"}},
		"outside of what is always open": {`{"budgets": [{"nodes": "10%"}, {"nodes": "0", "schedule": "@daily", "duration": "24h", "outside": true}]}`, 100, []string{
			"error never-fires [1]"}},
		"a duration that reaches the next hit": {`{"budgets": [{"nodes": "10%", "schedule": "@daily", "duration": "24h"}]}`, 100, []string{
			"warning never-closes [0]"}},
		"a range of hours that hits in each of them": {`{"budgets": [{"nodes": "10%"}, {"nodes": "0", "schedule": "0 7-13 * * *", "duration": "7h"}]}`, 100, []string{
			"warning overlapping-windows [1] 2026-11-23T07:00..2026-11-23T20:00"}},
		"the second of two": {`{"budgets": [{"nodes": "10%"}, {"nodes": "0", "schedule": "0 3 * * *", "duration": "1h"},
			{"nodes": "0", "schedule": "0 7-13 * * *", "duration": "7h"}]}`, 100, []string{
			"warning overlapping-windows [2] 2026-11-23T07:00..2026-11-23T20:00"}},
		"the same, outside and in a zone": {`{"budgets": [{"nodes": "10%"},
			{"nodes": "0", "schedule": "0 7-13 * * *", "duration": "7h", "timeZone": "Asia/Tokyo", "outside": true}]}`, 100, []string{
			"warning overlapping-windows [1] 2026-11-22T22:00..2026-11-23T11:00"}},

		"a looser percentage": {`{"budgets": [{"nodes": "10%"}, {"nodes": "50%"}]}`, 100, []string{"warning never-binds [0,1]"}},
		"a looser count":      {`{"budgets": [{"nodes": "10"}, {"nodes": "5"}]}`, 100, []string{"warning never-binds [0,1]"}},
		"a count that binds where there are many nodes, and a percentage where there are few": {`{"budgets": [{"nodes": "10%"}, {"nodes": "5"}]}`, 100, nil},
		"a percentage is at least 1": {`{"budgets": [{"nodes": "2"}, {"nodes": "1"}, {"nodes": "5%"}]}`, 100, []string{
			"warning never-binds [0,1]", "warning never-binds [1,2]",
			"info not-ready-blocks [1]"}},
		"the second of two that say the same": {`{"budgets": [{"nodes": "10%"}, {"nodes": "10%"}]}`, 100, []string{"warning never-binds [0,1]"}},
		"100% does not lift a limit": {`{"budgets": [{"nodes": "10%"}, {"nodes": "100%", "reasons": ["Empty"]}]}`, 100, []string{
			"warning never-binds [0,1]"}},
		"a looser one, of two that take turns": {`{"budgets": [{"nodes": "50%"}, {"nodes": "10%", "schedule": "@daily", "duration": "8h"},
			{"nodes": "5%", "schedule": "@daily", "duration": "8h", "outside": true}]}`, 100, []string{"warning never-binds [0,1,2]"}},
		"two that only together outdo a third": {`{"budgets": [{"nodes": "90%"}, {"nodes": "5"}, {"nodes": "95%"}]}`, 100, []string{"warning never-binds [0,1,2]"}},
		"a percentage that few nodes cannot tell from another": {`{"budgets": [{"nodes": "100%"}, {"nodes": "5"}, {"nodes": "90%"}]}`, 100, []string{
			"warning never-binds [0,1,2]", "info limits-nothing [0,1]"}},
		"percentages that a hundred nodes tell apart": {`{"budgets": [{"nodes": "100%"}, {"nodes": "60"}, {"nodes": "99%"}]}`, 100, []string{"warning never-binds [0,1,2]", "info limits-nothing [0,1]"}},
		"a tighter one that is not always there":      {`{"budgets": [{"nodes": "10"}, {"nodes": "5", "schedule": "@daily", "duration": "8h"}]}`, 100, nil},
		"a child's own is tighter, or none": {`{"budgets": [{"nodes": "25"}, {"nodes": "50", "reasons": ["Drifted/AMIDrift"]}]}`, 100, []string{
			"warning never-binds [0,1]"}},
		"defaults that only repair is left to": {`{"defaults": {"budgets": [{"nodes": "1"}]}, "drift": {"budgets": [{"nodes": "2"}]}, "emptiness": {"budgets": [{"nodes": "2"}]},
			"consolidation": {"budgets": [{"nodes": "2"}]}, "expiration": {"budgets": [{"nodes": "2"}]}}`, 100, []string{
			"info expired-unasked [3] Expired"}},
		"defaults that all methods override": {`{"budgets": [{"nodes": "2", "reasons": ["Unhealthy"]}], "defaults": {"budgets": [{"nodes": "1"}]}, "drift": {"budgets": [{"nodes": "2"}]}, "emptiness": {"budgets": [{"nodes": "2"}]},
			"consolidation": {"budgets": [{"nodes": "2"}]}, "expiration": {"budgets": [{"nodes": "2"}]}}`, 100, []string{
			"info never-binds [1]", "info expired-unasked [4] Expired"}},

		"a freeze that does not hold for what has a budget of its own": {`{"budgets": [{"nodes": "10%"}, {"nodes": "0", "schedule": "0 9 * * *", "duration": "8h"}],
			"drift": {"budgets": [{"nodes": "2"}]}}`, 100, []string{"warning takes-the-place [1,2] Drifted 2026-11-23T09:00.."}},
		"the RFC's child with more than its method": {`{"drift": {"budgets": [{"nodes": "50", "reason": "AMIDrift"}, {"nodes": "25"}]}}`, 100, nil},
		"an empty list": {`{"budgets": []}`, 100, []string{"warning no-budgets []"}},
		"a window that is meant to be the only one": {`{"budgets": [{"nodes": "35%", "schedule": "0 1 * * mon", "duration": "4h"}, {"nodes": "35%", "reasons": ["Empty"]}]}`, 100, []string{
			"warning unlimited-span [0] 2026-11-16T05:00..2026-11-23T01:00"}},
		"reasons that nobody limits": {`{"budgets": [{"nodes": "1%", "reasons": ["Drifted"]}]}`, 200, []string{
			"warning unlimited-span []"}},
		"what never goes needs no limit": {`{"consolidateAfter": "Never", "budgets": [{"nodes": "50%", "reasons": ["Drifted"]}]}`, 100, nil},
		"Expired needs one where a budget names it": {`{"budgets": [{"nodes": "50%"}, {"nodes": "10%", "reasons": ["Expired"], "schedule": "@daily", "duration": "1h"}]}`, 100, []string{
			"info expired-unasked [1] Expired"}},
		"a zone's limit is one, but takes no turns for consolidation": {`{"budgets": [{"nodes": "1", ` + zone + `}]}`, 100, []string{
			"warning unlimited-span []"}},
		"a limit of each zone is one for every reason": {`{"budgets": [{"nodes": "1", "topologyKey": "topology.kubernetes.io/zone"}]}`, 100, nil},

		"a kill switch": {`{"budgets": [{"nodes": "0", "reasons": ["Drifted"]}, {"nodes": "10%"}]}`, 100, []string{
			"warning never-disruptable [0] Drifted 2026-11-23T00:00..2027-11-24T00:00"}},
		"two kill switches that take turns": {`{"budgets": [{"nodes": "0", "schedule": "@daily", "duration": "8h"},
			{"nodes": "0%", "schedule": "@daily", "duration": "8h", "outside": true}]}`, 100, []string{
			"warning never-disruptable [0,1] 2026-11-23T00:00..2027-11-24T00:00"}},
		"a hole between two budgets, twice as long as usual": {`{"budgets": [{"nodes": "10%"}, {"nodes": "0", "schedule": "0 12 * * sun-fri", "duration": "18h"},
			{"nodes": "0", "schedule": "0 18 * * sat", "duration": "12h"}]}`, 100, []string{"warning gap [1,2] 2026-11-28T12:00..2026-11-28T18:00"}},
		"a freeze with a hole in it": {`{"budgets": [{"nodes": "10%"}, {"nodes": "0", "schedule": "0 17 * * mon-fri", "duration": "16h"}]}`, 100, []string{
			"warning gap [1] 2026-11-28T17:00..2026-11-29T09:00"}},
		"a freeze by day that leaves the weekend open": {`{"budgets": [{"nodes": "10%"}, {"nodes": "0", "schedule": "0 9 * * mon-fri", "duration": "8h"}]}`, 100, nil},
		"nights, and a weekend that ends before Monday begins": {`{"budgets": [{"nodes": "0", "schedule": "0 20 * * 1-5", "duration": "12h"}, {"nodes": "0", "schedule": "0 0 * * 6,0", "duration": "24h"}, {"nodes": "10%"}]}`, 100, []string{
			"warning gap [0,1] 2026-11-23T00:00..2026-11-23T08:00"}},
		"the hole, filled": {`{"budgets": [{"nodes": "10%"}, {"nodes": "0", "schedule": "0 17 * * mon-fri", "duration": "16h"},
			{"nodes": "0", "schedule": "0 9 * * sat", "duration": "48h"}]}`, 100, nil},

		"repair of its own budget": {`{"budgets": [{"nodes": "10%"}, {"nodes": "2", "reasons": ["Unhealthy"]}]}`, 100, nil},
		"repair that nobody limits by day": {`{"budgets": [{"nodes": "10%", "reasons": ["Drifted", "Empty", "Underutilized"]},
			{"nodes": "2", "reasons": ["Unhealthy"], "schedule": "@daily", "duration": "8h"}]}`, 100, []string{
			"warning unlimited-span [1] Unhealthy 2026-11-23T08:00..2026-11-24T00:00"}},
		"a freeze of repair strands broken nodes": {`{"budgets": [{"nodes": "10%"}, {"nodes": "0", "reasons": ["Unhealthy"]}]}`, 100, []string{
			"warning never-repaired [1] Unhealthy 2026-11-23T00:00..2027-11-24T00:00"}},
		"also that of one condition": {`{"budgets": [{"nodes": "10%"}, {"nodes": "0", "reasons": ["Unhealthy/DiskHealthy"]}]}`, 100, []string{
			"warning never-repaired [1] Unhealthy/DiskHealthy 2026-11-23T00:00..2027-11-24T00:00"}},
		"a freeze of all is one of repair, whatever that is allowed": {`{"budgets": [{"nodes": "0"}, {"nodes": "2", "reasons": ["Unhealthy"]}]}`, 100, []string{
			"warning never-binds [0,1]", "warning never-disruptable [0] 2026-11-23T00:00..2027-11-24T00:00",
			"warning never-repaired [0] Unhealthy 2026-11-23T00:00..2027-11-24T00:00"}},
		"repair goes on in a freeze, as is meant": {`{"budgets": [{"nodes": "10%"}, {"nodes": "0", "schedule": "0 9 * * *", "duration": "8h"},
			{"nodes": "2", "reasons": ["Unhealthy"]}], "drift": {"disruptAfter": "1m"}}`, 100, nil},
		"the type of any condition": {`{"budgets": [{"nodes": "10%"}, {"nodes": "2", "reasons": ["Unhealthy/example.com/DiskHealthy", "Unhealthy/Redy"]}]}`, 100, nil},

		"zones that roll all at once by night": {`{"budgets": [{"nodes": "10%"}, {"nodes": "1", ` + zone + `, "schedule": "0 9 * * *", "duration": "8h"}]}`, 100, []string{
			"warning unordered-span [1] Drifted 2026-11-23T00:00..2026-11-23T09:00"}},
		"nothing rolls by night": {`{"budgets": [{"nodes": "10%"}, {"nodes": "0", "schedule": "0 17 * * *", "duration": "16h"},
			{"nodes": "1", ` + zone + `, "schedule": "0 9 * * *", "duration": "8h"}]}`, 100, nil},
		"two that would order the pool": {`{"budgets": [{"nodes": "10%"}, {"nodes": "1", ` + zone + `},
			{"nodes": "2", "topologyKey": "rack", "sequential": true, "reasons": ["Drifted/AMIDrift"], "schedule": "@weekly", "duration": "1h"}]}`, 100, []string{
			"warning several-sequential [1,2] 2026-11-29T00:00..2026-11-29T01:00"}},
		"a freeze behind one that orders the pool does not hold": {`{"budgets": [{"nodes": "10%"}, {"nodes": "1", ` + zone + `}, {"nodes": "0", ` + zone + `}]}`, 100, []string{
			"warning several-sequential [1,2]"}},
		"for what that does not name, it does": {`{"budgets": [{"nodes": "10%"}, {"nodes": "1", ` + zone + `, "reasons": ["Drifted/AMIDrift"]}, {"nodes": "0", ` + zone + `}]}`, 100, []string{
			"warning never-disruptable [2] Drifted 2026-11-23T00:00..2027-11-24T00:00", "warning several-sequential [1,2]"}},
		"nor while that is active": {`{"budgets": [{"nodes": "10%"}, {"nodes": "1", ` + zone + `, "schedule": "0 9 * * *", "duration": "8h"}, {"nodes": "0", ` + zone + `}]}`, 100, []string{
			"warning several-sequential [1,2] 2026-11-23T09:00..2026-11-23T17:00"}},
		"a freeze of another key does": {`{"budgets": [{"nodes": "10%"}, {"nodes": "1", ` + zone + `}, {"nodes": "0", "topologyKey": "rack", "sequential": true}]}`, 100, []string{
			"warning never-disruptable [2] Drifted 2026-11-23T00:00..2027-11-24T00:00", "warning several-sequential [1,2]"}},
		"so does one that comes first": {`{"budgets": [{"nodes": "10%"}, {"nodes": "0", ` + zone + `}, {"nodes": "1", ` + zone + `}]}`, 100, []string{
			"warning never-disruptable [1] Drifted 2026-11-23T00:00..2027-11-24T00:00"}},
		"one after the other": {`{"budgets": [{"nodes": "10%"}, {"nodes": "1", ` + zone + `, "schedule": "0 0 * * *", "duration": "12h"},
			{"nodes": "2", ` + zone + `, "schedule": "0 12 * * *", "duration": "12h"}]}`, 100, nil},
		"a turn for what takes none": {`{"budgets": [{"nodes": "10%"}, {"nodes": "1", ` + zone + `, "reasons": ["Empty"]}]}`, 100, []string{
			"warning no-effect [1]"}},

		"a child with a letter too few": {`{"budgets": [{"nodes": "10%"}, {"nodes": "2", "reasons": ["Drifted/AMIDrft"]}]}`, 100, []string{
			"warning unknown-child [1] Drifted/AMIDrft"}},
		"a child with two letters that changed places": {`{"budgets": [{"nodes": "10%"}, {"nodes": "2", "reasons": ["Drifted/AMIDirft"]}]}`, 100, []string{
			"warning unknown-child [1] Drifted/AMIDirft"}},
		"a child of another method": {`{"budgets": [{"nodes": "10%"}, {"nodes": "2", "reasons": ["Empty/AMIDrift"]}]}`, 100, []string{
			"info unknown-child [1] Empty/AMIDrift"}},
		"a child that a provider may have": {`{"budgets": [{"nodes": "10%"}, {"nodes": "2", "reasons": ["Drifted/NodeImageDrift"]}]}`, 100, []string{
			"info unknown-child [1] Drifted/NodeImageDrift"}},
		"a child that is almost a method": {`{"budgets": [{"nodes": "10%"}, {"nodes": "2", "reasons": ["Drifted/Drfted"]}]}`, 100, []string{
			"info unknown-child [1] Drifted/Drfted"}},
		"a child that never goes": {`{"budgets": [{"nodes": "10%"}, {"nodes": "0", "reasons": ["Drifted/AMIDrift"]}]}`, 100, []string{
			"warning never-disruptable [1] Drifted/AMIDrift 2026-11-23T00:00..2027-11-24T00:00"}},
		"zones that allow nothing": {`{"budgets": [{"nodes": "10%"}, {"nodes": "0", "topologyKey": "rack", "reasons": ["Empty"]}]}`, 100, []string{
			"info never-disruptable [1] Empty 2026-11-23T00:00..2027-11-24T00:00"}},
		"two breaks of a freeze": {`{"budgets": [{"nodes": "10%"}, {"nodes": "0", "schedule": "0 9,13 * * *", "duration": "3h"}]}`, 100, nil},
		"a window of years":      {`{"budgets": [{"nodes": "10%"}, {"nodes": "5%", "schedule": "0 0 29 2 *", "duration": "30000h"}]}`, 100, nil},
		"a known child, and one that is not": {`{"budgets": [{"nodes": "10%"}, {"nodes": "2", "reasons": ["Drifted/AMIDrift", "Drifted/AMIDritf"]}]}`, 100, []string{
			"warning unknown-child [1] Drifted/AMIDritf"}},
		"children that are known": {`{"budgets": [{"nodes": "10%"}, {"nodes": "2", "reasons": ["Drifted/AMIDrift", "Drifted/K8sVersionDrift"]}]}`, 100, nil},

		"a percentage of few nodes": {`{"budgets": [{"nodes": "10%"}]}`, 9, []string{
			"info rounds-up [0]", "info not-ready-blocks [0]"}},
		"a single place, and a freeze": {`{"budgets": [{"nodes": "1"}, {"nodes": "0", "schedule": "@daily", "duration": "8h"}]}`, 100, []string{"info not-ready-blocks [0]"}},
		"a whole node is not rounded":  {`{"budgets": [{"nodes": "10%"}]}`, 11, nil},
		"a single place for repair":    {`{"budgets": [{"nodes": "10%"}, {"nodes": "1", "reasons": ["Unhealthy"]}]}`, 100, nil},
		"an unknown number of nodes":   {`{"budgets": [{"nodes": "1%"}]}`, 0, []string{"info not-ready-blocks [0]"}},
	} {
		t.Run(name, func(t *testing.T) {
			set, _ := decodeSpec(t, c.spec).Compile()
			findings := lint.Run(set, lintNow, lint.Facts{Nodes: c.nodes})
			if diff := cmp.Diff(c.want, told(findings)); diff != "" {
				t.Errorf("%s\n%v", diff, findings)
			}
			for _, f := range findings {
				if f.Message == "" || f.Advice == "" {
					t.Errorf("%+v explains nothing", f)
				}
			}
		})
	}
}

// freezes generates lists of always-active budgets, and windows of other numbers that come on some days of the week.
func freezes() *rapid.Generator[[]budget.Budget] {
	return rapid.Custom(func(t *rapid.T) []budget.Budget {
		var list []budget.Budget
		for range rapid.IntRange(1, 5).Draw(t, "budgets") {
			b := budget.Budget{
				Nodes:   rapid.SampledFrom([]string{"0", "0", "1", "2", "5", "1%", "10%", "50%", "100%"}).Draw(t, "nodes"),
				Reasons: rapid.SampledFrom([][]candidate.Reason{nil, {"Drifted"}, {"Empty", "Underutilized"}, {"Drifted/AMIDrift"}}).Draw(t, "reasons"),
			}
			if rapid.Bool().Draw(t, "scheduled") {
				hour, days := rapid.IntRange(0, 23).Draw(t, "hour"), rapid.SampledFrom([]string{"*", "mon-fri", "sat,sun", "wed"}).Draw(t, "days")
				b.Schedule, b.Duration = fmt.Sprintf("0 %d * * %s", hour, days), fmt.Sprintf("%dh", rapid.IntRange(1, 30).Draw(t, "hours"))
				b.Outside = rapid.IntRange(0, 3).Draw(t, "outside") == 0
			}
			list = append(list, b)
		}
		return list
	})
}

func TestWhatLintCallsUnlimitedIsUnlimitedThroughoutAndNotJustBeforeAndAfter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.OneOf(testkit.Arbitrary(generate.Budgets), freezes()).Draw(t, "budgets")
		set, _ := testkit.Arbitrary(generate.Spec(list)).Draw(t, "spec").Compile()
		now := testkit.Arbitrary(generate.Time).Draw(t, "now")
		for _, f := range lint.Run(set, now, lint.Facts{Nodes: 100}) {
			if f.Code != lint.CodeUnlimitedSpan {
				continue
			}
			reasons := []candidate.Reason{f.Reason}
			if f.Reason == "" {
				about, _, _ := strings.Cut(f.Message, "are unlimited")
				reasons = slices.DeleteFunc(candidate.Methods(), func(r candidate.Reason) bool { return !strings.Contains(about, string(r)) })
			}
			for _, r := range reasons {
				allowed := func(at time.Time) int { a, _ := budget.AllowedByReason(set, at, 100, r); return a.Nodes }
				from, to := f.Span.Start, f.Span.End
				if !from.IsZero() && allowed(from.Add(-1)) == budget.Unlimited || !to.IsZero() && allowed(to) == budget.Unlimited {
					t.Fatalf("%s: it is so before or after as well: %s", r, f)
				}
				if from.IsZero() {
					from = now.AddDate(-1, 0, 0)
				}
				if to.IsZero() {
					to = now.AddDate(1, 0, 0)
				}
				for range 5 {
					at := from.Add(time.Duration(rapid.Int64Range(0, int64(to.Sub(from))-1).Draw(t, "at")))
					if n := allowed(at); n != budget.Unlimited {
						t.Fatalf("%s at %v: %d: %s", r, at, n, f)
					}
				}
			}
		}
	})
}

func TestBudgetsThatNeverBindCanBeDeletedTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := freezes().Draw(t, "budgets")
		specific := rapid.Bool().Draw(t, "specific")
		compile := func(list []budget.Budget) budget.Set {
			set, err := budget.Spec{Budgets: list, MostSpecific: specific}.Compile()
			if err != nil {
				t.Fatal(err)
			}
			return set
		}
		findings := lint.Run(compile(list), lintNow, lint.Facts{Nodes: 100})
		without := []budget.Budget{}
		for i, b := range list {
			if !slices.ContainsFunc(findings, func(f lint.Finding) bool {
				return (f.Code == "never-binds" || f.Code == "never-fires") &&
					strings.HasPrefix(f.Message, fmt.Sprintf("budgets[%d] ", i))
			}) {
				without = append(without, b)
			}
		}
		if makesADifference(compile(list), compile(without)) {
			t.Fatalf("without what never binds, %v does not say the same as %v: %v", without, list, findings)
		}
		if len(list) > 2 || specific {
			return // of several that make no difference alone, one may have to stay; and others may decide in its place
		}
		for i := range without {
			if !makesADifference(compile(without), compile(slices.Delete(slices.Clone(without), i, i+1))) {
				t.Fatalf("%s could be deleted from %v: %v", without[i], list, findings)
			}
		}
	})
}

// makesADifference reports whether two sets differ at any hour of a week, for any reason and some number of nodes.
func makesADifference(a, b budget.Set) bool {
	for hour := range 7 * 24 {
		now := lintNow.Add(time.Duration(hour) * time.Hour)
		for _, r := range []candidate.Reason{"Drifted", "Drifted/AMIDrift", "Empty", "Underutilized", "Expired"} {
			for _, n := range []int{1, 2, 5, 9, 10, 11, 20, 21, 50, 100, 101, 1000} {
				one, _ := budget.AllowedByReason(a, now, n, r)
				other, _ := budget.AllowedByReason(b, now, n, r)
				if one.Nodes != other.Nodes {
					return true
				}
			}
		}
	}
	return false
}

func TestTheAdviceIsForTheTimeThatIsOpen(t *testing.T) {
	for name, c := range map[string]struct{ budgets, want string }{
		"a week but for four hours": {`{"schedule": "0 1 * * mon", "duration": "4h", "reasons": ["Drifted"]}, {"reasons": ["Empty", "Underutilized"]}`,
			`; or add {"nodes": "0", "reasons": ["Drifted"], "schedule": "0 5 * * mon", "duration": "164h"}, to block all nodes then`},
		"every day, at two times": {`{"schedule": "30 1,12 * * *", "duration": "1h15m"}`,
			`"schedule": "45 2 * * *", "duration": "9h45m"}, {"nodes": "0", "reasons": ["Drifted", "Empty", "Underutilized"], "schedule": "45 13 * * *", "duration": "11h45m"}`},
		"some days": {`{"schedule": "0 0 * * tue,thu", "duration": "24h"}`,
			`"schedule": "0 0 * * wed", "duration": "24h"}, {"nodes": "0", "reasons": ["Drifted", "Empty", "Underutilized"], "schedule": "0 0 * * fri", "duration": "96h"}`},
		"more times than a few budgets can name": {`{"schedule": "0 1,4,9,16 * * *", "duration": "30m"}`, `"reasons": ["Drifted", "Empty", "Underutilized"]}`},
		"once a month":                           {`{"schedule": "0 0 1 * *", "duration": "24h"}`, `"reasons": ["Drifted", "Empty", "Underutilized"]}`},
		"in a time zone":                         {`{"schedule": "0 1 * * *", "duration": "4h", "timeZone": "Europe/Berlin"}`, `"reasons": ["Drifted", "Empty", "Underutilized"]}`},
		"not in summer": {`{"reasons": ["Empty", "Underutilized"]}, {"reasons": ["Drifted"], "schedule": "0 9 * 1-6,11-12 mon-fri", "duration": "8h"},
			{"reasons": ["Drifted"], "schedule": "0 0 * 7-10 *", "duration": "24h"}`, `add {"nodes": "20%", "reasons": ["Drifted"]}`},
		"a hole": {`{}, {"nodes": "0", "schedule": "0 17 * * mon-fri", "duration": "15h30m"}`,
			`if that is not intended, add {"nodes": "0", "reasons": ["Drifted", "Empty", "Underutilized"], "schedule": "0 17 * * sat,sun", "duration": "15h30m"}, which leaves`},
		"a hole in a time zone": {`{}, {"nodes": "0", "schedule": "0 17 * * mon-fri", "duration": "16h", "timeZone": "Europe/Berlin"}`,
			`if that is not intended, close that time as well`},
	} {
		t.Run(name, func(t *testing.T) {
			set, err := decodeSpec(t, `{"budgets": [`+c.budgets+`]}`).Compile()
			if err != nil {
				t.Fatal(err)
			}
			findings := lint.Run(set, lintNow, lint.Facts{Nodes: 100})
			if len(findings) != 1 || !strings.Contains(findings[0].Advice, c.want) {
				t.Errorf("%v", findings)
			}
		})
	}
}

func TestLintIsDeterministicAndTellsTimesInTheZoneOfNow(t *testing.T) {
	set, err := budget.Compile([]budget.Budget{{Schedule: "0 1 * * mon", Duration: "4h"}})
	if err != nil {
		t.Fatal(err)
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	want := lint.Run(set, lintNow, lint.Facts{Nodes: 100})
	if diff := cmp.Diff(want, lint.Run(set, lintNow, lint.Facts{Nodes: 100})); diff != "" {
		t.Error(diff)
	}
	got := lint.Run(set, lintNow.In(berlin), lint.Facts{Nodes: 100})[0].Message
	if !strings.Contains(got, "from Mon 2026-11-16 06:00 CET to Mon 2026-11-23 02:00 CET") {
		t.Error(got)
	}
}

// An exception from a freeze is one only where the child is allowed.
func TestABrokenBudgetIsNoExceptionFromAFreeze(t *testing.T) {
	for more, want := range map[string]string{
		``: "Empty and Underutilized are never allowed", `, {"nodes": "110%", "reasons": ["Drifted/AMIDrift"]}`: "Drifted, Empty and Underutilized are never allowed",
	} {
		spec := decodeSpec(t, `{"budgets": [{"nodes": "0"}, {"nodes": "5", "reasons": ["Drifted/AMIDrift"]}`+more+`]}`)
		spec.MostSpecific = true
		set, _ := spec.Compile()
		findings := lint.Run(set, lintNow, lint.Facts{Nodes: 100})
		if !slices.ContainsFunc(findings, func(f lint.Finding) bool { return strings.HasPrefix(f.Message, want) }) {
			t.Errorf("with %q: %v", more, findings)
		}
	}
}

func TestAdviceInUTCSaysSoBesideTimesOfAnotherZone(t *testing.T) {
	tokyo, err := time.LoadLocation("Asia/Tokyo")
	if err != nil {
		t.Fatal(err)
	}
	london, err := time.LoadLocation("Europe/London")
	if err != nil {
		t.Fatal(err)
	}
	for name, list := range map[string][]budget.Budget{
		"what zones wait for": {{}, {Nodes: "1", TopologyKey: "zone", Sequential: true, Schedule: "0 9 * * *", Duration: "8h"}},
		"what closes a gap":   {{Schedule: "0 1 * * mon", Duration: "4h"}},
		"what fills a hole":   {{}, {Nodes: "0", Schedule: "0 17 * * mon-fri", Duration: "16h"}},
	} {
		t.Run(name, func(t *testing.T) {
			set, err := budget.Compile(list)
			if err != nil {
				t.Fatal(err)
			}
			for _, zone := range []*time.Location{tokyo, london, time.UTC, time.FixedZone("UTC", 0)} {
				advice := lint.Run(set, lintNow.In(zone), lint.Facts{Nodes: 100})[0].Advice
				if inUTC := zone == tokyo || zone == london; strings.Contains(advice, `h"} (in UTC)`) != inUTC || !strings.Contains(advice, `"schedule"`) {
					t.Errorf("%s: %s", zone, advice)
				}
			}
		})
	}
}

func TestAdviceForWindowsThatNeverClose(t *testing.T) {
	for _, c := range []struct{ cron, duration, zone, want string }{
		{"* * * * *", "1m", "", "leave schedule and duration out of budgets[0], or write a schedule that hits less often"},
		{"* * * * *", "1h", "Europe/Berlin", "leave schedule, duration and timeZone out of budgets[0], or write a schedule that hits less often"},
		{"*/1 0-23 * * 0-6", "10m", "", "leave schedule and duration out of budgets[0], or write a schedule that hits less often"},
		{"*/2 * * * *", "2m", "", "leave schedule and duration out of budgets[0], or write a shorter duration, if it should end in between"},
		{"@daily", "24h", "", "leave schedule and duration out of budgets[0], or write a shorter duration, if it should end in between"},
	} {
		set, err := budget.Compile([]budget.Budget{{Schedule: c.cron, Duration: c.duration, TimeZone: c.zone}})
		if err != nil {
			t.Fatal(err)
		}
		findings := lint.Run(set, lintNow, lint.Facts{Nodes: 100})
		if len(findings) == 0 || findings[0].Code != lint.CodeNeverCloses || findings[0].Advice != c.want {
			t.Errorf("%+v: %v", c, findings)
		}
	}
}

// Each alone is tighter than the shared one, and only that limits both together.
func TestASharedBudgetIsNotIdle(t *testing.T) {
	set, err := budget.Spec{MostSpecific: true, Budgets: []budget.Budget{
		{Nodes: "10%"}, {Nodes: "2", Reasons: []candidate.Reason{"Drifted"}}, {Nodes: "2", Reasons: []candidate.Reason{"Empty"}},
		{Nodes: "3", Reasons: []candidate.Reason{"Drifted", "Empty"}},
	}}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	if findings := lint.Run(set, lintNow, lint.Facts{Nodes: 100}); len(findings) > 0 {
		t.Error(findings)
	}
}

// A tighter limit of nodes at once starts them all in the first minute.
func TestASpreadIsNeverIdle(t *testing.T) {
	set, err := budget.Compile([]budget.Budget{{Nodes: "2"}, {Nodes: "2", Spread: "168h", Reasons: []candidate.Reason{"Drifted"}}})
	if err != nil {
		t.Fatal(err)
	}
	if findings := lint.Run(set, lintNow, lint.Facts{Nodes: 100}); len(findings) > 0 {
		t.Error(findings)
	}
}

// Where it looks ahead for some weeks only, it does not know what never happens.
func TestWhatLintHasNotLookedAtItDoesNotClaim(t *testing.T) {
	const busy = `{"nodes": "50%", "reasons": ["Empty"], "schedule": "*/5 * * * *", "duration": "2m"}`
	for _, budgets := range []string{
		`{"nodes": "20%"}, ` + busy + `, {"nodes": "10%", "reasons": ["Drifted", "Underutilized"], "schedule": "0 0 1 11 *", "duration": "2400h"}`,
		`{"nodes": "20%", "reasons": ["Drifted"]}, ` + busy + `, {"nodes": "10%", "schedule": "0 0 1 11 *", "duration": "2400h"}`,
		`{"nodes": "20%"}, ` + busy + `, {"nodes": "0", "reasons": ["Drifted"], "schedule": "0 0 1 11 *", "duration": "2400h"}`,
		`{"nodes": "20%"}, {"nodes": "0", "reasons": ["Drifted/AMIDrift"], "schedule": "*/2 * * 1-6,10-12 *", "duration": "1m"},
			{"nodes": "0", "reasons": ["Drifted/AMIDrift"], "schedule": "1-59/2 * * * *", "duration": "1m"}`,
	} {
		set, err := decodeSpec(t, `{"budgets": [`+budgets+`]}`).Compile()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range lint.Run(set, lintNow, lint.Facts{Nodes: 100}) {
			switch f.Code {
			case lint.CodeNeverCloses, "never-binds", "never-disruptable":
				t.Error(f)
			}
		}
	}
}

func TestLintSaysForHowLongItLookedWhereBudgetsForChildrenChange(t *testing.T) {
	const half = `{"nodes": "0", "reasons": ["Drifted/AMIDrift", "Drifted/SubnetDrift"], "duration": "1m", "schedule": `
	set, err := decodeSpec(t, `{"budgets": [{"nodes": "20%"}, `+half+`"*/2 * * * *"}, `+half+`"1-59/2 * * * *"}]}`).Compile()
	if err != nil {
		t.Fatal(err)
	}
	findings := lint.Run(set, lintNow, lint.Facts{Nodes: 100})
	if len(findings) != 1 || findings[0].Code != "many-changes" || !findings[0].Span.Start.After(lintNow.AddDate(0, 0, 14)) ||
		!strings.HasPrefix(findings[0].Message, "budgets become active or inactive so often that only the time up to ") {
		t.Error(findings)
	}
}

func TestLintEndsWhereBudgetsChangeTooOften(t *testing.T) {
	set, err := budget.Compile([]budget.Budget{{Nodes: "10%"}, {Nodes: "0", Schedule: "*/2 * * * *", Duration: "1m"}})
	if err != nil {
		t.Fatal(err)
	}
	findings := lint.Run(set, lintNow, lint.Facts{Nodes: 100})
	if len(findings) == 0 || findings[0].Code != "many-changes" || !findings[0].Span.Start.Before(lintNow.AddDate(0, 2, 0)) {
		t.Error(findings)
	}
}
