package lint_test

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/admission"
	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

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
		switch rapid.IntRange(0, 40).Draw(t, "typo") {
		case 0:
			b.Reasons = rapid.SampledFrom([][]candidate.Reason{{"drifted"}, {"Empty", "Underutilised"}, {"Consolidation"}}).Draw(t, "misspelt")
		case 1:
			b.Schedule, b.Duration = rapid.SampledFrom([]string{"@Weekly", "0 0 * * sat-sun", "0 9 * * mon–fri", "0 0 * * 5#1"}).Draw(t, "cron"), "8h"
		case 2:
			b.Schedule, b.Duration = "0 0 * * *", rapid.SampledFrom([]string{"2d", "8.5h", "PT8H30M", "8 hours or so"}).Draw(t, "unit")
		case 3:
			b.Nodes = rapid.SampledFrom([]string{"10 %", "5.0", "110%"}).Draw(t, "number")
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

// What a fix promises, for each alone and for the first fixes of a run together.
func TestFixesDoWhatTheySayAndNoMore(t *testing.T) {
	for _, of := range []dialect.Dialect{dialect.Disruptkit, dialect.Karpenter} {
		t.Run(fmt.Sprint(of), func(t *testing.T) {
			tried := map[string]int{}
			rapid.Check(t, func(t *rapid.T) {
				spec := budget.Spec{Dialect: of, Budgets: rapid.OneOf(lists(of), freezes(), freezesOfDays(), orders()).Draw(t, "budgets")}
				spec.MostSpecific = of == dialect.Disruptkit && rapid.IntRange(0, 2).Draw(t, "specific") == 0
				pool := lint.Facts{
					Nodes: rapid.SampledFrom([]int{0, 9, 100}).Draw(t, "nodes"), Replicas: rapid.SampledFrom([]int{0, 0, 0, 9}).Draw(t, "replicas"),
					NodeLimit: rapid.IntRange(8, 10).Draw(t, "limit"), ExpireAfter: rapid.SampledFrom([]time.Duration{0, 720 * time.Hour}).Draw(t, "expires"),
				}
				for _, code := range fixed(t, spec, pool) {
					tried[code]++
				}
			})
			t.Log(tried)
		})
	}
}

// Each rule with fixes has one here, so that none stops being tried.
func TestTheFixesOfEachRuleAreTried(t *testing.T) {
	const ten, night = `{"nodes": "10%"}, `, `"schedule": "0 22 * * *", "duration": "8h"`
	for code, c := range map[string]struct {
		budgets  string
		dialect  dialect.Dialect
		specific bool
	}{
		lint.CodeUnlimitedSpan: {budgets: `{"nodes": "5", "schedule": "0 1 * * *", "duration": "4h"}`},
		"unordered-span":       {budgets: ten + `{"nodes": "1", ` + zoneKey + `, "sequential": true, "timeZone": "Asia/Tokyo", "schedule": "0 9 * * *", "duration": "8h"}`},
		lint.CodeNeverCloses:   {budgets: `{"nodes": "0", "reasons": ["Empty"], "schedule": "@hourly", "duration": "1h", "timeZone": "Asia/Tokyo"}`},
		"overlapping-windows":  {budgets: ten + `{"nodes": "0", "schedule": "0 7-13 * * *", "duration": "7h"}`},
		"never-binds":          {budgets: ten + `{"nodes": "20%", ` + night + `}`},
		"never-fires":          {budgets: ten + `{"nodes": "0", "schedule": "@daily", "duration": "24h", "outside": true}`},
		"takes-the-place":      {budgets: `{"nodes": "0", ` + night + `}, {"nodes": "5", "reasons": ["Drifted", "Empty"]}, {"nodes": "4"}`, specific: true},
		"either-day":           {budgets: ten + `{"nodes": "0", "reasons": ["Drifted"], "schedule": "0 2 1-7 * sat", "duration": "4h"}`},
		"short-months":         {budgets: ten + `{"nodes": "0", "reasons": ["Drifted"], "schedule": "0 0 31 * *", "duration": "24h"}`},
		"fixed-offset":         {budgets: ten + `{"nodes": "0", "reasons": ["Drifted"], "timeZone": "EST", ` + night + `}`},
		"no-effect":            {budgets: ten + `{"nodes": "0", "reasons": ["Empty"], ` + zoneKey + `, "sequential": true}`},
		"unknown-child":        {budgets: ten + `{"nodes": "5", "reasons": ["Drifted/AMIDrft"]}`, specific: true},
		"over":                 {budgets: ten + `{"nodes": "0", "to": "2025-12-20", "outside": true}`},
		"never-repaired":       {budgets: ten + `{"nodes": "0", "reasons": ["Unhealthy"]}`},
		"freeze-stops-repair":  {budgets: ten + `{"nodes": "2", "reasons": ["Unhealthy"]}, {"nodes": "0", ` + night + `}`},
		lint.CodeGap:           {budgets: ten + `{"nodes": "0", "schedule": "0 9 * * mon-fri", "duration": "8h"}, {"nodes": "0", "schedule": "0 18 * * mon-fri", "duration": "15h"}`},
		"only-tightens":        {budgets: `{"nodes": "5"}, {"nodes": "20%", ` + night + `}`},
		"unknown-key":          {budgets: ten + `{"nodes": "1", "topologyKey": "topology.kubernetes.io/zones"}`},
		"never-occurs":         {budgets: ten + `{"nodes": "2", "reasons": ["Underutilized"]}`},
		lint.CodeForNothing:    {budgets: ten + `{"nodes": "0", "reasons": []}`, dialect: dialect.Karpenter},
		lint.CodeCountWraps:    {budgets: ten + `{"nodes": "4294967296"}`, dialect: dialect.Karpenter},
		lint.CodePaceAlone:     {budgets: `{"nodes": "2", "per": "1h"}`},
		lint.CodeInvalid:       {budgets: ten + `{"nodes": "0", "reasons": ["drifted"], "schedule": "0 0 * * sat-sun", "duration": "2d"}`},
		lint.CodeRejected:      {budgets: ten + `{"nodes": "10 %"}`, dialect: dialect.Karpenter},
	} {
		t.Run(code, func(t *testing.T) {
			spec := decodeSpec(t, `{"budgets": [`+c.budgets+`]}`)
			spec.Dialect, spec.MostSpecific = c.dialect, c.specific
			pool := lint.Facts{Nodes: 100}
			if code == "never-occurs" {
				pool.Never = []candidate.Reason{candidate.Underutilized}
			}
			if tried := fixed(t, spec, pool); !slices.Contains(tried, code) {
				set, _ := spec.Compile()
				t.Errorf("only %v were tried: %v", tried, lint.Run(set, lintNow, pool))
			}
		})
	}
}

// fixed tries all fixes for a list, and returns the codes of what it tried.
func fixed(t rapid.TB, spec budget.Spec, pool lint.Facts) (codes []string) {
	set, _ := spec.Compile()
	findings := lint.Run(set, lintNow, pool)
	var firsts []lint.Fix
	var mended []lint.Finding
	typos := typos(findings)
	laws := law{t, spec, set, pool, findings, map[candidate.Reason][]sample{}}
	for _, f := range findings {
		if len(f.Fixes) > 0 {
			firsts, mended = append(firsts, f.Fixes[0]), append(mended, f)
		}
		for _, fix := range f.Fixes {
			codes = append(codes, f.Code)
			if !strings.Contains(f.Advice, fix.Text) {
				t.Fatalf("%s: %q is not in the advice", f, fix.Text)
			}
			for _, e := range fix.Edits {
				if e.At < len(set.Budgets()) && typos != 0 && !typos.Has(e.At) {
					t.Fatalf("%v\n%s\nchanges budgets[%d], although %s are not what they should be", spec.Budgets, f, e.At, typos)
				}
			}
			laws.check([]lint.Finding{f}, fix)
		}
	}
	if len(firsts) > 1 {
		laws.check(mended, firsts...)
	}
	return codes
}

func typos(findings []lint.Finding) (which budget.Indexes) {
	for _, f := range findings {
		switch f.Code {
		case "never-fires":
			if f.Severity == lint.SeverityError {
				which |= f.Budgets
			}
		case lint.CodeInvalid, lint.CodeNeverCloses, lint.CodeRejected:
			which |= f.Budgets
		}
	}
	return which
}

// A law is what holds of fixes for a list.
type law struct {
	rapid.TB
	spec     budget.Spec
	set      budget.Set
	pool     lint.Facts
	findings []lint.Finding
	before   map[candidate.Reason][]sample
}

// was returns what is allowed without a fix.
func (l law) was(r candidate.Reason) []sample {
	if l.before[r] == nil {
		l.before[r] = samplesOf(l.set, l.pool, r)
	}
	return l.before[r]
}

func (l law) check(mended []lint.Finding, fixes ...lint.Fix) {
	better := l.spec
	better.Budgets = lint.Apply(l.set.Budgets(), fixes...)
	text := ""
	for _, f := range fixes {
		text += f.Text + "\n"
	}
	fail := func(format string, args ...any) {
		l.Helper()
		l.Fatalf("%v, %s, most specific: %t, %+v\n%v\nafter %s: %v\n%s", l.spec.Budgets, l.spec.Dialect, l.spec.MostSpecific, l.pool,
			mended, text, better.Budgets, fmt.Sprintf(format, args...))
	}
	after, err := better.Compile()
	if len(admission.Warnings(after)) > len(admission.Warnings(l.set)) {
		fail("%v", err)
	}
	l.findsLess(lint.Run(after, lintNow, l.pool), mended, fail)
	fills := len(mended) == 1 && mended[0].Code == lint.CodeUnlimitedSpan // what it adds is for times without a limit
	was, is := map[int]time.Duration{}, map[int]time.Duration{}
	for _, r := range []candidate.Reason{"Drifted", "Drifted/AMIDrift", "Empty", "Underutilized", "Unhealthy", "Expired"} {
		if r == candidate.Expired && l.spec.Dialect == dialect.Karpenter {
			continue // no budget is asked
		}
		before, now := l.was(r), samplesOf(after, l.pool, r)
		l.decideFor(was, l.set, before, r, 48*time.Hour)
		l.decideFor(is, after, now, r, 0)
		var open, left time.Duration
		for i := range before {
			if now[i].nodes > before[i].nodes && !saysRaise(text, r, now[i].at) {
				fail("%s is raised from %d to %d at %s", r, before[i].nodes, now[i].nodes, now[i].at)
			}
			if now[i].nodes < before[i].nodes && before[i].nodes != budget.Unlimited && fills {
				fail("%s has a limit of %d already, and of %d then, at %s", r, before[i].nodes, now[i].nodes, now[i].at)
			}
			if r == candidate.Unhealthy && before[i].nodes > 0 && now[i].nodes == 0 {
				fail("%s is blocked at %s", r, now[i].at)
			}
			if before[i].nodes > 0 {
				open += before[i].lasts
			}
			if now[i].nodes > 0 {
				left += now[i].lasts
			}
		}
		static := l.pool.Replicas > 0 && (r == candidate.Empty || r == candidate.Underutilized) // no node is disrupted for them
		if 100*left < 74*open && !static && !strings.Contains(text, "leaves") || left == 0 && open > 0 {
			fail("%s: %s of %s", r, left, open)
		}
	}
	l.leavesOthers(fixes, was, is, fail)
}

// findsLess checks that the mended findings are gone, and none as severe has come.
func (l law) findsLess(again, mended []lint.Finding, fail func(string, ...any)) {
	fewer := map[string]int{}
	for _, m := range mended {
		fewer[m.Code]++
	}
	severities := []lint.Severity{lint.SeverityError, lint.SeverityWarning, lint.SeverityInfo}
	for _, f := range again {
		asSevere := slices.ContainsFunc(mended, func(m lint.Finding) bool {
			return slices.Index(severities, f.Severity) <= slices.Index(severities, m.Severity)
		})
		was := ofCode(l.findings, f.Code)
		if f.Code == "never-repaired" && !slices.ContainsFunc(l.was(candidate.Unhealthy), func(s sample) bool { return s.nodes > 0 }) {
			was = max(1, was) // it was so, and no budget named repair
		}
		if n := ofCode(again, f.Code); n > was-fewer[f.Code] && (asSevere || fewer[f.Code] > 0) {
			fail("%v", again)
		}
	}
}

// leavesOthers checks that each budget that no fix changes still decides, and not for a moment of the time that it did.
func (l law) leavesOthers(fixes []lint.Fix, was, is map[int]time.Duration, fail func(string, ...any)) {
	shift := 0
	for i := range l.set.Budgets() {
		edited := false
		for _, f := range fixes {
			for _, e := range f.Edits {
				if e.At == i {
					edited, shift = true, shift+len(e.With)-1
				}
			}
		}
		if !edited && was[i] > 20*is[i+shift] {
			fail("budgets[%d] decides for %s instead of %s", i, is[i+shift], was[i])
		}
	}
}

var raises = regexp.MustCompile(`raises ([\w/, ]+?) from \d+ to (?:\d+ nodes?|no limit) (?:from (\w{3} [\d-]+ [\d:]+) UTC|(at all times))`)

// saysRaise reports whether a text says that a limit becomes higher, at this time or before.
func saysRaise(text string, r candidate.Reason, at time.Time) bool {
	for _, m := range raises.FindAllStringSubmatch(text, -1) {
		since, err := time.Parse("Mon 2006-01-02 15:04", m[2])
		named := slices.ContainsFunc(strings.Split(strings.ReplaceAll(m[1], " and ", ", "), ", "), func(name string) bool {
			return candidate.Reason(name).Covers(r)
		})
		if named && (m[3] != "" || err == nil && !at.Before(since)) {
			return true
		}
	}
	return false
}

// A sample says what is allowed at a time, in any zone.
type sample struct {
	at      time.Time
	lasts   time.Duration // the time that it stands for
	nodes   int
	binding budget.Indexes
}

// decideFor adds for how long each budget decides: beside budgets for single zones, as sampled, and if that is long.
func (l law) decideFor(times map[int]time.Duration, set budget.Set, samples []sample, r candidate.Reason, least time.Duration) {
	sampled := map[int]time.Duration{}
	for _, s := range samples {
		for i := range s.binding.All() {
			sampled[i] += s.lasts
		}
	}
	if len(l.set.Scopes(r)) > 0 {
		for i, d := range sampled {
			if d >= least {
				times[i] += d
			}
		}
		return
	}
	segments, _ := set.Forecast(lintNow, lintNow.AddDate(0, 0, 366), nodesOf(l.pool), r)
	for _, s := range segments {
		for i := range s.Binding.All() {
			times[i] += s.End.Sub(s.Start)
		}
	}
}

// nodesOf returns how many nodes a pool has, or may have.
func nodesOf(pool lint.Facts) int {
	return cmp.Or(pool.Nodes, pool.Replicas, min(100, cmp.Or(pool.NodeLimit, 100)))
}

// samplesOf returns what is allowed for a reason: every eleven minutes of two weeks, and some five hours in the rest of the year.
func samplesOf(set budget.Set, pool lint.Facts, r candidate.Reason) (samples []sample) {
	n := nodesOf(pool)
	end := lintNow.AddDate(0, 0, 366)
	segments, err := set.Forecast(lintNow, end, n, r)
	if err != nil {
		return nil
	}
	scopes := set.Scopes(r)
	step := 11 * time.Minute
	for at := lintNow; at.Before(end); at = at.Add(step) {
		if at.After(lintNow.AddDate(0, 0, 16)) {
			step = 5*time.Hour + 7*time.Minute
		}
		for !at.Before(segments[0].End) {
			segments = segments[1:]
		}
		s := sample{at, step, segments[0].Nodes, segments[0].Binding}
		if s.nodes > 0 && shutAt(set, scopes, r, at, n) {
			s.nodes, s.binding = 0, 0
		}
		samples = append(samples, s)
	}
	return samples
}

// shutAt reports whether budgets for single zones block every node of every zone.
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
