package manifest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/internal/stray"
)

const (
	never     = "Never"
	whenEmpty = "WhenEmpty"
)

// readDisruption reads spec.disruption, with the per-method controls of the disruption-controls-by-method RFC. It reads
// each field separately. An unknown field is a fault, since its author may have meant a limit.
func readDisruption(v value) budget.Spec {
	var spec budget.Spec
	written := false // any control
	apart := map[string]func(value){"budgets": func(list value) { spec.Budgets = readBudgets(list) }}
	for name, control := range map[string]*budget.Control{
		"defaults": &spec.Defaults, "consolidation": &spec.Consolidation, "drift": &spec.Drift,
		"expiration": &spec.Expiration, "emptiness": &spec.Emptiness,
	} {
		apart[name] = func(field value) {
			*control = readControl(field)
			written = written || !field.absent()
		}
	}
	v.into(&spec, new(budget.Spec), apart)
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
	v.into(&c, new(budget.Control), map[string]func(value){"budgets": func(list value) { c.Budgets = readBudgets(list) }})
	return c
}

// into reads the fields of an object into what decodes it. What fails to decode alone is a fault, and left out. Some fields are read apart.
func (v value) into(to, alone json.Unmarshaler, apart map[string]func(value)) {
	valid := map[string]any{}
	for _, name := range v.names() {
		if field := v.field(name); apart[name] == nil && field.decodesAs(name, alone) {
			valid[name] = field.json
		}
	}
	raw, _ := json.Marshal(valid) // it came from JSON
	_ = to.UnmarshalJSON(raw)     // each field is valid
	for _, name := range v.names() {
		if read := apart[name]; read != nil {
			read(v.field(name))
		}
	}
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
