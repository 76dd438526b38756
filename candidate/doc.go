// Package candidate has the plain values that flow through the whole pipeline, and the gates for single nodes and their
// pods.
//
// A [Node] has everything that a decision needs to know about one machine and its [Pod]s. A [Condition] gives a
// [Reason] to disrupt the node, and the time since which it holds. Node and condition together form a [Candidate]. Each
// gate may add a [Blocker], which says why the candidate is blocked, and until when. A candidate without blockers may
// be disrupted.
//
//	Node + Condition ──▶ NodeGate ──▶ PodGate ──▶ … ──▶ Candidate{Blockers}
//
// [NodeGate] is the first gate, a [PodGate] the second. It checks the annotations of pods, which a [Parser] reads, and
// the PodDisruptionBudgets and PodDisruptionSchedules of the cluster, compiled to [Rules]. While a node drains,
// [Rules.DrainGate] judges single pods. Faults in the configuration never stop a decision: each becomes a [Warning].
//
// All types are plain values. Zero values are cautious where possible: a zero Node is unmanaged, not initialized and
// not Ready, and nothing disrupts it. But callers must fill in everything that can block a node, such as an annotation,
// a nomination or a pod.
package candidate
