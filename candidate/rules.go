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
	Dialect    dialect.Dialect // how to read the rules; for Karpenter's, see [OpenPods]

	set *ruleSet
}

// A ruleSet is compiled rules, without those that select nothing.
type ruleSet struct {
	pdbs          []enforcedPDB // by namespace and name
	pdbIndex      selectorIndex
	schedules     []enforcedSchedule // by name
	scheduleIndex selectorIndex
	warnings      []Warning

	writtenPDBs      []PDB // as CompileRules got them
	writtenSchedules []PodSchedule
}

var noRules ruleSet

// CompileRules compiles PDBs and PodSchedules. The error joins a Warning for every fault. The Rules are safe to use
// even if there is an error: a PDB with an invalid selector blocks its namespace, and an invalid PodSchedule blocks
// what it selects.
func CompileRules(pdbs []PDB, schedules []PodSchedule) (Rules, error) {
	r := &ruleSet{writtenPDBs: slices.Clone(pdbs), writtenSchedules: slices.Clone(schedules)}
	for _, p := range sorted(pdbs, PDB.text) {
		if p.Selector == nil {
			r.warn(noSelector(p.object()))
			continue
		}
		enforced, selector, faults := p.compile()
		r.warn(faults...)
		r.pdbs = append(r.pdbs, enforced)
		r.pdbIndex.add(p.Namespace, selector)
	}
	for _, s := range sorted(schedules, PodSchedule.text) {
		if s.Selector == nil {
			r.warn(noSelector(s.object()))
			continue
		}
		enforced, selector, faults := s.compile()
		r.warn(faults...)
		r.schedules = append(r.schedules, enforced)
		r.scheduleIndex.add("", selector)
	}
	r.pdbIndex.file()
	r.scheduleIndex.file()
	return Rules{set: r}, Err(r.warnings)
}

// Written returns the arguments of CompileRules.
func (r Rules) Written() ([]PDB, []PodSchedule) {
	return slices.Clone(r.get().writtenPDBs), slices.Clone(r.get().writtenSchedules)
}

// PDBs returns the PDBs by namespace and name, without those that select nothing. DisruptionsAllowed is what is
// enforced: at least 0, and 0 if the PDB is not valid.
func (r Rules) PDBs() (pdbs []PDB) {
	for _, p := range r.get().pdbs {
		pdbs = append(pdbs, p.PDB)
	}
	return pdbs
}

// Warnings returns the faults of the PDBs and the PodSchedules. In Karpenter's dialect, a PodSchedule is one as such.
func (r Rules) Warnings() []Warning {
	all := slices.Clone(r.get().warnings)
	if r.Dialect != dialect.Karpenter {
		return all
	}
	all = slices.DeleteFunc(all, func(w Warning) bool { return w.Code == CodeInvalidSchedule })
	for _, s := range r.get().schedules {
		all = append(all, Warning{Code: CodeNoEffect, Object: s.object(),
			Message: "Karpenter has no PodDisruptionSchedules, so it blocks nothing"})
	}
	return all
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
	texts := make(map[int]string, len(list))
	order := make([]int, len(list))
	for i, value := range list {
		order[i], texts[i] = i, text(value)
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(texts[a], texts[b]) })
	sorted := make([]T, len(list))
	for i, at := range order {
		sorted[i] = list[at]
	}
	return sorted
}
