package manifest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/internal/stray"
	"github.com/disruptkit/disruptkit/internal/wording"
)

const (
	never     = "Never"
	whenEmpty = "WhenEmpty"
)

// readDisruption reads spec.disruption, with the per-method controls of the disruption-controls-by-method RFC. It reads
// each field separately. An unknown field is a fault, since its author may have meant a limit.
func readDisruption(v value) budget.Spec {
	var spec budget.Spec
	controls := map[string]*budget.Control{
		"defaults": &spec.Defaults, "consolidation": &spec.Consolidation, "drift": &spec.Drift,
		"expiration": &spec.Expiration, "emptiness": &spec.Emptiness,
	}
	written := false // any control
	for _, name := range v.names() {
		field := v.field(name)
		switch control := controls[name]; {
		case control != nil:
			*control = readControl(field)
			written = written || !field.absent()
		case name == "budgets":
			spec.Budgets = readBudgets(field)
		case name == "consolidateAfter":
			spec.ConsolidateAfter = readConsolidateAfter(field)
		case name == "consolidationPolicy":
			spec.ConsolidationPolicy = readConsolidationPolicy(field)
		default:
			var one budget.Spec
			switch field.decodesAs(name, &one); name { // Compile checks the values
			case "order":
				spec.Order = one.Order
			case "oversized":
				spec.Oversized = one.Oversized
			}
		}
	}
	// A pool from the API without budgets has no limit, since the API server fills in the default. Null, which the server
	// never prints, means that default. So does a missing list next to controls, which no server has.
	if _, there := v.fields()["budgets"]; !there && !written {
		spec.Budgets = []budget.Budget{}
	}
	return spec
}

// faultStray reports fields around spec.disruption that were meant as that, or as a part of it. No node may be disrupted, since
// it is unknown what the pool was meant to limit.
func faultStray(o *object) {
	for at, part := range around(o) {
		for _, name := range part.names() {
			if instead := stray.OfDisruption(at, name); instead != "" {
				part.field(name).fault(fmt.Sprintf("%.100q is unknown here: write %s", name, instead))
			}
		}
	}
	elsewhere := o.root.field("spec").field("template").field("disruption")
	for _, name := range elsewhere.names() {
		if name != annotation.ProbesField && name != annotation.ReadinessField {
			elsewhere.field(name).fault(fmt.Sprintf("%.100q is unknown here: write it under spec.disruption", name))
		}
	}
}

// readControl reads one of the per-method controls.
func readControl(v value) (c budget.Control) {
	valid := map[string]any{}
	var budgets []budget.Budget
	for _, name := range v.names() {
		switch field := v.field(name); {
		case name == "budgets":
			budgets = readBudgets(field)
		case field.decodesAs(name, new(budget.Control)):
			valid[name] = field.json
		}
	}
	raw, _ := json.Marshal(valid) // it came from JSON
	_ = c.UnmarshalJSON(raw)      // each field is valid
	c.Budgets = budgets
	return c
}

// readBudgets reads a list of budgets. Null means none.
func readBudgets(list value) []budget.Budget {
	if list.absent() {
		return nil
	}
	budgets := []budget.Budget{}
	for _, v := range list.each() {
		budgets = append(budgets, readBudget(v))
	}
	return budgets
}

// readBudget decodes a single budget, so that an invalid one does not affect the positions of the others. An invalid
// budget counts as 0, and its fault blocks the whole pool.
func readBudget(v value) (b budget.Budget) {
	raw, _ := json.Marshal(v.json) // it came from JSON
	switch err := b.UnmarshalJSON(raw); {
	case v.absent():
		v.fault("null is not a budget: delete it")
	case err != nil:
		v.fault(strings.TrimPrefix(err.Error(), "budget: "))
	default:
		return b
	}
	return budget.Budget{Nodes: "0"}
}

// decodesAs reports whether v is a valid value of an object's field with that name.
func (v value) decodesAs(name string, object json.Unmarshaler) bool {
	raw, _ := json.Marshal(map[string]any{name: v.json}) // it came from JSON
	err := object.UnmarshalJSON(raw)
	if err != nil {
		v.fault(beforeFault.ReplaceAllString(err.Error(), ""))
	}
	return err == nil
}

// beforeFault matches the beginning of errors that repeats the path.
var beforeFault = regexp.MustCompile(`^(spec\.disruption|control): (field "[^"]*": )?`)

// readConsolidateAfter reads spec.disruption.consolidateAfter. An invalid duration counts as Never.
func readConsolidateAfter(v value) string {
	text := v.text()
	if text == never || text == "" {
		return text
	}
	if d, err := time.ParseDuration(text); err != nil || d < 0 {
		v.fault(fmt.Sprintf("%q is not a duration: write %s", shortened(text), cmp.Or(wording.MeantDuration(text), "one such as 30s, or Never")))
		return never
	}
	return text
}

// readConsolidationPolicy reads spec.disruption.consolidationPolicy. An unknown policy counts as WhenEmpty.
func readConsolidationPolicy(v value) string {
	switch text := v.text(); text {
	case whenEmpty, "", "WhenEmptyOrUnderutilized", "Balanced", "WhenUnderutilized": // the last is of karpenter.sh/v1beta1
		return text
	default:
		v.fault(fmt.Sprintf("%q is unknown: write %s", shortened(text), cmp.Or(stray.MeantPolicy(text), "WhenEmpty, WhenEmptyOrUnderutilized or Balanced")))
	}
	return whenEmpty
}
