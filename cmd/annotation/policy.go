package annotation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
	"github.com/disruptkit/disruptkit/topology"
)

// A Policy is what the annotations of a NodePool say.
type Policy struct {
	Spec       budget.Spec // from Disruption and MostSpecific
	Topology   topology.Options
	Expiration Expiration // from Expire
	UnitLabel  string     // from UnitLabel
	// RepairBacksOff is from Repair; see [disruptkit.Pool].
	RepairBacksOff bool
	Pauses         []probe.Pause     // of this pool, selected by PoolLabel
	Probes         []httpget.Spec    // invalid ones keep their place, and block
	Memory         disruptkit.Memory // zero if that is invalid
	Blockers       []candidate.Blocker
	// Warnings has all faults. Faults of what may have been a limit are also in Blockers, and block all nodes.
	Warnings []candidate.Warning
	// Written reports that there are annotations under our prefix that may be meant as a limit, or Steward.
	Written bool
}

// Read returns what the annotations of the NodePool with this name say.
func Read(pool string, annotations map[string]string) Policy {
	var p Policy
	fault := func(name string, err error) {
		p.Warnings = append(p.Warnings, candidate.Warning{
			Code: candidate.CodeInvalidAnnotation, Object: "NodePool/" + pool, Field: field(name), Value: annotations[name], Message: err.Error(),
		})
		p.Blockers = append(p.Blockers, candidate.Blocker{
			Gate: candidate.GateBudget, Code: candidate.CodeInvalidAnnotation, Message: fmt.Sprintf("annotation %s of the NodePool: %s", name, err),
		})
	}
	read := func(name string, with func(text string) error) {
		if text, written := annotations[name]; written {
			p.Written = true
			if err := with(text); err != nil {
				fault(name, err)
			}
		}
	}
	read(Disruption, func(text string) (err error) { p.Spec, err = readDisruption(text); return err })
	read(MostSpecific, func(text string) (err error) { p.Spec.MostSpecific, err = readMostSpecific(text); return err })
	read(Topology, func(text string) (err error) { p.Topology, err = readTopology(text); return err })
	read(Expire, func(text string) (err error) { p.Expiration, err = readExpiration(text); return err })
	read(Repair, func(text string) (err error) { p.RepairBacksOff, err = readRepair(text); return err })
	read(UnitLabel, func(text string) (err error) { p.UnitLabel, err = ReadUnitLabel(text); return err })
	read(Pause, func(text string) (err error) { p.Pauses, err = readPause(pool, text); return err })
	read(Probes, func(text string) (err error) { p.Probes, err = readProbes(text); return err })
	read(Steward, func(string) error { return nil }) // whatever it says, it limits nothing
	// Zones take turns for what is requested and for what expires as well: these are rolls like others.
	p.Topology.Reasons = []candidate.Reason{candidate.Drifted, candidate.Requested}
	if p.Expiration.After > 0 {
		p.Topology.Reasons = append(p.Topology.Reasons, candidate.Expired)
	}
	for _, name := range unknown(annotations) {
		p.Written = true
		fault(name, fmt.Errorf("it is unknown: write one of %s, or leave it out", strings.Join(known, ", ")))
	}
	m, warnings := ReadMemory("NodePool/"+pool, annotations)
	p.Memory, p.Warnings = m, append(p.Warnings, warnings...)
	return p
}

// Under returns the Spec of a NodePool with some budgets, perhaps an explicitly empty list, and these annotations. The
// budgets of the NodePool come first. Messages name those of the annotation "disruptkit.dev/disruption budgets[0]" and so on.
func (p Policy) Under(budgets []budget.Budget) budget.Spec {
	spec := p.Spec
	spec.Budgets = append(append([]budget.Budget{}, budgets...), spec.Budgets...) // never nil, which would mean 10 %
	spec.Addition = budget.Addition{Name: Disruption, First: len(budgets)}
	return spec
}

// Names returns the annotations under our prefix, known or not, sorted.
func Names(annotations map[string]string) (names []string) {
	for name := range annotations {
		if strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Limits reports whether an annotation under our prefix may be meant as a limit.
func Limits(name string) bool {
	return !slices.Contains([]string{Memory, PausedBudgets, LintIgnore, Steward, StewardEnforced, Releases, Policies, Status}, name)
}

// HoldsBack reports whether a warning is about an annotation that blocks its NodePool: an invalid one, other than the
// pool's memory.
func HoldsBack(w candidate.Warning) bool {
	return w.Code == candidate.CodeInvalidAnnotation && strings.HasPrefix(w.Object, "NodePool/") &&
		w.Field != field(Memory)
}

// field returns the field of a NodePool that is an annotation.
func field(name string) string { return "metadata.annotations[" + name + "]" }
