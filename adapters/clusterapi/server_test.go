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
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/test/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/disruptkit/disruptkit/adapters/internal/server"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/poll"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

const machines = 6

// A story is a Cluster of its own, with a control plane that others manage, and a MachineDeployment with machines in three zones.
type story struct {
	*testing.T
	ctx    context.Context
	config *rest.Config
	client client.WithWatch
	name   string // of all objects, and of the namespace

	mu    sync.Mutex
	now   map[string]state // by Machine
	went  []string         // Machines, in the order in which they were deleted
	most  int              // so many of the machines were not Available at once
	mixed bool             // machines of several zones were away at once
	deep  int              // so many of the two machines of one zone were
	seen  []string         // all of it, for people
}

// A state is what budgets are about.
type state struct {
	available, goes, outdated bool
	zone                      string
}

func tell(t *testing.T, config *rest.Config, name string, annotations map[string]string) *story {
	t.Helper()
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute) // the machine may be busy
	t.Cleanup(cancel)
	s := &story{T: t, ctx: ctx, config: config, client: must(client.NewWithWatch(config, client.Options{Scheme: testScheme})), name: name, now: map[string]state{}}
	ok(t, s.client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}))
	ok(t, s.client.Create(ctx, &corev1.Secret{
		ObjectMeta: s.meta(name + "-kubeconfig"), Type: clusterv1.ClusterSecretType, Data: map[string][]byte{"value": kubeconfig(config)},
	}))
	plane := builder.ControlPlane(name, name).Build()
	ok(t, s.client.Create(ctx, plane))
	ok(t, unstructured.SetNestedMap(plane.Object, map[string]any{"externalManagedControlPlane": true}, "status"))
	ok(t, s.client.Status().Update(ctx, plane))
	template := builder.InfrastructureMachineTemplate(name, name).Build()
	ok(t, s.client.Create(ctx, template))
	c := builder.Cluster(name, name).WithControlPlane(plane).Build()
	c.Spec.ControlPlaneEndpoint = clusterv1.APIEndpoint{Host: "test", Port: 6443}
	ok(t, s.client.Create(ctx, c))
	c.Status.Initialization = clusterv1.ClusterInitializationStatus{InfrastructureProvisioned: new(true), ControlPlaneInitialized: new(true)}
	for _, is := range []string{clusterv1.ClusterInfrastructureReadyCondition, clusterv1.ClusterControlPlaneInitializedCondition} {
		meta.SetStatusCondition(&c.Status.Conditions, metav1.Condition{Type: is, Status: metav1.ConditionTrue, Reason: "Test"})
	}
	ok(t, s.client.Status().Update(ctx, c))
	md := &clusterv1.MachineDeployment{ObjectMeta: s.meta(name), Spec: clusterv1.MachineDeploymentSpec{
		ClusterName: name, Replicas: new(int32(machines)),
		Selector: metav1.LabelSelector{MatchLabels: map[string]string{clusterv1.ClusterNameLabel: name, clusterv1.MachineDeploymentNameLabel: name}},
		Rollout: clusterv1.MachineDeploymentRolloutSpec{Strategy: clusterv1.MachineDeploymentRolloutStrategy{
			Type: clusterv1.OnDeleteMachineDeploymentStrategyType,
		}},
	}}
	md.Annotations = annotations
	md.Spec.Template.Labels = md.Spec.Selector.MatchLabels
	md.Spec.Template.Spec = clusterv1.MachineSpec{
		ClusterName: name, Bootstrap: clusterv1.Bootstrap{DataSecretName: new("first")},
		InfrastructureRef: clusterv1.ContractVersionedObjectReference{
			APIGroup: builder.InfrastructureGroupVersion.Group, Kind: template.GetKind(), Name: name,
		},
	}
	ok(t, s.client.Create(ctx, md))
	// Their zones come a little later: without them, zones would seem to lack Machines.
	s.until("all Machines are there", func() bool { return s.are(func(m state) bool { return m.available && m.zone != "" }) })
	s.watch()
	return s
}

func (s *story) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: s.name, Labels: map[string]string{clusterv1.ClusterNameLabel: s.name}}
}

// stateOf reads a Machine apart from the adapter.
func stateOf(m *clusterv1.Machine) state {
	return state{
		available: meta.IsStatusConditionTrue(m.Status.Conditions, clusterv1.MachineAvailableCondition), goes: m.DeletionTimestamp != nil,
		outdated: *m.Spec.Bootstrap.DataSecretName == "first", zone: m.Status.FailureDomain,
	}
}

func (s *story) list() []clusterv1.Machine {
	var list clusterv1.MachineList
	ok(s.T, s.client.List(s.ctx, &list, client.InNamespace(s.name)))
	return list.Items
}

// are reports whether all machines are so, and as many as there should be.
func (s *story) are(so func(state) bool) bool {
	list := s.list()
	return len(list) == machines && !slices.ContainsFunc(list, func(m clusterv1.Machine) bool { return !so(stateOf(&m)) })
}

func (s *story) until(what string, is func() bool) {
	s.Helper()
	for !is() {
		select {
		case <-s.ctx.Done():
			for _, m := range s.list() {
				s.Logf("%s: %+v %v", m.Name, stateOf(&m), m.Status.Conditions)
			}
			s.Fatalf("it never happened that %s", what)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// watch looks at every version of every Machine.
func (s *story) watch() {
	w := must(s.client.Watch(s.ctx, &clusterv1.MachineList{}, client.InNamespace(s.name)))
	for _, m := range s.list() {
		s.now[m.Name] = stateOf(&m)
	}
	s.Cleanup(w.Stop)
	go func() {
		for e := range w.ResultChan() {
			if m, is := e.Object.(*clusterv1.Machine); is {
				s.saw(m.Name, stateOf(m), string(e.Type) == "DELETED")
			}
		}
	}()
}

func (s *story) saw(name string, m state, gone bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.goes && !s.now[name].goes {
		s.went = append(s.went, name)
	}
	s.now[name] = m
	if gone {
		delete(s.now, name)
	}
	s.seen = append(s.seen, fmt.Sprintf("%s %+v gone: %t", name, m, gone))
	away, zones := machines, map[string]int{"a": machines / 3, "b": machines / 3, "c": machines / 3}
	for _, m := range s.now {
		if m.available && !m.goes {
			away--
			zones[m.zone]--
		}
	}
	for zone, n := range zones {
		if s.deep = max(s.deep, n); n <= 0 {
			delete(zones, zone)
		}
	}
	s.most, s.mixed = max(s.most, away), s.mixed || len(zones) > 1
}

// gone returns the Machines that were deleted, in order.
func (s *story) gone() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.went)
}

// outdate changes the template, and waits until Cluster API has seen it.
func (s *story) outdate() {
	s.patch(&clusterv1.MachineDeployment{ObjectMeta: s.meta(s.name)}, `{"spec":{"template":{"spec":{"bootstrap":{"dataSecretName":"second"}}}}}`)
	s.until("all Machines are outdated", func() bool {
		var md clusterv1.MachineDeployment
		ok(s.T, s.client.Get(s.ctx, types.NamespacedName{Namespace: s.name, Name: s.name}, &md))
		return md.Status.ObservedGeneration == md.Generation && !slices.ContainsFunc(s.list(), func(m clusterv1.Machine) bool {
			return !meta.IsStatusConditionFalse(m.Status.Conditions, clusterv1.MachineUpToDateCondition)
		})
	})
}

func (s *story) patch(o client.Object, change string) {
	s.Helper()
	ok(s.T, s.client.Patch(s.ctx, o, client.RawPatch(types.MergePatchType, []byte(change))))
}

// failing is a config for clients some of whose writes fail, by their requests.
func (s *story) failing(fails func(*http.Request) bool) *rest.Config {
	config := rest.CopyConfig(s.config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			if r.Method != http.MethodGet && fails(r) {
				return nil, errors.New("the adapter crashed")
			}
			return next.RoundTrip(r)
		})
	})
	return config
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// roller returns one that has just started.
func (s *story) roller(config *rest.Config) *roller {
	r := must(newRoller(config, types.NamespacedName{Namespace: s.name, Name: s.name}, 10*time.Minute, poll.New(new(httpget.Client), poll.YAML)))
	r.log = func(string, ...any) {}
	return r
}

// roll runs a new roller for each pass, two of them at a time, until all Machines are new.
func (s *story) roll(config *rest.Config, and ...func()) {
	s.Helper()
	s.until("all Machines are new", func() bool {
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if _, err := s.roller(config).pass(s.ctx); err != nil && s.ctx.Err() == nil && !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) {
					s.Logf("a pass fails: %v", err)
				}
			})
		}
		both.Wait()
		for _, do := range and {
			do()
		}
		return s.are(func(m state) bool { return m.available && !m.outdated && !m.goes })
	})
}

// fault returns what is wrong with a roll of all Machines.
func (s *story) fault(most int, mixed bool) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var faults []string
	if len(s.went) != machines {
		faults = append(faults, "not every Machine went once")
	}
	if s.most > most {
		faults = append(faults, "too many at once")
	}
	if s.mixed && !mixed {
		faults = append(faults, "several zones at once")
	}
	if len(faults) > 0 {
		s.Logf("%d of %d Machines went, %d at once (the budget is %d), in several zones at once: %t\n%s", len(s.went), machines, s.most, most, s.mixed,
			strings.Join(s.seen, "\n"))
	}
	return strings.Join(faults, ", ")
}

func (s *story) faultless(most int, mixed bool) {
	s.Helper()
	if fault := s.fault(most, mixed); fault != "" {
		s.Error(fault)
	}
}

func disruption(policy string) map[string]string {
	return map[string]string{annotation.Disruption: policy}
}

// One server for all stories: it takes a while to start.
func TestServer(t *testing.T) {
	config := server.Start(t)
	startClusterAPI(t, config)
	t.Run("stories", func(t *testing.T) { stories(t, config) }) // it waits for all of them
}

func stories(t *testing.T, config *rest.Config) {
	const one = `budgets: [{nodes: "1"}]`
	t.Run("no more Machines are replaced at once than the budget allows, whenever two adapters crash", func(t *testing.T) {
		s := tell(t, config, "one", disruption(one))
		s.outdate()
		writes := atomic.Int64{}
		s.roll(s.failing(func(*http.Request) bool { return writes.Add(1)%3 == 0 }))
		s.faultless(1, true)
	})
	t.Run("one zone is replaced after the other", func(t *testing.T) {
		s := tell(t, config, "zones", disruption(`budgets: [{nodes: "2", topologyKey: topology.kubernetes.io/zone, sequential: true}]`))
		s.outdate()
		s.roll(config)
		s.faultless(2, false)
	})
	t.Run("one of each zone may be disrupted at once, and no more", func(t *testing.T) {
		s := tell(t, config, "each", disruption(`budgets: [{nodes: "1", topologyKey: topology.kubernetes.io/zone}]`))
		s.outdate()
		s.roll(config)
		s.faultless(3, true)
		if s.deep != 1 || s.most != 3 {
			t.Errorf("%d were away at once, %d of one zone", s.most, s.deep)
		}
	})
	t.Run("two may be disrupted at once, and do", func(t *testing.T) {
		s := tell(t, config, "two", disruption(`budgets: [{nodes: "2"}]`))
		s.outdate()
		s.roll(config)
		s.faultless(2, true)
		if s.most != 2 || !s.mixed {
			t.Errorf("%d were away at once, in several zones: %t", s.most, s.mixed)
		}
	})
	t.Run("an adapter that allows one too many is found out", func(t *testing.T) {
		s := tell(t, config, "mutant", disruption(one))
		s.outdate()
		s.roll(config, func() { // the mutant: it deletes one more outdated Machine whenever one is disrupted
			list := s.list()
			if !slices.ContainsFunc(list, func(m clusterv1.Machine) bool { return stateOf(&m).goes }) {
				return
			}
			for _, m := range list {
				if is := stateOf(&m); is.outdated && !is.goes {
					ok(s.T, client.IgnoreNotFound(s.client.Delete(s.ctx, &m)))
					return
				}
			}
		})
		if fault := s.fault(1, true); fault != "too many at once" {
			t.Errorf("the fault is %q", fault)
		}
	})
	t.Run("what cannot be stored does not start", func(t *testing.T) {
		s := tell(t, config, "unstored", disruption(one))
		s.outdate()
		bad := s.failing(func(r *http.Request) bool { return strings.Contains(r.URL.Path, "/configmaps") })
		cannot := func() bool { // a Machine may be disrupted only once Cluster API has come to rest
			_, err := s.roller(bad).pass(s.ctx)
			return err != nil
		}
		s.until("what may go cannot be stored", cannot)
		if stored := must(s.roller(config).Load(s.ctx)); len(stored.Nodes) > 0 {
			t.Errorf("%v is stored", stored.Nodes)
		}
		bad = s.failing(func(r *http.Request) bool { return strings.Contains(r.URL.Path, "/machines/") })
		s.until("what is stored cannot be deleted", cannot)
		stored := slices.Collect(maps.Keys(must(s.roller(config).Load(s.ctx)).Nodes))
		if went := s.gone(); len(stored) != 1 || len(went) > 0 {
			t.Fatalf("%v is stored, and %v went", stored, went)
		}
		for _, m := range s.list() { // now another one would be disrupted first
			if m.Name != stored[0] {
				s.patch(&m, `{"metadata":{"annotations":{"cluster.x-k8s.io/delete-machine":""}}}`)
			}
		}
		must(s.roller(config).pass(s.ctx))
		s.until("one is disrupted", func() bool { return len(s.gone()) > 0 })
		if went := s.gone(); !slices.Equal(went, stored) {
			t.Errorf("%v was stored, and %v went", stored, went)
		}
	})
	t.Run("nothing is disrupted while anything forbids it, and what is marked goes first", func(t *testing.T) {
		s := tell(t, config, "held", disruption(one))
		s.outdate()
		md, c := &clusterv1.MachineDeployment{ObjectMeta: s.meta(s.name)}, &clusterv1.Cluster{ObjectMeta: s.meta(s.name)}
		for _, hold := range []struct {
			what         string
			on           client.Object
			begins, ends string
		}{
			{"a window is closed", md, `{"metadata":{"annotations":{"disruptkit.dev/disruption":"budgets: [{nodes: \"0\"}]"}}}`,
				`{"metadata":{"annotations":{"disruptkit.dev/disruption":"budgets: [{nodes: \"1\"}]"}}}`},
			{"a budget cannot be read", md, `{"metadata":{"annotations":{"disruptkit.dev/disruption":"budgets: [{nodes: many}]"}}}`,
				`{"metadata":{"annotations":{"disruptkit.dev/disruption":"budgets: [{nodes: \"1\"}]"}}}`},
			{"the pool is paused", md, `{"metadata":{"annotations":{"disruptkit.dev/pause":"true"}}}`,
				`{"metadata":{"annotations":{"disruptkit.dev/pause":null}}}`},
			{"a probe has not answered", md, `{"metadata":{"annotations":{"disruptkit.dev/probes":"[{name: p, host: 127.0.0.1, port: 1}]"}}}`,
				`{"metadata":{"annotations":{"disruptkit.dev/probes":null}}}`},
			{"the Cluster is paused", c, `{"spec":{"paused":true}}`, `{"spec":{"paused":null}}`},
		} {
			s.patch(hold.on, hold.begins)
			for range 3 {
				must(s.roller(config).pass(s.ctx))
			}
			time.Sleep(200 * time.Millisecond)
			if went := s.gone(); len(went) > 0 {
				t.Fatalf("%s: %v went", hold.what, went)
			}
			s.patch(hold.on, hold.ends)
		}
		marked := s.list()[4]
		s.patch(&marked, `{"metadata":{"annotations":{"cluster.x-k8s.io/delete-machine":""}}}`)
		s.until("one is disrupted", func() bool {
			must(s.roller(config).pass(s.ctx))
			return len(s.gone()) > 0
		})
		if went := s.gone(); !slices.Equal(went, []string{marked.Name}) {
			t.Errorf("%s is marked, and %v went", marked.Name, went)
		}
	})
	t.Run("an outdated Machine that a MachineHealthCheck finds unhealthy goes as Unhealthy, unless it is to be skipped", func(t *testing.T) {
		s := tell(t, config, "sick", disruption(`budgets: [{nodes: "0", reasons: [Drifted]}]`))
		s.outdate()
		list := s.list()
		skipped, sick := list[0], list[1]
		s.patch(&skipped, `{"metadata":{"annotations":{"cluster.x-k8s.io/skip-remediation":""}}}`)
		for _, m := range []clusterv1.Machine{skipped, sick} {
			s.patchNode(m.Status.NodeRef.Name)
		}
		health := builder.MachineHealthCheck(s.name, s.name).WithClusterName(s.name).WithSelector(metav1.LabelSelector{
			MatchLabels: map[string]string{clusterv1.MachineDeploymentNameLabel: s.name},
		}).Build()
		health.Spec.Checks.UnhealthyNodeConditions = []clusterv1.UnhealthyNodeCondition{
			{Type: corev1.NodeReady, Status: corev1.ConditionFalse, TimeoutSeconds: new(int32(0))},
		}
		ok(t, s.client.Create(s.ctx, health))
		s.until("the sick one is found, and cannot be repaired by its MachineSet", func() bool {
			var m clusterv1.Machine
			ok(t, s.client.Get(s.ctx, client.ObjectKeyFromObject(&sick), &m))
			c := meta.FindStatusCondition(m.Status.Conditions, clusterv1.MachineOwnerRemediatedCondition)
			return c != nil && c.Reason == clusterv1.MachineSetMachineCannotBeRemediatedReason
		})
		s.until("it is replaced", func() bool {
			must(s.roller(config).pass(s.ctx))
			return len(s.gone()) > 0 && len(s.list()) == machines
		})
		if went := s.gone(); !slices.Equal(went, []string{sick.Name}) {
			t.Errorf("%s is sick, %s is to be skipped, and %v went", sick.Name, skipped.Name, went)
		}
	})
}

// patchNode makes a Node not Ready.
func (s *story) patchNode(name string) {
	n := &corev1.Node{}
	for {
		ok(s.T, s.client.Get(s.ctx, types.NamespacedName{Name: name}, n))
		n.Status.Conditions = conditionsOfNode(corev1.ConditionFalse)
		if err := s.client.Status().Update(s.ctx, n); !apierrors.IsConflict(err) {
			ok(s.T, err)
			return
		}
	}
}
