package stray

import (
	"encoding/json"
	"strings"
)

// BudgetFieldNames are the fields of a budget, in the order in which people write them.
var BudgetFieldNames = []string{"nodes", "per", "soak", "spread", "guaranteed", "reasons", "topologyKey", "sequential",
	"schedule", "duration", "from", "to", "calendar", "timeZone", "outside"}

// BudgetFields returns the JSON of each field of a budget that is not empty, as people write it.
func BudgetFields(budget any) map[string]string {
	text, _ := json.Marshal(budget)
	var values map[string]json.RawMessage
	_ = json.Unmarshal(text, &values) // it is JSON
	fields := map[string]string{}
	for name, v := range values {
		fields[name] = strings.ReplaceAll(string(v), `","`, `", "`)
	}
	return fields
}
