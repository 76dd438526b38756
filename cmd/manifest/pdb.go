package manifest

import "github.com/disruptkit/disruptkit/candidate"

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
