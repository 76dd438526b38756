// Package report says what operators watch: metrics, the status of NodePools, the conditions of NodeClaims, and events, as
// the disruption-controls-by-method RFC of Karpenter has them ("Observability and Supportability"). They are plain values,
// without Prometheus or Kubernetes types: whoever has a client writes them as they are.
//
// # Folding
//
// A [Report] is made of decisions, and of the report before it:
//
//	d := disruptkit.Decide(in, candidate.Drifted)
//	r = report.Summarize(r, in, d)
//
// Most of a report is read off the input and the decisions: which budgets are active, what holds nodes back, who may go. The
// rest needs a history, which the previous report has: how many nodes have been disrupted, since when a condition is what it
// is, and what has changed, which becomes an event. So keep the last report, and hand it to the next call. After a restart,
// [PoolStatus] is read back from the JSON in the status of the NodePool; then totals go on where they were.
//
// Nothing is decided here: a report never changes what may go. Without the previous report, totals start anew and changes go
// unnoticed, and that is all.
//
// # What is counted
//
// A node counts as disrupted once an input shows it in flight, whoever started it. A node in flight uses up budgets, but no
// budget restricts it any more, and it is not among the blocked nodes. What will hold a node back only later
// ([candidate.Blocker].Later) appears in messages, and is not counted.
//
// Karpenter's own gauges of budgets (karpenter_nodepools_allowed_disruptions, karpenter_nodepools_nodes_consuming_budgets) are
// there, too, so that dashboards go on working with another autoscaler. A process that runs the real Karpenter has them
// already, and leaves these out.
package report
