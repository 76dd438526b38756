// Package candidate holds the plain values that flow through the whole pipeline, and judges single nodes.
//
// A [Node] carries what a decision has to know of one machine and its [Pod]s. A [Condition] on it says for what
// [Reason] it should go, and since when; node and condition together make a [Candidate]. Each gate that it passes may
// add a [Blocker]: what holds it back, why, and until when. A candidate without blockers may be disrupted.
//
//	Node + Condition ──▶ gates ──▶ Candidate{Blockers}
//
// [NodeGate] is the first gate. Faults in the configuration never stop a decision: each becomes a [Warning].
//
// All types are plain values. What a caller does not fill in is read with caution where that can be: a zero Node is
// unmanaged, not initialized and not Ready, and nothing disrupts it. What holds a node back, such as an annotation, a
// nomination or a pod, must be told.
//
// This version judges nodes, not yet their pods: Node.Pods is carried and has no effect, and PDB and PodSchedule are
// types that no function takes yet.
package candidate
