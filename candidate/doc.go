// Package candidate holds the plain values that flow through the whole pipeline, and judges single nodes and their pods.
//
// A [Node] carries what a decision has to know of one machine and its [Pod]s. A [Condition] on it says for what
// [Reason] it should go, and since when; node and condition together make a [Candidate]. Each gate that it passes may
// add a [Blocker]: what holds it back, why, and until when. A candidate without blockers may be disrupted.
//
//	Node + Condition ──▶ NodeGate ──▶ PodGate ──▶ … ──▶ Candidate{Blockers}
//
// [NodeGate] is the first gate, a [PodGate] the second: what the annotations of pods ask for (a [Parser] reads them), and
// what the PodDisruptionBudgets and PodDisruptionSchedules of a cluster say of them, compiled to [Rules]. While a node
// drains, [Rules.DrainGate] judges single pods. Faults in the configuration never stop a decision: each becomes a [Warning].
//
// All types are plain values. What a caller does not fill in is read with caution where that can be: a zero Node is
// unmanaged, not initialized and not Ready, and nothing disrupts it. What holds a node back, such as an annotation, a
// nomination or a pod, must be told.
package candidate
