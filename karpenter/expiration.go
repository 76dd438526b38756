package karpenter

import (
	"cmp"
	"context"
	"slices"
	"time"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/karpenter/pkg/controllers/state"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// expiration replaces nodes at the age that ExpireAnnotation says, in the way in which Karpenter replaces those that have
// drifted: one at a time, and each only once its replacement is ready. Karpenter's own expiration, by expireAfter, asks
// no method. It remains the hard end.
type expiration struct {
	*disruption.Drift
	*Cluster
	said map[string]annotation.Expiration // by the text of the annotation
}

// Reason returns Expired. Karpenter's own budgets cannot name it, so those without reasons apply.
func (e expiration) Reason() v1.DisruptionReason { return v1.DisruptionReason(candidate.Expired) }

// ShouldDisrupt reports whether a node has reached its age. One that has drifted goes for that, and one of a static
// NodePool drifts at most.
func (e expiration) ShouldDisrupt(_ context.Context, c *disruption.Candidate) bool {
	text := c.NodePool.Annotations[ExpireAnnotation]
	if text == "" || c.OwnedByStaticNodePool() || c.NodeClaim.StatusConditions().Get(v1.ConditionTypeDrifted).IsTrue() {
		return false
	}
	said, known := e.said[text]
	if !known {
		said = annotation.Read(c.NodePool.Name, map[string]string{ExpireAnnotation: text}).Expiration
		e.said[text] = said
	}
	expires, there := said.Condition(c.NodeClaim.CreationTimestamp.Time)
	return there && !expires.Since.After(e.Clock.Now())
}

// ComputeCommands replaces the first candidate that can be, by age.
func (e expiration) ComputeCommands(
	ctx context.Context, budgets map[string]int, candidates ...*disruption.Candidate,
) ([]disruption.Command, error) {
	return replaceFirst(ctx, e.Drift, budgets, candidates, func(c *disruption.Candidate) time.Time {
		return c.NodeClaim.CreationTimestamp.Time
	})
}

// replaceFirst replaces the first candidate that can be: those without pods to move first, then the oldest by a time of theirs.
func replaceFirst(
	ctx context.Context, drift *disruption.Drift, budgets map[string]int, candidates []*disruption.Candidate,
	since func(*disruption.Candidate) time.Time,
) ([]disruption.Command, error) {
	candidates = slices.Clone(candidates)
	slices.SortFunc(candidates, func(a, b *disruption.Candidate) int {
		rank := map[bool]int{true: 0, false: 1}
		return cmp.Or(
			cmp.Compare(rank[a.IsEmpty()], rank[b.IsEmpty()]),
			since(a).Compare(since(b)),
			cmp.Compare(a.Name(), b.Name()),
		)
	})
	for _, c := range candidates { // one by one, since Drift sorts several by when they have drifted
		commands, err := drift.ComputeCommands(ctx, budgets, c)
		if err != nil || len(commands) > 0 {
			return commands, err
		}
	}
	return []disruption.Command{}, nil
}

// withReplacement returns Karpenter's methods, with requests before drift and expiration after it.
func (c *Cluster) withReplacement(methods []disruption.Method) []disruption.Method {
	for i, m := range methods {
		if drift, is := m.(*disruption.Drift); is {
			return slices.Concat(methods[:i], []disruption.Method{
				requests{drift}, drift, expiration{drift, c, map[string]annotation.Expiration{}},
			}, methods[i+1:])
		}
	}
	return methods
}

// age gives nodes the reason that they have by their age. One that has drifted goes for that, but is overdue when its age says so, and one of a
// static NodePool drifts at most.
func (s *snapshot) age(to *candidate.Node, n *state.StateNode, policy Policy) {
	if n.NodeClaim == nil || !s.annotated[to.Pool] {
		return
	}
	expires, there := policy.Expiration.Condition(n.NodeClaim.CreationTimestamp.Time)
	if !there || expires.Since.After(s.Now) {
		return
	}
	drifted := func(c candidate.Condition) bool { return candidate.Drifted.Covers(c.Reason) }
	static := s.nodePools[to.Pool].Spec.Replicas != nil
	if !static && !slices.ContainsFunc(to.Conditions, drifted) {
		to.Conditions = append(slices.Clip(to.Conditions), expires)
	}
	annotation.DueByAge(to.Conditions, expires, policy.Budgets)
}
