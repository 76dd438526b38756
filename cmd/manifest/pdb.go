package manifest

import "github.com/disruptkit/disruptkit/candidate"

// recovers reports whether a PodDisruptionBudget allows a disruption while all of its pods are Ready, and whether its
// status describes how many pods it has.
func recovers(o *object) (recovers, known bool) {
	expected, desired := o.root.field("status").field("expectedPods"), o.root.field("status").field("desiredHealthy")
	return expected.integer() > desired.integer(), !expected.absent()
}

// blocking reports whether the spec of a PodDisruptionBudget allows nothing, however many pods it has. (Karpenter: newPdb.)
func blocking(o *object) bool {
	most := o.root.field("spec").field("maxUnavailable").raw()
	return most == "0" || most == "0%" || o.root.field("spec").field("minAvailable").raw() == "100%"
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
