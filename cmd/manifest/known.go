package manifest

import (
	"cmp"
	"strconv"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
)

// expireAfterDefault is what Karpenter's API server fills in for spec.template.spec.expireAfter.
const expireAfterDefault = 720 * time.Hour

// known returns what a NodePool says about itself besides its budgets, for lint. What cannot be read is unknown. An
// autoscaler that embeds disruptkit may ask budgets before nodes expire, and need no space to replace a node.
func known(o *object, as engine.Engine) (p lint.Facts) {
	spec := o.root.field("spec")
	p.Replicas = wholeNumber(spec.field("replicas"))
	p.Nodes = cmp.Or(wholeNumber(o.root.field("status").field("nodes")), p.Replicas)
	template := spec.field("template").field("spec")
	if text, _ := template.field("terminationGracePeriod").json.(string); text != "" {
		p.GracePeriod, _ = time.ParseDuration(text) // 0 if it is none
	}
	if as == engine.Disruptkit {
		return p
	}
	p.NodeLimit = wholeNumber(spec.field("limits").field("nodes"))
	after := template.field("expireAfter")
	switch text, _ := after.json.(string); {
	case after.absent():
		p.ExpireAfter = expireAfterDefault
	case text != never:
		p.ExpireAfter, _ = time.ParseDuration(text) // 0 if it is none
	}
	return p
}

// wholeNumber returns a number of nodes, which may be written as a string, or 0.
func wholeNumber(v value) int {
	n, err := strconv.Atoi(v.raw())
	if err != nil {
		return 0
	}
	return n
}

// neverFor returns the reasons that a consolidationPolicy, consolidateAfter or a fixed number of nodes keeps out. Where the guard runs, only
// what Karpenter admits has these fields.
func neverFor(spec budget.Spec, static bool) (reasons []candidate.Reason) {
	switch {
	case spec.ConsolidateAfter == never || static:
		return []candidate.Reason{candidate.Empty, candidate.Underutilized}
	case spec.ConsolidationPolicy == whenEmpty:
		return []candidate.Reason{candidate.Underutilized}
	}
	return nil
}
