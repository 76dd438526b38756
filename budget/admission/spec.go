package admission

import (
	"cmp"
	"fmt"
	"iter"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/stray"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// Warnings returns what is wrong with a Set. In Karpenter's dialect, what the API server drops comes first
// (candidate.CodeNoEffect), then what its schema rejects (candidate.CodeRejected), and then what is invalid. In
// disruptkit's, it is the Set's own Warnings. The Set has one Warning for all that is dropped, which is left out.
func Warnings(s budget.Set) []candidate.Warning {
	spec := s.Spec()
	if spec.Dialect != dialect.Karpenter {
		return s.Warnings()
	}
	ofAll := func(w candidate.Warning) bool { return w.Code == candidate.CodeNoEffect && w.Field == "" }
	return slices.Concat(dropped(spec), rejected(spec), slices.DeleteFunc(s.Warnings(), ofAll))
}

// dropped returns a Warning for everything in a Spec that karpenter.sh/v1 does not have.
func dropped(spec budget.Spec) (all []candidate.Warning) {
	drop := func(field, name, value, advice string) {
		all = append(all, candidate.Warning{
			Code: candidate.CodeNoEffect, Field: field, Value: value, Message: stray.Foreign(name, advice),
		})
	}
	guarded := stray.Guarded("it")
	for name, value := range foreign(spec, stray.Disruption) {
		drop(name, name, value, guarded)
	}
	for i, b := range spec.Budgets {
		for name, value := range foreign(b, stray.Budget) {
			drop(fmt.Sprintf("budgets[%d].%s", i, name), name, value,
				stray.GuardedBudget(name, guarded, b.Schedule != ""))
		}
	}
	if spec.MostSpecific {
		all = append(all, candidate.Warning{Code: candidate.CodeNoEffect, Field: "mostSpecific", Value: "true",
			Message: "in Karpenter the most restrictive budgets decide, not the most specific"})
	}
	return all
}

// foreign yields the fields that are set and that karpenter.sh/v1 does not have at a place, by their names in JSON,
// with the values of those that are texts.
func foreign(object any, at stray.Place) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		v := reflect.ValueOf(object)
		for i := range v.NumField() {
			name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			if name == "-" || v.Field(i).IsZero() || slices.Contains(stray.Known(at), name) {
				continue
			}
			if value, _ := v.Field(i).Interface().(string); !yield(name, value) {
				return
			}
		}
	}
}

// most is how many budgets a list may have, and how many reasons a budget.
const most = 50

var (
	nodesPattern    = regexp.MustCompile(`^((100|[0-9]{1,2})%|[0-9]+)$`)
	afterPattern    = regexp.MustCompile(`^(([0-9]+(s|m|h))+|Never)$`)
	schedulePattern = regexp.MustCompile(`^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|` +
		`((.+)\s(.+)\s(.+)\s(.+)\s(.+))$`)
)

// reasons are those of karpenter.sh/v1. (Karpenter: DisruptionReason.)
var reasons = []candidate.Reason{candidate.Underutilized, candidate.Empty, candidate.Drifted, candidate.Unhealthy}

const methods = "Underutilized, Empty, Drifted or Unhealthy"

// rejected returns a Warning for everything in a Spec that the schema of karpenter.sh/v1 rejects, and for durations
// that Karpenter cannot parse. (Karpenter: pkg/apis/crds/karpenter.sh_nodepools.yaml.)
func rejected(spec budget.Spec) (all []candidate.Warning) {
	reject := func(field, value, format string, args ...any) {
		all = append(all, candidate.Warning{Code: candidate.CodeRejected, Field: field, Value: value,
			Message: fmt.Sprintf(format, args...)})
	}
	if after := spec.ConsolidateAfter; after != "" {
		_, err := time.ParseDuration(after)
		if !afterPattern.MatchString(after) || after != "Never" && err != nil {
			reject("consolidateAfter", after, "consolidateAfter %.100q is rejected: write %s", after,
				cmp.Or(wording.MeantDuration(after), "hours, minutes and seconds such as 30s or 1h30m, or Never"))
		}
	}
	switch policy := spec.ConsolidationPolicy; policy {
	case "", "WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced":
	default:
		reject("consolidationPolicy", policy, "consolidationPolicy %.100q is rejected: write %s", policy,
			cmp.Or(stray.MeantPolicy(policy), "WhenEmpty, WhenEmptyOrUnderutilized or Balanced"))
	}
	if n := len(spec.Budgets); n > most {
		reject("budgets", fmt.Sprint(n), "%d budgets are rejected: write at most %d", n, most)
	}
	for i, b := range spec.Budgets {
		rejectedOf(b, func(field, value, format string, args ...any) {
			reject(fmt.Sprintf("budgets[%d].%s", i, field), value, format, args...)
		})
	}
	return all
}

// rejectedOf rejects the fields of a budget.
func rejectedOf(b budget.Budget, reject func(field, value, format string, args ...any)) {
	if b.Nodes != "" && !nodesPattern.MatchString(b.Nodes) {
		reject("nodes", b.Nodes, "nodes %.100q is rejected%s: write %s", b.Nodes, wording.Typographic(b.Nodes),
			cmp.Or(wording.Quoted(wording.MeantNodes(b.Nodes)), "a count such as 5, or a percentage from 0% to 100%"))
	}
	if n := len(b.Reasons); n > most {
		reject("reasons", fmt.Sprint(n), "%d reasons are rejected: write at most %d", n, most)
	}
	for i, r := range b.Reasons {
		field := fmt.Sprintf("reasons[%d]", i)
		switch {
		case !slices.Contains(reasons, r):
			reject(field, string(r), "reason %.100q is rejected%s: write %s", r, wording.Typographic(string(r)),
				cmp.Or(meantReason(r), insteadOf(r)))
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
		_, err := schedule.Parse(b.Schedule, time.Hour, "")
		instead := `five fields such as "0 9 * * mon-fri", or @daily`
		if _, meant, found := strings.Cut(fmt.Sprint(err), `: write "`); found {
			instead = `"` + meant
		}
		reject("schedule", b.Schedule, "schedule %.100q is rejected%s: write %s", b.Schedule,
			wording.Typographic(b.Schedule), instead)
	}
	if b.Duration == "" {
		return
	}
	if _, err := time.ParseDuration(b.Duration); err != nil || !wording.Whole(b.Duration) {
		reject("duration", b.Duration, "duration %.100q is rejected%s: write %s", b.Duration,
			wording.Typographic(b.Duration),
			cmp.Or(wording.MeantDuration(b.Duration), "whole hours and minutes, such as 8h, 90m or 1h30m"))
	}
}

// insteadOf returns what to write instead of a reason that karpenter.sh/v1 does not have, and where it may be written.
func insteadOf(r candidate.Reason) string {
	parsed, err := candidate.ParseReason(string(r))
	switch {
	case err != nil:
		return methods
	case candidate.Expired.Covers(parsed):
		return "a longer expireAfter, or Never, under spec.template.spec instead of this budget: expiration asks no " +
			"budget; " + stray.Guarded("budgets for it")
	}
	return methods + "; " + stray.Guarded("it")
}

// meantReason returns the reason of karpenter.sh/v1 that another one means, or "".
func meantReason(r candidate.Reason) string {
	meant, err := candidate.ParseReason(string(r))
	if err != nil {
		meant = candidate.Reason(wording.MeantMethod(string(r)))
	}
	if meant == meant.Method() && slices.Contains(reasons, meant) {
		return string(meant)
	}
	return ""
}
