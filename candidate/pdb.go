package candidate

// A PDB is a PodDisruptionBudget: how many of the pods that it selects in its namespace may be evicted now.
type PDB struct {
	Namespace, Name    string
	Selector           *Selector // nil selects nothing, the zero Selector the whole namespace
	DisruptionsAllowed int       // status.disruptionsAllowed; 0 and less block
	AlwaysAllow        bool      // unhealthyPodEvictionPolicy: AlwaysAllow
}

// A PodSchedule is a PodDisruptionSchedule, the alternative to annotations of the pod-disruption-schedule RFC: the
// pods that it selects, in all namespaces, may only go on its Terms.
type PodSchedule struct {
	Name     string
	Selector *Selector
	Terms    Terms
}
