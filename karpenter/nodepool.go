package karpenter

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/ical"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// A Policy is what a NodePool says about disruption.
type Policy struct {
	disruptkit.Pool                   // without the verdicts of its probes
	Probes          []httpget.Spec    // as annotated
	Pauses          []probe.Pause     // as annotated; they select only this pool
	Memory          disruptkit.Memory // as annotated; zero if that is invalid
	Expiration      annotation.Expiration
	UnitLabel       string // as annotated: the label whose values are its units; see annotation.Unite
	// Warnings are about invalid annotations. Annotations that may have been limits block all nodes (Pool.Blockers).
	// Faults of budgets are in Budgets.Warnings, and those of probes in their verdicts.
	Warnings []candidate.Warning
	// Annotated reports that the NodePool has annotations under disruptkit.dev/ other than the guard's memory. If not, the
	// guard leaves it to Karpenter to report on its budgets.
	Annotated bool
}

// ToPolicy returns what a NodePool and its annotations say about disruption. Calendars are those that budgets of the annotation may name, nil for
// none: one that names another allows nothing. Methods are reasons that budgets may name in addition to Karpenter's.
//
// Budgets of the annotation come after those of the NodePool; numbering continues. A NodePool without a list of budgets
// has no limit, since the API server fills in the default of 10 %. Only an annotated NodePool has a desired size, its
// replicas: without the guard as well, a pool that lacks nodes may lose more of them. ToPolicy ignores consolidationPolicy and
// consolidateAfter: Karpenter applies them before it offers candidates.
func ToPolicy(np *v1.NodePool, calendars *ical.Calendars, methods ...candidate.Reason) Policy {
	said := annotation.Read(np.Name, np.Annotations)
	p := Policy{
		Pool: disruptkit.Pool{
			Name: np.Name, Labels: poolLabels(np), Topology: said.Topology, Blockers: said.Blockers,
			RepairBacksOff: said.RepairBacksOff, Revision: np.Annotations[v1.NodePoolHashAnnotationKey],
		},
		Probes: said.Probes, Pauses: said.Pauses, Memory: said.Memory, Expiration: said.Expiration, UnitLabel: said.UnitLabel,
		Warnings: said.Warnings, Annotated: said.Written,
	}
	if np.Spec.Replicas != nil && said.Written { // without annotations, Karpenter disrupts the pool as ever
		p.Desired = int(*np.Spec.Replicas)
	}
	spec := said.Under(ToBudgets(np.Spec.Disruption.Budgets))
	spec.Methods = methods
	if calendars != nil {
		spec.Calendars, spec.Unread = calendars.Windows, calendars.Unread
	}
	p.Budgets, _ = spec.Compile() // decisions report faults
	return p
}

// poolLabels returns the labels by which a probe may select a pool: the pool's own labels, and those that all its nodes
// get from its template and from requirements with a single value. The pool's own labels take precedence. All nodes
// have the label with the pool's name.
func poolLabels(np *v1.NodePool) map[string]string {
	labels := map[string]string{}
	for _, r := range np.Spec.Template.Spec.Requirements {
		if r.Operator == corev1.NodeSelectorOpIn && len(r.Values) == 1 {
			labels[r.Key] = r.Values[0]
		}
	}
	maps.Copy(labels, np.Spec.Template.Labels)
	maps.Copy(labels, np.Labels)
	labels[v1.NodePoolLabelKey] = np.Name
	return labels
}
