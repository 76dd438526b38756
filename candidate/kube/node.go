package kube

import (
	"fmt"
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
)

// NodeDoNotDisrupt reads the value of a node's karpenter.sh/do-not-disrupt annotation. Only "true" blocks; unlike on a
// pod, durations have no effect on a node. It returns a warning for any other value except "false" and "" (absent).
func NodeDoNotDisrupt(node, value string) (doNotDisrupt bool, warnings []candidate.Warning) {
	return onNode(node, DoNotDisruptAnnotation, value, `write "true", or annotate its pods, which may have durations`)
}

// NodeDoNotRepair reads the value of a node's karpenter.sh/do-not-repair annotation. Only "true" vetoes repair. It
// returns a warning for any other value, durations included, except "false" and "" (absent). (Karpenter:
// Repair.ShouldDisrupt.)
func NodeDoNotRepair(node, value string) (doNotRepair bool, warnings []candidate.Warning) {
	return onNode(node, DoNotRepairAnnotation, value,
		`write "true", and remove the annotation when the node may be repaired`)
}

// onNode reads an annotation of a node. Only the value "true" has an effect.
func onNode(node, annotation, value, advice string) (blocks bool, warnings []candidate.Warning) {
	switch value {
	case "true":
		return true, nil
	case "", "false":
		return false, nil
	}
	return false, []candidate.Warning{{
		Code: candidate.CodeInvalidAnnotation, Object: "Node/" + node, Field: annotation, Value: value,
		Message: fmt.Sprintf("%.100q blocks nothing on a node: %s", value, advice),
	}}
}

// inMaintenance are the types of the conditions of a node that somebody disrupts, the most specific first. It does not
// have MaintenancePlanned: before planned maintenance, the node should be replaced. (KEP-5683, Node Lifecycle
// Conditions.)
var inMaintenance = []string{"MaintenanceInProgress", "Drained", "DrainInProgress"}

// MaintenanceConditions returns the types of the conditions that [Maintain] knows.
func MaintenanceConditions() []string { return slices.Clone(inMaintenance) }

// Maintain records a condition of the Kubernetes Node that is True. If it is one of [MaintenanceConditions], and the
// node is not in flight already, the node is now in flight for an unknown reason. Other conditions are ignored. Set all
// other fields first; call it for the conditions in any order.
func Maintain(n *candidate.Node, m candidate.Maintenance) {
	rank := slices.Index(inMaintenance, m.Condition)
	known := slices.Index(inMaintenance, n.Maintenance.Condition)
	if rank < 0 || n.Leaving != candidate.Staying && (known < 0 || known < rank) {
		return
	}
	n.Leaving, n.Maintenance = candidate.Draining, m
}
