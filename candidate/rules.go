package candidate

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/quote"
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

	compiled *compiledRules
}

type compiledRules struct {
	pdbs          []compiledPDB // by namespace and name
	allowed       []int         // by each of them
	pdbIndex      index
	schedules     []compiledSchedule // by name
	scheduleIndex index              // of all namespaces
	warnings      []Warning
}

var noRules compiledRules

// Compile compiles PDBs and PodSchedules. The error joins a Warning for every fault. The Rules are safe to use even if
// there is an error: a PDB with an invalid selector blocks its namespace, and an invalid PodSchedule blocks what it
// selects.
func Compile(pdbs []PDB, schedules []PodSchedule) (Rules, error) {
	r := Rules{compiled: &compiledRules{}}
	r.compiled.addPDBs(pdbs)
	r.compiled.addSchedules(schedules)
	var faults []error
	for _, w := range r.compiled.warnings {
		faults = append(faults, w)
	}
	return r, errors.Join(faults...)
}

func (r *compiledRules) addPDBs(pdbs []PDB) {
	var selectors []selector
	var in []string
	for _, p := range sorted(pdbs, PDB.text) {
		if p.Selector == nil {
			r.warn(noSelector(p.object()))
			continue
		}
		compiled, selector, warnings := compilePDB(p)
		r.warn(warnings...)
		r.pdbs = append(r.pdbs, compiled)
		r.allowed = append(r.allowed, compiled.DisruptionsAllowed)
		selectors, in = append(selectors, selector), append(in, p.Namespace)
	}
	r.pdbIndex = newIndex(selectors, in)
}

func (r *compiledRules) addSchedules(schedules []PodSchedule) {
	var selectors []selector
	for _, s := range sorted(schedules, PodSchedule.text) {
		if s.Selector == nil {
			r.warn(noSelector(s.object()))
			continue
		}
		compiled, selector, warnings := compileSchedule(s)
		r.warn(warnings...)
		r.schedules = append(r.schedules, compiled)
		selectors = append(selectors, selector)
	}
	r.scheduleIndex = newIndex(selectors, make([]string, len(selectors)))
}

// PDBs returns the PDBs by namespace and name, without those that select nothing. DisruptionsAllowed is at least 0.
func (r Rules) PDBs() []PDB {
	var pdbs []PDB
	for _, p := range r.get().pdbs {
		pdbs = append(pdbs, p.PDB)
	}
	return pdbs
}

// PodSchedules returns the PodSchedules by name, without those that select nothing.
func (r Rules) PodSchedules() []PodSchedule {
	var schedules []PodSchedule
	for _, s := range r.get().schedules {
		schedules = append(schedules, s.PodSchedule)
	}
	return schedules
}

// Warnings returns the faults of the PDBs and the PodSchedules.
func (r Rules) Warnings() []Warning {
	if r.Dialect == dialect.Karpenter {
		return r.karpenterWarnings()
	}
	return slices.Clone(r.get().warnings)
}

// mostNamed is how many PDBs of one pod are named.
const mostNamed = 10

// names returns the names of the first valid PDBs at some positions, as namespace/name.
func (r *compiledRules) names(pdbs []int) (names []string) {
	for _, i := range pdbs {
		if p := &r.pdbs[i]; p.code != CodeInvalidPDB && len(names) < mostNamed {
			names = append(names, path(p.Namespace, p.Name))
		}
	}
	return names
}

// valid returns how many of some PDBs are valid.
func (r *compiledRules) valid(pdbs []int) (n int) {
	for _, i := range pdbs {
		if r.pdbs[i].code != CodeInvalidPDB {
			n++
		}
	}
	return n
}

// few tells the first names of a list.
func few(names []string) string {
	const most = 3
	var texts []string
	for _, name := range names[:min(most, len(names))] {
		texts = append(texts, quote.Text(name))
	}
	return strings.Join(texts, ", ")
}

func (r Rules) get() *compiledRules {
	if r.compiled == nil {
		return &noRules
	}
	return r.compiled
}

func (r *compiledRules) warn(warnings ...Warning) { r.warnings = append(r.warnings, warnings...) }

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
