package disruptkit

import (
	"cmp"
	"fmt"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/topology"
)

// checkReasons returns the pool's options. If one of their reasons is unknown, or is one letter from a child that
// Karpenter reports, sequential budgets order all reasons.
func (p *zonedPool) checkReasons() topology.Options {
	options := p.Topology
	for _, r := range options.Reasons {
		if meant := candidate.MeantReason(r); len(p.scopes) > 0 && r != "" && (!p.scopes[0].Knows(r) || meant != "") {
			p.warnings = append(p.warnings, candidate.Warning{
				Code: candidate.CodeUnknownReason, Field: "topology.reasons", Value: string(r),
				Message: fmt.Sprintf("reason %.100q is not known, and sequential budgets order all reasons: "+
					"write %s, or what candidate.ParseReason returns", r, cmp.Or(meant, candidate.Drifted)),
			})
			options.Reasons = []candidate.Reason{""}
			break
		}
	}
	return options
}

func (p *zonedPool) warnSeveral(scope budget.Limit) {
	effect := "this one limits its domains without an order: leave sequential out"
	if scope.Key == p.order.scope.Key {
		effect = "does so for this one's reasons as well: write one budget for all of them"
	}
	p.warnSequential(scope, candidate.CodeSeveralSequential,
		fmt.Sprintf("the first active sequential budget, %s, orders the pool, and %s",
			p.Budgets.Place(p.order.shares[0].written.Index), effect))
}

func (p *zonedPool) warnSequential(scope budget.Limit, code candidate.Code, message string) {
	p.warn(scope, code, ".sequential", "true", fmt.Sprintf("%s: %s", scope, message))
}

func (p *zonedPool) warn(scope budget.Limit, code candidate.Code, field, value, message string) {
	p.warnings = append(p.warnings, candidate.Warning{
		Code: code, Field: p.Budgets.Place(scope.Index) + field, Value: value, Message: message,
	})
}

var treatments = [...]string{
	topology.TakeTurn: "are a domain of their own",
	topology.Exempt:   "the budget does not limit them",
	topology.Block:    "are blocked",
}

// warnUnlabelled warns of nodes that lack the label of a budget, once for each budget.
func (g *zoneGate) warnUnlabelled(p *zonedPool) {
	for _, z := range p.zonings {
		unlabelled, nodes, key := z.census.Unlabelled, z.census.Nodes, z.written.Key
		if unlabelled == 0 || p.options.LabelOptional {
			continue
		}
		message := fmt.Sprintf("%d of %s have no label %.100q, and %s: label them, or set labelOptional if they "+
			"really have no such label", unlabelled, wording.Count(nodes, "node"), key,
			treatments[min(p.options.Unlabelled, topology.Block)])
		if unlabelled == nodes {
			message = fmt.Sprintf("no node has the label %.100q, and until one has, none is allowed: %s, or set "+
				"labelOptional if they really have no such label", key, g.labelToWrite(z))
		}
		p.warn(z.written, candidate.CodeNoLabel, ".topologyKey", key, message)
	}
}

// labelToWrite describes the label to write: one of the nodes' labels that is similar.
func (g *zoneGate) labelToWrite(z *zoning) string {
	similar := ""
	for i := range g.Nodes {
		if p := g.Pool(i); p == nil || p.Within[z.in.Layer] != z.in.scope {
			continue
		}
		for key := range g.Nodes[i].Labels {
			if wording.Near(key, z.written.Key) && key != z.written.Key && (similar == "" || key < similar) {
				similar = key
			}
		}
	}
	if similar != "" {
		return fmt.Sprintf("write %.100q, which nodes have", similar)
	}
	return "write a label that nodes have, such as topology.kubernetes.io/zone"
}
