package steward

import (
	"context"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// compare compares the steward's clock with the API server's, which has stamped an object that was just written, between two times of
// the steward. Releases end by the server's clock, and are taken back by the steward's.
func (s *Steward) compare(ctx context.Context, o client.Object, before, after time.Time) {
	var stamped time.Time
	for _, f := range o.GetManagedFields() {
		if f.Time != nil && f.Time.After(stamped) {
			stamped = f.Time.Time
		}
	}
	if stamped.IsZero() {
		return
	}
	var apart time.Duration // at least; stamps are in whole seconds
	switch {
	case stamped.Add(time.Second).Before(before):
		apart = before.Sub(stamped.Add(time.Second))
	case stamped.After(after):
		apart = after.Sub(stamped)
	}
	clockSkew.Set(apart.Seconds())
	if apart.Abs() > Skew {
		log.FromContext(ctx).Error(nil, "the clocks of the steward and of the API server differ by more than is safe: releases may end before they are taken "+
			"back, and Karpenter is denied them: set the clocks", "ahead", apart.String(), "most", Skew.String())
	}
}
