package world

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
)

// operator is Karpenter's operator: a manager with the indexes that Karpenter's controllers read by. Karpenter's own one cannot be had,
// since it takes its options from flags, and the metrics of the process.
type operator struct {
	kube    client.Client
	cluster *state.Cluster
	clock   realClock
	ended   chan struct{}
	err     error // of the manager, once it has ended
}

// A standby is a second Karpenter, which does nothing until it leads.
type standby struct {
	*operator
	ctx  context.Context
	stop context.CancelFunc
}

// StandBy starts a second Karpenter beside the first. It has caches, and does nothing until it leads.
func (w *World) StandBy() error {
	ctx, stop := w.context()
	o, err := w.operate(ctx)
	if err != nil {
		stop()
		return err
	}
	w.standby = &standby{o, ctx, stop}
	return nil
}

// TakeOver ends the first Karpenter, which may have crashed before, and looks at the second one from now on.
func (w *World) TakeOver() {
	w.stop()
	w.runner.wait()
	w.runner, w.Cluster, w.ctx, w.stop = w.standby.operator, w.standby.cluster, w.standby.ctx, w.standby.stop
	w.standby = nil
}

// operate starts Karpenter's controllers on the server, as the main of a provider does.
func (w *World) operate(ctx context.Context) (*operator, error) {
	to := rest.CopyConfig(w.options.Server)
	to.QPS, to.Burst = 200, 300 // as Karpenter's
	if w.options.Karpenter != nil {
		w.options.Karpenter(to)
	}
	m, err := ctrl.NewManager(to, ctrl.Options{
		Scheme: scheme.Scheme, Logger: w.options.Log, BaseContext: func() context.Context { return ctx },
		Metrics:        metricsserver.Options{BindAddress: "0"},
		LeaderElection: w.options.LeaderElection, LeaderElectionID: "karpenter-leader-election", LeaderElectionNamespace: namespace,
		LeaseDuration: ptr.To(10 * time.Second), RenewDeadline: ptr.To(8 * time.Second), RetryPeriod: ptr.To(time.Second),
		GracefulShutdownTimeout: ptr.To(10 * time.Second),
		Controller:              config.Controller{SkipNameValidation: ptr.To(true)}, // a restart is in the same process
	})
	if err != nil {
		return nil, err
	}
	if err := Index(ctx, m); err != nil {
		return nil, err
	}
	recorder := both{w.recorder, events.NewRecorder(m.GetEventRecorderFor("karpenter"))} //lint:ignore SA1019 as Karpenter's operator
	list, cluster, err := w.controllers(ctx, m, m.GetClient(), recorder)
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		if err := c.Register(ctx, m); err != nil {
			return nil, err
		}
	}
	o := &operator{kube: w.api, cluster: cluster, clock: w.Clock.(realClock), ended: make(chan struct{})}
	go func() {
		defer close(o.ended)
		o.err = m.Start(ctx)
	}()
	return o, nil
}

// both tells two recorders.
type both [2]events.Recorder

func (b both) Publish(list ...events.Event) {
	for _, r := range b {
		r.Publish(list...)
	}
}

// settle only looks whether the manager still runs: its controllers run all the time.
func (o *operator) settle(ctx context.Context) error {
	if ctx.Err() != nil {
		return nil // it has crashed
	}
	select {
	case <-o.ended:
		return fmt.Errorf("the manager has ended: %w", o.err)
	default:
		return nil
	}
}

func (o *operator) wait() { <-o.ended }

func (o *operator) waiting() bool { return o.clock.parked.Load() > 0 }

// findDrift touches the NodeClaim, for which a watch tells the controller that finds drift, and returns once that has found it.
func (o *operator) findDrift(ctx context.Context, id string) error {
	find := func() (*v1.NodeClaim, error) {
		var claims v1.NodeClaimList
		if err := o.kube.List(ctx, &claims); err != nil {
			return nil, err
		}
		at := slices.IndexFunc(claims.Items, func(c v1.NodeClaim) bool { return c.Status.ProviderID == id })
		if at < 0 {
			return nil, fmt.Errorf("%s has no NodeClaim", id)
		}
		return &claims.Items[at], nil
	}
	claim, err := find()
	if err != nil {
		return err
	}
	was := claim.DeepCopy()
	if claim.Annotations == nil {
		claim.Annotations = map[string]string{}
	}
	claim.Annotations["world/drift"] = time.Now().Format(time.RFC3339Nano)
	if err := o.kube.Patch(ctx, claim, client.MergeFrom(was)); err != nil {
		return err
	}
	for end := time.Now().Add(foundWithin); isTrue(claim, v1.ConditionTypeDrifted) == ""; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			return fmt.Errorf("that %s has drifted was not found within %s", id, foundWithin)
		}
		if claim, err = find(); err != nil {
			return err
		}
	}
	return nil
}

// foundWithin is how soon Karpenter finds drift on a busy machine.
const foundWithin = 5 * time.Minute

// hold gives a NodePool a budget of 0, and takes it away again.
func (o *operator) hold(ctx context.Context, pool string) (release func() error, err error) {
	var budgets []v1.Budget
	set := func(to []v1.Budget) error {
		return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
			var np v1.NodePool
			if err := o.kube.Get(ctx, client.ObjectKey{Name: pool}, &np); err != nil {
				return err
			}
			budgets, np.Spec.Disruption.Budgets = np.Spec.Disruption.Budgets, to
			return o.kube.Update(ctx, &np)
		})
	}
	if err := set([]v1.Budget{{Nodes: "0"}}); err != nil {
		return nil, err
	}
	was := budgets
	return func() error { return set(was) }, nil
}

// Index sets up the indexes that Karpenter's operator sets up.
func Index(ctx context.Context, m ctrl.Manager) error {
	for _, i := range []struct {
		of   client.Object
		path string
	}{
		{&corev1.Pod{}, "spec.nodeName"},
		{&corev1.Node{}, "spec.providerID"},
		{&storagev1.VolumeAttachment{}, "spec.nodeName"},
		{&v1.NodeClaim{}, "status.providerID"},
		{&v1.NodeClaim{}, "spec.nodeClassRef.group"},
		{&v1.NodeClaim{}, "spec.nodeClassRef.kind"},
		{&v1.NodeClaim{}, "spec.nodeClassRef.name"},
		{&v1.NodePool{}, "spec.template.spec.nodeClassRef.group"},
		{&v1.NodePool{}, "spec.template.spec.nodeClassRef.kind"},
		{&v1.NodePool{}, "spec.template.spec.nodeClassRef.name"},
	} {
		err := m.GetFieldIndexer().IndexField(ctx, i.of, i.path, func(o client.Object) []string {
			value, err := field(o, i.path)
			if err != nil {
				panic(err)
			}
			return []string{value}
		})
		if err != nil {
			return fmt.Errorf("indexing %s of %T: %w", i.path, i.of, err)
		}
	}
	return nil
}
