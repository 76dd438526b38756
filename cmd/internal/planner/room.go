package planner

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/plan"
)

// withRoom returns when a roll is done if nodes are not full, so that the pods of the next node fit on a replacement that is
// not Ready yet: Karpenter then launches one replacement of a NodePool at a time. Zero: that is no later. Static NodePools
// do not look where pods fit.
func (o *options) withRoom(cluster *manifest.Cluster, in disruptkit.Input, options plan.Options, full plan.Range) time.Time {
	if o.policy.As == engine.Disruptkit || full.Plan.Finish.IsZero() {
		return time.Time{}
	}
	options.Observe, options.Model.Seed = nil, full.Seed // the same chances
	options.Model.Room = func(n candidate.Node) string {
		if cluster.Static(n.Pool) {
			return ""
		}
		return n.Pool
	}
	if room := plan.Run(in, options); room.Finish.After(full.Plan.Finish) {
		return room.Finish.In(o.in)
	}
	return time.Time{}
}

// fullText says that a plan takes nodes for full, and when it is done otherwise.
func fullText(p plan.Plan, room time.Time) []string {
	if room.IsZero() {
		return nil
	}
	return []string{fmt.Sprintf("nodes are full: if pods of the next node fit on a replacement that is not Ready yet, Karpenter launches one of a "+
		"NodePool at a time, whatever budgets allow, and is done by %s", dayOf(p, room))}
}
