package disruptkit

import (
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/trait"
)

// AsksNobody reports whether nodes go for a reason as soon as it holds: in Karpenter, expired nodes do. No budget, pod
// or annotation holds them back. (Karpenter: nodeclaim/expiration.Controller.Reconcile.)
func (in *gateInput) AsksNobody(reason candidate.Reason) bool {
	return !trait.ExpiredWait.In(in.Dialect) && candidate.Expired.Covers(reason)
}
