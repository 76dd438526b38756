package karpenter

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/examples/internal/annotation"
	"github.com/disruptkit/disruptkit/probe"
)

// A Policy is what a NodePool says of disruption.
type Policy struct {
	disruptkit.Pool                   // without the verdicts of its probes
	Probes          []probe.Probe     // as annotated
	Pauses          []probe.Pause     // as annotated; they select this pool alone
	Memory          disruptkit.Memory // as annotated; zero where that cannot be read
	// Warnings are what is wrong with annotations. Those that may have been limits hold back all nodes (Pool.Blockers).
	// What is wrong with budgets is in Budgets.Warnings, and with probes in their verdicts.
	Warnings []candidate.Warning
	// Annotated says that the NodePool has annotations of disruptkit.dev/, besides what guards remember. Where it has none, all that
	// there is to tell of its budgets is Karpenter's to tell.
	Annotated bool
}

// ToPolicy returns what a NodePool and its annotations say of disruption. Methods are reasons that budgets may name besides
// those of Karpenter.
//
// Budgets of the annotation come after those of the NodePool, and are numbered on from there. A NodePool that has no list of
// budgets has no limit: the API server has filled in the default of 10 % where nobody wrote any. Its consolidationPolicy
// and consolidateAfter are left to Karpenter, which offers no candidates before.
func ToPolicy(np *v1.NodePool, methods ...candidate.Reason) Policy {
	said := annotation.Read(np.Name, np.Annotations)
	p := Policy{
		Pool: disruptkit.Pool{
			Name: np.Name, Labels: poolLabels(np), Topology: said.Topology, Blockers: said.Blockers,
			RepairBacksOff: said.RepairBacksOff,
		},
		Probes: said.Probes, Pauses: said.Pauses, Memory: said.Memory, Warnings: said.Warnings, Annotated: said.Written,
	}
	spec := said.Under(ToBudgets(np.Spec.Disruption.Budgets))
	spec.Methods = methods
	p.Budgets, _ = spec.Compile() // decisions report what is wrong
	return p
}

// poolLabels returns what a probe may mean a pool by: the labels of its own, and those that all of its nodes get, from its
// template and from requirements that leave no choice. Where they differ, its own count. All nodes have the name of their pool.
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
