// Package candidate has the plain values of a decision, and the gates that check one node and its pods.
//
// A [Node] is everything that a decision needs to know about one machine and its [Pod]s. A [Condition] is a [Reason] to
// disrupt the node, and the time since which it holds. Node and condition together form a [Candidate]. Each gate may
// add a [Blocker]: why the candidate is blocked, and when that lifts. A candidate without blockers may be disrupted.
//
//	Node + Condition ──▶ node ──▶ pods ──▶ … ──▶ Candidate{Blockers}
//
// The gate of the node is [NodeGate]. Has the node joined? Is it in flight, nominated, or annotated? Has its reason
// held for long enough?
//
// The gate of the pods is a [PodGate]; [OpenPods] opens it at one time. Three things can block a pod:
//
//   - its own annotations, compiled as [Terms]. Package kube reads them.
//   - a [PDB]. Each node uses one of its disruptions, and the PodGate counts them.
//   - a [PodSchedule]: when the pods that it selects may be disrupted.
//
// [CompileRules] turns PDBs and PodSchedules into [Rules]. Faults in them never stop a decision: each becomes a
// [Warning], and blocks what it was for.
//
// Zero values are cautious where possible: a zero Node is unmanaged, in an unknown phase and not Ready, so it is
// blocked. But callers must fill in everything that can block a node, such as an annotation, a nomination or a pod.
package candidate
