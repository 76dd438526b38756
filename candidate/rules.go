package candidate

import (
	"cmp"
	"slices"

	"github.com/disruptkit/disruptkit/dialect"
)

// Rules are the compiled PodDisruptionBudgets and PodDisruptionSchedules of a cluster. They are immutable and safe for
// concurrent use. The zero Rules have neither.
type Rules struct {
	// FailClosed makes invalid annotations block their pod (Terms.Invalid). By default they are ignored, as in the pod
	// disruption schedule RFC and in Karpenter.
	FailClosed bool
	// Dialect says how to read the rules. With dialect.Karpenter, PodDisruptionSchedules have no effect,
	// PodDisruptionBudgets are checked for each node separately, and a single invalid one blocks the whole cluster.
	Dialect dialect.Dialect

	set *ruleSet
}

// A ruleSet has the rules as they are written, without those that select nothing, and compiled, in the same order.
type ruleSet struct {
	written   written       // as CompileRules got them
	pdbs      []PDB         // by namespace and name; DisruptionsAllowed is at least 0
	schedules []PodSchedule // by name
	warnings  []Warning
	compiled  compiledRules
}

type written struct {
	pdbs      []PDB
	schedules []PodSchedule
}

// compiledRules are Rules as the gate of pods computes with them. They are never changed.
type compiledRules struct {
	PDBs          []enforcedPDB // by namespace and name
	PDBIndex      selectorIndex
	Schedules     []enforcedSchedule // by name
	ScheduleIndex selectorIndex      // of all namespaces
}

var noRules ruleSet

// CompileRules compiles PDBs and PodSchedules. The error joins a Warning for every fault. The Rules are safe to use
// even if there is an error: a PDB with an invalid selector blocks its namespace, and an invalid PodSchedule blocks
// what it selects.
func CompileRules(pdbs []PDB, schedules []PodSchedule) (Rules, error) {
	set := ruleSet{written: written{slices.Clone(pdbs), slices.Clone(schedules)}}
	set.addPDBs(pdbs)
	set.addSchedules(schedules)
	return Rules{set: &set}, joined(set.warnings)
}

func (r *ruleSet) addPDBs(pdbs []PDB) {
	var selectors []compiledSelector
	var in []string
	for _, p := range sorted(pdbs, PDB.text) {
		if p.Selector == nil {
			r.warn(noSelector(p.object()))
			continue
		}
		enforced, selector, warnings := p.compile()
		r.warn(warnings...)
		r.compiled.PDBs = append(r.compiled.PDBs, enforced)
		p.DisruptionsAllowed, p.AlwaysAllow = enforced.Allowed, enforced.AlwaysAllow
		r.pdbs = append(r.pdbs, p)
		selectors, in = append(selectors, selector), append(in, p.Namespace)
	}
	r.compiled.PDBIndex = newIndex(selectors, in)
}

func (r *ruleSet) addSchedules(schedules []PodSchedule) {
	var selectors []compiledSelector
	for _, s := range sorted(schedules, PodSchedule.text) {
		if s.Selector == nil {
			r.warn(noSelector(s.object()))
			continue
		}
		enforced, selector, warnings := s.compile()
		r.warn(warnings...)
		r.compiled.Schedules = append(r.compiled.Schedules, enforced)
		r.schedules = append(r.schedules, s)
		selectors = append(selectors, selector)
	}
	r.compiled.ScheduleIndex = newIndex(selectors, make([]string, len(selectors)))
}

// PDBs returns the PDBs by namespace and name, without those that select nothing. DisruptionsAllowed is at least 0.
func (r Rules) PDBs() []PDB {
	return slices.Clone(r.get().pdbs)
}

// PodSchedules returns the PodSchedules by name, without those that select nothing.
func (r Rules) PodSchedules() []PodSchedule {
	return slices.Clone(r.get().schedules)
}

// Warnings returns the faults of the PDBs and the PodSchedules.
func (r Rules) Warnings() []Warning {
	if !dialect.PodSchedules.In(r.Dialect) {
		return r.karpenterWarnings()
	}
	return slices.Clone(r.get().warnings)
}

func (r Rules) get() *ruleSet {
	if r.set == nil {
		return &noRules
	}
	return r.set
}

func (r *ruleSet) warn(warnings ...Warning) { r.warnings = append(r.warnings, warnings...) }

func noSelector(object string) Warning {
	return Warning{Code: CodeNoEffect, Object: object, Field: "spec.selector",
		Message: "it is absent, and selects no pods: write the labels of the pods, or {} for all"}
}

// sorted returns a list sorted by the texts of its elements, so that the order of the input does not matter.
func sorted[T any](list []T, text func(T) string) []T {
	type element struct {
		text  string
		value T
	}
	elements := make([]element, len(list))
	for i, value := range list {
		elements[i] = element{text(value), value}
	}
	slices.SortFunc(elements, func(a, b element) int { return cmp.Compare(a.text, b.text) })
	list = make([]T, len(list))
	for i, e := range elements {
		list[i] = e.value
	}
	return list
}
