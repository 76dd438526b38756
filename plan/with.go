package plan

import (
	"slices"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// WithBudget returns a Set with one of its Budgets replaced, for what-if questions. Everything else is compiled again
// as written. A position outside the list changes nothing. The error is that of [budget.Spec.Compile].
func WithBudget(s budget.Set, i int, b budget.Budget) (budget.Set, error) {
	return changed(s, i, func(list []budget.Budget, at int) []budget.Budget {
		list[at] = b
		return list
	})
}

// WithoutBudget returns a Set without one of its Budgets, for what-if questions. Later budgets move up by one position.
// Without its last budget, a Set limits nothing. A position outside the list changes nothing. The error is that of
// [budget.Spec.Compile].
func WithoutBudget(s budget.Set, i int) (budget.Set, error) {
	return changed(s, i, func(list []budget.Budget, at int) []budget.Budget { return slices.Delete(list, at, at+1) })
}

// changed returns a Set with a change of the list that has a position, and of the position in it.
func changed(
	s budget.Set, i int, change func(list []budget.Budget, at int) []budget.Budget,
) (budget.Set, error) {
	spec := s.Spec()
	controls := []*budget.Control{
		&spec.Defaults, &spec.Consolidation, &spec.Drift, &spec.Expiration, &spec.Emptiness, // as in Set.Budgets
	}
	if spec.Dialect == dialect.Karpenter {
		controls = nil // Karpenter has none, and reads the default in their place
	}
	if spec.Budgets == nil && (spec.Defaults.Budgets == nil || controls == nil) {
		spec.Budgets = []budget.Budget{{Nodes: "10%"}} // the default
	}
	lists := []*[]budget.Budget{&spec.Budgets}
	for _, c := range controls {
		lists = append(lists, &c.Budgets)
	}
	at := i
	for _, list := range lists {
		if 0 <= at && at < len(*list) {
			*list = change(*list, at)
			return spec.Compile()
		}
		at -= len(*list)
	}
	return s, candidate.Err(s.Warnings())
}
