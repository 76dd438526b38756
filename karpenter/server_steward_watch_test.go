package karpenter_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// A watcher sees each version of each node and NodeClaim, whatever the steward and Karpenter see of them, and looks at all of them in the
// order in which the API server wrote them.
type watcher struct {
	mu    sync.Mutex
	ahead []sighting // not looked at yet

	nodes     map[string]nodeSeen
	ends      map[string]bool // by provider ID: the instance terminates, as there is no NodeClaim any more, or it says so
	most      limits
	peak      int
	released  map[string]bool // all nodes that ever were
	order     []string        // in which they first were
	bornBare  []string        // nodes that were not held when they joined their NodePool
	violation string
	last      []string // what was looked at, for whoever has to find out why a limit was exceeded
}

// A sighting is a version of an object, or a change of what may be.
type sighting struct {
	revision uint64
	at       time.Time
	what     string
	look     func(w *watcher, at time.Time)
}

type nodeSeen struct {
	zone, id  string
	joined    bool // a NodePool
	disrupted bool
	mayTake   bool // Karpenter, until a time
	until     time.Time
}

// watch begins to watch nodes and NodeClaims.
func watch(t *testing.T, cfg *rest.Config) *watcher {
	t.Helper()
	w := &watcher{nodes: map[string]nodeSeen{}, ends: map[string]bool{}, released: map[string]bool{}, most: noLimits}
	all := must(cache.New(cfg, cache.Options{Scheme: scheme.Scheme}))
	ctx, stop := context.WithCancel(context.Background())
	for _, o := range []client.Object{&corev1.Node{}, &v1.NodeClaim{}} {
		informer := must(all.GetInformer(ctx, o, cache.BlockUntilSynced(false)))
		must(informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
			AddFunc:    func(o any) { w.note(o.(client.Object), false) },
			UpdateFunc: func(_, o any) { w.note(o.(client.Object), false) },
			DeleteFunc: func(o any) {
				if last, missed := o.(toolscache.DeletedFinalStateUnknown); missed {
					o = last.Obj
				}
				w.note(o.(client.Object), true)
			},
		}))
	}
	var ended sync.WaitGroup
	ended.Go(func() { _ = all.Start(ctx) })
	t.Cleanup(func() { stop(); ended.Wait() })
	if !all.WaitForCacheSync(ctx) {
		t.Fatal("the watcher sees nothing")
	}
	return w
}

// limits are how many nodes may be in flight or released at once, and of how many zones.
type limits struct{ nodes, zones int }

var noLimits = limits{1 << 20, 1 << 20}

func ofOneZone(nodes int) limits { return limits{nodes, 1} }

// note notes a version of an object.
func (w *watcher) note(o client.Object, gone bool) {
	revision, err := strconv.ParseUint(o.GetResourceVersion(), 10, 64)
	if err != nil {
		panic(err)
	}
	name := o.GetName()
	what := fmt.Sprintf("%T %s gone: %t", o, name, gone)
	switch o := o.(type) {
	case *corev1.Node:
		what += fmt.Sprintf(" %+v", look(o))
	case *v1.NodeClaim:
		what += fmt.Sprintf(" %s terminates: %t", o.Status.ProviderID, terminates(o))
	}
	w.add(revision, what, func(w *watcher, at time.Time) {
		switch o := o.(type) {
		case *corev1.Node:
			if !w.nodes[name].joined && o.Labels[v1.NodePoolLabelKey] != "" && annotation.ReadMark(o.Annotations).Disrupt == annotation.None {
				w.bornBare = append(w.bornBare, name)
			}
			if delete(w.nodes, name); !gone {
				w.nodes[name] = look(o)
			}
		case *v1.NodeClaim:
			w.ends[o.Status.ProviderID] = gone || terminates(o)
		}
	})
}

func terminates(c *v1.NodeClaim) bool {
	return c.StatusConditions().Get(v1.ConditionTypeInstanceTerminating).IsTrue()
}

func look(n *corev1.Node) nodeSeen {
	mark := annotation.ReadMark(n.Annotations)
	return nodeSeen{
		zone: n.Labels[corev1.LabelTopologyZone], id: n.Spec.ProviderID, joined: n.Labels[v1.NodePoolLabelKey] != "",
		until: mark.Until, mayTake: mark.Disrupt == annotation.None || mark.Repair == annotation.None,
		disrupted: slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == v1.DisruptedTaintKey }),
	}
}

func (w *watcher) add(revision uint64, what string, look func(*watcher, time.Time)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ahead = append(w.ahead, sighting{revision, time.Now(), what, look})
}

// check looks at all that was written before a time, and returns what has first exceeded a limit. What comes later may still be incomplete:
// two watches show it.
func (w *watcher) check(before time.Time) (violation string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.SortStableFunc(w.ahead, func(a, b sighting) int { return int(int64(a.revision - b.revision)) })
	for len(w.ahead) > 0 && w.ahead[0].at.Before(before) && w.violation == "" {
		next := w.ahead[0]
		w.ahead = w.ahead[1:]
		w.last = append(w.last, fmt.Sprintf("%d %s %s", next.revision, next.at.UTC().Format("15:04:05.000"), next.what))
		next.look(w, next.at)
		w.count(next.at)
	}
	return w.violation
}

// count counts the nodes that are in flight or may be taken. As for Karpenter, a node whose instance terminates uses up no budget any more.
func (w *watcher) count(at time.Time) {
	going := map[string][]string{}
	count := 0
	for _, name := range slices.Sorted(maps.Keys(w.nodes)) {
		n := w.nodes[name]
		released := n.mayTake && !n.disrupted && n.until.After(at)
		if released && !w.released[name] {
			w.released[name], w.order = true, append(w.order, name)
		}
		ended, known := w.ends[n.id]
		if released || n.disrupted && known && !ended {
			going[n.zone] = append(going[n.zone], name)
			count++
		}
	}
	if w.peak = max(w.peak, count); count > w.most.nodes || len(going) > w.most.zones {
		w.violation = fmt.Sprintf("%s: %d nodes are in flight or released, of zones %v: at most %d may be, of %d zones",
			at.UTC().Format(time.TimeOnly), count, going, w.most.nodes, w.most.zones)
	}
}

// may describes how many nodes may be in flight or released at once from now on.
func (s *stewarded) may(most limits) {
	s.t.Helper()
	var list corev1.NodeList
	if err := s.Client.List(s.t.Context(), &list, client.Limit(1)); err != nil {
		s.t.Fatal(err)
	}
	revision, err := strconv.ParseUint(list.ResourceVersion, 10, 64)
	if err != nil {
		s.t.Fatal(err)
	}
	s.watcher.add(revision, fmt.Sprint("may be: ", most), func(w *watcher, _ time.Time) { w.most = most })
}

// settled is how long after a version was written all watches have told it.
const settled = 3 * time.Second

// inLimits ends the story if more nodes are in flight, or released, than may be, or nodes of more zones.
func (s *stewarded) inLimits() {
	s.t.Helper()
	if violation := s.watcher.check(time.Now().Add(-settled)); violation != "" {
		last := s.watcher.last
		s.t.Fatalf("%s, after\n%s", violation, strings.Join(last[max(0, len(last)-40):], "\n"))
	}
}

// wasReleased reports whether a node was ever released.
func (s *stewarded) wasReleased(name string) bool {
	s.watcher.check(time.Now().Add(-settled))
	s.watcher.mu.Lock()
	defer s.watcher.mu.Unlock()
	return s.watcher.released[name]
}
