package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/kubectl/pkg/drain"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/adapters/internal/cluster"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/schedule"
)

// Maintenance is the reason that budgets may name.
const Maintenance candidate.Reason = "Maintenance"

// Cordoned is on the nodes that the drainer has cordoned. It uncordons no others.
const Cordoned = "drainer.disruptkit.dev/cordoned"

// The conditions of KEP-5683: one asks, two answer, and one says that whoever asked is at work.
const (
	planned    corev1.NodeConditionType = "MaintenancePlanned"
	draining   corev1.NodeConditionType = "DrainInProgress"
	drained    corev1.NodeConditionType = "Drained"
	inProgress corev1.NodeConditionType = "MaintenanceInProgress"
)

// A drainer drains the nodes for which somebody asks maintenance, or a replacement, when they may be disrupted, and uncordons them when nobody asks
// any more.
type drainer struct {
	cluster.Reader
	cluster.Store
	helper drain.Helper
	key    string // the label or annotation that asks
	log    func(format string, args ...any)
}

// pass looks at the cluster once. It returns when time alone may change what it does.
func (d *drainer) pass(ctx context.Context) (next time.Time, err error) {
	state, err := d.Load(ctx)
	if err != nil {
		return next, err
	}
	shot, err := d.Read(ctx)
	if err != nil {
		return next, err
	}
	known := state.Nodes
	state.Nodes = map[string]time.Time{}
	var back error
	for i := range shot.Objects {
		o, n := &shot.Objects[i], &shot.Input.Nodes[i]
		since, ours := known[n.Name]
		if text, marked := o.Annotations[Cordoned]; marked && !ours {
			since, _ = time.Parse(time.RFC3339, text)
			ours = true // the ConfigMap is lost, and the node has the mark
		}
		asked, ask := d.asked(o)
		isOver := !asked && cluster.Condition(o, inProgress).Status != corev1.ConditionTrue
		if ours && isOver && n.Phase == candidate.Running {
			if err := d.uncordon(ctx, o); err != nil {
				back = errors.Join(back, fmt.Errorf("uncordoning %s: %w", n.Name, err)) // until then it is in flight
			} else {
				d.log("%s is back", n.Name)
				n.Leaving, n.Maintenance, ours = candidate.Staying, candidate.Maintenance{}, false
			}
		}
		switch {
		case ours: // also if it was stored, and not yet cordoned
			state.Nodes[n.Name] = since
			n.Leaving, n.DisruptedFor = candidate.Draining, ask.Reason
		case asked:
			n.Conditions = []candidate.Condition{ask}
		}
	}
	shot.Input.Memory = state.Memory
	for _, w := range shot.Warnings {
		d.log("warning: %s", w)
	}
	next = d.decide(shot.Input, &state)
	if err := d.Save(ctx, state); err != nil { // before anything starts
		return time.Time{}, errors.Join(back, err)
	}
	return next, errors.Join(back, d.drain(ctx, shot.Objects, state.Nodes))
}

// decide adds what may be disrupted to the state, and returns when time alone may change that.
func (d *drainer) decide(in disruptkit.Input, state *cluster.State) (next time.Time) {
	for _, reason := range []candidate.Reason{Maintenance, candidate.Requested} {
		decision := disruptkit.Decide(in, reason)
		in, state.Memory = in.Apply(decision), decision.Memory
		for _, c := range decision.Allowed {
			d.log("%s may be disrupted", c.Node)
			state.Nodes[c.Node] = decision.Now
		}
		for _, c := range decision.Blocked {
			d.log("%s waits: %s", c.Node, c.Blockers[0])
		}
		for _, w := range decision.Warnings {
			d.log("warning: %s", w)
		}
		next = schedule.First(next, decision.NextChange)
	}
	return next
}

// asked reports whether somebody asks maintenance for a node, or else its replacement, and since when.
func (d *drainer) asked(n *corev1.Node) (bool, candidate.Condition) {
	if c := cluster.Condition(n, planned); c.Status == corev1.ConditionTrue {
		return true, candidate.Condition{Reason: Maintenance, Since: c.LastTransitionTime.Time}
	}
	text := cmp.Or(n.Annotations[d.key], n.Labels[d.key])
	since, _ := time.Parse(time.RFC3339, text) // any other text is a reason for people: since when is not known
	_, annotated := n.Annotations[d.key]
	_, labelled := n.Labels[d.key]
	if (annotated || labelled) && text != "false" {
		return true, candidate.Condition{Reason: Maintenance, Since: since}
	}
	if request, asks := annotation.ReadRequest(n.Annotations, nil); asks {
		return true, request.Condition()
	}
	return false, candidate.Condition{Reason: Maintenance}
}

// drain cordons the nodes that are disrupted, asks once for the eviction of each of their pods, and says in conditions how far that is. What cannot be
// evicted now is tried again in the next pass.
func (d *drainer) drain(ctx context.Context, nodes []corev1.Node, going map[string]time.Time) (failed error) {
	for i := range nodes {
		n := &nodes[i]
		since, goes := going[n.Name]
		if asked, _ := d.asked(n); !goes || !asked {
			continue
		}
		left, err := d.drainNode(ctx, n, since)
		if err == nil {
			err = d.tell(ctx, n, left)
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("draining %s: %w", n.Name, err))
		}
	}
	return failed
}

// drainNode returns how many pods are left.
func (d *drainer) drainNode(ctx context.Context, n *corev1.Node, since time.Time) (left int, err error) {
	if _, marked := n.Annotations[Cordoned]; !marked || !n.Spec.Unschedulable {
		if err := cluster.Patch(ctx, d.Reader.Client, n, map[string]any{
			"metadata": map[string]any{"annotations": map[string]any{Cordoned: since.UTC().Format(time.RFC3339)}},
			"spec":     map[string]any{"unschedulable": true},
		}); err != nil {
			return 0, err
		}
	}
	helper := d.helper
	helper.Ctx, helper.Client, helper.IgnoreAllDaemonSets, helper.GracePeriodSeconds = ctx, d.Reader.Client, true, -1
	list, errs := helper.GetPodsForDeletion(n.Name)
	if len(errs) > 0 {
		return 0, errors.Join(errs...)
	}
	for _, pod := range list.Pods() {
		left++
		if pod.DeletionTimestamp != nil {
			continue
		}
		switch err := helper.EvictPod(pod, policyv1.SchemeGroupVersion); {
		case apierrors.IsTooManyRequests(err):
			d.log("%s: %s/%s: %v", n.Name, pod.Namespace, pod.Name, err)
		case err != nil && !apierrors.IsNotFound(err):
			return left, err
		}
	}
	return left, nil
}

// tell sets the conditions that answer.
func (d *drainer) tell(ctx context.Context, n *corev1.Node, left int) error {
	if cluster.Condition(n, drained).Status == corev1.ConditionTrue && left == 0 {
		return nil
	}
	if cluster.Condition(n, draining).Status == corev1.ConditionTrue && left > 0 {
		return nil
	}
	message := "it was drained for maintenance, which may begin"
	if left > 0 {
		message = fmt.Sprintf("its drain for maintenance has begun, with pods to go: %d", left)
	}
	return cluster.Patch(ctx, d.Reader.Client, n, conditions(n, left > 0, left == 0, message), "status")
}

// conditions describes how far the drain of a node is, with a message that ends with the time.
func conditions(n *corev1.Node, isDraining, isDrained bool, message string) map[string]any {
	now := time.Now().UTC().Format(time.RFC3339)
	status := map[bool]corev1.ConditionStatus{true: corev1.ConditionTrue, false: corev1.ConditionFalse}
	condition := func(kind corev1.NodeConditionType, is bool) map[string]any {
		since := now
		if c := cluster.Condition(n, kind); c.Status == status[is] {
			since = c.LastTransitionTime.UTC().Format(time.RFC3339)
		}
		return map[string]any{
			"type": kind, "status": status[is], "reason": "Drainer", "message": message + " (" + now + ")", "lastTransitionTime": since,
		}
	}
	return map[string]any{"status": map[string]any{
		"conditions": []any{condition(draining, isDraining), condition(drained, isDrained)},
	}}
}

// uncordon takes away what the drainer has written. One that somebody else has cordoned, and that was never drained, stays so.
func (d *drainer) uncordon(ctx context.Context, n *corev1.Node) error {
	if _, marked := n.Annotations[Cordoned]; !marked {
		return nil
	}
	if cluster.Condition(n, draining).Type != "" {
		if err := cluster.Patch(ctx, d.Reader.Client, n, conditions(n, false, false, "nobody asks for maintenance any more"), "status"); err != nil {
			return err
		}
	}
	return cluster.Patch(ctx, d.Reader.Client, n, map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{Cordoned: nil}},
		"spec":     map[string]any{"unschedulable": nil},
	})
}
