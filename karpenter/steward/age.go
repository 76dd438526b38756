package steward

import (
	"context"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/karpenter"
)

// Karpenter asks nobody before it expires a node, but it asks budgets before it replaces one that has drifted. So a node that is to expire,
// and may, is made to drift: its NodeClaim gets a hash that is not its NodePool's. The hash that it had is a part of that, so that it can be
// restored.
const expired = annotation.ExpiredHash

// MadeToDrift reports whether the steward has made a NodeClaim drift, and returns the hash that it had, or has.
func MadeToDrift(c *v1.NodeClaim) (hash string, made bool) {
	return strings.CutPrefix(c.Annotations[v1.NodePoolHashAnnotationKey], expired)
}

// An Age is what is known of the expiration of a node. The zero Age is that of one that never expires.
type Age struct {
	// At is when the node has the age at which its NodePool lets it expire; zero: never.
	At time.Time
	// Drifts reports that its NodeClaim was made to drift.
	Drifts bool
	// Settles reports that Karpenter will notice any moment that the NodeClaim has not drifted.
	Settles bool
}

// over reports whether a NodeClaim should not drift that was made to.
func (a Age) over(now time.Time) bool { return a.Drifts && (a.At.IsZero() || a.At.After(now)) }

// settling keeps a node that Karpenter could take for a drift that is over.
var settling = candidate.Blocker{Gate: candidate.GateNode, Code: "settling", Message: "Karpenter has not noticed yet that the node has not drifted"}

// ageOf returns the Age of a node. It gives the node the reason Expired where that applies, and takes off it the drift that the steward has
// made. A node that has drifted by itself goes for that, but is overdue when its age says so.
func ageOf(to *candidate.Node, c *v1.NodeClaim, np *v1.NodePool, p karpenter.Policy, now time.Time) (a Age) {
	if np == nil {
		return a
	}
	var was string
	was, a.Drifts = MadeToDrift(c)
	is := np.Annotations[v1.NodePoolHashAnnotationKey]
	comparable := is != "" && was != "" && // as Karpenter compares them
		c.Annotations[v1.NodePoolHashVersionAnnotationKey] == np.Annotations[v1.NodePoolHashVersionAnnotationKey]
	if comparable && was == is {
		before := len(to.Conditions)
		to.Conditions = slices.DeleteFunc(to.Conditions, func(c candidate.Condition) bool { return c.Reason == "Drifted/NodePoolDrifted" })
		a.Settles = !a.Drifts && len(to.Conditions) < before
	}
	expires, there := p.Expiration.Condition(c.CreationTimestamp.Time)
	if there {
		a.At = expires.Since
	}
	if a.Settles || a.over(now) {
		to.Blockers = append(to.Blockers, settling)
	}
	if !there || a.At.After(now) || !comparable {
		return a
	}
	if a.Drifts || !has(to, candidate.Drifted) {
		to.Conditions = append(to.Conditions, expires)
	}
	annotation.DueByAge(to.Conditions, expires, p.Budgets)
	return a
}

// asDrift returns a NodePool whose own budgets for Drifted are for Expired as well: to Karpenter, what expires here has drifted.
func asDrift(np *v1.NodePool) *v1.NodePool {
	if np.Annotations[annotation.Expire] == "" {
		return np
	}
	to := *np
	to.Spec.Disruption.Budgets = slices.Clone(np.Spec.Disruption.Budgets)
	for i := range to.Spec.Disruption.Budgets {
		b := &to.Spec.Disruption.Budgets[i]
		if slices.Contains(b.Reasons, v1.DisruptionReasonDrifted) {
			b.Reasons = append(slices.Clip(b.Reasons), v1.DisruptionReason(candidate.Expired))
		}
	}
	return &to
}

// drift makes a NodeClaim drift, or not drift any more. It reports whether that is so now. A node may only be released after that.
func (s *Steward) drift(ctx context.Context, c *v1.NodeClaim, drifts bool) (done, conflict bool, err error) {
	if c == nil {
		return false, true, nil
	}
	hash, is := MadeToDrift(c)
	if is == drifts {
		return true, false, nil
	}
	kind := "restore"
	if drifts {
		kind, hash = "expire", expired+hash
	}
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
