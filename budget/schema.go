package budget

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

var (
	afterPattern    = regexp.MustCompile(`^(([0-9]+(s|m|h))+|Never)$`)
	schedulePattern = regexp.MustCompile(`^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|` +
		`((.+)\s(.+)\s(.+)\s(.+)\s(.+))$`)
	karpenterMethods = "Underutilized, Empty, Drifted or Unhealthy"
)

// rejected returns a Warning for everything in a Spec that the schema of karpenter.sh/v1 rejects, and for durations
// that Karpenter cannot parse. (Karpenter: pkg/apis/crds/karpenter.sh_nodepools.yaml.)
func (spec Spec) rejected() (all []candidate.Warning) {
	reject := func(field, value, format string, args ...any) {
		all = append(all, candidate.Warning{Code: candidate.CodeRejected, Field: field, Value: value,
			Message: fmt.Sprintf(format, args...)})
	}
	if after := spec.ConsolidateAfter; after != "" {
		_, readable := parseAfter(after)
		if !afterPattern.MatchString(after) || !readable {
			reject("consolidateAfter", after, "consolidateAfter %.100q is rejected: write hours, minutes and "+
				"seconds such as 30s or 1h30m, or Never", after)
		}
	}
	switch policy := spec.ConsolidationPolicy; policy {
	case "", "WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced":
	default:
		reject("consolidationPolicy", policy,
			"consolidationPolicy %.100q is rejected: write WhenEmpty, WhenEmptyOrUnderutilized or Balanced", policy)
	}
	if n := len(spec.Budgets); n > mostBudgets {
		reject("budgets", fmt.Sprint(n), "%d budgets are rejected: write at most %d", n, mostBudgets)
	}
	for i, b := range spec.Budgets {
		b.rejected(func(field, value, format string, args ...any) {
			reject(fmt.Sprintf("budgets[%d].%s", i, field), value, format, args...)
		})
	}
	return all
}

func (b Budget) rejected(reject func(field, value, format string, args ...any)) {
	if b.Nodes != "" && !nodesPattern.MatchString(b.Nodes) {
		reject("nodes", b.Nodes, "nodes %.100q is rejected: write a count such as 5, or a percentage from 0%% to "+
			"100%%", b.Nodes)
	}
	if n := len(b.Reasons); n > mostReasons {
		reject("reasons", fmt.Sprint(n), "%d reasons are rejected: write at most %d", n, mostReasons)
	}
	for i, r := range b.Reasons {
		field := fmt.Sprintf("reasons[%d]", i)
		switch {
		case !slices.Contains(karpenterReasons, r):
			reject(field, string(r), "reason %.100q is rejected: write %s", r, karpenterMethods)
		case slices.Index(b.Reasons, r) < i:
			reject(field, string(r), "reason %q is rejected, since it appears twice: write it once", r)
		}
	}
	switch {
	case b.Schedule == "" && b.Duration != "":
		reject("schedule", "", "a duration without a schedule is rejected: write both, or neither for always")
	case b.Schedule != "" && b.Duration == "":
		reject("duration", "", "a schedule without a duration is rejected: write how long the budget stays active "+
			"after each hit, such as 8h")
	}
	if b.Schedule != "" && !schedulePattern.MatchString(b.Schedule) {
		reject("schedule", b.Schedule, "schedule %.100q is rejected: write five fields such as \"0 9 * * "+
			"mon-fri\", or @daily", b.Schedule)
	}
	if b.Duration == "" {
		return
	}
	if _, err := time.ParseDuration(b.Duration); err != nil || !wording.Whole(b.Duration) {
		reject("duration", b.Duration, "duration %.100q is rejected: write whole hours and minutes, such as 8h, "+
			"90m or 1h30m", b.Duration)
	}
}

// prune removes what karpenter.sh/v1 does not have, with a Warning for each.
func (spec Spec) prune() (pruned Spec, dropped []candidate.Warning) {
	guarded := wording.Guarded("it")
	drop := func(is bool, at, name, value, advice string) {
		if is {
			dropped = append(dropped, candidate.Warning{
				Code: candidate.CodeNoEffect, Field: at + name, Value: value, Message: wording.Foreign(name, advice),
			})
		}
	}
	for _, c := range spec.controls() {
		drop(!reflect.ValueOf(c.Control).IsZero(), "", c.name, "", guarded)
	}
	budgets := slices.Clone(spec.Budgets) // nil stays nil, and is filled in
	for i := range budgets {
		b := &budgets[i]
		for _, f := range []struct {
			is   bool
			name string
		}{
			{b.Per != "", "per"}, {b.Soak != "", "soak"}, {b.From != "", "from"}, {b.To != "", "to"},
			{b.Calendar != "", "calendar"}, {b.TimeZone != "", "timeZone"}, {b.Outside, "outside"},
			{b.TopologyKey != "", "topologyKey"}, {b.Sequential, "sequential"},
		} {
			drop(f.is, fmt.Sprintf("budgets[%d].", i), f.name, "",
				wording.GuardedBudget(f.name, guarded, b.Schedule != ""))
		}
		*b = Budget{Reasons: b.Reasons, Nodes: b.Nodes, Schedule: b.Schedule, Duration: b.Duration}
	}
	drop(spec.Order != "", "", "order", spec.Order, guarded)
	if spec.MostSpecific {
		dropped = append(dropped, candidate.Warning{Code: candidate.CodeNoEffect, Field: "mostSpecific", Value: "true",
			Message: "in Karpenter the most restrictive budgets decide, not the most specific"})
	}
	return Spec{
		Dialect: spec.Dialect, Budgets: budgets, ConsolidateAfter: spec.ConsolidateAfter,
		ConsolidationPolicy: spec.ConsolidationPolicy,
	}, dropped
}
