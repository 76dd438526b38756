package manifest

import (
	"slices"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// CodeMostSpecific is the code of a Warning about budgets in the words of a proposal where the most specific decide, the
// disruption-controls-by-method RFC ("Approach A"), that are read as Karpenter does. It is not a fault.
const CodeMostSpecific candidate.Code = "most-specific"

// hints returns a hint about a list of budgets with fields that only the RFC has, unless the most specific budgets decide. What never decides in
// other lists, lint finds.
func (p Policy) hints(disruption value, set budget.Set) []candidate.Warning {
	list := disruption.field("budgets")
	if set.MostSpecific() || len(disruption.of.faults)+len(set.Warnings()) > 0 || !writesMethods(list) { // faults come first
		return nil
	}
	return []candidate.Warning{{Code: CodeMostSpecific, Object: disruption.of.String(), Field: list.path,
		Message: "action, method and reason come from a proposal where the most specific budgets decide, and here the most restrictive do: " +
			p.chooseMostSpecific() + " for the proposal's way, or write reasons"}}
}

// writesMethods reports whether any budget has fields that only the RFC has.
func writesMethods(budgets value) bool {
	list, _ := budgets.json.([]any)
	return slices.ContainsFunc(list, func(item any) bool {
		fields, _ := item.(map[string]any)
		return slices.ContainsFunc([]string{"action", "method", "reason"}, func(name string) bool {
			text, _ := fields[name].(string)
			return text != ""
		})
	})
}
