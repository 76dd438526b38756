package disruptkit

import (
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/probe"
)

// inDialect returns the input as the dialect reads it. In Karpenter's dialect, it removes pauses, groups, maintenance
// and probes (not the breaker of repairs, which Karpenter has), and budgets ignore zones and missing nodes. A Warning
// (candidate.CodeNoEffect) names each pool that has probes. The Memory stays the same.
func (in Input) inDialect() (_ Input, noEffect []candidate.Warning) {
	if in.Dialect == dialect.Disruptkit {
		return in, nil // rules and budgets keep the dialects of their own
	}
	warn := func(written bool, object, field, message string) {
		if written {
			noEffect = append(noEffect,
				candidate.Warning{Code: candidate.CodeNoEffect, Object: object, Field: field, Message: message})
		}
	}
	unheard := func(verdicts []probe.Verdict, object string) []probe.Verdict {
		heard := ofKarpenter(verdicts)
		warn(len(heard) < len(verdicts), object, "disruptionProbes",
			"Karpenter asks no probes, so they block nothing")
		return heard
	}
	in.Rules.Dialect, in.Pools = in.Dialect, slices.Clone(in.Pools)
	if !dialect.Signals.In(in.Dialect) {
		warn(len(in.Pauses) > 0, "", "pauses", "Karpenter has no pauses, so they block nothing")
		in.Pauses = nil
	}
	if !dialect.Groups.In(in.Dialect) {
		warn(len(in.Groups) > 0, "", "groups", "Karpenter has no groups of pools, so they limit nothing")
		in.Groups = nil
	}
	if !dialect.Deadlines.In(in.Dialect) {
		dated := func(c candidate.Condition) bool { return !c.Deadline.IsZero() }
		node := func(n candidate.Node) bool { return slices.ContainsFunc(n.Conditions, dated) }
		warn(slices.ContainsFunc(in.Nodes, node), "", "deadline",
			"Karpenter has no deadlines, so no node is overdue, and windows apply as long as they are closed")
	}
	maintained := func(n candidate.Node) bool { return n.Maintenance.Condition != "" }
	if !dialect.Maintenance.In(in.Dialect) && slices.ContainsFunc(in.Nodes, maintained) {
		warn(true, "", "maintenance",
			"Karpenter does not look at conditions such as DrainInProgress, so they put no node in flight")
		in.Nodes = slices.Clone(in.Nodes)
		for i := range in.Nodes {
			if n := &in.Nodes[i]; maintained(*n) {
				n.Leaving, n.Maintenance = candidate.Staying, candidate.Maintenance{}
			}
		}
	}
	if !dialect.Signals.In(in.Dialect) {
		in.Verdicts = unheard(in.Verdicts, "")
	}
	for i := range in.Pools {
		p := &in.Pools[i]
		p.Budgets = p.Budgets.In(in.Dialect)
		if !dialect.Signals.In(in.Dialect) {
			p.Verdicts = unheard(p.Verdicts, "NodePool/"+p.Name)
		}
		if !dialect.DesiredSize.In(in.Dialect) {
			p.Desired = 0
		}
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
