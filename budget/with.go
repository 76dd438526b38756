package budget

// With returns the Set with one of Budgets replaced, for what-if questions. Everything else is compiled again as
// written. A position outside the list changes nothing. The error is that of [Spec.Compile].
func (s Set) With(i int, b Budget) (Set, error) {
	spec := s.get().spec.clone()
	if spec.Budgets == nil && spec.Defaults.Budgets == nil {
		spec.Budgets = []Budget{{Nodes: defaultNodes}}
	}
	lists := [][]Budget{spec.Budgets}
	for _, c := range spec.controls() {
		lists = append(lists, c.Budgets)
	}
	at := i
	for _, list := range lists {
		if 0 <= at && at < len(list) {
			list[at] = b
			return spec.Compile()
		}
		at -= len(list)
	}
	return s, joined(s.get().warnings)
}
