package disruptkit

import (
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/topology"
)

// inDialect returns the input as Karpenter sees it, if it is Karpenter that decides: without verdicts of probes and breakers, without
// pauses, and without an order of zones. A Warning (candidate.CodeNoEffect) names each pool that has any. The Memory is left as it is.
func (in Input) inDialect() (_ Input, unheard []candidate.Warning) {
	if in.Dialect != dialect.Karpenter {
		return in, nil
	}
	warn := func(object string) {
		unheard = append(unheard, candidate.Warning{
			Code: candidate.CodeNoEffect, Object: object, Field: "disruptionProbes", Message: "Karpenter asks no probes: they hold back nothing",
		})
	}
	if len(in.Verdicts) > 0 {
		warn("")
	}
	if len(in.Pauses) > 0 {
		unheard = append(unheard, candidate.Warning{
			Code: candidate.CodeNoEffect, Field: "pauses", Message: "Karpenter knows no pauses: they hold back nothing",
		})
	}
	in.Verdicts, in.Pauses, in.Rules.Dialect, in.Pools = nil, nil, dialect.Karpenter, slices.Clone(in.Pools)
	for i := range in.Pools {
		p := &in.Pools[i]
		if len(p.Verdicts) > 0 {
			warn("NodePool/" + p.Name)
		}
		p.Verdicts, p.Topology = nil, topology.Options{}
		p.Budgets = p.Budgets.In(dialect.Karpenter)
	}
	return in, unheard
}
