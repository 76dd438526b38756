package manifest

import (
	"encoding/json"
	"strings"

	"github.com/disruptkit/disruptkit/budget"
)

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
// budget counts as 0, and its fault holds back the whole pool.
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
