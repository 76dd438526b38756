// Package manifest turns what kubectl prints into what disruptkit decides on, without a Kubernetes client.
//
//	bytes ──▶ documents ──▶ objects ──▶ NodePool ────────────────────▶ disruptkit.Pool
//	         (JSON, YAML)  (Lists are   NodeClaim + Node + its Pods ──▶ candidate.Node
//	                        taken       PodDisruptionBudget,
//	                        apart)      PodDisruptionSchedule ───────▶ candidate.Rules
//
// [Read] does all of it; [ReadPools] reads NodePools alone, and says on which lines they are broken. The rules of counting,
// and of what makes a node a candidate, are Karpenter's (v1.15), as far as the API shows what they need: what Karpenter
// only keeps in memory (nominations, what is queued, how often it rebooted a node) is not there. What decisions remember of a pool, such as whose turn it is
// where zones are rolled one at a time, is in an annotation of its NodePool; see package memory. Its disruptionProbes are read,
// but not asked: until somebody does ([Cluster].Probes), they let nothing go.
//
// # What is broken
//
// Every field is read on its own, so that a bad one loses nothing else. It is named in [Cluster].Warnings, and what it
// belongs to is held back. A NodePool allows nothing; a node uses up one disruption, and may not go itself; a Pod holds
// back the node that it runs on, a PodDisruptionBudget those with pods in its namespace, and a PodDisruptionSchedule those
// with pods. What is safe to ignore, such as an annotation that makes no sense, holds nothing back.
package manifest
