package world

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
)

// store is where the fake client keeps objects. What is read comes from a copy of them, as from a manager's cache, and
// what has finalizers gets the time of its deletion by the fake clock.
type store struct {
	clienttesting.ObjectTracker
	clock *fakeClock

	mu     sync.Mutex
	cached map[schema.GroupVersionResource]map[client.ObjectKey]client.Object
	sorted map[schema.GroupVersionResource][]client.Object                       // what has been listed since it was last written
	index  map[schema.GroupVersionResource]map[string]map[string][]client.Object // of sorted, by a field and what it holds
	changes
}

func newStore(clock *fakeClock) *store {
	return &store{
		ObjectTracker: clienttesting.NewObjectTracker(scheme.Scheme, scheme.Codecs.UniversalDecoder()),
		clock:         clock,
		cached:        map[schema.GroupVersionResource]map[client.ObjectKey]client.Object{},
		sorted:        map[schema.GroupVersionResource][]client.Object{},
		index:         map[schema.GroupVersionResource]map[string]map[string][]client.Object{},
		changes:       changes{at: map[string]int{}},
	}
}

// get returns an object, or nil. Nobody may change it.
func (s *store) get(gvr schema.GroupVersionResource, key client.ObjectKey) client.Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cached[gvr][key]
}

// list returns all objects in the order of their names. Nobody may change them.
func (s *store) list(gvr schema.GroupVersionResource) []client.Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	if all, is := s.sorted[gvr]; is {
		return all
	}
	keys := slices.SortedFunc(maps.Keys(s.cached[gvr]), func(x, y client.ObjectKey) int {
		return strings.Compare(x.Namespace+"/"+x.Name, y.Namespace+"/"+y.Name)
	})
	var all []client.Object
	for _, key := range keys {
		all = append(all, s.cached[gvr][key])
	}
	s.sorted[gvr] = all
	return all
}

// having returns the objects in whose field a value is, in the order of their names, as from an index. Nobody may change
// them.
func (s *store) having(gvr schema.GroupVersionResource, path, value string) ([]client.Object, error) {
	all := s.list(gvr)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.index[gvr] == nil {
		s.index[gvr] = map[string]map[string][]client.Object{}
	}
	by := s.index[gvr][path]
	if by == nil {
		by = map[string][]client.Object{}
		for _, o := range all {
			is, err := field(o, path)
			if err != nil {
				return nil, err
			}
			by[is] = append(by[is], o)
		}
		s.index[gvr][path] = by
	}
	return by[value], nil
}

// written returns how much has been written.
func (s *store) written() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// changed reports whether an object, or what it is about, has been written since so much had been.
func (s *store) changed(o client.Object, since int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.after(o, since)
}

// refresh reads an object again that has been written.
func (s *store) refresh(gvr schema.GroupVersionResource, ns, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sorted, gvr)
	delete(s.index, gvr)
	key := client.ObjectKey{Namespace: ns, Name: name}
	was := s.cached[gvr][key]
	o, err := s.ObjectTracker.Get(gvr, ns, name)
	if err != nil {
		s.note(was, nil)
		delete(s.cached[gvr], key)
		return
	}
	s.note(was, o.(client.Object))
	if s.cached[gvr] == nil {
		s.cached[gvr] = map[client.ObjectKey]client.Object{}
	}
	s.cached[gvr][key] = o.(client.Object)
}

// Create implements testing.ObjectTracker.
func (s *store) Create(gvr schema.GroupVersionResource, o runtime.Object, ns string,
	opts ...metav1.CreateOptions) error {
	return s.write(gvr, o, ns, s.ObjectTracker.Create(gvr, o, ns, opts...))
}

// Update implements testing.ObjectTracker.
func (s *store) Update(gvr schema.GroupVersionResource, o runtime.Object, ns string,
	opts ...metav1.UpdateOptions) error {
	s.date(gvr, o, ns)
	return s.write(gvr, o, ns, s.ObjectTracker.Update(gvr, o, ns, opts...))
}

// Patch implements testing.ObjectTracker.
func (s *store) Patch(gvr schema.GroupVersionResource, o runtime.Object, ns string, opts ...metav1.PatchOptions) error {
	s.date(gvr, o, ns)
	return s.write(gvr, o, ns, s.ObjectTracker.Patch(gvr, o, ns, opts...))
}

// Delete implements testing.ObjectTracker.
func (s *store) Delete(gvr schema.GroupVersionResource, ns, name string, opts ...metav1.DeleteOptions) error {
	err := s.ObjectTracker.Delete(gvr, ns, name, opts...)
	s.refresh(gvr, ns, name)
	return err
}

func (s *store) write(gvr schema.GroupVersionResource, o runtime.Object, ns string, err error) error {
	if is, invalid := meta.Accessor(o); invalid == nil {
		s.refresh(gvr, ns, is.GetName())
	}
	return err
}

// date gives what is being deleted from now on the time of the fake clock, and so the conditions of NodeClaims that change: some of
// Karpenter's controllers date them by the real one.
func (s *store) date(gvr schema.GroupVersionResource, o runtime.Object, ns string) {
	is, err := meta.Accessor(o)
	if err != nil {
		return
	}
	was := s.get(gvr, client.ObjectKey{Namespace: ns, Name: is.GetName()})
	if claim, isClaim := o.(*v1.NodeClaim); isClaim && was != nil {
		before := map[string]metav1.ConditionStatus{}
		for _, c := range was.(*v1.NodeClaim).Status.Conditions {
			before[c.Type] = c.Status
		}
		for i := range claim.Status.Conditions {
			if c := &claim.Status.Conditions[i]; c.Status != before[c.Type] {
				c.LastTransitionTime = metav1.NewTime(s.clock.Now())
			}
		}
	}
	if is.GetDeletionTimestamp() == nil {
		return
	}
	if was != nil && was.GetDeletionTimestamp() == nil {
		now := metav1.NewTime(s.clock.Now())
		if pod, isPod := o.(*corev1.Pod); isPod {
			pod.DeletionGracePeriodSeconds = pod.Spec.TerminationGracePeriodSeconds
			now = metav1.NewTime(now.Add(time.Duration(ptr.Deref(pod.DeletionGracePeriodSeconds, 0)) * time.Second))
		}
		is.SetDeletionTimestamp(&now)
	}
}

// shorten lets a pod that is being deleted be killed after a time, unless it is before.
func (s *store) shorten(key client.ObjectKey, grace time.Duration) error {
	pods := corev1.SchemeGroupVersion.WithResource("pods")
	pod, is := s.get(pods, key).(*corev1.Pod)
	if !is || pod.DeletionTimestamp == nil {
		return nil
	}
	sooner := pod.DeletionTimestamp.Sub(s.clock.Now().Add(grace))
	if sooner <= 0 {
		return nil
	}
	pod = pod.DeepCopy()
	pod.DeletionTimestamp = &metav1.Time{Time: pod.DeletionTimestamp.Add(-sooner)}
	*pod.DeletionGracePeriodSeconds -= int64(sooner.Seconds())
	return s.write(pods, pod, key.Namespace, s.ObjectTracker.Update(pods, pod, key.Namespace))
}
