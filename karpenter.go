package disruptkit

import (
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/probe"
)

// inDialect returns the input as the dialect reads it. In Karpenter's dialect, it removes probes and pauses, and
// budgets ignore zones and missing nodes. A Warning (candidate.CodeNoEffect) names each pool that has probes. The
// Memory stays the same.
func (in Input) inDialect() (_ Input, noEffect []candidate.Warning) {
	if in.Dialect != dialect.Karpenter {
		return in, nil
	}
	warn := func(written bool, object, field, message string) {
		if written {
			noEffect = append(noEffect,
				candidate.Warning{Code: candidate.CodeNoEffect, Object: object, Field: field, Message: message})
		}
	}
	const noProbes = "Karpenter asks no probes, so they block nothing"
	warn(len(in.Pauses) > 0, "", "pauses", "Karpenter has no pauses, so they block nothing")
	in.Pauses = nil
	warn(len(in.Groups) > 0, "", "groups", "Karpenter has no groups of pools, so they limit nothing")
	in.Groups = nil
	dated := func(c candidate.Condition) bool { return !c.Deadline.IsZero() }
	warn(slices.ContainsFunc(in.Nodes, func(n candidate.Node) bool { return slices.ContainsFunc(n.Conditions, dated) }),
		"", "deadline",
		"Karpenter has no deadlines, so no node is overdue, and windows apply as long as they are closed")
	all := len(in.Verdicts)
	in.Verdicts = ofKarpenter(in.Verdicts)
	warn(len(in.Verdicts) < all, "", "disruptionProbes", noProbes)
	in.Rules.Dialect, in.Pools = dialect.Karpenter, slices.Clone(in.Pools)
	for i := range in.Pools {
		p := &in.Pools[i]
		all := len(p.Verdicts)
		p.Verdicts = ofKarpenter(p.Verdicts)
		warn(len(p.Verdicts) < all, "NodePool/"+p.Name, "disruptionProbes", noProbes)
		p.Budgets, p.Desired = p.Budgets.In(dialect.Karpenter), 0
	}
	slices.SortStableFunc(noEffect, func(a, b candidate.Warning) int { return strings.Compare(a.Object, b.Object) })
	return in, noEffect
}

// ofKarpenter returns the verdicts that Karpenter has, too: those of the repair breaker. (Karpenter:
// Repair.breakerTrippedPools.)
func ofKarpenter(verdicts []probe.Verdict) []probe.Verdict {
	return slices.DeleteFunc(slices.Clone(verdicts),
		func(v probe.Verdict) bool { return v.Code != candidate.CodeTooManyUnhealthy })
}
