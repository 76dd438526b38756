package karpenter

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// MemoryNotStoredEvent is the reason of events about NodePools whose memory the guard could not write.
const MemoryNotStoredEvent = "DisruptionMemoryNotStored"

// A failed write of a memory is tried again after firstRetry, and then after twice as long each time, up to lastRetry.
// After a conflict with another writer, it is always firstRetry.
const (
	firstRetry = 10 * time.Second
	lastRetry  = 5 * time.Minute
)

// errMemoryChanged means that a decision was made with a memory that is no longer there.
var errMemoryChanged = errors.New("another client has changed it since the decision")

// A memoryStore keeps the memory of NodePools in their annotations. The zero memoryStore is ready for use.
type memoryStore struct {
	written  map[string]writtenPool // by NodePool
	failures map[string]failure     // by NodePool: since its memory was last written
}

// A writtenPool is a NodePool as it was written over a version that caches may still show.
type writtenPool struct {
	over     string
	nodePool *v1.NodePool
}

// A failure to write the memory of a NodePool.
type failure struct {
	uid   types.UID
	err   error
	times int       // how often it has failed, other than by conflicts
	retry time.Time // when it is tried again; the pool's nodes stay until then
}

// forget forgets NodePools that are gone.
func (s *memoryStore) forget(there map[string]*v1.NodePool) {
	maps.DeleteFunc(s.written, func(name string, _ writtenPool) bool { return there[name] == nil })
	maps.DeleteFunc(s.failures, func(name string, _ failure) bool { return there[name] == nil })
}

// newest returns a NodePool as it was last written, if np is still the version before.
func (s *memoryStore) newest(np *v1.NodePool) *v1.NodePool {
	if w, ok := s.written[np.Name]; ok {
		if w.over == np.ResourceVersion {
			return w.nodePool
		}
		delete(s.written, np.Name)
	}
	return np
}

// save writes a memory. It is an error if the NodePool has changed meanwhile. See newest for what is written then.
func (s *memoryStore) save(ctx context.Context, kube client.Client, np *v1.NodePool, m disruptkit.Memory) error {
	to := np.DeepCopy()
	if err := annotate(to, m); err != nil {
		return err
	}
	patch := client.MergeFromWithOptions(np, client.MergeFromWithOptimisticLock{})
	if err := kube.Patch(ctx, to, patch); err != nil {
		return err
	}
	if s.written == nil {
		s.written = map[string]writtenPool{}
	}
	s.written[np.Name] = writtenPool{np.ResourceVersion, to}
	delete(s.failures, np.Name)
	return nil
}

// failure returns how the last write of a NodePool's memory failed, if it did.
func (s *memoryStore) failure(np *v1.NodePool) (f failure, failed bool) {
	f, failed = s.failures[np.Name]
	if failed && f.uid != np.UID { // it was of another NodePool with that name
		return failure{}, false
	}
	return f, failed
}

// fail records that the memory of a NodePool could not be written.
func (s *memoryStore) fail(np *v1.NodePool, now time.Time, err error) failure {
	memoryFailures.WithLabelValues(np.Name).Inc()
	f, _ := s.failure(np)
	f.uid, f.err = np.UID, err
	wait := firstRetry
	if !apierrors.IsConflict(err) && !errors.Is(err, errMemoryChanged) {
		for range f.times {
			wait = min(2*wait, lastRetry)
		}
		f.times++
	}
	f.retry = now.Add(wait)
	if s.failures == nil {
		s.failures = map[string]failure{}
	}
	s.failures[np.Name] = f
	return f
}

// longestWaitFirst returns the names of pools: first those that have not failed, then those that wait for longest.
func (s *memoryStore) longestWaitFirst(pools map[string]disruptkit.Memory) []string {
	names := sortedKeys(pools)
	slices.SortStableFunc(names, func(a, b string) int { return s.failures[a].retry.Compare(s.failures[b].retry) })
	return names
}

// String says what has failed, and when it is tried again.
func (f failure) String() string {
	at := f.retry.UTC().Format(time.RFC3339)
	return fmt.Sprintf("the annotation %s cannot be written: %.400v; next try at %s", MemoryAnnotation, f.err, at)
}

// annotate writes a memory into the annotations of a NodePool, and removes what older guards wrote.
func annotate(np *v1.NodePool, m disruptkit.Memory) error {
	text, err := annotation.MemoryText(m)
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

// store stores the memories that a decision on a snapshot has changed. It returns the pools whose memory could not be
// stored: nothing that was decided with it may start. They are held back from now on, and get an event. Their memory is
// not written again before its next try. If one such try fails, others wait, since each may take until a timeout.
//
// A memory is not stored if it has changed since an earlier snapshot, on which the decision was based. Launches that
// have ended, and are in the memories that are stored, are forgotten. The error is that of the context.
func (c *Cluster) store(
	ctx context.Context, earlier, s *snapshot, after map[string]disruptkit.Memory, ended []*launch,
) (failed map[string]bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	failed = map[string]bool{}
	retried := false // in vain
	for _, name := range c.memory.longestWaitFirst(after) {
		np := s.nodePools[name]
		if np == nil || after[name].Equal(s.stored[name]) && !s.obsolete(name) {
			continue
		}
		np = c.memory.newest(np) // its status may have been written since the snapshot
		f, again := c.memory.failure(np)
		if !again || !retried && !f.retry.After(s.Now) {
			err := errMemoryChanged
			if s.stored[name].Equal(earlier.stored[name]) {
				err = c.memory.save(ctx, c.Client, np, after[name])
			}
			if ctx.Err() != nil {
				return nil, ctx.Err() // no pool is at fault
			}
			if err == nil {
				s.nodePools[name], s.stored[name] = c.memory.newest(np), after[name]
				continue
			}
			f, retried = c.memory.fail(np, c.Clock.Now(), err), again || retried
			c.tellFailure(ctx, s, name, f)
		}
		if s.annotated[name] {
			failed[name] = true
			s.hold(name, f)
		}
	}
	c.forgetLaunches(ended, after, failed)
	return failed, nil
}

// tellFailure says in an event, and in the log, that the memory of a pool could not be written.
func (c *Cluster) tellFailure(ctx context.Context, s *snapshot, pool string, f failure) {
	log.FromContext(ctx).Error(f.err, "writing the memory of a NodePool", "NodePool", pool)
	message := "Nodes are not disrupted: " + f.String()
	if !s.annotated[pool] {
		message = "A memory without a policy stays: " + f.String()
	}
	same := string(apierrors.ReasonForError(f.err))
	c.Recorder.Publish(event(s.nodePools[pool], corev1.EventTypeWarning, MemoryNotStoredEvent, message, same))
}

// obsolete reports whether a NodePool has a memory, but no policy any more.
func (s *snapshot) obsolete(pool string) bool {
	annotations := s.nodePools[pool].Annotations
	_, memory := annotations[MemoryAnnotation]
	_, roll := annotations[RollAnnotation]
	return (memory || roll) && !s.annotated[pool]
}

// hold holds back the nodes of a pool whose memory could not be written.
func (s *snapshot) hold(pool string, f failure) {
	s.held[pool] = true
	for i := range s.Pools {
		if p := &s.Pools[i]; p.Name == pool {
			by := candidate.Blocker{Gate: candidate.GateBudget, Code: CodeNotStored, Message: f.String()}
			p.Blockers = append(slices.Clip(p.Blockers), by)
		}
	}
}
