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

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
)

// MemoryNotStoredEvent is the reason of events about NodePools and DisruptionPolicies whose memory the guard could not
// write.
const MemoryNotStoredEvent = "DisruptionMemoryNotStored"

// A failed write of a memory is tried again after firstRetry, and then after twice as long each time, up to lastRetry.
// After a conflict with another writer, it is always firstRetry.
const (
	firstRetry = 10 * time.Second
	lastRetry  = 5 * time.Minute
)

// errMemoryChanged means that a decision was made with a memory that is no longer there.
var errMemoryChanged = errors.New("another client has changed it since the decision")

// A memoryStore keeps memories in annotations: those of NodePools, by their names, and of DisruptionPolicies, by the keys
// of their groups. The zero memoryStore is ready for use.
type memoryStore struct {
	written  map[string]written
	failures map[string]failure // since a memory was last written
}

// A written object is one as it was written over a version that caches may still show.
type written struct {
	over string
	as   client.Object
}

// A failure to write a memory.
type failure struct {
	uid   types.UID
	err   error
	times int       // how often it has failed, other than by conflicts
	retry time.Time // when it is tried again; its nodes are blocked until then
}

// forget forgets objects that are gone, and counts 0 failures of those that are new: of a count that began above 0, Prometheus would miss the
// first failures.
func (s *memoryStore) forget(there map[string]client.Object) {
	for key := range there {
		memoryFailures.WithLabelValues(key)
	}
	maps.DeleteFunc(s.written, func(key string, _ written) bool { return there[key] == nil })
	maps.DeleteFunc(s.failures, func(key string, _ failure) bool { return there[key] == nil })
}

// newest returns an object as it was last written, if o is still the version before.
func (s *memoryStore) newest(key string, o client.Object) client.Object {
	if w, ok := s.written[key]; ok {
		if w.over == o.GetResourceVersion() {
			return w.as
		}
		delete(s.written, key)
	}
	return o
}

// save writes a memory. It is an error if the object has changed meanwhile. See newest for what is written then.
func (s *memoryStore) save(ctx context.Context, kube client.Client, key string, o client.Object, m disruptkit.Memory) error {
	to := o.DeepCopyObject().(client.Object)
	if err := annotate(to, m); err != nil {
		return err
	}
	patch := client.MergeFromWithOptions(o, client.MergeFromWithOptimisticLock{})
	if err := kube.Patch(ctx, to, patch); err != nil {
		return err
	}
	if s.written == nil {
		s.written = map[string]written{}
	}
	s.written[key] = written{o.GetResourceVersion(), to}
	delete(s.failures, key)
	return nil
}

// failure returns how the last write of an object's memory failed, if it did.
func (s *memoryStore) failure(key string, o client.Object) (f failure, failed bool) {
	f, failed = s.failures[key]
	if failed && f.uid != o.GetUID() { // it was of another object with that name
		return failure{}, false
	}
	return f, failed
}

// fail records that the memory of an object could not be written.
func (s *memoryStore) fail(key string, o client.Object, now time.Time, err error) failure {
	memoryFailures.WithLabelValues(key).Inc()
	f, _ := s.failure(key, o)
	f.uid, f.err = o.GetUID(), err
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
	s.failures[key] = f
	return f
}

// longestWaitFirst returns the keys of memories: first those that have not failed, then those that wait for longest.
func (s *memoryStore) longestWaitFirst(memories map[string]disruptkit.Memory) []string {
	keys := sortedKeys(memories)
	slices.SortStableFunc(keys, func(a, b string) int { return s.failures[a].retry.Compare(s.failures[b].retry) })
	return keys
}

// String describes what has failed, and when it is tried again.
func (f failure) String() string {
	at := f.retry.UTC().Format(time.RFC3339)
	return fmt.Sprintf("the annotation %s cannot be written: %.400v; next try at %s", MemoryAnnotation, f.err, at)
}

// annotate writes a memory into the annotations of an object.
func annotate(o client.Object, m disruptkit.Memory) error {
	text, err := annotation.MemoryText(m)
	if err != nil {
		return err
	}
	annotations := maps.Clone(o.GetAnnotations())
	delete(annotations, MemoryAnnotation)
	if text != "" {
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[MemoryAnnotation] = text
	}
	o.SetAnnotations(annotations)
	return nil
}

// store stores the memories that a decision on a snapshot has changed. It returns those that could not be stored: nothing
// that was decided with them may start. Their pools are blocked from now on, and their objects get an event. They are
// not written again before their next try. If one such try fails, others wait, since each may take until a timeout.
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
	for _, key := range c.memory.longestWaitFirst(after) {
		o := s.keeper(key)
		if o == nil || after[key].Equal(s.stored[key]) && !s.obsolete(key) {
			continue
		}
		o = c.memory.newest(key, o) // its status may have been written since the snapshot
		f, again := c.memory.failure(key, o)
		if !again || !retried && !f.retry.After(s.Now) {
			err := errMemoryChanged
			if s.stored[key].Equal(earlier.stored[key]) {
				err = c.memory.save(ctx, c.Client, key, o, after[key])
			}
			if ctx.Err() != nil {
				return nil, ctx.Err() // no object is at fault
			}
			if err == nil {
				s.keep(key, c.memory.newest(key, o))
				s.stored[key] = after[key]
				continue
			}
			f, retried = c.memory.fail(key, o, c.Clock.Now(), err), again || retried
			c.tellFailure(ctx, s, key, f)
		}
		if s.obeys(key) {
			failed[key] = true
			s.hold(key, f)
		}
	}
	c.forgetLaunches(ended, after, failed)
	return failed, nil
}

// tellFailure reports in an event, and in the log, that a memory could not be written.
func (c *Cluster) tellFailure(ctx context.Context, s *snapshot, key string, f failure) {
	o := s.keeper(key)
	kind := disruptionpolicy.Kind
	if s.nodePools[key] != nil {
		kind = "NodePool"
	}
	log.FromContext(ctx).Error(f.err, "writing the memory of a "+kind, kind, o.GetName())
	message := "Nodes are not disrupted: " + f.String()
	if !s.obeys(key) {
		message = "A memory without a policy stays: " + f.String()
	}
	same := string(apierrors.ReasonForError(f.err))
	c.Recorder.Publish(event(o, corev1.EventTypeWarning, MemoryNotStoredEvent, message, same))
}

// obsolete reports whether a NodePool has a memory, but no policy any more.
func (s *snapshot) obsolete(key string) bool {
	_, memory := s.keeper(key).GetAnnotations()[MemoryAnnotation]
	return memory && !s.obeys(key)
}

// block holds the nodes of a pool, or of a policy's pools, whose memory could not be written.
func (s *snapshot) hold(key string, f failure) {
	s.held[key] = true
	by := candidate.Blocker{Gate: candidate.GateBudget, Code: CodeNotStored, Message: f.String()}
	for i := range s.Pools {
		if p := &s.Pools[i]; p.Name == key {
			p.Blockers = append(slices.Clip(p.Blockers), by)
		}
	}
	for i := range s.Groups {
		if g := &s.Groups[i]; g.Key() == key {
			g.Blockers = append(slices.Clip(g.Blockers), by)
		}
	}
}
