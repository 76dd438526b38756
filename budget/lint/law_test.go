package lint_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// An alternative is a list that an advice leads to.
type alternative struct {
	text string
	list []budget.Budget
}

// A clause is a change as an advice words it. Its first group, or its second, is the place of a budget.
type clause struct {
	pattern *regexp.Regexp
	apply   func(list []budget.Budget, i int, m []string) []budget.Budget
}

const (
	place    = `((?:\w+\.)?budgets\[\d+\])`
	fields   = `((?:"\w+": (?:"[^"]*"|\[[^\]]*\]))(?:, "\w+": (?:"[^"]*"|\[[^\]]*\]))*)`
	cronText = `"[^" ]+ [^" ]+ [^" ]+ [^" ]+ [^" ]+"`
)

// clauses are all ways in which advice words a change of a budget.
var clauses = []clause{
	{regexp.MustCompile(fields + ` in ` + place), func(list []budget.Budget, i int, m []string) []budget.Budget {
		return edited(list, i, func(b *budget.Budget) { // decoding replaces what it names
			var written budget.Budget
			if err := json.Unmarshal([]byte("{"+m[1]+"}"), &written); err != nil {
				panic(err)
			}
			b.Nodes, b.Reasons = orElse(written.Nodes, b.Nodes), written.Reasons
			if written.Reasons == nil {
				b.Reasons = list[i].Reasons
			}
			b.Schedule, b.Duration = orElse(written.Schedule, b.Schedule), orElse(written.Duration, b.Duration)
			b.TimeZone, b.TopologyKey = orElse(written.TimeZone, b.TimeZone), orElse(written.TopologyKey, b.TopologyKey)
		})
	}},
	{regexp.MustCompile(`(\S+) instead of \S+ in ` + place), func(list []budget.Budget, i int, m []string) []budget.Budget {
		return edited(list, i, func(b *budget.Budget) { b.Duration = m[1] })
	}},
	{regexp.MustCompile(`leave ([\w, ]+) out of ` + place), func(list []budget.Budget, i int, m []string) []budget.Budget {
		return edited(list, i, func(b *budget.Budget) {
			for _, field := range regexp.MustCompile(`, | and `).Split(m[1], -1) {
				switch field {
				case "reasons":
					b.Reasons = nil
				case "sequential":
					b.Sequential = false
				case "schedule":
					b.Schedule = ""
				case "duration":
					b.Duration = ""
				case "timeZone":
					b.TimeZone = ""
				case "outside":
					b.Outside = false
				case "from":
					b.From = ""
				case "to":
					b.To = ""
				case "calendar":
					b.Calendar = ""
				default:
					panic(field)
				}
			}
		})
	}},
	{regexp.MustCompile(`(delete) ` + place), func(list []budget.Budget, i int, _ []string) []budget.Budget {
		return slices.Delete(slices.Clone(list), i, i+1)
	}},
	{regexp.MustCompile(`(write) ` + place + ` (?:twice|three times), with (` + cronText + `(?:(?:, | and )` + cronText + `)+)`), func(list []budget.Budget, i int, m []string) []budget.Budget {
		var several []budget.Budget
		for _, quoted := range regexp.MustCompile(cronText).FindAllString(m[3], -1) {
			b := list[i]
			b.Schedule = strings.Trim(quoted, `"`)
			several = append(several, b)
		}
		return slices.Replace(slices.Clone(list), i, i+1, several...)
	}},
}

func orElse(text, otherwise string) string {
	if text != "" {
		return text
	}
	return otherwise
}

func edited(list []budget.Budget, i int, edit func(*budget.Budget)) []budget.Budget {
	list = slices.Clone(list)
	edit(&list[i])
	return list
}

var (
	separator  = regexp.MustCompile(`; or |, or `)
	more       = regexp.MustCompile(`\{"[^}]*\}`)
	renamed    = regexp.MustCompile(`write (\S+) instead of ([^\s,]+)`)
	example    = regexp.MustCompile(`a budget for each date, such as ` + cronText)
	unexpected = regexp.MustCompile(place + `|\{"|` + cronText)
)

// alternatives follows an advice to the letter. It fails if a part of it looks like a change but is worded like none.
func alternatives(t rapid.TB, set budget.Set, f lint.Finding) (all []alternative) {
	list := set.Budgets()
	base := list
	for _, text := range separator.Split(strings.ReplaceAll(f.Advice, " (in UTC)", ""), -1) {
		better, changed, rest := slices.Clone(base), false, example.ReplaceAllString(text, "")
		for _, c := range clauses {
			for _, m := range c.pattern.FindAllStringSubmatch(rest, -1) {
				i := slices.IndexFunc(list, func(b budget.Budget) bool { return false })
				for j := range list {
					if set.Place(j) == m[2] {
						i = j
					}
				}
				better, changed, rest = c.apply(better, i, m), true, strings.Replace(rest, m[0], "", 1)
			}
		}
		freeze := strings.Contains(text, "add a freeze, too")
		if freeze { // the alternative goes without it
			all = append(all, alternative{strings.Split(text, "; if nothing")[0], slices.Clone(better)})
		}
		for _, part := range more.FindAllString(rest, -1) {
			var b budget.Budget
			if err := json.Unmarshal([]byte(part), &b); err != nil {
				t.Fatalf("%s: %v", f, err)
			}
			better, changed, rest = append(better, b), true, strings.Replace(rest, part, "", 1)
		}
		if m := renamed.FindStringSubmatch(rest); m != nil && f.Code == lint.CodeUnknownChild {
			changed = true
			for i := range better {
				better[i].Reasons = slices.Clone(better[i].Reasons)
				for j, r := range better[i].Reasons {
					if string(r) == m[2] {
						better[i].Reasons[j] = candidate.Reason(m[1])
					}
				}
			}
		}
		if number := map[string]string{"write 2 or more": "2", "write a lower number, such as 10%": "10%"}[strings.TrimSpace(numbered.FindString(rest))]; number != "" {
			changed = true
			for i := range f.Budgets.All() {
				better[i].Nodes = number
			}
		}
		if unexpected.MatchString(rest) {
			t.Fatalf("%s\n%q is worded like no change that the test knows", f, rest)
		}
		if changed {
			all = append(all, alternative{text, better})
		}
	}
	return all
}

var numbered = regexp.MustCompile(`write 2 or more|write a lower number, such as 10%`)

// lists generates lists as people write them, in any dialect: windows from a minute to a day, and for weeks and months.
func lists(of dialect.Dialect) *rapid.Generator[[]budget.Budget] {
	return rapid.Custom(func(t *rapid.T) []budget.Budget {
		var list []budget.Budget
		if rapid.IntRange(0, 3).Draw(t, "limited") > 0 {
			list = append(list, budget.Budget{Nodes: rapid.SampledFrom([]string{"10%", "5", "1", "100%"}).Draw(t, "always")})
		}
		for range rapid.IntRange(1, 3).Draw(t, "budgets") {
			list = append(list, budgetOf(of).Draw(t, "budget"))
		}
		return list
	})
}

func budgetOf(of dialect.Dialect) *rapid.Generator[budget.Budget] {
	return rapid.Custom(func(t *rapid.T) (b budget.Budget) {
		b.Nodes = rapid.SampledFrom([]string{"0", "0", "0", "1", "2", "20%", "100%"}).Draw(t, "nodes")
		b.Reasons = rapid.SampledFrom([][]candidate.Reason{nil, nil, nil, {"Drifted"}, {"Empty", "Underutilized"}, {"Underutilized"}, {"Unhealthy"}}).Draw(t, "reasons")
		b.Schedule = rapid.SampledFrom([]string{"", "0 0 * * *", "0 0 * * *", "0 0 * * mon-fri", "0 17 * * mon-fri", "0 0 * * fri,sat,sun", "0 9 * * sat", "0 0 1 * *",
			"0 0 1-7 * sat", "0 0 31 * *", "0 7-13 * * *", "0 */5 * * *", "30 9 * 11,12 *", "*/30 9 * * *", "@hourly", "@weekly"}).Draw(t, "schedule")
		if b.Schedule != "" {
			d := rapid.OneOf(rapid.IntRange(1, 24*60), rapid.IntRange(23*60, 24*60), rapid.Map(rapid.IntRange(1, 8*24), func(h int) int { return 60 * h }),
				rapid.Map(rapid.IntRange(1, 31*24), func(h int) int { return 60 * h })).Draw(t, "minutes")
			b.Duration = fmt.Sprintf("%dh%dm", d/60, d%60)
		}
		if of == dialect.Karpenter {
			switch rapid.IntRange(0, 9).Draw(t, "quirk") {
			case 0:
				b.Reasons = []candidate.Reason{}
			case 1:
				b.Nodes = "4294967296"
			}
			return b
		}
		switch rapid.IntRange(0, 11).Draw(t, "own") {
		case 0:
			b.Outside = b.Schedule != ""
		case 1:
			if b.Schedule != "" {
				b.TimeZone = rapid.SampledFrom([]string{"EST", "MST", "Europe/Berlin", "Asia/Tokyo"}).Draw(t, "zone")
			}
		case 2:
			b.TopologyKey = rapid.SampledFrom([]string{"topology.kubernetes.io/zone", "topology.kubernetes.io/zones", "zone"}).Draw(t, "key")
			b.Sequential = rapid.Bool().Draw(t, "sequential")
		case 3:
			b.Reasons = []candidate.Reason{rapid.SampledFrom([]candidate.Reason{"Drifted/AMIDrft", "Drifted/AMIDrift"}).Draw(t, "child")}
		case 4:
			b.Schedule, b.Duration = "", ""
			b.To = rapid.SampledFrom([]string{"2025-11-20", "2026-12-20"}).Draw(t, "to")
			b.Outside = rapid.Bool().Draw(t, "outside of dates")
		case 5:
			b.Nodes, b.Per = "2", "1h"
		}
		return b
	})
}

// orders generates lists in which zones take turns, for all drift or for a child, beside freezes of zones and of the pool.
func orders() *rapid.Generator[[]budget.Budget] {
	return rapid.Custom(func(t *rapid.T) (list []budget.Budget) {
		if rapid.Bool().Draw(t, "limited") {
			list = append(list, budget.Budget{Nodes: "10%"})
		}
		for range rapid.IntRange(1, 3).Draw(t, "budgets") {
			b := budget.Budget{
				Nodes:   rapid.SampledFrom([]string{"0", "2", "1"}).Draw(t, "nodes"),
				Reasons: rapid.SampledFrom([][]candidate.Reason{nil, {"Drifted"}, {"Drifted/AMIDrift"}, {"Empty"}}).Draw(t, "reasons"),
			}
			if b.Schedule = rapid.SampledFrom([]string{"", "", "0 0 * * *", "0 14 * * *", "0 0 * * fri,sat,sun", "0 9 * * mon-thu"}).Draw(t, "schedule"); b.Schedule != "" {
				b.Duration = rapid.SampledFrom([]string{"8h", "23h50m", "24h", "48h"}).Draw(t, "duration")
			}
			if rapid.IntRange(0, 3).Draw(t, "of zones") > 0 {
				b.TopologyKey, b.Sequential = "zone", rapid.IntRange(0, 3).Draw(t, "sequential") > 0
			}
			list = append(list, b)
		}
		return list
	})
}

// What an advice that is a change promises, followed to the letter: the list stays valid; nodes go when none did only if it
// says so; less than three quarters of the time is left only if it says so; and lint does not say the same again.
func TestAdviceDoesWhatItSaysAndNoMore(t *testing.T) {
	tried := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		of := rapid.SampledFrom([]dialect.Dialect{dialect.Disruptkit, dialect.Disruptkit, dialect.Karpenter}).Draw(t, "dialect")
		spec := budget.Spec{Dialect: of, Budgets: rapid.OneOf(lists(of), freezes(), freezesOfDays(), orders()).Draw(t, "budgets")}
		spec.MostSpecific = of == dialect.Disruptkit && rapid.IntRange(0, 2).Draw(t, "specific") == 0
		pool := lint.Facts{
			Nodes: rapid.SampledFrom([]int{0, 9, 100}).Draw(t, "nodes"), Replicas: rapid.SampledFrom([]int{0, 0, 0, 9}).Draw(t, "replicas"),
			NodeLimit: rapid.IntRange(8, 10).Draw(t, "limit"), ExpireAfter: rapid.SampledFrom([]time.Duration{0, 720 * time.Hour}).Draw(t, "expires"),
		}
		for _, code := range followed(t, spec, pool) {
			tried[code]++
		}
	})
	t.Log(tried)
}

// Each rule whose advice is a change has one here, so that none stops being tried.
func TestTheAdviceOfEachRuleIsTried(t *testing.T) {
	const ten, night = `{"nodes": "10%"}, `, `"schedule": "0 22 * * *", "duration": "8h"`
	for code, c := range map[string]struct {
		budgets  string
		dialect  dialect.Dialect
		specific bool
	}{
		lint.CodeUnlimitedSpan:      {budgets: `{"nodes": "5", "schedule": "0 1 * * *", "duration": "4h"}`},
		lint.CodeUnevenOpenings:     {budgets: ten + `{"nodes": "0", "schedule": "0 17 * * mon-fri", "duration": "16h"}`},
		lint.CodeBriefOpenings:      {budgets: ten + `{"nodes": "0", "schedule": "0 0 * * mon-fri", "duration": "23h55m"}`},
		lint.CodeUnorderedSpan:      {budgets: ten + `{"nodes": "1", ` + zoneKey + `, "sequential": true, "timeZone": "Asia/Tokyo", "schedule": "0 9 * * *", "duration": "8h"}`},
		lint.CodeNeverCloses:        {budgets: `{"nodes": "0", "reasons": ["Empty"], "schedule": "@hourly", "duration": "1h", "timeZone": "Asia/Tokyo"}`},
		lint.CodeOverlappingWindows: {budgets: ten + `{"nodes": "0", "schedule": "0 7-13 * * *", "duration": "7h"}`},
		lint.CodeNeverBinds:         {budgets: ten + `{"nodes": "20%", ` + night + `}`},
		lint.CodeNeverFires:         {budgets: ten + `{"nodes": "0", "schedule": "@daily", "duration": "24h", "outside": true}`},
		lint.CodeTakesThePlace:      {budgets: `{"nodes": "0", ` + night + `}, {"nodes": "5", "reasons": ["Drifted", "Empty"]}, {"nodes": "4"}`, specific: true},
		lint.CodeEitherDay:          {budgets: ten + `{"nodes": "0", "schedule": "0 2 1-7 * sat", "duration": "4h", "outside": true}`},
		lint.CodeShortMonths:        {budgets: ten + `{"nodes": "0", "schedule": "0 0 31 * *", "duration": "24h"}`},
		lint.CodeFixedOffset:        {budgets: ten + `{"nodes": "0", "timeZone": "EST", ` + night + `}`},
		lint.CodeNoEffect:           {budgets: ten + `{"nodes": "0", "reasons": ["Empty"], ` + zoneKey + `, "sequential": true}`},
		lint.CodeUnknownChild:       {budgets: ten + `{"nodes": "5", "reasons": ["Drifted/AMIDrft"]}`, specific: true},
		lint.CodeOver:               {budgets: ten + `{"nodes": "0", "to": "2025-12-20", "outside": true}`},
		lint.CodeNeverRepaired:      {budgets: ten + `{"nodes": "0", "reasons": ["Unhealthy"]}`},
		lint.CodeFreezeStopsRepair:  {budgets: ten + `{"nodes": "2", "reasons": ["Unhealthy"]}, {"nodes": "0", ` + night + `}`},
		lint.CodeGap:                {budgets: ten + `{"nodes": "0", "schedule": "0 9 * * mon-fri", "duration": "8h"}, {"nodes": "0", "schedule": "0 18 * * mon-fri", "duration": "15h"}`},
		lint.CodeOnlyTightens:       {budgets: `{"nodes": "5"}, {"nodes": "20%", ` + night + `}`},
		lint.CodeUnknownKey:         {budgets: ten + `{"nodes": "1", "topologyKey": "topology.kubernetes.io/zones"}`},
		lint.CodeNeverOccurs:        {budgets: ten + `{"nodes": "2", "reasons": ["Underutilized"]}`},
		lint.CodeForNothing:         {budgets: ten + `{"nodes": "0", "reasons": []}`, dialect: dialect.Karpenter},
		lint.CodeCountWraps:         {budgets: ten + `{"nodes": "4294967296"}`, dialect: dialect.Karpenter},
		lint.CodePaceAlone:          {budgets: `{"nodes": "2", "per": "1h"}`},
	} {
		t.Run(code, func(t *testing.T) {
			spec := decodeSpec(t, `{"budgets": [`+c.budgets+`]}`)
			spec.Dialect, spec.MostSpecific = c.dialect, c.specific
			pool := lint.Facts{Nodes: 100}
			if code == lint.CodeNeverOccurs {
				pool.Never = []candidate.Reason{candidate.Underutilized}
			}
			if tried := followed(t, spec, pool); !slices.Contains(tried, code) {
				set, _ := spec.Compile()
				t.Errorf("only %v were tried: %v", tried, lint.Run(set, lintNow, pool))
			}
		})
	}
}

// followed tries all advice for a list, and returns the codes of what it tried.
func followed(t rapid.TB, spec budget.Spec, pool lint.Facts) (codes []string) {
	set, fault := spec.Compile()
	findings := lint.Run(set, lintNow, pool)
	for _, f := range findings {
		switch f.Code {
		case lint.CodeInvalid, lint.CodeRejected, lint.CodeDroppedField:
			continue // what is broken lets nothing go, whatever was meant
		}
		for _, a := range alternatives(t, set, f) {
			codes = append(codes, string(f.Code))
			fail := func(format string, args ...any) {
				t.Helper()
				t.Fatalf("%v, %s, most specific: %t\n%s\nafter %q: %v\n%s", spec.Budgets, spec.Dialect, spec.MostSpecific, f, a.text, a.list, fmt.Sprintf(format, args...))
			}
			better := spec
			better.Budgets = a.list
			after, err := better.Compile()
			if err != nil && (fault == nil || len(err.Error()) > len(fault.Error())) {
				fail("%v", err)
			}
			if again := lint.Run(after, lintNow, pool); ofCode(again, f.Code) >= ofCode(findings, f.Code) && isAgain(again, f, len(a.list) < len(set.Budgets())) {
				fail("%v", again)
			}
			for _, r := range []candidate.Reason{"Drifted", "Drifted/AMIDrift", "Empty", "Underutilized", "Unhealthy"} {
				if pool.Replicas > 0 && (r == candidate.Empty || r == candidate.Underutilized) {
					continue // no node goes for them
				}
				was, is := openIn(set, pool, r), openIn(after, pool, r)
				var before, left time.Duration
				for i := range was {
					if is[i].open && !was[i].open && !says(a.text, "opens", "repair") {
						fail("%s goes at %s", r, is[i].at)
					}
					if was[i].open {
						before += was[i].lasts
					}
					if is[i].open {
						left += is[i].lasts
					}
				}
				if 100*left < 74*before && !says(a.text, "leaves", "let nothing go", "only if they should never go", "add a freeze, too") {
					fail("%s: %s of %s", r, left, before)
				}
			}
		}
	}
	return codes
}

func says(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}

// isAgain reports whether a finding is among others: one for the same budgets, unless their positions changed. Two freezes may have
// two gaps, each after one of them: one of another length is another gap.
func isAgain(others []lint.Finding, f lint.Finding, moved bool) bool {
	length := func(f lint.Finding) time.Duration { return f.Span.End.Sub(f.Span.Start) }
	return slices.ContainsFunc(others, func(o lint.Finding) bool {
		if f.Code == lint.CodeGap && length(o) != length(f) {
			return false
		}
		return o.Code == f.Code && (moved || o.Budgets == f.Budgets && o.Reason == f.Reason)
	})
}

// A sample says whether nodes may go at a time.
type sample struct {
	at    time.Time
	lasts time.Duration // the time that it stands for
	open  bool
}

// openIn says when nodes may go for a reason, in any zone: every seven minutes of some weeks, and some five hours in the rest
// of the year.
func openIn(set budget.Set, pool lint.Facts, r candidate.Reason) (samples []sample) {
	n := max(pool.Nodes, 9)
	end := lintNow.AddDate(0, 0, 366)
	segments, err := set.Forecast(lintNow, end, n, r)
	if err != nil {
		return nil
	}
	scopes := set.Scopes(r)
	step := 7 * time.Minute
	for at := lintNow; at.Before(end); at = at.Add(step) {
		if at.After(lintNow.AddDate(0, 0, 35)) {
			step = 5*time.Hour + 7*time.Minute
		}
		for !at.Before(segments[0].End) {
			segments = segments[1:]
		}
		samples = append(samples, sample{at, step, segments[0].Nodes > 0 && !shutAt(set, scopes, r, at, n)})
	}
	return samples
}

// shutAt reports whether budgets for single zones let no node of any zone go.
func shutAt(set budget.Set, scopes []budget.Limit, r candidate.Reason, at time.Time, nodes int) bool {
	first := map[string]bool{}
	ordered := false
	for _, s := range scopes {
		active, _ := s.Window.Until(at)
		switch {
		case !active, s.Sequential && !candidate.Drifted.Covers(r):
			continue
		case s.Sequential && ordered && first[s.Key]: // the first of a key takes precedence
			continue
		case s.Sequential && !ordered:
			ordered, first[s.Key] = true, true
		}
		if s.Of(nodes) == 0 {
			return true
		}
	}
	return false
}
