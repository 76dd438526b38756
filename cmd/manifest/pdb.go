package manifest

import "github.com/disruptkit/disruptkit/candidate"

// A pdb is a PodDisruptionBudget.
type pdb struct {
	candidate.PDB
	// blocks reports that its spec allows nothing, however many pods it has. (Karpenter: newPdb.)
	blocks bool
	// recovers reports that it allows a disruption while all of its pods are Ready; known, that its status describes how many pods it has.
	recovers, known bool
}

// readPDB reads a PodDisruptionBudget. Without a status its pods have not been counted yet, and it allows nothing.
func readPDB(o *object) pdb {
	spec, status := o.root.field("spec"), o.root.field("status")
	expected, most := status.field("expectedPods"), spec.field("maxUnavailable").raw()
	return pdb{
		candidate.PDB{
			Namespace:          o.space(),
			Name:               o.name,
			Selector:           spec.field("selector").selector(),
			DisruptionsAllowed: int(status.field("disruptionsAllowed").integer()),
			AlwaysAllow:        spec.field("unhealthyPodEvictionPolicy").text() == "AlwaysAllow",
		},
		most == "0" || most == "0%" || spec.field("minAvailable").raw() == "100%",
		expected.integer() > status.field("desiredHealthy").integer(), !expected.absent(),
	}
}
