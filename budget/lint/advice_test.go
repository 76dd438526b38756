package lint_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/stray"
)

const zoneKey = `"topologyKey": "topology.kubernetes.io/zone"`

// A lintCase is a list of budgets, and what lint says of it.
type lintCase struct {
	budgets  string
	specific bool
	want     []string // a line for each Finding; see told
	advice   string   // a part of that of the first Finding
}

func (c lintCase) run(t *testing.T) {
	spec := decodeSpec(t, `{"budgets": [`+c.budgets+`]}`)
	spec.MostSpecific = c.specific
	set, err := spec.Compile()
	if err != nil {
		t.Fatal(err)
	}
	findings := lint.Run(set, lintNow, lint.Facts{Nodes: 100})
	if diff := cmp.Diff(c.want, told(findings)); diff != "" {
		t.Errorf("%s\n%v", diff, findings)
	}
	for _, f := range findings {
		if f.Message == "" || f.Advice == "" {
			t.Errorf("%+v explains nothing", f)
		}
	}
	if c.advice != "" && (len(findings) == 0 || !strings.Contains(findings[0].Advice, c.advice)) {
		t.Errorf("%v\nwant %s", findings, c.advice)
	}
}

func TestTheAdviceForUnlimitedTimesClosesNothingForGood(t *testing.T) {
	const add = `{"nodes": "10%", "reasons": ["Drifted", "Empty", "Underutilized"]}`
	for name, c := range map[string]lintCase{
		"a freeze alone leaves no other time to be open": {budgets: `{"nodes": "0", "schedule": "0 9 * * *", "duration": "8h"}`,
			want:   []string{"warning unlimited-span [0] 2026-11-22T17:00..2026-11-23T09:00"},
			advice: `add ` + add},
		"a freeze of weekdays as well": {budgets: `{"nodes": "0", "schedule": "0 9 * * mon-fri", "duration": "8h"}`,
			want:   []string{"warning unlimited-span [0] 2026-11-20T17:00..2026-11-23T09:00"},
			advice: `add ` + add},
		"a window leaves its own": {budgets: `{"nodes": "5", "schedule": "0 1 * * *", "duration": "4h"}`,
			want:   []string{"warning unlimited-span [0] 2026-11-22T05:00..2026-11-23T01:00"},
			advice: `; or add {"nodes": "0", "reasons": ["Drifted", "Empty", "Underutilized"], "schedule": "0 5 * * *", "duration": "20h"}, to block all nodes then`},
		"a budget with reasons would replace a freeze without": {specific: true, budgets: `{"nodes": "0", "schedule": "0 9 * * *", "duration": "8h"}`,
			want:   []string{"warning unlimited-span [0] 2026-11-22T17:00..2026-11-23T09:00"},
			advice: `add {"nodes": "10%"}`},
		"reasons cannot be left out of a freeze for ever": {budgets: `{"nodes": "0", "reasons": ["Drifted"]}`,
			want:   []string{"warning unlimited-span []", "warning never-disruptable [0] Drifted 2026-11-23T00:00..2027-11-24T00:00"},
			advice: `add {"nodes": "10%", "reasons": ["Empty", "Underutilized"]}`},
		"out of one that is always active": {budgets: `{"nodes": "4", "reasons": ["Drifted"], "schedule": "0 9 * * *", "duration": "8h"}, {"nodes": "5", "reasons": ["Drifted"]}`,
			want:   []string{"warning unlimited-span []"},
			advice: `leave reasons out of budgets[1]; or add {"nodes": "10%", "reasons": ["Empty", "Underutilized"]}`},
	} {
		t.Run(name, c.run)
	}
}

// One more would make the list invalid: then nothing is disrupted, ever.
func TestLintDoesNotAdviseToExtendAFullList(t *testing.T) {
	for budgets, want := range map[string]string{
		`{"nodes": "0", "schedule": "0 9 * * *", "duration": "8h"}`:                       "write a budget for it without a schedule",
		`{"nodes": "1", "reasons": ["Empty"], "schedule": "0 9 * * *", "duration": "8h"}`: "write a budget for it that is always active",
	} {
		set, err := decodeSpec(t, `{"budgets": [`+strings.Repeat(`{"nodes": "0", "reasons": ["Unhealthy"]}, `, 49)+budgets+`]}`).Compile()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range lint.Run(set, lintNow, lint.Facts{Nodes: 100}) {
			if f.Code == lint.CodeUnlimitedSpan && strings.Contains(f.Advice, "{") {
				t.Error(f)
			}
			if f.Code == lint.CodeUnlimitedSpan && !strings.Contains(f.Message, "Empty is") && f.Advice != want {
				t.Errorf("%s\nwant %s", f, want)
			}
		}
	}
}

func TestClosuresWithAMinuteBetweenThem(t *testing.T) {
	const ten = `{"nodes": "10%"}, `
	for name, c := range map[string]lintCase{
		"every day": {budgets: ten + `{"nodes": "0", "schedule": "0 0 * * *", "duration": "23h59m"}`,
			want:   []string{"warning gap [1] 2026-11-23T23:59..2026-11-24T00:00"},
			advice: `if that is not intended, write a longer opening: nothing else is open`},
		"a long weekend": {budgets: ten + `{"nodes": "0", "schedule": "0 0 * * fri,sat,sun", "duration": "23h59m"}`,
			want:   []string{"warning gap [1] 2026-11-27T23:59..2026-11-28T00:00"},
			advice: `"duration": "24h"}`},
		"a day in two parts": {budgets: ten + `{"nodes": "0", "schedule": "0 8 * * *", "duration": "5h59m"}, {"nodes": "0", "schedule": "0 14 * * *", "duration": "17h59m"}`,
			want:   []string{"warning gap [1,2] 2026-11-23T07:59..2026-11-23T08:00"},
			advice: `if that is not intended, write a longer opening: nothing else is open`},
		"a night in two parts": {budgets: ten + `{"nodes": "0", "schedule": "0 18 * * *", "duration": "5h59m"}, {"nodes": "0", "schedule": "0 0 * * *", "duration": "8h"}`,
			want:   []string{"warning gap [1,2] 2026-11-23T23:59..2026-11-24T00:00"},
			advice: `"duration": "6h"}`},
		"hours of a day": {budgets: ten + `{"nodes": "0", "schedule": "0 9-16 * * *", "duration": "59m"}`,
			want:   []string{"warning gap [1] 2026-11-23T09:59..2026-11-23T10:00"},
			advice: `"duration": "1h"}`},
		"a window of a minute": {budgets: ten + `{"nodes": "0", "schedule": "59 23 * * *", "duration": "1m", "outside": true}`,
			want:   []string{"warning gap [1] 2026-11-23T23:59..2026-11-24T00:00"},
			advice: `if that is not intended, write a longer opening: nothing else is open`},
		"of single zones": {budgets: ten + `{"nodes": "0", ` + zoneKey + `, "schedule": "0 0 * * sat,sun", "duration": "23h59m"}`,
			want:   []string{"warning gap [1] 2026-11-28T23:59..2026-11-29T00:00"},
			advice: `"duration": "24h"}`},
		"hours of a week but one": {
			budgets: ten + `{"nodes": "0", "schedule": "0 * * * mon-sat", "duration": "59m"}, {"nodes": "0", "schedule": "0 0 * * sun", "duration": "23h"}`,
			want:    []string{"warning gap [1] 2026-11-23T00:59..2026-11-23T01:00"},
			advice:  `"duration": "1h"}, which leaves 1h of 3h24m a week open`},
		"a minute at each end of a closure": {budgets: ten + `{"nodes": "0", "schedule": "0 9 * * *", "duration": "8h", "outside": true},
			{"nodes": "0", "schedule": "1 9 * * *", "duration": "6h59m"}, {"nodes": "0", "schedule": "1 16 * * *", "duration": "30m"}`,
			want: []string{"warning gap [1,2] 2026-11-23T09:00..2026-11-23T09:01"},
			advice: `add {"nodes": "0", "reasons": ["Drifted", "Empty", "Underutilized"], "schedule": "0 9 * * *", "duration": "1m"}, ` +
				`{"nodes": "0", "reasons": ["Drifted", "Empty", "Underutilized"], "schedule": "0 16 * * *", "duration": "1m"}`},
		"a minute after a minute": {budgets: ten + `{"nodes": "0", "schedule": "0 8 * * *", "duration": "1m"}, {"nodes": "0", "schedule": "2 8 * * *", "duration": "3h"}`},
		"ten minutes a day are left": {budgets: ten + `{"nodes": "0", "schedule": "10 10 * * *", "duration": "23h50m"}`,
			want:   []string{"warning gap [1] 2026-11-23T10:00..2026-11-23T10:10"},
			advice: `if that is not intended, write a longer opening: nothing else is open`},
		"ten minutes a day are a window": {budgets: `{"nodes": "50%", "schedule": "0 10 * * *", "duration": "10m"}, {"nodes": "0", "schedule": "10 10 * * *", "duration": "23h50m"}`},
		"half an hour a day is meant":    {budgets: ten + `{"nodes": "0", "schedule": "0 0 * * *", "duration": "23h30m"}`},
		"a quarter of an hour a day is":  {budgets: ten + `{"nodes": "0", "schedule": "0 0 * * *", "duration": "23h45m"}`},
		"14 minutes a day are left": {budgets: ten + `{"nodes": "0", "schedule": "0 0 * * *", "duration": "23h46m"}`,
			want: []string{"warning gap [1] 2026-11-23T23:46..2026-11-24T00:00"}},
		"half an hour a day beside a weekend": {budgets: ten + `{"nodes": "0", "schedule": "0 0 * * mon-fri", "duration": "23h30m"}`,
			want: []string{"warning gap [1] 2026-11-23T23:30..2026-11-24T00:00"}},
		"a little more is a window":             {budgets: ten + `{"nodes": "0", "schedule": "0 0 * * *", "duration": "23h29m"}`},
		"a part of each closure is no hole":     {budgets: ten + `{"nodes": "0", "schedule": "*/30 * * * *", "duration": "20m"}`},
		"a minute that ends a day that is open": {budgets: ten + `{"nodes": "0", "schedule": "0 0 * * sat", "duration": "23h59m"}`},
	} {
		t.Run(name, c.run)
	}
}

// freezesOfDays generates lists of freezes as people write them, the last minute of the day left out included.
func freezesOfDays() *rapid.Generator[[]budget.Budget] {
	return rapid.Custom(func(t *rapid.T) []budget.Budget {
		var list []budget.Budget
		if rapid.Bool().Draw(t, "limited") {
			list = append(list, budget.Budget{Nodes: rapid.SampledFrom([]string{"10%", "5", "1"}).Draw(t, "always")})
		}
		for range rapid.IntRange(1, 3).Draw(t, "freezes") {
			b := budget.Budget{
				Nodes:    rapid.SampledFrom([]string{"0", "0", "0", "2"}).Draw(t, "nodes"),
				Reasons:  rapid.SampledFrom([][]candidate.Reason{nil, nil, {"Drifted"}, {"Drifted/AMIDrift"}}).Draw(t, "reasons"),
				Duration: rapid.SampledFrom([]string{"59m", "5h59m", "6h", "17h59m", "23h50m", "23h59m", "24h", "48h", "96h"}).Draw(t, "duration"),
				Schedule: rapid.SampledFrom([]string{"0 0 * * *", "0 8 * * *", "0 14 * * *", "0 0 * * fri,sat,sun", "0 17 * * mon-fri", "0 9 * * sat",
					"0 9-16 * * mon-fri", "0 0 * 11,12 thu", "0 0 1 * *"}).Draw(t, "schedule"),
				Outside: rapid.IntRange(0, 5).Draw(t, "outside") == 0,
			}
			if rapid.IntRange(0, 3).Draw(t, "of zones") == 0 {
				b.TopologyKey, b.Sequential = "zone", rapid.Bool().Draw(t, "sequential")
			}
			list = append(list, b)
		}
		return list
	})
}

// Both freezes could last a little longer, if no child of Drifted went only then.
func TestAnAdviceDoesNotCloseTheOnlyTimeOfAChild(t *testing.T) {
	child := func(schedule, duration string) string {
		return `, {"nodes": "0", "reasons": ["Drifted/AMIDrift"], "schedule": "` + schedule + `", "duration": "` + duration + `", "outside": true}`
	}
	for _, c := range []struct{ code, budgets, child, without, with string }{
		{lint.CodeGap, `{"nodes": "10%"}, {"nodes": "0", "schedule": "0 9 * * mon-fri", "duration": "8h"}, {"nodes": "0", "schedule": "0 18 * * mon-fri", "duration": "15h"}`,
			child("0 17 * * mon-fri", "1h"),
			`if that is not intended, add {"nodes": "0", "reasons": ["Drifted", "Empty", "Underutilized"], "schedule": "0 9 * * mon-fri", "duration": "9h"}`,
			"if that is not intended, close that time as well, or write a longer opening"},
		{lint.CodeGap, `{"nodes": "10%"}, {"nodes": "0", "schedule": "0 0 * * mon-fri", "duration": "23h55m"}`,
			child("55 23 * * mon-fri", "5m"),
			`if that is not intended, add {"nodes": "0", "reasons": ["Drifted", "Empty", "Underutilized"], "schedule": "0 0 * * mon-fri", "duration": "24h"}`,
			"if that is not intended, close that time as well, or write a longer opening"},
	} {
		for budgets, want := range map[string]string{c.budgets: c.without, c.budgets + c.child: c.with} {
			set, _ := decodeSpec(t, `{"budgets": [`+budgets+`]}`).Compile()
			var advice string
			for _, f := range lint.Run(set, lintNow, lint.Facts{Nodes: 100}) {
				if f.Code == c.code {
					advice = f.Advice
				}
			}
			if advice != want {
				t.Errorf("%s: got %q, want %q", budgets, advice, want)
			}
		}
	}
}

func ofCode(findings []lint.Finding, code string) (n int) {
	for _, f := range findings {
		if f.Code == code {
			n++
		}
	}
	return n
}

func TestWhatIsMeantIsNoFinding(t *testing.T) {
	const ten, sequential = `{"nodes": "10%"}`, zoneKey + `, "sequential": true`
	const first, second = `{"nodes": "1", ` + sequential + `}, `, `{"nodes": "0", ` + sequential + `, "schedule": "0 17 * * *", "duration": "16h"}, `
	for name, c := range map[string]lintCase{
		"a freeze of single zones holds while no budget orders them": {budgets: `{"nodes": "1", ` + sequential + `, "reasons": ["Drifted"], "schedule": "0 9 * * *", "duration": "8h"},
			{"nodes": "0", ` + zoneKey + `, "reasons": ["Drifted"], "schedule": "0 9 * * *", "duration": "8h", "outside": true}, ` + ten},
		"not for a child alone": {budgets: `{"nodes": "1", ` + sequential + `, "reasons": ["Drifted"], "schedule": "0 9 * * *", "duration": "8h"},
			{"nodes": "0", ` + zoneKey + `, "reasons": ["Drifted/AMIDrift"], "schedule": "0 9 * * *", "duration": "8h", "outside": true}, ` + ten,
			want: []string{"warning unordered-span [0] Drifted 2026-11-23T00:00..2026-11-23T09:00"},
			advice: `leave schedule and duration out of budgets[0] ` +
				`and add {"nodes": "0", "reasons": ["Drifted"], "schedule": "0 17 * * *", "duration": "16h"}`},
		"a freeze that recurs weekly does not fit windows that recur monthly": {
			budgets: `{"nodes": "2", ` + sequential + `, "schedule": "0 0 1 * *", "duration": "5h59m"}, {"nodes": "2", ` + sequential + `, "schedule": "0 0 * 11,12 thu", "duration": "59m"}, ` + ten,
			want:    []string{"warning unordered-span [0,1] Drifted 2026-11-23T00:00..2026-11-26T00:00"}},
		"a freeze that takes turns is no order": {budgets: second + ten},
		"an order that follows a freeze, but not at once": {
			budgets: `{"nodes": "0", ` + sequential + `, "schedule": "0 17 * * *", "duration": "8h"}, {"nodes": "1", ` + sequential + `, "schedule": "0 9 * * *", "duration": "8h"}, ` + ten,
			want:    []string{"warning unordered-span [1] Drifted 2026-11-23T01:00..2026-11-23T09:00"}},
		"a freeze before the order":     {budgets: second + first + ten},
		"a freeze after it, is ignored": {budgets: first + second + ten, want: []string{"warning several-sequential [0,1] 2026-11-22T17:00..2026-11-23T09:00"}},
		"an ignored freeze has no holes": {
			budgets: first + `{"nodes": "0", ` + sequential + `, "schedule": "0 17 * * mon-fri", "duration": "16h"}, ` + ten,
			want:    []string{"warning several-sequential [0,1] 2026-11-23T17:00..2026-11-24T09:00"}},
		"one node at a time is in one zone at a time": {
			budgets: `{"nodes": "1"}, {"nodes": "1", ` + sequential + `, "schedule": "0 9 * * *", "duration": "8h"}`, want: []string{"info not-ready-blocks [0]"}},
		"an order that is always active would undo a later freeze": {
			budgets: `{"nodes": "1", ` + sequential + `, "schedule": "0 9 * * *", "duration": "8h"}, {"nodes": "0", ` + sequential + `, "schedule": "0 17 * * *", "duration": "8h"}, ` + ten,
			want:    []string{"warning unordered-span [0] Drifted 2026-11-23T01:00..2026-11-23T09:00"},
			advice:  `write a sequential budget that is always active, at the end of the list`},
		"an order of a child that is always active would undo a later freeze of that child": {
			budgets: `{"nodes": "2", ` + sequential + `, "reasons": ["Drifted/AMIDrift"], "schedule": "0 9 * * mon-thu", "duration": "8h"}, {"nodes": "0", ` + sequential +
				`, "schedule": "0 0 * * fri,sat,sun", "duration": "24h"}, ` + ten,
			want: []string{
				"warning unordered-span [0] Drifted 2026-11-23T00:00..2026-11-23T09:00"},
			advice: "write a sequential budget that is always active, at the end of the list"},
		"a freeze of a child before the order, which freezes the rest as well": {
			budgets: `{"nodes": "0", ` + sequential + `, "reasons": ["Drifted/AMIDrift"], "schedule": "0 17 * * *", "duration": "16h"}, ` + first + ten,
			want:    []string{"warning several-sequential [0,1] 2026-11-22T17:00..2026-11-23T09:00"}},
		"such a freeze closes what it does not name": {
			budgets: `{"nodes": "0", ` + sequential + `, "reasons": ["Drifted/AMIDrift"]}, ` + first + ten,
			want: []string{"warning never-disruptable [0] Drifted 2026-11-23T00:00..2027-11-24T00:00",
				"warning several-sequential [0,1]"}},
		"an order for a child, before a freeze of the rest": {
			budgets: `{"nodes": "1", ` + sequential + `, "reasons": ["Drifted/AMIDrift"]}, {"nodes": "0", ` + sequential + `, "schedule": "0 17 * * mon-fri", "duration": "16h"}, ` + ten,
			want: []string{"warning several-sequential [0,1] 2026-11-23T17:00..2026-11-24T09:00",
				"warning gap [1] Drifted 2026-11-28T17:00..2026-11-29T09:00"}},
		"zones that are closed by night, in a pool that is closed by day": {
			budgets: ten + `, {"nodes": "0", "schedule": "0 9 * * *", "duration": "8h"}, {"nodes": "0", ` + zoneKey + `, "schedule": "0 17 * * *", "duration": "16h"}`,
			want:    []string{"warning never-disruptable [1,2] 2026-11-23T00:00..2027-11-24T00:00"}},
		"and not if an hour is left": {
			budgets: ten + `, {"nodes": "0", "schedule": "0 9 * * *", "duration": "8h"}, {"nodes": "0", ` + zoneKey + `, "schedule": "0 17 * * *", "duration": "15h"}`},
		"a freeze of zones with a hole in it": {
			budgets: ten + `, {"nodes": "0", ` + zoneKey + `, "schedule": "0 17 * * mon-fri", "duration": "16h"}`,
			want:    []string{"warning gap [1] 2026-11-28T17:00..2026-11-29T09:00"},
			advice:  `"schedule": "0 17 * * sat,sun", "duration": "16h"}, which leaves 56h of 88h a week open`},

		"a child that is an exception from a freeze": {specific: true,
			budgets: `{"nodes": "0", "reasons": ["Drifted"]}, {"nodes": "5", "reasons": ["Drifted/AMIDrift"], "schedule": "0 0 * * sat", "duration": "24h"}, ` + ten},
		"an exception within a longer window": {specific: true,
			budgets: `{"nodes": "0", "reasons": ["Drifted"], "schedule": "0 8 * * *", "duration": "10h"}, {"nodes": "5", "reasons": ["Drifted/AMIDrift"], "schedule": "0 9 * * sat", "duration": "2h"}, ` + ten},
		"what is there before the freeze is no exception": {specific: true,
			budgets: `{"nodes": "0", "reasons": ["Drifted"], "schedule": "0 8 * * *", "duration": "10h"}, {"nodes": "5", "reasons": ["Drifted/AMIDrift"]}, ` + ten,
			want:    []string{"warning takes-the-place [0,1] Drifted/AMIDrift 2026-11-23T08:00.."}},
		"a child that is none, either": {specific: true,
			budgets: `{"nodes": "0", "reasons": ["Drifted"]}, {"nodes": "0", "reasons": ["Drifted/AMIDrift"], "schedule": "0 0 * * sat", "duration": "24h"}, ` + ten,
			want:    []string{"warning never-disruptable [0] Drifted 2026-11-23T00:00..2027-11-24T00:00"}},
		"where the most restrictive decide, there are no exceptions": {
			budgets: `{"nodes": "0", "reasons": ["Drifted"]}, {"nodes": "5", "reasons": ["Drifted/AMIDrift"], "schedule": "0 0 * * sat", "duration": "24h"}, ` + ten,
			want:    []string{"warning never-binds [0,1,2]", "warning never-disruptable [0] Drifted 2026-11-23T00:00..2027-11-24T00:00"}},
	} {
		t.Run(name, c.run)
	}
}

// It is the same list on every day of the year. Every fifth day is tried.
func TestTheTimeBetweenTwoSeasonsIsNoHole(t *testing.T) {
	for _, budgets := range []string{
		`{"nodes": "0", "schedule": "0 0 * 11,12 thu", "duration": "96h"}`,
		`{"nodes": "0", "schedule": "0 0 * 12 *", "duration": "12h"}`,
		`{"nodes": "0", "schedule": "0 9 * 3,6,9,12 mon", "duration": "96h"}`,
	} {
		set, err := decodeSpec(t, `{"budgets": [{"nodes": "10%"}, `+budgets+`]}`).Compile()
		if err != nil {
			t.Fatal(err)
		}
		for day := 0; day < 366; day += 5 {
			if findings := lint.Run(set, lintNow.AddDate(0, 0, day), lint.Facts{Nodes: 100}); len(findings) > 0 {
				t.Fatalf("%s, day %d: %v", budgets, day, findings)
			}
		}
	}
}

func TestTheAdviceForAHoleClosesNothingElse(t *testing.T) {
	const ten = `{"nodes": "10%"}, `
	for name, c := range map[string]lintCase{
		"a weekend in a freeze": {budgets: ten + `{"nodes": "0", "schedule": "0 17 * * mon-fri", "duration": "16h"}`,
			want:   []string{"warning gap [1] 2026-11-28T17:00..2026-11-29T09:00"},
			advice: `if that is not intended, add {"nodes": "0", "reasons": ["Drifted", "Empty", "Underutilized"], "schedule": "0 17 * * sat,sun", "duration": "16h"}, which leaves 56h of 88h a week open`},
		"an opening that is most of what is open":    {budgets: ten + `{"nodes": "0", "schedule": "0 0 * * mon-thu", "duration": "12h"}`},
		"days without a freeze, between two of them": {budgets: ten + `{"nodes": "0", "schedule": "0 0 * * fri,sat,sun", "duration": "23h"}`},
		"days without a freeze are the opening that is meant, not an hour each night": {
			budgets: ten + `{"nodes": "0", "schedule": "0 0 * * mon-fri", "duration": "23h"}`},
		"two in a week": {budgets: ten + `{"nodes": "0", "schedule": "0 0,12 * * mon,tue,thu,fri,sat", "duration": "8h"}`,
			want: []string{"warning gap [1] 2026-11-25T00:00..2026-11-25T08:00"}, advice: `"schedule": "0 0 * * wed,sun", "duration": "8h"}`},
	} {
		t.Run(name, c.run)
	}
}

// Budgets for zones that change very often are looked at for a part of the year: what is not known is no finding.
func TestWhatLintHasNotSeenOfZonesItDoesNotClaim(t *testing.T) {
	const often = `"schedule": "*/2 * * * *", "duration": "1m", `
	for _, budgets := range []string{
		`{"nodes": "5", "schedule": "0 0 1 11 *", "duration": "24h"}, {"nodes": "0", "reasons": ["Drifted"], "schedule": "0 0 1 11 *", "duration": "24h", "outside": true}, ` +
			`{"nodes": "0", ` + often + zoneKey + `}, {"nodes": "0", "outside": true, ` + often + zoneKey + `, "reasons": ["Drifted"]}`,
		`{"nodes": "5"}, {"nodes": "1", ` + zoneKey + `, "sequential": true}, {"nodes": "2", ` + often + zoneKey + `}`,
	} {
		set, err := decodeSpec(t, `{"budgets": [`+strings.Repeat(`{"nodes": "4", `+often+zoneKey+`}, `, 40)+budgets+`]}`).Compile()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range lint.Run(set, lintNow, lint.Facts{Nodes: 100}) {
			if f.Code == "never-disruptable" || f.Code == "unordered-span" {
				t.Error(f)
			}
		}
	}
}

// What a fix writes has all fields of a budget, new ones too.
func TestAFixCanWriteEachFieldOfABudget(t *testing.T) {
	var tags []string
	for i := range reflect.TypeFor[budget.Budget]().NumField() {
		name, _, _ := strings.Cut(reflect.TypeFor[budget.Budget]().Field(i).Tag.Get("json"), ",")
		tags = append(tags, name)
	}
	slices.Sort(tags)
	if diff := cmp.Diff(tags, slices.Sorted(slices.Values(stray.BudgetFieldNames))); diff != "" {
		t.Error(diff)
	}
}
