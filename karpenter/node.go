package karpenter

import (
	"fmt"
	"sort"
	"time"

	"github.com/awslabs/operatorpkg/status"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	nodeutils "sigs.k8s.io/karpenter/pkg/utils/node"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
)

// ToNode converts a node of Karpenter's cluster state, without its pods. It returns warnings about invalid annotations.
// It only reads n (as far as Karpenter's MarkedForDeletion does), and keeps only its labels.
//
// A Node without a NodeClaim has no pool, whatever its labels, since Karpenter does not disrupt it. A NodeClaim without
// a Node is not initialized.
func ToNode(n *state.StateNode, now time.Time) (candidate.Node, []candidate.Warning) {
	meta := metadata(n)
	to := candidate.Node{Name: meta.Name, Labels: meta.Labels, Phase: candidate.Launched, NominatedUntil: nominatedUntil(n, now)}
	if n.MarkedForDeletion() {
		to.Leaving = candidate.Draining
	}
	doNotDisrupt, warnings := kube.NodeDoNotDisrupt(to.Name, meta.Annotations[v1.DoNotDisruptAnnotationKey])
	to.DoNotDisrupt = doNotDisrupt
	doNotRepair, more := kube.NodeDoNotRepair(to.Name, meta.Annotations[v1.DoNotRepairAnnotationKey])
	to.DoNotRepair, warnings = doNotRepair, append(warnings, more...)
	ready := false
	if n.Node != nil {
		condition := nodeutils.GetCondition(n.Node, corev1.NodeReady)
		if ready = condition.Status == corev1.ConditionTrue; ready {
			to.ReadySince = condition.LastTransitionTime.Time
		}
	}
	if n.NodeClaim != nil {
		to.Pool = to.Labels[v1.NodePoolLabelKey]
		to.Phase = phase(n, ready)
		warnings = append(warnings, claim(n.NodeClaim, &to)...)
	}
	if n.Node != nil {
		for _, c := range n.Node.Status.Conditions {
			if c.Status == corev1.ConditionTrue {
				kube.Maintain(&to, candidate.Maintenance{Condition: string(c.Type), Since: c.LastTransitionTime.Time})
			}
		}
	}
	return to, warnings
}

// phase returns how far a node with a NodeClaim has come.
func phase(n *state.StateNode, ready bool) candidate.Phase {
	switch {
	case n.Initialized() && ready:
		return candidate.Running
	case n.Initialized():
		return candidate.NotReady
	case n.Registered():
		return candidate.Registered
	}
	return candidate.Launched
}

// metadata returns the object that has a node's Name, Labels and Annotations, so that it is looked up only once.
func metadata(n *state.StateNode) *metav1.ObjectMeta {
	if n.Node == nil || !n.Registered() {
		return &n.NodeClaim.ObjectMeta
	}
	return &n.Node.ObjectMeta
}

// claim adds what a NodeClaim says about its node.
func claim(c *v1.NodeClaim, to *candidate.Node) (warnings []candidate.Warning) {
	var why candidate.Reason
	for i := range c.Status.Conditions { // StatusConditions would add absent conditions, and copy each
		condition := &c.Status.Conditions[i]
		if !condition.IsTrue() {
			continue
		}
		switch condition.Type {
		case v1.ConditionTypeInstanceTerminating:
			to.Leaving = candidate.Terminating
		case v1.ConditionTypeRebooting:
			to.Rebooting = true
		case v1.ConditionTypeDrifted:
			warnings = append(warnings, drifted(c.Name, condition, to)...)
		case v1.ConditionTypeDisruptionReason:
			why, _ = candidate.ParseReason(condition.Reason) // if not valid: unknown, which counts for all
		}
	}
	if to.InFlight() {
		to.DisruptedFor = why
	}
	to.Created = c.CreationTimestamp.Time
	to.HasGracePeriod = c.Spec.TerminationGracePeriod != nil
	to.Deadline = deadline(c)
	return warnings
}

// drifted adds that a node has drifted.
func drifted(claim string, c *status.Condition, to *candidate.Node) (warnings []candidate.Warning) {
	reason, err := driftReason(c.Reason)
	if err != nil {
		warnings = append(warnings, candidate.Warning{
			Code: candidate.CodeUnknownReason, Object: "NodeClaim/" + claim, Field: "status.conditions", Value: c.Reason,
			Message: err.Error(),
		})
	}
	to.Conditions = append(to.Conditions, candidate.Condition{Reason: reason, Since: c.LastTransitionTime.Time})
	return warnings
}

// driftReason returns the reason of a condition Drifted: the child that Karpenter or its provider names, or drift
// itself.
func driftReason(name string) (candidate.Reason, error) {
	if name == "" {
		return candidate.Drifted, nil
	}
	reason, err := candidate.ParseReason(string(candidate.Drifted) + "/" + name)
	if err != nil {
		return candidate.Drifted, fmt.Errorf("%w; it counts as Drifted", err)
	}
	return reason, nil
}

// deadline returns when the grace period of a NodeClaim that is being deleted ends, as Karpenter's lifecycle controller
// has annotated it, or will.
func deadline(c *v1.NodeClaim) time.Time {
	if text, written := c.Annotations[v1.NodeClaimTerminationTimestampAnnotationKey]; written {
		if at, err := time.Parse(time.RFC3339, text); err == nil {
			return at
		}
	}
	if c.DeletionTimestamp.IsZero() || c.Spec.TerminationGracePeriod == nil {
		return time.Time{}
	}
	return c.DeletionTimestamp.Add(c.Spec.TerminationGracePeriod.Duration)
}

// longestNomination exceeds any nomination, which lasts twice Karpenter's --batch-max-duration.
const longestNomination = time.Hour

// nominatedUntil finds the end of a node's nomination. Karpenter only reports whether a node is nominated at a time.
func nominatedUntil(n *state.StateNode, now time.Time) time.Time {
	if !n.Nominated(at{now: now}) {
		return time.Time{}
	}
	later := func(nanos int) time.Time { return now.Add(time.Duration(nanos)) }
	return later(sort.Search(int(longestNomination), func(nanos int) bool { return !n.Nominated(at{now: later(nanos)}) }))
}

// at is a clock that always shows the same time.
type at struct {
	clock.Clock
	now time.Time
}

func (a at) Now() time.Time { return a.now }
