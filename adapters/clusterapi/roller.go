package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/adapters/internal/cluster"
	"github.com/disruptkit/disruptkit/cmd/poll"
)

// A roller deletes the Machines of a Cluster that may be disrupted. Cluster API drains and replaces them.
type roller struct {
	cluster.Store               // in the management cluster
	objects       client.Client // of the management cluster: it asks the API server, and no cache
	of            types.NamespacedName
	workload      func(context.Context) (kubernetes.Interface, error) // connects to the cluster whose nodes the Machines are
	startup       time.Duration                                       // how long a new Machine may take until it is Available
	probes        *poll.Runner
	log           func(format string, args ...any)
}

// pass looks at the clusters once. It returns when time alone may change what it does.
func (r *roller) pass(ctx context.Context) (next time.Time, err error) {
	state, err := r.Load(ctx) // before the Machines: one that another roller stores meanwhile makes Save fail
	if err != nil {
		return next, err
	}
	f, err := r.read(ctx)
	if err != nil {
		return next, err
	}
	known := state.Nodes
	state.Nodes = map[string]time.Time{}
	for i := range f.input.Nodes {
		n := &f.input.Nodes[i]
		if since, goes := known[n.Name]; goes { // also if it was stored, and not yet deleted
			state.Nodes[n.Name] = since
			leave(n, f.machines[n.Name])
		}
	}
	r.settle(&f, &state)
	f.replace(state)
	f.input.Memory = state.Memory
	decision := disruptkit.Decide(f.input, "")
	state.Memory = decision.Memory
	for _, c := range decision.Allowed {
		r.log("%s may be disrupted for %s", c.Node, c.Reason)
		state.Nodes[c.Node] = decision.Now
	}
	for _, c := range decision.Blocked {
		r.log("%s waits: %s", c.Node, c.Blockers[0])
	}
	for _, w := range append(f.warnings, decision.Warnings...) {
		for _, placed := range f.place(w) {
			r.log("warning: %s", placed)
		}
	}
	if err := r.Save(ctx, state); err != nil { // before anything starts
		return next, err
	}
	var failed error
	for name := range state.Nodes {
		failed = errors.Join(failed, r.delete(ctx, f.machines[name]))
	}
	return decision.NextChange, failed
}

// delete deletes a Machine, unless it goes already. Another one that has got its name stays.
func (r *roller) delete(ctx context.Context, m *clusterv1.Machine) error {
	if !m.DeletionTimestamp.IsZero() {
		return nil
	}
	if err := r.objects.Delete(ctx, m, client.Preconditions{UID: &m.UID}); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("deleting Machine %s: %w", m.Name, err)
	}
	return nil
}

// connect connects as Cluster API itself does: by the Secret with the kubeconfig of the cluster.
func (r *roller) connect(ctx context.Context) (kubernetes.Interface, error) {
	name := r.of.Name + "-kubeconfig"
	secret, err := r.Store.Client.CoreV1().Secrets(r.of.Namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(secret.Data["value"])
	if err != nil {
		return nil, fmt.Errorf("the value of Secret %s/%s is no kubeconfig: %w", r.of.Namespace, name, err)
	}
	return kubernetes.NewForConfig(config)
}
