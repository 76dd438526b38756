package manifest

import "github.com/disruptkit/disruptkit/candidate"

// recovers reports whether a PodDisruptionBudget allows a disruption while all of its pods are Ready.
func recovers(o *object) bool {
	status := o.root.field("status")
	return status.field("expectedPods").integer() > status.field("desiredHealthy").integer()
}

// readPDB reads a PodDisruptionBudget. Without a status its pods have not been counted yet, and it allows nothing.
func readPDB(o *object) candidate.PDB {
	spec := o.root.field("spec")
	return candidate.PDB{
		Namespace:          o.space(),
		Name:               o.name,
		Selector:           spec.field("selector").selector(),
		DisruptionsAllowed: int(o.root.field("status").field("disruptionsAllowed").integer()),
		AlwaysAllow:        spec.field("unhealthyPodEvictionPolicy").text() == "AlwaysAllow",
	}
}
