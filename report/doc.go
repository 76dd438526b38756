// Package report computes what operators watch: metrics, the status of NodePools, the conditions of NodeClaims, and
// events, as in Karpenter's disruption-controls-by-method RFC ("Observability and Supportability"). They are plain
// values, without Prometheus or Kubernetes types; callers publish them with their own clients.
//
// # Folding
//
// A [Report] is computed from decisions and from the previous report:
//
//	d := disruptkit.Decide(in, candidate.Drifted)
//	r = report.Summarize(r, in, d)
//
// Most of a report follows from the input and the decisions: which budgets are active, what blocks nodes, which nodes
// may be disrupted. The rest needs history: how many nodes have been disrupted, when a condition last changed, and
// which changes are events. So keep the last report and pass it to the next call. After a restart, decode [PoolStatus]
// from the status of the NodePool, so that totals continue.
//
// A report never changes which nodes may be disrupted. If the previous report is lost, totals start again and changes
// go unnoticed; nothing else happens.
//
// # What is counted
//
// A node counts as disrupted once an input shows it in flight, whoever started it. A node in flight uses up budgets,
// but no budget restricts it any more, and it does not count as blocked.
//
// Karpenter's own budget gauges (karpenter_nodepools_allowed_disruptions, karpenter_nodepools_nodes_consuming_budgets)
// are included, so that existing dashboards work with another autoscaler. A process that runs Karpenter itself exports
// them already, and should leave these out.
package report
