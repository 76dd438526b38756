package world

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/awslabs/operatorpkg/controller"
	"github.com/awslabs/operatorpkg/reconciler"
	"github.com/awslabs/operatorpkg/singleton"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/karpenter/pkg/controllers/node/termination/terminator"
	"sigs.k8s.io/karpenter/pkg/controllers/nodeclaim/podevents"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning"
	"sigs.k8s.io/karpenter/pkg/controllers/state/nodeclaimgc"
	podutils "sigs.k8s.io/karpenter/pkg/utils/pod"
)

// manager stands in for controller-runtime's: it runs controllers one after the other, in the order in which they are
// registered, so that the same always happens.
type manager struct {
	api         *api
	clock       *fakeClock
	informers   []informer
	objects     []objects
	drift       reconcile.TypedReconciler[*v1.NodeClaim] // the controller that finds drift
	singletons  []*looping
	provisioner *provisioning.Provisioner
	commands    *disruption.Queue
	evictions   *terminator.Queue
	pending     bool // pods are pending, which the provisioner waits for
	synced      int  // how much had been written when Karpenter's memory was last told
	faults      func(error)
	react       func(context.Context) error // lets ReplicaSets, PodDisruptionBudgets and the scheduler do what is due
}

// informer is a controller that keeps Karpenter's memory like the API objects of a kind.
type informer struct {
	reconcile.Reconciler
	rank int // in which order informers run
	kind client.ObjectList
	seen map[client.ObjectKey]string // the resource version
}

// objects runs a controller for each object of its kind.
type objects func(context.Context) error

type named interface{ Name() string }

func newManager(api *api, clock *fakeClock, controllers []controller.Controller, react func(context.Context) error,
	faults func(error)) (*manager, error) {
	m := &manager{api: api, clock: clock, faults: faults, react: react}
	for _, c := range controllers {
		if err := m.add(c); err != nil {
			return nil, err
		}
	}
	disrupts := slices.ContainsFunc(m.singletons, func(l *looping) bool { return l.name == "disruption" })
	if !disrupts || m.drift == nil || m.provisioner == nil || m.commands == nil || m.evictions == nil {
		return nil, errors.New("the controllers of disruption, drift, evictions or provisioning are missing")
	}
	return m, nil
}

// add finds out what a controller watches: its Reconcile says so, or its name.
func (m *manager) add(c controller.Controller) error {
	name := "" // of the controller
	if n, is := c.(named); is {
		name = n.Name()
	}
	switch r := c.(type) {
	case *provisioning.Provisioner:
		m.provisioner = r
	case *disruption.Queue:
		m.commands = r
	case *terminator.Queue:
		m.evictions = r
	case singleton.Reconciler:
		m.singletons = append(m.singletons, &looping{Reconciler: r, name: name})
	case reconcile.TypedReconciler[*v1.NodeClaim]:
		m.objects = append(m.objects, each[v1.NodeClaim](m, name, &v1.NodeClaimList{}, r))
		if name == "nodeclaim.disruption" {
			m.drift = r
		}
	case reconcile.TypedReconciler[*v1.NodePool]:
		m.objects = append(m.objects, each[v1.NodePool](m, name, &v1.NodePoolList{}, r))
	case *nodeclaimgc.Controller:
		m.objects = append(m.objects, m.collecting(name, r))
	case *provisioning.PodController:
		m.objects = append(m.objects, each[corev1.Pod](m, name, &corev1.PodList{}, waking(m, r.Reconcile)))
	case *provisioning.NodeController:
		m.objects = append(m.objects, each[corev1.Node](m, name, &corev1.NodeList{}, waking(m, r.Reconcile)))
	case *podevents.Controller:
		m.objects = append(m.objects, each[corev1.Pod](m, name, &corev1.PodList{}, onMoves(r.Reconcile)))
	case reconcile.TypedReconciler[*corev1.Node]:
		m.objects = append(m.objects, each[corev1.Node](m, name, &corev1.NodeList{}, r))
	case reconcile.TypedReconciler[*corev1.Pod]:
		m.objects = append(m.objects, each[corev1.Pod](m, name, &corev1.PodList{}, r))
	case reconcile.Reconciler:
		return m.inform(name, r)
	}
	return nil // one without Reconcile only has something that a real manager is to run
}

// inform adds a controller that keeps Karpenter's memory. A pod is known only once its node is, and a node once its
// NodeClaim is.
func (m *manager) inform(name string, r reconcile.Reconciler) error {
	order := []string{"state.nodepool", "state.nodeclaim", "state.node", "state.pod", "state.daemonset"}
	kinds := []client.ObjectList{
		&v1.NodePoolList{}, &v1.NodeClaimList{}, &corev1.NodeList{}, &corev1.PodList{}, &appsv1.DaemonSetList{},
	}
	rank := slices.Index(order, name)
	if rank < 0 {
		return fmt.Errorf("what the controller %q watches is not known", name)
	}
	m.informers = append(m.informers, informer{r, rank, kinds[rank], map[client.ObjectKey]string{}})
	slices.SortStableFunc(m.informers, func(x, y informer) int { return cmp.Compare(x.rank, y.rank) })
	return nil
}

// each returns what runs a controller for all objects of a kind that have changed since it last ran, or that it wanted
// to see again by now. Each is read just before, as for a queue.
func each[T any, P interface {
	*T
	client.Object
}](m *manager, name string, kind client.ObjectList, r reconcile.TypedReconciler[P]) objects {
	ran := -1 // how much had been written
	due := map[client.ObjectKey]time.Time{}
	return func(ctx context.Context) error {
		gvr, err := resourceOf(kind)
		if err != nil {
			return err
		}
		now, since := m.clock.Now(), ran
		ran = m.api.stored.written()
		for _, listed := range m.api.stored.list(gvr) {
			key := client.ObjectKeyFromObject(listed)
			at, again := due[key]
			if !(again && !now.Before(at)) && !m.api.stored.changed(listed, since) {
				continue
			}
			delete(due, key)
			o := P(new(T))
			if err := m.api.Get(ctx, key, o); apierrors.IsNotFound(err) {
				continue
			} else if err != nil {
				return err
			}
			result, err := r.Reconcile(ctx, o)
			m.fault(name+" "+key.Name, err)
			again = result.Requeue || result.RequeueAfter > 0 //lint:ignore SA1019 Karpenter's controllers ask so
			if err != nil || again {
				due[key] = now.Add(result.RequeueAfter)
			}
		}
		return nil
	}
}

// collecting runs the controller that forgets NodeClaims which are gone and were never launched: for each some time after it was
// created, whether it still is there or not.
func (m *manager) collecting(name string, r reconcile.Reconciler) objects {
	const after = 15 * time.Second          // as the controller's watch has it
	due := map[client.ObjectKey]time.Time{} // zero once it ran
	return func(ctx context.Context) error {
		claims, err := m.keys(&v1.NodeClaimList{})
		if err != nil {
			return err
		}
		now, there := m.clock.Now(), map[client.ObjectKey]bool{}
		for _, claim := range claims {
			there[claim.key] = true
			if _, seen := due[claim.key]; !seen {
				due[claim.key] = now.Add(after)
			}
		}
		for key, at := range due {
			if !at.IsZero() && !now.Before(at) {
				_, err := r.Reconcile(ctx, reconcile.Request{NamespacedName: key})
				m.fault(name+" "+key.Name, err)
				at, due[key] = time.Time{}, time.Time{}
			}
			if at.IsZero() && !there[key] {
				delete(due, key)
			}
		}
		return nil
	}
}

// waking returns what a controller does that triggers the provisioner, and notes whether it has.
func waking[P comparable](m *manager, r reconcile.TypedFunc[P]) reconcile.TypedFunc[P] {
	return func(ctx context.Context, o P) (reconcile.Result, error) {
		result, err := r(ctx, o)
		m.pending = m.pending || result.RequeueAfter > 0
		return result, err
	}
}

// onMoves returns what a controller does for pods that are bound to a node, or end.
func onMoves(r reconcile.TypedFunc[*corev1.Pod]) reconcile.TypedFunc[*corev1.Pod] {
	seen := map[client.ObjectKey]string{}
	return func(ctx context.Context, pod *corev1.Pod) (reconcile.Result, error) {
		key := client.ObjectKeyFromObject(pod)
		state := fmt.Sprint(pod.Spec.NodeName, podutils.IsTerminal(pod), podutils.IsTerminating(pod))
		if seen[key] == state {
			return reconcile.Result{}, nil
		}
		seen[key] = state
		return r(ctx, pod)
	}
}

// findDrift lets Karpenter see at once that an instance has drifted.
func (m *manager) findDrift(ctx context.Context, id string) error {
	var claims v1.NodeClaimList
	if err := m.api.List(ctx, &claims, client.MatchingFields{"status.providerID": id}); err != nil {
		return err
	}
	for i := range claims.Items {
		if _, err := m.drift.Reconcile(ctx, &claims.Items[i]); err != nil {
			return err
		}
	}
	return nil
}

// hold does nothing: controllers run only when the world runs them.
func (m *manager) hold(context.Context, string) (release func() error, err error) {
	return func() error { return nil }, nil
}

func (m *manager) waiting() bool {
	return slices.ContainsFunc(m.singletons, func(l *looping) bool { return l.running != nil })
}

// fault reports of what a controller could not do; all try again.
func (m *manager) fault(who string, err error) {
	if err != nil {
		m.faults(fmt.Errorf("%s: %s: %w", m.clock.Now().Format(time.TimeOnly), who, err))
	}
}

// settle runs all controllers until nothing changes anymore. Those that run on their own account, such as the one that
// disrupts, do so once the others have come to rest: in a cluster these act within milliseconds on what changes, and
// looking every 10 seconds seldom falls between a drain's begin and its first eviction.
func (m *manager) settle(ctx context.Context) error {
	const most = 200
	for range most {
		before := m.api.stored.written()
		if err := m.pass(ctx); err != nil {
			return err
		}
		if m.api.stored.written() != before {
			continue
		}
		again, err := m.looks(ctx)
		if err != nil {
			return err
		}
		if !again && m.api.stored.written() == before {
			return nil
		}
	}
	return fmt.Errorf("controllers have not come to rest in %d passes", most)
}

// pass runs once all controllers that act on what changes.
func (m *manager) pass(ctx context.Context) error {
	if err := m.sync(ctx); err != nil {
		return err
	}
	m.pending = false
	for _, run := range m.objects {
		if err := run(ctx); err != nil {
			return err
		}
		if err := m.sync(ctx); err != nil {
			return err
		}
	}
	if err := m.queues(ctx); err != nil {
		return err
	}
	if err := m.react(ctx); err != nil {
		return err
	}
	if m.pending {
		_, err := m.provisioner.Reconcile(ctx)
		m.fault("provisioner", err)
	}
	return m.sync(ctx)
}

// looks runs once all controllers that run on their own account, and says whether one wants to run again at once.
func (m *manager) looks(ctx context.Context) (again bool, err error) {
	for _, s := range m.singletons {
		if err := m.sync(ctx); err != nil {
			return false, err
		}
		at, err := s.run(ctx, m.clock)
		m.fault(s.name, err)
		again = again || at
	}
	return again, m.sync(ctx)
}

// queues works on the commands that have been started and the pods that are to be evicted.
func (m *manager) queues(ctx context.Context) error {
	commands := m.commands.GetCommands()
	first := func(c *disruption.Command) *v1.NodeClaim { return c.Candidates[0].NodeClaim }
	slices.SortFunc(commands, func(x, y *disruption.Command) int {
		return cmp.Or(x.CreationTimestamp.Compare(y.CreationTimestamp), cmp.Compare(first(x).Name, first(y).Name))
	})
	for _, c := range commands {
		var claim v1.NodeClaim
		if err := m.api.Get(ctx, client.ObjectKeyFromObject(first(c)), &claim); apierrors.IsNotFound(err) {
			continue
		} else if err != nil {
			return err
		}
		_, err := m.commands.Reconcile(ctx, &claim)
		m.fault("disruption.queue", err)
	}
	var pods corev1.PodList
	if err := m.api.List(ctx, &pods); err != nil {
		return err
	}
	for i := range pods.Items {
		if m.evictions.Has(&pods.Items[i]) {
			_, err := m.evictions.Reconcile(ctx, &pods.Items[i])
			m.fault("eviction-queue", err)
		}
	}
	return nil
}

// sync tells Karpenter's memory of all objects that are new, changed, or gone.
func (m *manager) sync(ctx context.Context) error {
	written := m.api.stored.written()
	if written == m.synced {
		return nil
	}
	m.synced = written
	for _, i := range m.informers {
		keys, err := m.keys(i.kind)
		if err != nil {
			return err
		}
		now := map[client.ObjectKey]string{}
		for _, k := range keys {
			now[k.key] = k.version
			if i.seen[k.key] != k.version {
				i.reconcile(ctx, m, k.key)
			}
			i.seen[k.key] = k.version
		}
		for key := range i.seen {
			if _, is := now[key]; !is {
				i.reconcile(ctx, m, key)
				delete(i.seen, key)
			}
		}
	}
	return nil
}

func (i informer) reconcile(ctx context.Context, m *manager, key client.ObjectKey) {
	_, err := i.Reconcile(ctx, reconcile.Request{NamespacedName: key})
	m.fault("state of "+key.Name, err)
}

type versioned struct {
	key     client.ObjectKey
	version string
}

// keys returns what objects of a kind there are. A NodePool's version is its generation.
func (m *manager) keys(kind client.ObjectList) ([]versioned, error) {
	gvr, err := resourceOf(kind)
	if err != nil {
		return nil, err
	}
	var keys []versioned
	for _, o := range m.api.stored.list(gvr) {
		k := versioned{key: client.ObjectKeyFromObject(o), version: o.GetResourceVersion()}
		if _, is := o.(*v1.NodePool); is {
			k.version = strconv.FormatInt(o.GetGeneration(), 10)
		}
		keys = append(keys, k)
	}
	return keys, nil
}

// wait returns when all runs have ended, once their context is done.
func (m *manager) wait() {
	for _, s := range m.singletons {
		if s.running != nil {
			<-s.running
		}
	}
}

// looping is a controller that runs on its own account, when it is due.
type looping struct {
	singleton.Reconciler
	name string
	due  time.Time
	// running receives the outcome of a run that is parked.
	running chan outcome
	parked  parked
}

type outcome struct {
	reconciler.Result
	err error
}

// run runs the controller if it is due, until it is done or waits. It says whether it wants to run again at once.
func (l *looping) run(ctx context.Context, clock *fakeClock) (bool, error) {
	now := clock.Now()
	switch {
	case l.running != nil && now.Before(l.parked.until):
		return false, nil
	case l.running != nil:
		l.parked.wake <- now
	case now.Before(l.due):
		return false, nil
	default:
		running := make(chan outcome, 1)
		l.running = running
		go func() {
			result, err := l.Reconcile(ctx)
			running <- outcome{result, err}
		}()
	}
	select {
	case l.parked = <-clock.parked:
		return false, nil
	case o := <-l.running:
		l.running = nil
		again := o.Requeue || o.RequeueAfter == singleton.RequeueImmediately
		if o.err != nil || again {
			l.due = now
		} else {
			l.due = now.Add(o.RequeueAfter)
		}
		return again, o.err
	}
}
