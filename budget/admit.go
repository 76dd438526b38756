package budget

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/jsonobject"
	"github.com/disruptkit/disruptkit/internal/limit"
	"github.com/disruptkit/disruptkit/internal/stray"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// Admit returns what Karpenter's API server would store for a spec.disruption, as a Spec in Karpenter's dialect. It
// fills in defaults, and drops fields that karpenter.sh/v1 does not have, each with a Warning (CodeNoEffect). That is
// so for clients without strict validation, as after kubectl apply --validate=false; by default, kubectl asks the
// server to refuse such fields.
//
// The error joins a Warning (CodeRejected) for everything that the schema rejects. The server then does not store the
// object, and the previous one stays in force. Admit also rejects durations that the schema accepts but Karpenter
// cannot parse. (Karpenter: pkg/apis/crds/karpenter.sh_nodepools.yaml.)
func Admit(disruption []byte) (spec Spec, dropped []candidate.Warning, err error) {
	a := admission{}
	spec = a.spec(disruption)
	rejected := append(a.rejected, spec.rejected()...)
	if len(rejected) > 0 {
		return Spec{Dialect: dialect.Karpenter}, a.dropped, limit.Faults(rejected).Err()
	}
	return spec, a.dropped, nil
}

// An admission collects the faults of an object.
type admission struct{ rejected, dropped []candidate.Warning }

func (a *admission) reject(field string, value json.RawMessage, want string) {
	a.rejected = append(a.rejected, rejection(field, string(value), "%s is rejected: write %s",
		wording.JSON(value, 100), want))
}

// rejection returns a Warning about something that the schema rejects.
func rejection(field, value, format string, args ...any) candidate.Warning {
	return candidate.Warning{Code: candidate.CodeRejected, Field: field, Value: value,
		Message: fmt.Sprintf(format, args...)}
}

// fields calls set for each field of an object that the schema has at a place. It skips null, which means absent.
func (a *admission) fields(
	at string, object json.RawMessage, place stray.Place, set func(name string, value json.RawMessage),
) (isObject bool) {
	var all map[string]json.RawMessage
	if json.Unmarshal(object, &all) != nil || all == nil {
		return false
	}
	names := slices.Sorted(maps.Keys(all))
	for _, name := range names {
		switch {
		case !slices.Contains(stray.Known(place), name):
			a.dropped = append(a.dropped, dropping(at+name, string(all[name]), name, place, names))
		case !jsonobject.IsNull(all[name]):
			set(name, all[name])
		}
	}
	return true
}

// dropping returns a Warning about a field that the schema does not have at a place, next to other fields.
func dropping(field, value, name string, place stray.Place, siblings []string) candidate.Warning {
	return candidate.Warning{
		Code: candidate.CodeNoEffect, Field: field, Value: value, Message: stray.Message(place, name, siblings),
	}
}

const karpenterPolicy = "WhenEmptyOrUnderutilized"

func (a *admission) spec(data json.RawMessage) Spec {
	spec := Spec{
		Dialect: dialect.Karpenter, Budgets: []Budget{{Nodes: defaultNodes}}, ConsolidateAfter: "0s",
		ConsolidationPolicy: karpenterPolicy,
	}
	read := func(name string, value json.RawMessage) {
		switch name {
		case "budgets":
			spec.Budgets = a.budgets(value)
		case "consolidateAfter":
			a.text(name, value, &spec.ConsolidateAfter, afterExample)
		case "consolidationPolicy":
			a.text(name, value, &spec.ConsolidationPolicy, `a string, such as "WhenEmpty"`)
		}
	}
	isObject := jsonobject.IsNull(data) || a.fields("", data, stray.Disruption, read)
	if !isObject {
		a.reject("", data, "an object, such as {}")
	}
	return spec
}

func (a *admission) budgets(data json.RawMessage) []Budget {
	var items []json.RawMessage
	if json.Unmarshal(data, &items) != nil {
		a.reject("budgets", data, budgetsExample)
	}
	budgets := make([]Budget, len(items))
	for i, item := range items {
		at := fmt.Sprintf("budgets[%d]", i)
		b := &budgets[i]
		b.Nodes = defaultNodes
		isObject := a.fields(at+".", item, stray.Budget, func(name string, value json.RawMessage) {
			field := at + "." + name
			switch name {
			case "nodes":
				a.text(field, value, &b.Nodes, `a quoted string, such as "5" or "10%"`)
			case "schedule":
				a.text(field, value, &b.Schedule, `a string, such as "0 9 * * mon-fri"`)
			case "duration":
				a.text(field, value, &b.Duration, `a string, such as "8h"`)
			case "reasons":
				b.Reasons = a.reasons(field, value)
			}
		})
		if !isObject {
			a.reject(at, item, `an object, such as {"nodes": "10%"}`)
		}
	}
	return budgets
}

func (a *admission) reasons(field string, data json.RawMessage) []candidate.Reason {
	var texts []*candidate.Reason
	if json.Unmarshal(data, &texts) != nil || slices.Contains(texts, nil) {
		a.reject(field, data, `a list of strings, such as ["Drifted"]`)
		return nil
	}
	reasons := make([]candidate.Reason, len(texts))
	for i, text := range texts {
		reasons[i] = *text
	}
	return reasons
}

// text decodes a string. It rejects "", as the patterns of all string fields do.
func (a *admission) text(field string, value json.RawMessage, target *string, want string) {
	if decoded := (*text)(target); json.Unmarshal(value, decoded) != nil {
		a.reject(field, value, want)
	}
}

var (
	afterPattern    = regexp.MustCompile(`^(([0-9]+(s|m|h))+|Never)$`)
	schedulePattern = regexp.MustCompile(`^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|` +
		`((.+)\s(.+)\s(.+)\s(.+)\s(.+))$`)
	karpenterMethods = "Underutilized, Empty, Drifted or Unhealthy"
)

// rejected returns a Warning for everything in a Spec that the schema rejects.
func (spec Spec) rejected() (all []candidate.Warning) {
	reject := func(field, value, format string, args ...any) {
		all = append(all, rejection(field, value, format, args...))
	}
	if after := spec.ConsolidateAfter; after != "" {
		_, readable := parseAfter(after)
		if !afterPattern.MatchString(after) || !readable {
			reject("consolidateAfter", after, "consolidateAfter %.100q is rejected: write hours, minutes and "+
				"seconds such as 30s or 1h30m, or Never", after)
		}
	}
	switch policy := spec.ConsolidationPolicy; policy {
	case "", "WhenEmpty", karpenterPolicy, "Balanced":
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
	for _, c := range spec.controls() {
		if !reflect.ValueOf(c.Control).IsZero() {
			dropped = append(dropped, dropping(c.name, "", c.name, stray.Disruption, nil))
		}
	}
	budgets := slices.Clone(spec.Budgets) // nil stays nil, and is filled in
	for i := range budgets {
		b, siblings := &budgets[i], []string(nil)
		if b.Schedule != "" {
			siblings = []string{"schedule"}
		}
		drop := func(is bool, name string) {
			if is {
				at := fmt.Sprintf("budgets[%d].%s", i, name)
				dropped = append(dropped, dropping(at, "", name, stray.Budget, siblings))
			}
		}
		drop(b.Per != "", "per")
		drop(b.Soak != "", "soak")
		drop(b.From != "", "from")
		drop(b.To != "", "to")
		drop(b.Calendar != "", "calendar")
		drop(b.TimeZone != "", "timeZone")
		drop(b.Outside, "outside")
		drop(b.TopologyKey != "", "topologyKey")
		drop(b.Sequential, "sequential")
		*b = Budget{Reasons: b.Reasons, Nodes: b.Nodes, Schedule: b.Schedule, Duration: b.Duration}
	}
	if spec.Order != "" {
		dropped = append(dropped, dropping("order", spec.Order, "order", stray.Disruption, nil))
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
