package steward

import (
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/report"
)

// isSoon reports whether a taint is the steward's.
func isSoon(t corev1.Taint) bool { return t.Key == annotation.SoonTaint }

// expectSoon adds the nodes that a decision may allow soon. Consolidation chooses by prices, so nobody knows its next node.
func (p *planner) expectSoon(d disruptkit.Decision) {
	if d.Reason == candidate.Empty || d.Reason == candidate.Underutilized || p.Soon == 0 {
		return
	}
	for _, c := range report.Soon(d, p.Soon) {
		p.soon[c.Node] = true
	}
}

// taint describes which nodes get the taint, and which lose it. What is in flight keeps it.
func (p *planner) taint() {
	for i := range p.Input.Nodes {
		n := &p.Input.Nodes[i]
		mark, there := p.Marks[n.Name]
		if !there || n.InFlight() {
			continue
		}
		_, live := p.live[n.Name]
		soon := p.pools[n.Pool] && p.Soon > 0 && (p.soon[n.Name] || live || p.after.has(n.Name))
		if soon != mark.Soon {
			p.plan.Taints[n.Name] = soon
		}
	}
}

// taintAll gives nodes the taint, or takes it away. It reports whether the next pass should do so soon: the node was
// written in this pass, or by somebody else. Nothing depends on taints, so what cannot be written is only complained of,
// and the next pass tries again.
func (s *Steward) taintAll(ctx context.Context, p Plan, seen objects, wrote map[string]bool) (again bool) {
	for _, name := range slices.Sorted(maps.Keys(p.Taints)) {
		if wrote[name] {
			again = true
			continue
		}
		conflict, err := s.taint(ctx, seen.nodes[name], p.Taints[name])
		s.complain(seen.nodes[name], NotWrittenEvent, "The steward cannot write its taint", err)
		again = again || conflict
	}
	return again
}

// taint gives a node the taint, or takes it away, over the version that was decided on.
func (s *Steward) taint(ctx context.Context, n *corev1.Node, soon bool) (conflict bool, err error) {
	to, kind := n.DeepCopy(), "untaint"
	to.Spec.Taints = slices.DeleteFunc(slices.Clone(n.Spec.Taints), isSoon)
	if soon {
		kind = "taint"
		to.Spec.Taints = append(to.Spec.Taints, corev1.Taint{Key: annotation.SoonTaint, Effect: corev1.TaintEffectPreferNoSchedule})
	}
	err = s.Client.Patch(ctx, to, client.MergeFromWithOptions(n, client.MergeFromWithOptimisticLock{}))
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if conflict, err := ended(kind, kind+" node "+n.Name, err); conflict || err != nil {
		return conflict, err
	}
	s.nodes.note(n.ResourceVersion, to)
	return false, nil
}
