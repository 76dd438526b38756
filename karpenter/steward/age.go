package steward

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/karpenter"
)

// MadeToDrift returns the hash that a NodeClaim has or had, and for which reason the steward has made it drift: Expired, Requested or Drifted; "": it has
// not. Drifted is for a node that follows others of its unit.
//
// Karpenter asks nobody before it expires a node, and knows no requests, but it asks budgets before it replaces a node that has drifted. So a
// node that is to be replaced, and may be, is made to drift: its NodeClaim gets a hash that is not its NodePool's. The hash that it had is a
// part of that, so that it can be restored.
func MadeToDrift(c *v1.NodeClaim) (hash string, reason candidate.Reason) {
	return annotation.MadeToDrift(c.Annotations[v1.NodePoolHashAnnotationKey])
}

// An Age is what is known of the expiration of a node, and of its replacement on request. The zero Age is that of a node that never expires, and
// for which nobody asks.
type Age struct {
	// At is when the node has the age at which its NodePool lets it expire; zero: never.
	At time.Time
	// Requested reports that somebody asks for its replacement.
	Requested bool
	// Drifts is the reason for which its NodeClaim was made to drift; "": it was not.
	Drifts candidate.Reason
	// Fixed reports that nothing can make it drift: Karpenter does not compare its hash yet.
	Fixed bool
	// Settles reports that Karpenter will notice any moment that the NodeClaim has not drifted.
	Settles bool
}

// over reports whether a NodeClaim was made to drift for a reason that its node no longer has, as far as its unit does not have it.
func (a Age) over(now time.Time) bool {
	switch a.Drifts {
	case "":
		return false
	case candidate.Requested:
		return !a.Requested
	case candidate.Drifted:
		return true
	}
	return a.At.IsZero() || a.At.After(now)
}

// toDrift returns the reason for which the NodeClaim of a node is to be made to drift that is released for some methods, given whether it only
// follows others of its unit; "": it drifts already.
func (a Age) toDrift(released []candidate.Reason, follows bool) candidate.Reason {
	if a.Drifts != "" || !follows && slices.Contains(released, candidate.Drifted) {
		return ""
	}
	for _, reason := range []candidate.Reason{candidate.Expired, candidate.Requested, candidate.Drifted} {
		if slices.Contains(released, reason) {
			return reason
		}
	}
	return ""
}

// settling keeps a node that Karpenter could take for a drift that is over.
var settling = candidate.Blocker{Gate: candidate.GateNode, Code: "settling", Message: "Karpenter has not noticed yet that the node has not drifted"}

// ageOf returns the Age of a node. It gives the node the reasons Expired and Requested where they apply, and takes off it the drift that the
// steward has made. A node that has drifted by itself goes for that and not for its age, but is overdue when its age says so.
func ageOf(to *candidate.Node, n *corev1.Node, c *v1.NodeClaim, np *v1.NodePool, p karpenter.Policy, now time.Time) (a Age) {
	if np == nil {
		return a
	}
	request, asks := annotation.ReadRequest(n.Annotations, c.Annotations)
	a.Requested = asks && takesPart(np)
	var was string
	was, a.Drifts = MadeToDrift(c)
	is := np.Annotations[v1.NodePoolHashAnnotationKey]
	comparable := is != "" && was != "" && // as Karpenter compares them
		c.Annotations[v1.NodePoolHashVersionAnnotationKey] == np.Annotations[v1.NodePoolHashVersionAnnotationKey]
	if comparable && was == is {
		before := len(to.Conditions)
		to.Conditions = slices.DeleteFunc(to.Conditions, func(c candidate.Condition) bool { return c.Reason == "Drifted/NodePoolDrifted" })
		a.Settles = a.Drifts == "" && len(to.Conditions) < before
	}
	expires, there := p.Expiration.Condition(c.CreationTimestamp.Time)
	if there {
		a.At = expires.Since
	}
	if a.Settles {
		to.Blockers = append(to.Blockers, settling)
	}
	if a.Fixed = !comparable; a.Fixed {
		return a
	}
	if a.Requested {
		to.Conditions = append(to.Conditions, request.Condition())
	}
	if !there || a.At.After(now) {
		return a
	}
	if a.Drifts != "" || !has(to, candidate.Drifted) {
		to.Conditions = append(to.Conditions, expires)
	}
	annotation.DueByAge(to.Conditions, expires, p.Budgets)
	return a
}

// asDrift returns a NodePool whose own budgets for Drifted are for Expired and Requested as well: to Karpenter, what is replaced for these has
// drifted.
func asDrift(np *v1.NodePool) *v1.NodePool {
	to := *np
	to.Spec.Disruption.Budgets = slices.Clone(np.Spec.Disruption.Budgets)
	for i := range to.Spec.Disruption.Budgets {
		b := &to.Spec.Disruption.Budgets[i]
		if slices.Contains(b.Reasons, v1.DisruptionReasonDrifted) {
			b.Reasons = append(slices.Clip(b.Reasons), v1.DisruptionReason(candidate.Expired), v1.DisruptionReason(candidate.Requested))
		}
	}
	return &to
}

// drift makes a NodeClaim drift for a reason, or ("") not drift any more. It reports whether that is so now. A node may only be released after
// that.
func (s *Steward) drift(ctx context.Context, c *v1.NodeClaim, reason candidate.Reason) (done, conflict bool, err error) {
	if c == nil {
		return false, true, nil
	}
	hash, is := MadeToDrift(c)
	if is == reason {
		return true, false, nil
	}
	kind := map[candidate.Reason]string{candidate.Expired: "expire", candidate.Requested: "replace", candidate.Drifted: "unite", "": "restore"}[reason]
	hash = annotation.DriftingHash(reason, hash)
	to := c.DeepCopy()
	to.Annotations[v1.NodePoolHashAnnotationKey] = hash
	err = s.Client.Patch(ctx, to, client.MergeFromWithOptions(c, client.MergeFromWithOptimisticLock{}))
	if conflict, err := ended(kind, kind+" of NodeClaim "+c.Name, err); conflict || err != nil {
		return false, conflict, err
	}
	s.claims.note(c.ResourceVersion, to)
	log.FromContext(ctx).Info(kind, "NodeClaim", c.Name, "hash", hash)
	return true, false, nil
}
