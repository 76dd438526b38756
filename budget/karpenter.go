package budget

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// karpenterReasons are the reasons for which Karpenter checks budgets. It has no child reasons. (Karpenter:
// DisruptionReason.)
var karpenterReasons = []candidate.Reason{candidate.Underutilized, candidate.Empty, candidate.Drifted,
	candidate.Unhealthy}

// karpenterFields are the fields of a budget in karpenter.sh/v1.
var karpenterFields = []string{"reasons", "nodes", "schedule", "duration"}

var (
	afterPattern    = regexp.MustCompile(`^(([0-9]+(s|m|h))+|Never)$`)
	schedulePattern = regexp.MustCompile(`^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|` +
		`((.+)\s(.+)\s(.+)\s(.+)\s(.+))$`)
	karpenterMethods = "Underutilized, Empty, Drifted or Unhealthy"
)

// prune removes what karpenter.sh/v1 does not have, with a Warning for each.
func (spec Spec) prune() (pruned Spec, dropped []candidate.Warning) {
	guarded := wording.Guarded("it")
	drop := func(field, name, value, advice string) {
		dropped = append(dropped, candidate.Warning{
			Code: candidate.CodeNoEffect, Field: field, Value: value, Message: wording.Foreign(name, advice),
		})
	}
	for _, c := range spec.controls() {
		if !reflect.ValueOf(*c.Control).IsZero() {
			drop(c.name, c.name, "", guarded)
		}
	}
	budgets := slices.Clone(spec.Budgets) // nil stays nil, and is filled in
	for i := range budgets {
		b := reflect.ValueOf(&budgets[i]).Elem()
		for f := range b.NumField() {
			name, _, _ := strings.Cut(b.Type().Field(f).Tag.Get("json"), ",")
			if !b.Field(f).IsZero() && !slices.Contains(karpenterFields, name) {
				drop(fmt.Sprintf("budgets[%d].%s", i, name), name, "",
					wording.GuardedBudget(name, guarded, budgets[i].Schedule != ""))
				b.Field(f).SetZero()
			}
		}
	}
	if spec.Order != "" {
		drop("order", "order", spec.Order, guarded)
	}
	if spec.Oversized != "" {
		drop("oversized", "oversized", spec.Oversized, guarded)
	}
	if spec.MostSpecific {
		dropped = append(dropped, candidate.Warning{Code: candidate.CodeNoEffect, Field: "mostSpecific", Value: "true",
			Message: "in Karpenter the most restrictive budgets decide, not the most specific"})
	}
	return Spec{
		Dialect: spec.Dialect, Budgets: budgets, ConsolidateAfter: spec.ConsolidateAfter,
		ConsolidationPolicy: spec.ConsolidationPolicy,
	}, dropped
}

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
			reject("consolidateAfter", after, "consolidateAfter %.100q is rejected: write %s", after,
				cmp.Or(wording.MeantDuration(after), "hours, minutes and seconds such as 30s or 1h30m, or Never"))
		}
	}
	switch policy := spec.ConsolidationPolicy; policy {
	case "", "WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced":
	default:
		reject("consolidationPolicy", policy, "consolidationPolicy %.100q is rejected: write %s", policy,
			cmp.Or(wording.MeantPolicy(policy), "WhenEmpty, WhenEmptyOrUnderutilized or Balanced"))
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
		reject("nodes", b.Nodes, "nodes %.100q is rejected%s: write %s", b.Nodes, wording.Typographic(b.Nodes),
			cmp.Or(wording.Quoted(wording.MeantNodes(b.Nodes)), nodesExamples))
	}
	if n := len(b.Reasons); n > mostReasons {
		reject("reasons", fmt.Sprint(n), "%d reasons are rejected: write at most %d", n, mostReasons)
	}
	for i, r := range b.Reasons {
		field := fmt.Sprintf("reasons[%d]", i)
		switch {
		case !slices.Contains(karpenterReasons, r):
			reject(field, string(r), "reason %.100q is rejected%s: write %s", r, wording.Typographic(string(r)),
				cmp.Or(karpentersReason(r), insteadOf(r)))
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
		return karpenterMethods
	case candidate.Expired.Covers(parsed):
		return "a longer expireAfter, or Never, under spec.template.spec instead of this budget: expiration asks no " +
			"budget; " + wording.Guarded("budgets for it")
	}
	return karpenterMethods + "; " + wording.Guarded("it")
}

// karpentersReason returns the reason of karpenter.sh/v1 that another one means, or "".
func karpentersReason(r candidate.Reason) string {
	meant, err := candidate.ParseReason(string(r))
	if err != nil {
		meant = candidate.MeantMethod(string(r))
	}
	if meant == meant.Method() && slices.Contains(karpenterReasons, meant) {
		return string(meant)
	}
	return ""
}

// compileAsKarpenter returns the budget as Karpenter reads it, and whether it limits anything. (Karpenter:
// NodePool.GetAllowedDisruptionsByReason, Budget.GetAllowedDisruptions.)
//
// An error in a budget means that nothing is allowed for any reason of the pool: always, if it is in the schedule, and
// while the budget is active, if it is in the number of nodes. A budget that names none of karpenterReasons limits
// nothing. Expiration checks no budget. (Karpenter: nodeclaim/expiration.Controller.Reconcile.)
func (c *checker) compileAsKarpenter() (b Limit, limits bool) {
	b = Limit{Index: c.index, exempt: candidate.Expired}
	window := c.karpenterWindow()
	if len(c.warnings) > 0 {
		b.Faults = c.warnings
		return b, true
	}
	b.Window = window
	amount := c.karpenterLimit()
	reasons, limits := c.karpenterReasons()
	if len(c.warnings) > 0 {
		b.Faults, b.whileActive = c.warnings, true
		return b, true
	}
	b.Amount, b.Reasons = amount, reasons
	return b, limits && amount != Amount{N: math.MaxInt32} // math.MaxInt32 means no limit in Karpenter
}

// karpenterWindow returns when the budget is active. A schedule without a duration is never active, and a duration
// without a schedule is an error. (Karpenter: Budget.IsActive.)
func (c *checker) karpenterWindow() schedule.Window {
	text, d := c.written.Schedule, time.Duration(0)
	if text == "" && c.written.Duration == "" {
		return schedule.Window{}
	}
	if c.written.Duration != "" {
		var err error
		if d, err = time.ParseDuration(c.written.Duration); err != nil {
			c.fault("duration", c.written.Duration,
				"duration %.100q: Karpenter can read neither it nor the NodePool: write whole hours and minutes, "+
					"such as 8h", c.written.Duration)
			d = time.Hour // it hides no fault of the schedule
		}
	}
	w, err := schedule.ParseKarpenter(text, d)
	if err != nil {
		c.fault("schedule", text, "%s", wording.Sentence(inUTC(text, err)))
	}
	return w
}

// inUTC is the error of a schedule, or, if it has a time zone in front, what to write instead.
func inUTC(text string, err error) error {
	if zone, expr, found := strings.Cut(strings.TrimSpace(text), " "); found && strings.Contains(zone, "TZ=") {
		return fmt.Errorf("cron expression %.100q sets a time zone, and Karpenter has none: write %.100q with its "+
			"hours in UTC", text, strings.TrimSpace(expr))
	}
	return err
}

// karpenterLimit returns the budget's limit. A count of more than 32 bits keeps its lowest 32, and a count below 0
// counts as 0. (Karpenter: GetIntStrFromValue, intstr.GetScaledValueFromIntOrPercent.)
func (c *checker) karpenterLimit() Amount {
	text := cmp.Or(c.written.Nodes, defaultNodes)
	if n, err := strconv.Atoi(text); err == nil {
		return Amount{N: max(0, int(int32(n)))}
	}
	n, err := strconv.Atoi(strings.TrimSuffix(text, "%"))
	if err != nil {
		c.faultNodes(text)
	}
	return Amount{N: min(max(0, n), math.MaxInt32), Percent: true} // no pool has so many nodes
}

// karpenterReasons returns the reasons that the budget limits; none means all, if it limits any. Karpenter compares
// reasons as written, so the RFCs' spellings, children and an empty list match nothing. (Karpenter:
// NodePool.GetAllowedDisruptionsByReason.)
func (c *checker) karpenterReasons() (reasons []candidate.Reason, limits bool) {
	if c.written.Reasons == nil {
		return nil, true
	}
	for _, r := range karpenterReasons {
		if slices.Contains(c.written.Reasons, r) {
			reasons = append(reasons, r)
		}
	}
	return reasons, len(reasons) > 0
}

// karpenterPatience returns the reasons for which nodes of the pool are never disrupted. (Karpenter:
// Emptiness.ShouldDisrupt, consolidation.ShouldDisrupt.)
func (spec Spec) karpenterPatience() patience {
	p := patience{}
	if spec.ConsolidationPolicy == "WhenEmpty" {
		p[candidate.Underutilized] = candidate.Forever
	}
	if d, _ := parseAfter(spec.ConsolidateAfter); d == candidate.Forever {
		p[candidate.Underutilized], p[candidate.Empty] = candidate.Forever, candidate.Forever
	}
	return p
}
