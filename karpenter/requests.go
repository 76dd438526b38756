package karpenter

import (
	"context"
	"time"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/karpenter/pkg/controllers/state"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// requests replaces the nodes for which ReplaceAnnotation asks, in the way in which Karpenter replaces those that have drifted: one at a time, and
// each only once its replacement is ready. Unlike drift, it is not eventual: a node's grace period overrides nothing.
type requests struct{ *disruption.Drift }

// Reason returns Requested. Karpenter's own budgets cannot name it, so those without reasons apply.
func (r requests) Reason() v1.DisruptionReason { return v1.DisruptionReason(candidate.Requested) }

// Class returns that of methods that wait for pods which must not be disrupted.
func (r requests) Class() string { return disruption.GracefulDisruptionClass }

// ShouldDisrupt reports whether somebody asks for the replacement of a node. One of a static NodePool is replaced for drift at most.
func (r requests) ShouldDisrupt(_ context.Context, c *disruption.Candidate) bool {
	_, asks := requested(c.StateNode)
	return asks && !c.OwnedByStaticNodePool()
}

// ComputeCommands replaces the first candidate that can be, by when somebody asked.
func (r requests) ComputeCommands(
	ctx context.Context, budgets map[string]int, candidates ...*disruption.Candidate,
) ([]disruption.Command, error) {
	return replaceFirst(ctx, r.Drift, budgets, candidates, func(c *disruption.Candidate) time.Time {
		request, _ := requested(c.StateNode)
		return request.Since
	})
}

// requested reports whether somebody asks for the replacement of a node.
func requested(n *state.StateNode) (r annotation.Request, asks bool) {
	if n.NodeClaim == nil {
		return r, false
	}
	var node map[string]string
	if n.Node != nil {
		node = n.Node.Annotations
	}
	return annotation.ReadRequest(node, n.NodeClaim.Annotations)
}

// request gives a node the reason that somebody asks for its replacement.
func (s *snapshot) request(to *candidate.Node, n *state.StateNode) {
	np := s.nodePools[to.Pool]
	if request, asks := requested(n); asks && np != nil && np.Spec.Replicas == nil {
		to.Conditions = append(to.Conditions, request.Condition())
	}
}
