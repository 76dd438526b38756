// Package candidate has the plain values that flow through the whole pipeline, and the gate for single nodes.
//
// A [Node] has everything that a decision needs to know about one machine and its [Pod]s. A [Condition] gives a
// [Reason] to disrupt the node, and the time since which it holds. Node and condition together form a [Candidate]. Each
// gate may add a [Blocker], which says why the candidate is blocked, and until when. A candidate without blockers may
// be disrupted.
//
//	Node + Condition ──▶ node ──▶ pods ──▶ … ──▶ Candidate{Blockers}
//
// [NodeGate] is the first gate. The second is that of the pods. It checks their annotations, which a [Parser] reads,
// and the PodDisruptionBudgets and PodDisruptionSchedules of the cluster, which [CompileRules] turns into [Rules]. A
// [PodGate] opens on the Rules at one time. It judges the pods of each node, and counts the nodes that go.
// Faults in the configuration never stop a decision: each becomes a [Warning].
//
// All types are plain values. Zero values are cautious where possible: a zero Node is unmanaged, not initialized and
// not Ready, and nothing disrupts it. But callers must fill in everything that can block a node, such as an annotation,
// a nomination or a pod.
package candidate
