package steward

import (
	"context"
	"errors"
	"maps"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/standing"
)

// tellStatus writes how the rolls of NodePools stand into their annotations, where that has changed (package standing). It is the last thing
// that a pass does, and nothing depends on it: where another client has written a NodePool, the next look decides anew.
func (s *Steward) tellStatus(ctx context.Context, shot Snapshot, seen objects) (err error) {
	pools := map[string]standing.Pool{}
	for name, np := range seen.pools {
		if takesPart(np) {
			pools[name] = standing.Pool{Generation: np.Generation, Written: np.Annotations[annotation.Status]}
		}
	}
	in := shot.Input
	in.Pools, in.Groups, in.Nodes = slices.Clone(in.Pools), slices.Clone(in.Groups), slices.Clone(in.Nodes)
	s.holdUnwritten(&in, seen, false) // which is tried again all the time, and has not been written yet
	texts := s.statuses.Look(in, pools)
	for _, name := range slices.Sorted(maps.Keys(seen.pools)) {
		np := seen.pools[name]
		text, changed := texts[name]
		if !changed && (takesPart(np) || !s.statuses.Leaves(np.Annotations[annotation.Status])) {
			continue
		}
		over := np.ResourceVersion
		np = s.pools.newest(np).(*v1.NodePool) // this pass may have stored something
		to := np.DeepCopy()
		if delete(to.Annotations, annotation.Status); text != "" {
			to.Annotations[annotation.Status] = text
		}
		writing := s.Client.Patch(ctx, to, client.MergeFromWithOptions(np, client.MergeFromWithOptimisticLock{}))
		conflict, writing := ended("status", "writing the status of NodePool "+name, writing)
		if err = errors.Join(err, writing); !conflict && writing == nil {
			s.pools.note(over, to)
		}
	}
	return err
}
