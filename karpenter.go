package disruptkit

import (
	"maps"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/topology"
)

// asKarpenterReads returns the input without what stock Karpenter does not have: groups, pauses, probes (except the
// breaker of repairs), maintenance, turns, missing nodes, and memories except starts and slots. Deadlines are not read.
// A Warning (candidate.CodeNoEffect) names what has no effect.
func (in Input) asKarpenterReads() (_ Input, noEffect []candidate.Warning) {
	warn := func(written bool, object, field, message string) {
		if written {
			noEffect = append(noEffect,
				candidate.Warning{Code: candidate.CodeNoEffect, Object: object, Field: field, Message: message})
		}
	}
	breakers := func(verdicts []probe.Verdict, object string) []probe.Verdict {
		kept := slices.DeleteFunc(slices.Clone(verdicts), func(v probe.Verdict) bool {
			return v.Code != candidate.CodeTooManyUnhealthy // Karpenter: Repair.breakerTrippedPools
		})
		warn(len(kept) < len(verdicts), object, "disruptionProbes", "Karpenter asks no probes, so they block nothing")
		return kept
	}
	warn(len(in.Pauses) > 0, "", "pauses", "Karpenter has no pauses, so they block nothing")
	warn(len(in.Groups) > 0, "", "groups", "Karpenter has no groups of pools, so they limit nothing")
	in.Pauses, in.Groups, in.Rules.Dialect = nil, nil, dialect.Karpenter
	dated := func(c candidate.Condition) bool { return !c.Deadline.IsZero() }
	hasDeadline := func(n candidate.Node) bool { return slices.ContainsFunc(n.Conditions, dated) }
	warn(slices.ContainsFunc(in.Nodes, hasDeadline), "", "deadline",
		"Karpenter has no deadlines, so no node is overdue, and windows apply as long as they are closed")
	maintained := func(n candidate.Node) bool { return n.Maintenance.Condition != "" }
	if slices.ContainsFunc(in.Nodes, maintained) {
		warn(true, "", "maintenance",
			"Karpenter does not look at conditions such as DrainInProgress, so they put no node in flight")
		in.Nodes = slices.Clone(in.Nodes)
		for i := range in.Nodes {
			if n := &in.Nodes[i]; maintained(*n) {
				n.Leaving, n.Maintenance = candidate.Staying, candidate.Maintenance{}
			}
		}
	}
	in.Memory = maps.Clone(in.Memory)
	for key, m := range in.Memory {
		in.Memory[key] = Memory{Starts: m.Starts, Paces: m.Paces, Soak: m.Soak}
	}
	in.Verdicts, in.Pools = breakers(in.Verdicts, ""), slices.Clone(in.Pools)
	for i := range in.Pools {
		p := &in.Pools[i]
		p.Budgets, p.Verdicts = p.Budgets.In(dialect.Karpenter), breakers(p.Verdicts, "NodePool/"+p.Name)
		p.Desired, p.Topology = 0, topology.Options{}
	}
	slices.SortStableFunc(noEffect, func(a, b candidate.Warning) int { return strings.Compare(a.Object, b.Object) })
	return in, noEffect
}
