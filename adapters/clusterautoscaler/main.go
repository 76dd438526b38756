// Command clusterautoscaler lets cluster-autoscaler scale down only what disruptkit allows: it holds all nodes by
// cluster-autoscaler.kubernetes.io/scale-down-disabled, and releases those that may be disrupted, for a while.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/disruptkit/disruptkit/adapters/internal/cluster"
	"github.com/disruptkit/disruptkit/candidate"
)

const (
	// Disabled is cluster-autoscaler's annotation.
	Disabled = "cluster-autoscaler.kubernetes.io/scale-down-disabled"
	// Held reports that Disabled is this program's, and since when it is there.
	Held = "clusterautoscaler.disruptkit.dev/held"
)

func main() { cluster.Main("clusterautoscaler", run) }

func run(ctx context.Context) error {
	policy := flag.String("policy", "", "file with the pools and their budgets (required)")
	kubeconfig := flag.String("kubeconfig", "", "kubeconfig file; if empty, $KUBECONFIG or the cluster that this runs in")
	namespace := flag.String("namespace", "kube-system", "namespace of the ConfigMap that keeps the state")
	interval := flag.Duration("interval", 15*time.Second, "time between two looks at the cluster")
	h := holder{}
	flag.DurationVar(&h.lasts, "release", 15*time.Minute, "how long a release lasts: longer than --scale-down-unneeded-time of cluster-autoscaler")
	flag.DurationVar(&h.grace, "grace", 2*time.Minute, "how long a node still counts after its release: longer than a loop of cluster-autoscaler takes")
	flag.Float64Var(&h.threshold, "utilization-threshold", 0.5, "--scale-down-utilization-threshold of cluster-autoscaler")
	leave := flag.Bool("leave", false, "remove all annotations of this program from the nodes, and end")
	flag.CommandLine.SetOutput(os.Stdout)
	flag.Parse()
	if *policy == "" {
		fmt.Println("clusterautoscaler -policy FILE lets cluster-autoscaler scale down only nodes that may be disrupted.")
		flag.PrintDefaults()
		return nil
	}
	pools, err := cluster.ReadPolicy(*policy)
	if err != nil {
		return err
	}
	client, err := cluster.Connect(*kubeconfig)
	if err != nil {
		return err
	}
	h.Reader = cluster.Reader{Client: client, Policy: pools}
	h.Store = cluster.Store{Client: client, Namespace: *namespace, Name: "disruptkit-clusterautoscaler"}
	var lines cluster.Lines
	h.log = lines.Log
	if *leave {
		_, err := lines.After(h.leave)(ctx)
		return err
	}
	return cluster.Loop(ctx, *interval, lines.After(h.pass))
}

// A holder holds and releases nodes.
type holder struct {
	cluster.Reader
	cluster.Store
	lasts, grace time.Duration
	threshold    float64
	log          func(format string, args ...any)
}

// pass looks at the cluster once. It returns when time alone may change what it does.
func (h *holder) pass(ctx context.Context) (next time.Time, err error) {
	state, err := h.Load(ctx)
	if err != nil {
		return next, err
	}
	shot, err := h.Read(ctx)
	if err != nil {
		return next, err
	}
	v := view{Input: shot.Input, Holds: map[string]hold{}, State: state, Lasts: h.lasts, Grace: h.grace}
	objects := map[string]*corev1.Node{}
	for i := range shot.Objects {
		o, n := &shot.Objects[i], &v.Input.Nodes[i]
		objects[o.Name], v.Holds[o.Name] = o, holdOf(o)
		if reason, there := unneeded(n, shot.Requests[o.Name], o.Status.Allocatable, h.threshold); there {
			// The one that was held for longest comes first, so that all have their turns.
			since, err := time.Parse(time.RFC3339, o.Annotations[Held])
			if err != nil {
				since = n.Created
			}
			n.Conditions = []candidate.Condition{{Reason: reason, Since: since}}
		}
		if v.Holds[o.Name] == foreign {
			h.log("warning: Node/%s: %s is %q, which somebody else wrote, and holds nothing: remove it, or the node counts as in flight for ever",
				o.Name, Disabled, o.Annotations[Disabled])
		}
	}
	p := decide(v)
	for _, w := range append(shot.Warnings, p.Decision.Warnings...) {
		h.log("warning: %s", w)
	}
	if err := h.Save(ctx, p.State); err != nil { // before anything may start
		return next, err
	}
	if err := h.write(ctx, objects, p.Hold, map[string]any{Disabled: "true", Held: p.Decision.Now.UTC().Format(time.RFC3339)}, "held"); err != nil {
		return next, err
	}
	return p.Next, h.write(ctx, objects, p.Release, map[string]any{Disabled: nil, Held: nil}, "released")
}

func (h *holder) write(ctx context.Context, objects map[string]*corev1.Node, nodes []string, annotations map[string]any, what string) (failed error) {
	for _, name := range nodes {
		change := map[string]any{"metadata": map[string]any{"annotations": annotations}}
		if err := cluster.Patch(ctx, h.Reader.Client, objects[name], change); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		h.log("%s %s", name, what)
	}
	return failed
}

// leave takes off all marked nodes what the marks stand for.
func (h *holder) leave(ctx context.Context) (never time.Time, err error) {
	shot, err := h.Read(ctx)
	if err != nil {
		return never, err
	}
	objects := map[string]*corev1.Node{}
	for i := range shot.Objects {
		if _, marked := shot.Objects[i].Annotations[Held]; marked {
			objects[shot.Objects[i].Name] = &shot.Objects[i]
		}
	}
	return never, h.write(ctx, objects, slices.Sorted(maps.Keys(objects)), map[string]any{Disabled: nil, Held: nil}, "left")
}

// holdOf returns whose hold a node has. Cluster-autoscaler knows only the value "true".
func holdOf(n *corev1.Node) hold {
	text, there := n.Annotations[Disabled]
	_, ours := n.Annotations[Held]
	switch {
	case text == "true" && ours:
		return held
	case text == "true":
		return theirs
	case there && !ours:
		return foreign
	}
	return open
}

// unneeded guesses, as far as the API shows it, whether cluster-autoscaler would scale a node down: nothing on it would move, or the requests
// of its pods are below the threshold. Whether the pods fit elsewhere, only cluster-autoscaler knows. Too wide a guess releases a node in
// vain, too narrow a one holds it; the limits hold either way.
func unneeded(n *candidate.Node, requests, allocatable corev1.ResourceList, threshold float64) (candidate.Reason, bool) {
	if n.Vacant() {
		return candidate.Empty, true
	}
	for _, resource := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		asked, has := requests[resource], allocatable[resource]
		if asked.AsApproximateFloat64() >= threshold*has.AsApproximateFloat64() {
			return "", false
		}
	}
	return candidate.Underutilized, true
}
