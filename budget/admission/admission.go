// Package admission has what Karpenter's API server makes of a spec.disruption: what it stores, drops and rejects.
package admission

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/jsonobject"
	"github.com/disruptkit/disruptkit/internal/stray"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// Admit returns what Karpenter's API server would store for a spec.disruption, as a Spec in Karpenter's dialect. It
// fills in defaults, and drops fields that karpenter.sh/v1 does not have, each with a Warning
// (candidate.CodeNoEffect). That is so for clients without strict validation, as after kubectl apply --validate=false;
// by default, kubectl asks the server to refuse such fields.
//
// The error joins a Warning (candidate.CodeRejected) for everything that the schema rejects, and then those about what
// else is invalid. The server does not store the object, and the previous one stays in force. Admit also rejects
// durations that the schema accepts but Karpenter cannot parse. (Karpenter: pkg/apis/crds/karpenter.sh_nodepools.yaml.)
func Admit(disruption []byte) (spec budget.Spec, dropped []candidate.Warning, err error) {
	a := admission{}
	spec = a.spec(disruption)
	for _, w := range rejected(spec) {
		if !a.explains(w) {
			a.rejected = append(a.rejected, w)
		}
	}
	if len(a.rejected) > 0 {
		set, _ := spec.Compile()
		for _, w := range set.Warnings() { // what Karpenter cannot read, though the schema accepts it
			isNamed := func(r candidate.Warning) bool { return r.Field == w.Field }
			if w.Value != "" && !slices.ContainsFunc(a.rejected, isNamed) {
				a.rejected = append(a.rejected, w)
			}
		}
		return budget.Spec{Dialect: dialect.Karpenter}, a.dropped, candidate.Err(a.rejected)
	}
	return spec, a.dropped, nil
}

const defaultNodes = "10%"

// An admission collects the faults of an object.
type admission struct{ rejected, dropped []candidate.Warning }

// explains reports whether a field is absent because its value was of the wrong type, or because it is written under a
// name that is to be another one: that is then what the server rejects.
func (a *admission) explains(absent candidate.Warning) bool {
	if absent.Value != "" {
		return false
	}
	budget, name, _ := strings.Cut(absent.Field, ".")
	for i, d := range a.dropped {
		if strings.HasPrefix(d.Field, budget+".") && strings.HasSuffix(d.Message, ": write "+name) {
			d.Code = candidate.CodeRejected
			a.rejected, a.dropped = append(a.rejected, d), slices.Delete(a.dropped, i, i+1)
			return true
		}
	}
	return slices.ContainsFunc(a.rejected, func(w candidate.Warning) bool { return w.Field == absent.Field })
}

func (a *admission) reject(field string, value json.RawMessage, want string) {
	a.rejected = append(a.rejected, candidate.Warning{Code: candidate.CodeRejected, Field: field, Value: string(value),
		Message: wording.JSON(value, 100) + " is rejected: write " + want})
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
			a.dropped = append(a.dropped, candidate.Warning{
				Code: candidate.CodeNoEffect, Field: at + name, Value: string(all[name]),
				Message: stray.Message(place, name, names),
			})
		case !jsonobject.IsNull(all[name]):
			set(name, all[name])
		}
	}
	return true
}

func (a *admission) spec(data json.RawMessage) budget.Spec {
	spec := budget.Spec{
		Dialect: dialect.Karpenter, Budgets: []budget.Budget{{Nodes: defaultNodes}}, ConsolidateAfter: "0s",
		ConsolidationPolicy: "WhenEmptyOrUnderutilized",
	}
	read := func(name string, value json.RawMessage) {
		switch name {
		case "budgets":
			spec.Budgets = a.budgets(value)
		case "consolidateAfter":
			a.text(name, value, &spec.ConsolidateAfter, `a string, such as "30m" or "Never"`)
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

func (a *admission) budgets(data json.RawMessage) []budget.Budget {
	var items []json.RawMessage
	if json.Unmarshal(data, &items) != nil {
		a.reject("budgets", data, `a list, such as [{"nodes": "10%"}]`)
	}
	budgets := make([]budget.Budget, len(items))
	for i, item := range items {
		at := fmt.Sprintf("budgets[%d]", i)
		b := &budgets[i]
		b.Nodes = defaultNodes
		isObject := a.fields(at+".", item, stray.Budget, func(name string, value json.RawMessage) {
			field := at + "." + name
			switch name {
			case "nodes":
				meant := wording.Quoted(wording.MeantNodes(string(value)))
				a.text(field, value, &b.Nodes, cmp.Or(meant, `a quoted string, such as "5" or "10%"`))
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
	var text string
	if json.Unmarshal(value, &text) != nil || text == "" {
		a.reject(field, value, want)
		return
	}
	*target = text
}
