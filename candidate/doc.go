// Package candidate has the plain values of a decision, and the gates that look at one node and its pods.
//
// A [Node] is everything that a decision needs to know about one machine and its [Pod]s. A [Condition] gives a [Reason]
// to disrupt the node, and the time since which it holds. Node and condition together form a [Candidate]. Each gate may
// add a [Blocker], which says why the candidate is blocked, and until when. A candidate without blockers may be
// disrupted.
//
//	Node + Condition ──▶ node ──▶ pods ──▶ … ──▶ Candidate{Blockers}
//
// The gate of the node is [NodeGate]. Has the node joined? Is it in flight, nominated, or annotated? Has its reason
// held for long enough?
//
// The gate of the pods is a [PodGate], which [OpenPods] opens at one time. Three things can block a pod:
//
//   - its own annotations, compiled as [Terms]. Package kube reads them.
//   - a [PDB], of which each node uses one disruption. The PodGate counts the nodes that are disrupted.
//   - a [PodSchedule], which says when the pods that it selects may be disrupted.
//
// [CompileRules] turns PDBs and PodSchedules into [Rules]. Faults in them never stop a decision: each becomes a
// [Warning], and blocks what it was for.
//
// Zero values are cautious where possible: a zero Node is unmanaged, in an unknown phase and not Ready, and nothing
// disrupts it. But callers must fill in everything that can block a node, such as an annotation, a nomination or a pod.
package candidate
