package world

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
)

// Drift makes all instances that run now old: Karpenter finds each to have drifted a second after the one before, and
// zones take turns (a1, b1, c1, a2 and so on), so that the order of drift visits all of them. Nothing is disrupted before the last one
// is found.
func (w *World) Drift(reason cloudprovider.DriftReason) error {
	var releases []func() error
	for _, pool := range w.pools() {
		release, err := w.runner.hold(w.ctx, pool.Name)
		if err != nil {
			return err
		}
		releases = append(releases, release)
	}
	err := w.Cloud.each(func(i *Instance) error {
		w.Clock.Step(time.Second)
		w.Cloud.drift(i, reason)
		return w.runner.findDrift(w.ctx, i.Claim.Status.ProviderID)
	})
	for _, release := range releases {
		err = errors.Join(err, release())
	}
	return err
}

// Break makes instances that are launched from now on in a zone (in all, for "") never become Ready, or no more.
func (w *World) Break(zone string, broken bool) { w.Cloud.breakBoots(zone, broken) }

// Fail makes the node of an instance that runs not Ready, or Ready again.
func (w *World) Fail(name string, failed bool) { w.Cloud.fail(name, failed) }

// Scale sets how many pods a zone has.
func (w *World) Scale(zone string, pods int) error {
	var set appsv1.ReplicaSet
	return w.update(client.ObjectKey{Namespace: namespace, Name: "web-" + zone}, &set, func() {
		replicas := int32(pods)
		set.Spec.Replicas = &replicas
	})
}

// UpdateClaims changes the NodeClaims of all instances, as if they had been launched so.
func (w *World) UpdateClaims(change func(node string, claim *v1.NodeClaim)) error {
	return w.Cloud.each(func(i *Instance) error {
		var claim v1.NodeClaim
		return w.update(client.ObjectKey{Name: i.Claim.Name}, &claim, func() { change(i.Name, &claim) })
	})
}

// Delete deletes the NodeClaim of a node, as kubectl does.
func (w *World) Delete(node string) error {
	return w.Cloud.each(func(i *Instance) error {
		if i.Name != node {
			return nil
		}
		return w.Client.Delete(context.Background(), i.Claim)
	})
}

// update changes an object as somebody does who looks again when somebody else was faster.
func (w *World) update(key client.ObjectKey, o client.Object, change func()) error {
	ctx := context.Background()
	return retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		if err := w.Client.Get(ctx, key, o); err != nil {
			return err
		}
		change()
		return w.Client.Update(ctx, o)
	})
}

// Node is a node as an operator sees it.
type Node struct {
	Name string
	Zone string
	Pool string
	// Old nodes are of the generation that drifts, InFlight ones are being disrupted, and Ready ones take pods.
	Old      bool
	InFlight bool
	Ready    bool
	// Ending nodes are in flight, and their instances are terminating: they use up no budget.
	Ending bool
	// Rebooting nodes are drained for a reboot, or boot again.
	Rebooting bool
	// Why is the reason for which a node is not Ready, if it gives one.
	Why string
	// For is the reason for which a node is being disrupted, such as Drifted.
	For string
}

// Nodes returns all nodes, also those that boot, in the order of their names; none while the server cannot be reached.
func (w *World) Nodes() []Node {
	nodes, _ := w.nodes()
	return nodes
}

func (w *World) nodes() ([]Node, error) {
	// The marks are read first: if they were read last, a node that ended in between, and the one that began next, would both be in flight.
	marked := map[string]bool{}
	for n := range w.Cluster.Nodes() {
		marked[n.ProviderID()] = n.MarkedForDeletion()
	}
	var claims v1.NodeClaimList
	var nodes corev1.NodeList
	if err := w.Client.List(context.Background(), &claims); err != nil {
		return nil, err
	}
	if err := w.Client.List(context.Background(), &nodes); err != nil {
		return nil, err
	}
	ready, why := map[string]bool{}, map[string]string{}
	for i := range nodes.Items {
		n := &nodes.Items[i]
		ready[n.Name], why[n.Name] = isReady(n), readiness(n).Reason
	}
	var all []Node
	for i := range claims.Items {
		claim := &claims.Items[i]
		id := claim.Status.ProviderID
		if id == "" {
			continue
		}
		zone, name, _ := strings.Cut(strings.TrimPrefix(id, "fake:///"), "/")
		all = append(all, Node{
			Name: name, Zone: zone, Pool: claim.Labels[v1.NodePoolLabelKey], Ready: ready[name], Why: why[name], Old: w.Cloud.old(id),
			InFlight: claim.DeletionTimestamp != nil || marked[id],
			Ending:   isTrue(claim, v1.ConditionTypeInstanceTerminating) != "", Rebooting: isTrue(claim, v1.ConditionTypeRebooting) != "", For: isTrue(claim, v1.ConditionTypeDisruptionReason),
		})
	}
	slices.SortFunc(all, func(x, y Node) int { return strings.Compare(x.Name, y.Name) })
	return all, nil
}

// isTrue returns the reason of a condition that is true.
func isTrue(claim *v1.NodeClaim, kind string) string {
	for _, c := range claim.Status.Conditions {
		if c.Type == kind && c.IsTrue() {
			return c.Reason
		}
	}
	return ""
}

// AnnotateNode annotates a node, as operators do.
func (w *World) AnnotateNode(name, key, value string) error {
	var node corev1.Node
	return w.update(client.ObjectKey{Name: name}, &node, func() {
		if node.Annotations == nil {
			node.Annotations = map[string]string{}
		}
		node.Annotations[key] = value
	})
}

// InFlight returns the nodes that are being disrupted, by zone.
func (w *World) InFlight() map[string][]string {
	inFlight := map[string][]string{}
	for _, n := range w.Nodes() {
		if n.InFlight {
			inFlight[n.Zone] = append(inFlight[n.Zone], n.Name)
		}
	}
	return inFlight
}

// Rolled reports whether no old node is left.
func (w *World) Rolled() bool {
	nodes, err := w.nodes()
	return err == nil && !slices.ContainsFunc(nodes, func(n Node) bool { return n.Old || n.InFlight || !n.Ready })
}

// UpdatePool changes the first NodePool, as users do.
func (w *World) UpdatePool(change func(*v1.NodePool)) error {
	return w.UpdatePoolOf(w.options.NodePool.Name, change)
}

// UpdatePoolOf changes a NodePool.
func (w *World) UpdatePoolOf(name string, change func(*v1.NodePool)) error {
	var pool v1.NodePool
	return w.update(client.ObjectKey{Name: name}, &pool, func() {
		change(&pool)
		pool.Generation++
	})
}

// UpdatePods changes all pods.
func (w *World) UpdatePods(change func(*corev1.Pod)) error {
	var pods corev1.PodList
	if err := w.Client.List(context.Background(), &pods); err != nil {
		return err
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if err := w.update(client.ObjectKeyFromObject(pod), pod, func() { change(pod) }); err != nil {
			return err
		}
	}
	return nil
}
