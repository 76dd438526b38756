package budget

import (
	"slices"

	"github.com/disruptkit/disruptkit/dialect"
)

// With returns the Set with one of Budgets replaced, for what-if questions. Everything else is compiled again as
// written. A position outside the list changes nothing. The error is that of [Spec.Compile].
func (s Set) With(i int, b Budget) (Set, error) {
	return s.changed(i, func(list []Budget, at int) []Budget {
		list[at] = b
		return list
	})
}

// Without returns the Set without one of Budgets, for what-if questions. Those after it move up by one position.
// Without its last budget, a Set limits nothing. A position outside the list changes nothing. The error is that of
// [Spec.Compile].
func (s Set) Without(i int) (Set, error) {
	return s.changed(i, func(list []Budget, at int) []Budget { return slices.Delete(list, at, at+1) })
}

// changed returns the Set with a change of the list that has a position, and of the position in it.
func (s Set) changed(i int, change func(list []Budget, at int) []Budget) (Set, error) {
	spec := s.get().spec.clone()
	controls := spec.fields()
	if !dialect.AnyBudgetField.In(spec.Dialect) {
		controls = nil // Karpenter has none, and reads the default in their place
	}
	if spec.Budgets == nil && (spec.Defaults.Budgets == nil || controls == nil) {
		spec.Budgets = []Budget{{Nodes: defaultNodes}}
	}
	lists := []*[]Budget{&spec.Budgets}
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
	return s, s.get().warnings.Err()
}
