package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/kubectl/pkg/drain"

	"github.com/disruptkit/disruptkit/adapters/internal/cluster"
	"github.com/disruptkit/disruptkit/adapters/internal/server"
)

const zone = "topology.kubernetes.io/zone"

// A story is a cluster of three zones on a real API server, with a kubelet that ends evicted pods, and somebody who does the maintenance of
// drained nodes and then asks no more.
type story struct {
	*testing.T
	ctx    context.Context
	config *rest.Config
	client kubernetes.Interface
	pools  cluster.Policy

	mu    sync.Mutex
	went  map[string]bool // nodes that were cordoned by the drainer
	most  int             // at once
	mixed bool            // in several zones at once
}

func tell(t *testing.T, config *rest.Config, policy string) *story {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	s := &story{T: t, ctx: ctx, config: config, client: kubernetes.NewForConfigOrDie(config), went: map[string]bool{}}
	t.Cleanup(cancel)
	s.pools = must(cluster.ParsePolicy([]byte(policy), Maintenance))
	for i := range 6 {
		name := fmt.Sprintf("%c%d", 'a'+i%3, i/3)
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{zone: name[:1]}}}
		n = must(s.client.CoreV1().Nodes().Create(ctx, n, metav1.CreateOptions{}))
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()}}
		must(s.client.CoreV1().Nodes().UpdateStatus(ctx, n, metav1.UpdateOptions{}))
		must(s.client.CoreV1().Pods("default").Create(ctx, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: "web-" + name, Labels: map[string]string{"app": "web"}, OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web", UID: "1", Controller: new(true),
			}}},
			Spec: corev1.PodSpec{NodeName: name, Containers: []corev1.Container{{Name: "web", Image: "web"}}},
		}, metav1.CreateOptions{}))
	}
	t.Cleanup(s.clean)
	return s
}

// clean leaves the server as it was, for the next story.
func (s *story) clean() {
	ctx, now := context.Background(), int64(0)
	s.Check(s.client.CoreV1().Nodes().DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
	s.Check(s.client.CoreV1().Pods("default").DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: &now}, metav1.ListOptions{}))
	s.Check(s.client.CoreV1().ConfigMaps("default").DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
}

func (s *story) Check(err error) {
	s.Helper()
	if err != nil {
		s.Error(err)
	}
}

// ask asks maintenance for all nodes, by the condition, or by the annotation or the label.
func (s *story) ask() {
	for i, n := range must(s.client.CoreV1().Nodes().List(s.ctx, metav1.ListOptions{})).Items {
		switch i % 3 {
		case 0:
			n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{Type: planned, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()})
			must(s.client.CoreV1().Nodes().UpdateStatus(s.ctx, &n, metav1.UpdateOptions{}))
		case 1:
			s.Check(cluster.Patch(s.ctx, s.client, &n, map[string]any{"metadata": map[string]any{"annotations": map[string]any{"maintenance": "kernel"}}}))
		case 2:
			s.Check(cluster.Patch(s.ctx, s.client, &n, map[string]any{"metadata": map[string]any{"labels": map[string]any{"maintenance": "kernel"}}}))
		}
	}
}

// watch looks at every version of every node.
func (s *story) watch() {
	w := must(s.client.CoreV1().Nodes().Watch(s.ctx, metav1.ListOptions{}))
	s.Cleanup(w.Stop)
	go func() {
		going := map[string]bool{}
		for e := range w.ResultChan() {
			n, ok := e.Object.(*corev1.Node)
			if !ok {
				continue
			}
			going[n.Name] = n.Spec.Unschedulable
			maps.DeleteFunc(going, func(_ string, goes bool) bool { return !goes })
			zones := map[string]bool{}
			for name := range going {
				zones[name[:1]] = true
			}
			s.mu.Lock()
			s.most, s.mixed = max(s.most, len(going)), s.mixed || len(zones) > 1
			if _, marked := n.Annotations[Cordoned]; marked {
				s.went[n.Name] = true
			}
			s.mu.Unlock()
		}
	}()
}

// elapse is what others do in the meantime.
func (s *story) elapse() {
	now := int64(0)
	for _, p := range must(s.client.CoreV1().Pods("default").List(s.ctx, metav1.ListOptions{})).Items {
		if p.DeletionTimestamp != nil {
			s.Check(s.client.CoreV1().Pods("default").Delete(s.ctx, p.Name, metav1.DeleteOptions{GracePeriodSeconds: &now}))
		}
	}
	for _, n := range must(s.client.CoreV1().Nodes().List(s.ctx, metav1.ListOptions{})).Items {
		if cluster.Condition(&n, drained).Status != corev1.ConditionTrue {
			continue
		}
		if cluster.Condition(&n, planned).Status == corev1.ConditionTrue {
			for i := range n.Status.Conditions {
				if n.Status.Conditions[i].Type == planned {
					n.Status.Conditions[i].Status = corev1.ConditionFalse
				}
			}
			must(s.client.CoreV1().Nodes().UpdateStatus(s.ctx, &n, metav1.UpdateOptions{}))
		} else if _, asks := s.drainer(s.client).asked(&n); asks.Reason != "" {
			s.Check(cluster.Patch(s.ctx, s.client, &n, map[string]any{"metadata": map[string]any{
				"annotations": map[string]any{"maintenance": nil}, "labels": map[string]any{"maintenance": nil},
			}}))
		}
	}
}

// drainer returns one that has just started.
func (s *story) drainer(client kubernetes.Interface) *drainer {
	return &drainer{
		Reader: cluster.Reader{Client: client, Policy: s.pools}, Store: cluster.Store{Client: client, Namespace: "default", Name: "drainer"},
		helper: drain.Helper{}, key: "maintenance", log: func(format string, args ...any) { s.Logf(format, args...) },
	}
}

// crashing is a client whose every nth write fails: whoever uses it may as well have crashed there.
func (s *story) crashing(every int64) kubernetes.Interface {
	writes := atomic.Int64{}
	return s.failing(func(string) bool { return writes.Add(1)%every == 0 })
}

// failing is a client some of whose writes fail, by their paths.
func (s *story) failing(fails func(path string) bool) kubernetes.Interface {
	config := rest.CopyConfig(s.config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			if r.Method != http.MethodGet && fails(r.URL.Path) {
				return nil, errors.New("the drainer crashed")
			}
			return next.RoundTrip(r)
		})
	})
	return kubernetes.NewForConfigOrDie(config)
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// run runs a new drainer for each pass, two of them at a time, until no node is asked for and none is cordoned.
func (s *story) run(client kubernetes.Interface) {
	s.Helper()
	for s.ctx.Err() == nil {
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if _, err := s.drainer(client).pass(s.ctx); err != nil {
					s.Logf("a pass fails: %v", err)
				}
			})
		}
		both.Wait()
		s.elapse()
		if !slices.ContainsFunc(must(s.client.CoreV1().Nodes().List(s.ctx, metav1.ListOptions{})).Items, func(n corev1.Node) bool {
			asked, _ := s.drainer(client).asked(&n)
			return asked || n.Spec.Unschedulable
		}) {
			return
		}
	}
	s.Fatal("the story has not come to its end")
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// One server for all stories: it takes a while to start.
func TestServer(t *testing.T) {
	config := server.Start(t)
	const one = `pools: [{name: workers, selector: "", disruption: {budgets: [{nodes: "1"}]}}]`

	t.Run("no more nodes are drained at once than the budget allows, whenever two drainers crash", func(t *testing.T) {
		s := tell(t, config, one)
		s.ask()
		s.watch()
		s.run(s.crashing(3))
		s.all(1, true)
	})
	t.Run("one zone is drained after the other", func(t *testing.T) {
		s := tell(t, config, `pools: [{name: workers, selector: "", disruption: {budgets: [{nodes: "2", topologyKey: topology.kubernetes.io/zone, sequential: true}]}}]`)
		s.ask()
		s.watch()
		s.run(s.client)
		s.all(2, false)
	})
	t.Run("a drainer that allows one node too many is found out", func(t *testing.T) {
		s := tell(t, config, `pools: [{name: workers, selector: "", disruption: {budgets: [{nodes: "2"}]}}]`)
		s.ask()
		s.watch()
		s.run(s.client)
		s.all(2, true)
		if s.most < 2 || !s.mixed {
			t.Errorf("two nodes in two zones may be disrupted, and the watch has seen %d, in several zones: %t", s.most, s.mixed)
		}
	})
	t.Run("a node that somebody else has cordoned counts, and stays as it is", func(t *testing.T) {
		s := tell(t, config, one)
		n := must(s.client.CoreV1().Nodes().Get(s.ctx, "b0", metav1.GetOptions{}))
		s.Check(cluster.Patch(s.ctx, s.client, n, map[string]any{"spec": map[string]any{"unschedulable": true}}))
		s.ask()
		s.watch()
		for range 3 {
			must(s.drainer(s.client).pass(s.ctx))
			s.elapse()
		}
		if n = must(s.client.CoreV1().Nodes().Get(s.ctx, "b0", metav1.GetOptions{})); !n.Spec.Unschedulable || len(s.went) > 0 {
			t.Errorf("b0 is cordoned: %t; the drainer has cordoned %v", n.Spec.Unschedulable, s.went)
		}
	})
	t.Run("what cannot be stored does not start", func(t *testing.T) {
		s := tell(t, config, one)
		s.ask()
		if _, err := s.drainer(s.failing(func(path string) bool { return strings.Contains(path, "/configmaps") })).pass(s.ctx); err == nil {
			t.Error("a pass that cannot store is no error")
		}
		if names := s.cordoned(); len(names) > 0 {
			t.Errorf("%v are cordoned", names)
		}
	})
	t.Run("what was stored and did not start is in flight after a restart", func(t *testing.T) {
		s := tell(t, config, one)
		s.ask()
		if _, err := s.drainer(s.failing(func(path string) bool { return strings.Contains(path, "/nodes/") })).pass(s.ctx); err == nil {
			t.Error("a pass that cannot cordon is no error")
		}
		stored := must((&cluster.Store{Client: s.client, Namespace: "default", Name: "drainer"}).Load(s.ctx)).Nodes
		first := slices.Sorted(maps.Keys(stored))
		for _, n := range must(s.client.CoreV1().Nodes().List(s.ctx, metav1.ListOptions{})).Items {
			since := "2001-01-01T00:00:00Z"
			if slices.Contains(first, n.Name) {
				since = "2026-01-01T00:00:00Z" // now the others are older, and would be disrupted first
			}
			s.Check(cluster.Patch(s.ctx, s.client, &n, map[string]any{"metadata": map[string]any{"annotations": map[string]any{"maintenance": since}}}))
		}
		must(s.drainer(s.client).pass(s.ctx))
		if names := s.cordoned(); len(first) != 1 || !slices.Equal(names, first) {
			t.Errorf("%v was stored, and %v are cordoned", first, names)
		}
	})
	t.Run("a PodDisruptionBudget that is spent blocks nodes", func(t *testing.T) {
		s := tell(t, config, one)
		pdb := must(s.client.PolicyV1().PodDisruptionBudgets("default").Create(s.ctx, &policyv1.PodDisruptionBudget{
			ObjectMeta: metav1.ObjectMeta{Name: "web"},
			Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}},
		}, metav1.CreateOptions{}))
		s.ask()
		s.watch()
		must(s.drainer(s.client).pass(s.ctx))
		if len(s.went) > 0 {
			t.Errorf("%v went", s.went)
		}
		s.Check(s.client.PolicyV1().PodDisruptionBudgets("default").Delete(s.ctx, pdb.Name, metav1.DeleteOptions{}))
		s.run(s.client)
		s.all(1, true)
	})
}

// cordoned returns the nodes that are, by name.
func (s *story) cordoned() (names []string) {
	for _, n := range must(s.client.CoreV1().Nodes().List(s.ctx, metav1.ListOptions{})).Items {
		if n.Spec.Unschedulable {
			names = append(names, n.Name)
		}
	}
	slices.Sort(names)
	return names
}

// all checks that all nodes were drained, at most so many at once.
func (s *story) all(most int, mixed bool) {
	s.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.went) != 6 || s.most > most || s.mixed && !mixed {
		s.Errorf("%d of 6 nodes were drained, %d at once (the budget is %d), in several zones at once: %t", len(s.went), s.most, most, s.mixed)
	}
	for _, n := range must(s.client.CoreV1().Nodes().List(s.ctx, metav1.ListOptions{})).Items {
		if _, marked := n.Annotations[Cordoned]; marked || cluster.Condition(&n, drained).Status != corev1.ConditionFalse {
			s.Errorf("%s is not as it was: %v", n.Name, n.Status.Conditions)
		}
	}
}
