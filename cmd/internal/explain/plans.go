package explain

import "github.com/disruptkit/disruptkit/plan"

// plans are the codes of package plan, for the phases of a node in flight.
var plans = []Entry{
	{string(plan.CodePass), "Budgets allow the node, but Karpenter starts one drifted node in each pass, the first in line.",
		"Budgets that allow several nodes at once, on a cluster of thousands of nodes, where a pass takes seconds.",
		"Nothing. If passes take longer or shorter on your cluster, say so: kubectl disruption plan --pass 3s."},
	{string(plan.CodeLaunch), "A replacement for the node is on its way, and not yet Ready.",
		"A new instance boots, and its startup taints are removed.",
		"Nothing. If launches take longer on your cluster, say so: kubectl disruption plan --launch 5m."},
	{string(plan.CodeRoom), "The pods of the node fit on the replacement of another node, which is not Ready yet.",
		"Replacements have more room than their pods take, and a budget that allows several nodes.",
		"Nothing: Karpenter starts one such node after the other, whatever budgets allow. Faster launches help."},
	{string(plan.CodeNodeLimit), "The static NodePool of the node has as many nodes as it may (spec.limits.nodes).",
		"spec.limits.nodes is spec.replicas: Karpenter launches the replacement first, and there is no space for it.",
		"Raise spec.limits.nodes by as many nodes as are to be replaced at once, or turn on Karpenter's feature gate TerminateFirstDrift."},
	{string(plan.CodeDrain), "The node drains: its pods are evicted, and start elsewhere.",
		"A pod with a long terminationGracePeriodSeconds.",
		"Nothing. If drains take longer on your cluster, say so: kubectl disruption plan --drain 10m."},
}
