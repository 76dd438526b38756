package karpenter

import (
	"context"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/examples/internal/memory"
)

// A memoryStore keeps the memory of NodePools in their annotations. The zero memoryStore is ready for use.
type memoryStore struct {
	written map[string]writtenMemory // by NodePool: memories that caches may not show yet
}

// A writtenMemory is valid while a NodePool is still seen in the version before the write.
type writtenMemory struct {
	over   string
	memory disruptkit.Memory
}

// of returns the memory of a pool: the annotated one, or the one written since.
func (s *memoryStore) of(np *v1.NodePool, annotated disruptkit.Memory) disruptkit.Memory {
	if w, ok := s.written[np.Name]; ok && w.over == np.ResourceVersion {
		return w.memory
	}
	delete(s.written, np.Name)
	return annotated
}

// save writes a memory unless the NodePool has it already. After an error, callers must not start what was decided with
// it. It is also an error if the NodePool has changed in the meantime.
func (s *memoryStore) save(ctx context.Context, kube client.Client, np *v1.NodePool, before, after disruptkit.Memory) error {
	if after.Equal(before) {
		return nil
	}
	to := np.DeepCopy()
	if err := annotate(to, after); err != nil {
		return fmt.Errorf("memory of NodePool %s: %w", np.Name, err)
	}
	patch := client.MergeFromWithOptions(np, client.MergeFromWithOptimisticLock{})
	if err := kube.Patch(ctx, to, patch); err != nil {
		return fmt.Errorf("storing the memory of NodePool %s: %w", np.Name, err)
	}
	if s.written == nil {
		s.written = map[string]writtenMemory{}
	}
	s.written[np.Name] = writtenMemory{np.ResourceVersion, after}
	return nil
}

// annotate writes a memory into the annotations of a NodePool, and removes what older guards wrote.
func annotate(np *v1.NodePool, m disruptkit.Memory) error {
	text, err := memory.Text(m)
	if err != nil {
		return err
	}
	delete(np.Annotations, MemoryAnnotation)
	delete(np.Annotations, RollAnnotation)
	if text == "" {
		return nil
	}
	if np.Annotations == nil {
		np.Annotations = map[string]string{}
	}
	np.Annotations[MemoryAnnotation] = text
	return nil
}

// saveMemory stores the memories that decisions and ended launches have changed.
func (c *Cluster) saveMemory(ctx context.Context, s *snapshot, after map[string]disruptkit.Memory) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	after = s.memories(after)
	for _, name := range sortedKeys(after) {
		if np := s.nodePools[name]; np != nil {
			if err := c.memory.save(ctx, c.Client, np, s.stored[name], after[name]); err != nil {
				return err
			}
		}
	}
	c.forgetLaunches(s)
	return nil
}
