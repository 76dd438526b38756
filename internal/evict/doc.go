// Package evict says whether the pods of a node may be evicted now: what their annotations say, what the
// PodDisruptionSchedules that select them say, and what their PodDisruptionBudgets still allow after the nodes ahead.
//
// A [Gate] opens on candidate.Rules at one time. It judges nodes, and counts those that go. The way of a pod from the
// rules to a blocker:
//
//	candidate.CompileRules   checks and compiles what people write, once
//	compiled.Rules      is what it compiles to: which rules select a pod, and what they say of it
//	evict.Gate.Judge    reads the pods of a node; what holds one back becomes a candidate.Blocker
//
// Imports run upwards in this list. Compile has to report every fault, so package candidate compiles. This package
// needs candidate's nodes, pods and blockers, so candidate cannot import it, nor have fields of its types. Therefore,
// what both need is plain data in a package below both: Rules and LabelSets hand it over by a method Compiled. A hook
// that this package sets, or a field of type any, would save that method, but then no reader could follow a pod through
// it.
package evict
