package karpenter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/awslabs/operatorpkg/controller"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/standing"
)

// statusEvery is how often the cluster is looked at for the statuses of NodePools.
const statusEvery = 15 * time.Second

// Statuses returns a controller that keeps the annotation disruptkit.dev/status of all NodePools that have a policy: how their rolls stand, in
// JSON (package standing). Add it to what Controllers returns for the same Cluster. It is apart from the guards: it never delays a
// disruption, and nothing is decided by what it writes.
func Statuses(c *Cluster) controller.Controller {
	return &statuses{Cluster: c, keeper: standing.Keeper{By: "guard"}}
}

type statuses struct {
	*Cluster
	keeper standing.Keeper
}

// Register lets it run while the manager runs and is the leader.
func (s *statuses) Register(_ context.Context, m manager.Manager) error {
	return m.Add(manager.RunnableFunc(func(ctx context.Context) error {
		for {
			if err := s.keep(ctx); err != nil && ctx.Err() == nil {
				log.FromContext(ctx).Error(err, "keeping the statuses of NodePools")
			}
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(statusEvery):
			}
		}
	}))
}

// keep looks at the cluster once, and writes what has changed.
func (s *statuses) keep(ctx context.Context) error {
	shot, err := s.snapshot(ctx)
	if err != nil {
		return err
	}
	pools := map[string]standing.Pool{}
	for name, np := range shot.nodePools {
		if shot.annotated[name] {
			pools[name] = standing.Pool{Generation: np.Generation, Written: np.Annotations[annotation.Status]}
		}
	}
	texts := s.keeper.Look(shot.Input, pools)
	var faults []error // of a NodePool, which keep none of the others from being written
	for _, name := range sortedKeys(shot.nodePools) {
		np := shot.nodePools[name]
		text, changed := texts[name]
		if !changed && (shot.annotated[name] || !s.keeper.Leaves(np.Annotations[annotation.Status])) {
			continue
		}
		if err := s.write(ctx, np, text); err != nil {
			faults = append(faults, fmt.Errorf("writing the status of NodePool %s: %w", name, err))
		}
	}
	return errors.Join(faults...)
}

// write writes the annotation of a NodePool, or takes it away. If another client has written the NodePool, the next look decides anew.
func (s *statuses) write(ctx context.Context, np *v1.NodePool, text string) error {
	s.mu.Lock() // no guard stores a memory meanwhile
	defer s.mu.Unlock()
	over := np.ResourceVersion
	if w, ok := s.memory.written[np.Name]; ok && (w.over == over || w.as.GetResourceVersion() == over) {
		np, over = w.as.(*v1.NodePool), w.over // caches may still show the version before
	}
	to := np.DeepCopy()
	if delete(to.Annotations, annotation.Status); text != "" {
		if to.Annotations == nil {
			to.Annotations = map[string]string{}
		}
		to.Annotations[annotation.Status] = text
	}
	err := s.Client.Patch(ctx, to, client.MergeFromWithOptions(np, client.MergeFromWithOptimisticLock{}))
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil
	}
	if err == nil {
		if s.memory.written == nil {
			s.memory.written = map[string]written{}
		}
		s.memory.written[np.Name] = written{over, to}
	}
	return err
}
