package manifest

import (
	"cmp"
	"encoding/json"
	"maps"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/standing"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// A nodePool is what a NodePool says, as an engine reads it.
type nodePool struct {
	disruptkit.Pool
	Spec     budget.Spec   // of its budgets
	Admitted budget.Spec   // what Karpenter's API server stores, if Karpenter runs; Spec may also have what annotations add
	Static   bool          // it has a fixed number of nodes, which drift but are never consolidated
	Pauses   []probe.Pause // in its annotation, if the guard or the steward runs
	// Expires is from its annotation, if one of these runs: the age at which budgets are asked to replace a node. The zero Expiration asks none.
	Expires annotation.Expiration
	Stock   []string // what stock Karpenter can do instead of dates, which it does not have

	raw         json.RawMessage // the object
	labels      map[string]string
	annotations map[string]string
	limit       int                // how many nodes it may have; 0: as many as it likes
	never       []candidate.Reason // (Karpenter: ShouldDisrupt of emptiness and of consolidation)
	endless     bool               // it has no budgets
	grace       time.Duration      // terminationGracePeriod of new NodeClaims; 0: none
	memory      disruptkit.Memory
	probes      []httpget.Spec
	unitLabel   string // the label whose values are its units
	stewarded   bool   // it asks for the steward
	unwritten   string // why what is decided cannot be written, as its status says
	written     bool   // it has annotations of ours, and the engine reads them
	revision    Revision

	faults    []candidate.Warning // of the object
	dropped   []candidate.Warning // about what has no effect
	warnings  []candidate.Warning // about ignored values, and invalid probes
	annotated []candidate.Warning // about annotations that may have been limits
	hints     []candidate.Warning
}

// readNodePool reads a NodePool, or an object that is only its spec.disruption.
func readNodePool(o *object, disruption value, policy Policy) *nodePool {
	o.faultRepeated(o.raw)
	spec := o.root.field("spec")
	p := &nodePool{
		Pool: disruptkit.Pool{Name: cmp.Or(o.name, o.where), Labels: readLabels(o)},
	}
	p.Labels[annotation.PoolLabel] = p.Name
	p.labels = o.root.field("metadata").field("labels").texts()
	annotations := o.root.field("metadata").field("annotations")
	p.stewarded = annotations.field(annotation.Steward).json == "true"
	if text, is := annotations.field(annotation.Status).json.(string); is {
		if c := standing.Read(text).Cause; c.Code == standing.NotStored {
			p.unwritten = c.Message
		}
	}
	p.readPolicy(o, disruption, policy)
	consolidation := p.Spec
	if policy.As != engine.Disruptkit {
		consolidation = p.Admitted
	}
	replicas := spec.field("replicas")
	replicas.integer()
	p.limit = wholeNumber(spec.field("limits").field("nodes"))
	p.grace = known(o, policy.As).GracePeriod
	if p.Static = !replicas.absent(); policy.As == engine.Disruptkit || p.written {
		p.Desired = wholeNumber(replicas)
	}
	p.never = neverFor(consolidation, p.Static)
	p.endless = p.Spec.Budgets != nil && len(p.Spec.Budgets) == 0 && len(o.faults) == 0 // with a fault, no node may be disrupted
	p.Budgets, _ = p.Spec.Compile()                                                     // decisions report what is wrong
	if policy.As == engine.Disruptkit {
		p.hints = policy.hints(disruption, p.Budgets)
	}
	p.revision, p.annotations = readRevision(o)
	p.Pool.Revision = p.revision.Hash
	p.Blockers = append(p.Blockers, unreadable(candidate.GateNode, o.faults)...) // it is unknown what was meant
	p.raw, p.faults = o.raw, o.faults
	return p
}

// readLabels returns the labels by which a probe may select a pool. The RFC's samples are an availability zone and a
// kind of node. So these are the pool's own labels, and those that all its nodes get: from its template, and from
// requirements with a single value. The pool's own labels take precedence.
func readLabels(o *object) map[string]string {
	template := o.root.field("spec").field("template")
	labels := map[string]string{}
	for _, r := range template.field("spec").field("requirements").each() {
		var values []string
		for _, v := range r.field("values").each() {
			values = append(values, v.text())
		}
		if key := r.field("key").text(); r.field("operator").text() == "In" && len(values) == 1 {
			labels[key] = values[0]
		}
	}
	maps.Copy(labels, template.field("metadata").field("labels").texts())
	maps.Copy(labels, o.root.field("metadata").field("labels").texts())
	return labels
}
