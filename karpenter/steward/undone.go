package steward

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// undone reports whether what was released is held all the same: admission has held it again in the same request.
func (w Write) undone(n *corev1.Node) bool {
	mark := annotation.ReadMark(n.Annotations)
	return w.Kind == Release && mark.Disrupt == annotation.Ours || w.Kind == ReleaseForRepair && mark.Repair == annotation.Ours
}

// undone releases a node once more if somebody has cleared its managedFields. The API server does not keep them again before something is
// applied, and without them admission does not know the time, and takes each release for one that has ended. If that is not why, others are disrupted first.
func (s *Steward) undone(ctx context.Context, n *corev1.Node, w Write) (conflict bool, err error) {
	if len(n.ManagedFields) == 0 {
		to, conflict, err := s.patch(ctx, n, w, types.ApplyPatchType, map[string]any{
			"name": n.Name, "annotations": map[string]string{annotation.ReleasedUntil: n.Annotations[annotation.ReleasedUntil]},
		}, client.FieldOwner("disruptkit-steward"), client.ForceOwnership)
		if to == nil {
			return conflict, err
		}
		if n = to; len(n.ManagedFields) > 0 {
			return s.write(ctx, n, w)
		}
	}
	s.rests[w.Node] = s.rests[w.Node].again(s.Clock(), w.Until)
	log.FromContext(ctx).Info("held again as it was released", "Node", w.Node, "NodePool", w.Pool)
	if s.Recorder != nil {
		s.Recorder.Eventf(n, corev1.EventTypeWarning, NotReleasedEvent, "Admission has held the node again as it was released until %s: "+
			"the clock of the API server may be wrong", w.Until.UTC().Format(time.RFC3339))
	}
	return false, nil
}
