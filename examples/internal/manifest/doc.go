// Package manifest turns what kubectl prints into what disruptkit decides on, without a Kubernetes client.
//
//	bytes ──▶ documents ──▶ objects ──▶ NodePool ────────────────────▶ disruptkit.Pool
//	         (JSON, YAML)  (Lists are   NodeClaim + Node + its Pods ──▶ candidate.Node
//	                        taken apart)
//
// [Read] does all of it. The rules of counting, and of what makes a node a candidate, are Karpenter's (v1.14), as far as
// the API shows what they need: what Karpenter only keeps in memory (nominations, what is queued) is not there. Whose
// turn it is where zones are rolled one at a time is in an annotation of the NodePool, [RollAnnotation].
//
// # What is broken
//
// Every field is read on its own, so that a bad one loses nothing else. It is named in [Cluster].Warnings, and what it
// belongs to is held back: a NodePool allows nothing, and a node uses up one disruption and may not go itself. What
// is safe to ignore, such as a broken annotation, holds nothing back.
package manifest
