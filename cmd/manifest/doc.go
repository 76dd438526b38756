// Package manifest converts the output of kubectl to disruptkit's input, without a Kubernetes client.
//
//	bytes ──▶ documents ──▶ objects ──▶ NodePool ────────────────────▶ disruptkit.Pool
//	         (JSON, YAML)  (Lists are   NodeClaim + Node + its Pods ──▶ candidate.Node
//	                        taken       PodDisruptionBudget,
//	                        apart)      PodDisruptionSchedule ───────▶ candidate.Rules
//
// [Read] does all of this. [ReadPools] reads only NodePools, and reports the lines of their faults. Which nodes count,
// and which are candidates, follows Karpenter v1.15 as far as the API shows what is needed. What Karpenter keeps only
// in memory (nominations, queued commands, the number of reboots) is missing. The memory of a pool between decisions,
// such as which zone has its turn, is in an annotation of its NodePool; see package memory. disruptionProbes are read
// but not run: until somebody runs them ([Cluster].Probes), they allow nothing.
//
// # What is broken
//
// Every field is read separately, so that an invalid one does not affect others. [Cluster].Warnings lists the faults,
// and a faulty object blocks nodes. A faulty NodePool allows nothing. A faulty node uses up one disruption, and may
// not go itself. A faulty Pod blocks its node, a faulty PodDisruptionBudget all nodes with pods in its namespace,
// and a faulty PodDisruptionSchedule all nodes with pods. What is safe to ignore, such as a meaningless annotation,
// blocks nothing.
package manifest
