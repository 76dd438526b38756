package manifest

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// readBudgets reads spec.disruption.budgets. A pool that was read from the API and has none has no limit, since the
// API server has filled in the default; null, which it never prints, is taken for that default.
func readBudgets(disruption value) []budget.Budget {
	list := disruption.field("budgets")
	if _, written := disruption.fields()["budgets"]; written && list.absent() {
		return nil
	}
	budgets := []budget.Budget{}
	for _, v := range list.each() {
		budgets = append(budgets, readBudget(v))
	}
	return budgets
}

// readBudget decodes a budget on its own, so that a bad one leaves the others as they are.
func readBudget(v value) budget.Budget {
	var b budget.Budget
	raw, err := json.Marshal(v.json)
	if err == nil {
		err = json.Unmarshal(raw, &b)
	}
	if err == nil && !v.absent() {
		return b
	}
	fields, ok := v.json.(map[string]any)
	if !ok {
		return budget.Budget{Nodes: fmt.Sprintf("the budget is %s", typeOf(v.json))}
	}
	return brokenBudget(fields, err)
}

// brokenBudget returns a budget that does not decode so that budget.Compile finds its faults: what is no text is
// shown as it was written. Its reasons are kept where they are what they should be: it breaks for no others.
func brokenBudget(fields map[string]any, err error) budget.Budget {
	b := budget.Budget{
		Reasons:     brokenReasons(fields["reasons"]),
		Nodes:       asWritten(fields["nodes"]),
		Schedule:    asWritten(fields["schedule"]),
		Duration:    asWritten(fields["duration"]),
		TimeZone:    asWritten(fields["timeZone"]),
		TopologyKey: asWritten(fields["topologyKey"]),
	}
	if _, err := budget.Compile([]budget.Budget{b}); err != nil {
		return b
	}
	b.Nodes = err.Error() // whatever else it is, it shall not be taken for good
	for _, name := range []string{"topologyKey", "outside", "sequential"} {
		v := value{json: fields[name]}
		if _, ok := v.json.(bool); !ok && !v.absent() {
			b.Nodes = fmt.Sprintf("%s %s is %s", name, v.raw(), typeOf(v.json))
		}
	}
	return b
}

// asWritten returns a text, or JSON that is none: no field of a budget can be that and be valid.
func asWritten(json any) string {
	if text, ok := json.(string); json == nil || ok && text != "" {
		return text
	} else if ok {
		return `""`
	}
	return value{json: json}.raw()
}

func brokenReasons(json any) (reasons []candidate.Reason) {
	list, ok := json.([]any)
	if !ok && json != nil { // in quotes even a known one is not known
		return []candidate.Reason{candidate.Reason(strconv.Quote(value{json: json}.raw()))}
	}
	for _, reason := range list {
		reasons = append(reasons, candidate.Reason(asWritten(reason)))
	}
	return reasons
}
