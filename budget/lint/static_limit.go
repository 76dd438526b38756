package lint

import (
	"fmt"

	"github.com/disruptkit/disruptkit/candidate"
)

var ruleStaticLimit = Rule{
	Code: CodeStaticLimit,
	Means: "A static NodePool has as many replicas as its limit allows, so there is no room for the replacement " +
		"of a drifted node.",
	Example: "replicas: 5 and limits: {nodes: 5}.",
	Do: "Write a higher limits.nodes, at least one more than replicas, or turn on Karpenter's feature gate " +
		"TerminateFirstDrift.",
}

// staticLimit finds a static pool whose limit leaves no room for the replacement of a node, which Karpenter launches
// before it deletes the node. (Karpenter: StaticDrift.ComputeCommands.)
func (l *linter) staticLimit() {
	if l.pool.Replicas <= 0 || l.pool.NodeLimit <= 0 || l.pool.NodeLimit > l.pool.Replicas ||
		!l.occurs(candidate.Drifted) {
		return
	}
	l.add(Finding{Code: CodeStaticLimit, Severity: SeverityWarning, Reason: candidate.Drifted,
		Message: fmt.Sprintf("drifted nodes are never replaced: replicas is %d and limits.nodes is %d, so there "+
			"is no room for the replacement, which Karpenter launches first", l.pool.Replicas, l.pool.NodeLimit),
		Advice: fmt.Sprintf("write limits.nodes: %d or more, or turn on the feature gate TerminateFirstDrift "+
			"(v1.15), which deletes first", l.pool.Replicas+1)})
}
