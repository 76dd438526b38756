package steward

import (
	"context"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/ical"
	"github.com/disruptkit/disruptkit/cmd/poll"
	"github.com/disruptkit/disruptkit/cmd/replay"
	"github.com/disruptkit/disruptkit/karpenter/internal/shared"
	"github.com/disruptkit/disruptkit/probe/httpget"
	"github.com/disruptkit/disruptkit/repair"
)

// Options say how a steward runs in a manager. The zero Options write.
type Options struct {
	Dry    bool
	Repair repair.Set
	// Calendars are those that budgets may name; nil: none.
	Calendars *ical.Directory
	// Soon is within what time nodes may be disrupted that get annotation.SoonTaint; 0: none gets it, and those that have it lose it.
	Soon time.Duration
	// Recording records each decision; nil: nothing is recorded.
	Recording *replay.Recorder
}

// Add adds a steward to a manager. It runs while the manager leads.
func Add(m ctrl.Manager, o Options) error {
	prober := poll.New(&httpget.Client{}, poll.YAML)
	if err := m.Add(manager.RunnableFunc(func(ctx context.Context) error {
		prober.Run(ctx)
		return nil
	})); err != nil {
		return err
	}
	s := &Steward{
		Client: m.GetClient(), Prober: prober, Clock: time.Now, Repair: o.Repair, Calendars: o.Calendars, Recording: o.Recording, Dry: o.Dry, Soon: o.Soon,
		Recorder: m.GetEventRecorderFor("disruptkit-steward"), //lint:ignore SA1019 as Karpenter's operator
	}
	answers := make(chan event.GenericEvent)
	if err := m.Add(manager.RunnableFunc(func(ctx context.Context) error {
		for {
			select {
			case <-ctx.Done():
				return nil
			case <-prober.Changed():
				select {
				case answers <- event.GenericEvent{Object: &v1.NodePool{}}:
				case <-ctx.Done():
				}
			}
		}
	})); err != nil {
		return err
	}
	if !o.Dry {
		reporter := &shared.Reporter{Client: m.GetClient(), Methods: func() []candidate.Reason { return nil }, Calendars: o.Calendars}
		if err := m.Add(manager.RunnableFunc(reporter.Run)); err != nil {
			return err
		}
	}
	if err := m.Add(manager.RunnableFunc(func(ctx context.Context) error {
		return watchShared(ctx, m, func() {
			select {
			case answers <- event.GenericEvent{Object: &v1.NodePool{}}:
			case <-ctx.Done():
			}
		})
	})); err != nil {
		return err
	}
	all := handler.EnqueueRequestsFromMapFunc(func(context.Context, client.Object) []reconcile.Request {
		return []reconcile.Request{{NamespacedName: types.NamespacedName{Name: "cluster"}}}
	})
	only := func(changed func(was, is client.Object) bool) builder.Predicates {
		return builder.WithPredicates(predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool { return changed(e.ObjectOld, e.ObjectNew) }})
	}
	return ctrl.NewControllerManagedBy(m).Named("disruptkit-steward").
		WithOptions(controller.Options{MaxConcurrentReconciles: 1}).
		Watches(&v1.NodePool{}, all).
		Watches(&v1.NodeClaim{}, all).
		Watches(&corev1.Node{}, all, only(nodeChanged)).
		Watches(&corev1.Pod{}, all, only(podChanged)).
		Watches(&policyv1.PodDisruptionBudget{}, all, only(func(was, is client.Object) bool {
			w, i := was.(*policyv1.PodDisruptionBudget), is.(*policyv1.PodDisruptionBudget)
			return w.Generation != i.Generation || w.Status.DisruptionsAllowed != i.Status.DisruptionsAllowed
		})).
		WatchesRawSource(source.Channel(answers, all)).
		Complete(s)
}

// watchShared reports when DisruptionPolicies have changed. Their kind may come and go, so no cache is made of them: each pass lists them.
func watchShared(ctx context.Context, m ctrl.Manager, changed func()) error {
	c, err := client.NewWithWatch(m.GetConfig(), client.Options{Scheme: m.GetScheme()})
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		if w, err := c.Watch(ctx, shared.NewList()); err == nil {
			for range w.ResultChan() {
				changed()
			}
			w.Stop()
		}
		select {
		case <-ctx.Done():
		case <-time.After(watchesAgain):
		}
	}
	return nil
}

// watchesAgain is how long after a watch has ended the next one begins, or is tried where there is no such kind.
const watchesAgain = 15 * time.Second

// nodeChanged leaves out heartbeats.
func nodeChanged(was, is client.Object) bool {
	w, i := was.(*corev1.Node), is.(*corev1.Node)
	same := func(a, b corev1.NodeCondition) bool {
		return a.Type == b.Type && a.Status == b.Status && a.Reason == b.Reason
	}
	return !maps.Equal(w.Annotations, i.Annotations) || !maps.Equal(w.Labels, i.Labels) || w.DeletionTimestamp.IsZero() != i.DeletionTimestamp.IsZero() ||
		len(w.Spec.Taints) != len(i.Spec.Taints) || w.Spec.ProviderID != i.Spec.ProviderID || !slices.EqualFunc(w.Status.Conditions, i.Status.Conditions, same)
}

// podChanged leaves out what no decision reads.
func podChanged(was, is client.Object) bool {
	w, i := was.(*corev1.Pod), is.(*corev1.Pod)
	ready := func(p *corev1.Pod) bool {
		return slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.PodReady && c.Status == corev1.ConditionFalse
		})
	}
	return w.Spec.NodeName != i.Spec.NodeName || w.Status.Phase != i.Status.Phase || w.DeletionTimestamp.IsZero() != i.DeletionTimestamp.IsZero() ||
		ready(w) != ready(i) || !maps.Equal(w.Annotations, i.Annotations) || !maps.Equal(w.Labels, i.Labels)
}
