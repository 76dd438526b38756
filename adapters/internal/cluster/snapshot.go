package cluster

import (
	"context"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// A Snapshot is a cluster at one time, as an Input without memory and without reasons: those are the adapter's. Objects are the Nodes, in
// the order of Input.Nodes.
type Snapshot struct {
	Input    disruptkit.Input
	Objects  []corev1.Node
	Requests map[string]corev1.ResourceList // of the pods on each node
	Warnings []candidate.Warning            // about annotations
}

// A Reader asks an API server, and no cache.
type Reader struct {
	Client kubernetes.Interface
	Policy Policy
	parser kube.Parser
}

// Read returns the cluster as it is.
func (r *Reader) Read(ctx context.Context) (s Snapshot, err error) {
	pdbs, err := r.Client.PolicyV1().PodDisruptionBudgets("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return s, err
	}
	pods, err := r.Client.CoreV1().Pods("").List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName!="})
	if err != nil {
		return s, err
	}
	nodes, err := r.Client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return s, err
	}
	on := map[string][]candidate.Pod{}
	s.Requests = map[string]corev1.ResourceList{}
	for i := range pods.Items {
		p := &pods.Items[i]
		pod, warnings := r.pod(p)
		on[p.Spec.NodeName] = append(on[p.Spec.NodeName], pod)
		s.Requests[p.Spec.NodeName] = plus(s.Requests[p.Spec.NodeName], p)
		s.Warnings = append(s.Warnings, warnings...)
	}
	s.Objects = nodes.Items
	s.Input = disruptkit.Input{Now: time.Now(), Pools: r.Policy.Pools, Groups: r.Policy.Groups, Pauses: r.Policy.Pauses}
	for i := range nodes.Items {
		n, warnings := r.node(&nodes.Items[i])
		n.Pods = on[n.Name]
		s.Input.Nodes, s.Warnings = append(s.Input.Nodes, n), append(s.Warnings, warnings...)
	}
	s.Input.Rules, _ = candidate.CompileRules(budgets(pdbs.Items), nil) // Decision.Warnings has the faults, and they block nodes
	return s, nil
}

// leaving are taints of nodes that somebody takes away.
var leaving = map[string]bool{"ToBeDeletedByClusterAutoscaler": true, "karpenter.sh/disrupted": true}

func (r *Reader) node(n *corev1.Node) (candidate.Node, []candidate.Warning) {
	to := candidate.Node{Name: n.Name, Pool: r.Policy.Pool(n), Labels: n.Labels, Phase: candidate.NotReady, Created: n.CreationTimestamp.Time}
	if to.Pool != "" { // so that policies may take one pool after the other
		to.Labels = maps.Clone(n.Labels)
		if to.Labels == nil {
			to.Labels = map[string]string{}
		}
		to.Labels[annotation.PoolLabel] = to.Pool
	}
	if ready := Condition(n, corev1.NodeReady); ready.Status == corev1.ConditionTrue {
		to.Phase, to.ReadySince = candidate.Running, ready.LastTransitionTime.Time
	}
	if n.Spec.Unschedulable || n.DeletionTimestamp != nil { // a cordoned node takes no pods, whoever cordoned it
		to.Leaving = candidate.Draining
	}
	for _, t := range n.Spec.Taints {
		if leaving[t.Key] {
			to.Leaving = candidate.Draining
		}
		if t.Key == "node.cloudprovider.kubernetes.io/uninitialized" {
			to.Phase = candidate.Registered
		}
	}
	for _, c := range n.Status.Conditions {
		if c.Status == corev1.ConditionTrue {
			kube.Maintain(&to, candidate.Maintenance{Condition: string(c.Type), Since: c.LastTransitionTime.Time})
		}
	}
	var warnings []candidate.Warning
	to.DoNotDisrupt, warnings = kube.NodeDoNotDisrupt(n.Name, n.Annotations[kube.DoNotDisruptAnnotation])
	return to, warnings
}

// Condition returns a condition of a node, or the zero one.
func Condition(n *corev1.Node, kind corev1.NodeConditionType) corev1.NodeCondition {
	for _, c := range n.Status.Conditions {
		if c.Type == kind {
			return c
		}
	}
	return corev1.NodeCondition{}
}

// pod converts a pod. A drain leaves those of DaemonSets and static ones where they are, so no PodDisruptionBudget applies to them.
func (r *Reader) pod(p *corev1.Pod) (candidate.Pod, []candidate.Warning) {
	_, stays := p.Annotations[corev1.MirrorPodAnnotationKey]
	if owner := metav1.GetControllerOf(p); owner != nil && owner.Kind == "DaemonSet" {
		stays = true
	}
	to := candidate.Pod{
		Name: p.Name, Namespace: p.Namespace, Labels: p.Labels, NodeSelector: p.Spec.NodeSelector, Unevictable: stays, Stays: stays,
		Inactive: p.DeletionTimestamp != nil || p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed,
	}
	if p.Status.StartTime != nil {
		to.Started = p.Status.StartTime.Time
	}
	for _, c := range p.Status.Conditions {
		to.Unready = to.Unready || c.Type == corev1.PodReady && c.Status == corev1.ConditionFalse
	}
	var warnings []candidate.Warning
	to.Terms, warnings = r.parser.Terms(p.Namespace, p.Name, p.Annotations)
	return to, warnings
}

// plus adds what the containers of a pod request, unless it has ended.
func plus(sum corev1.ResourceList, p *corev1.Pod) corev1.ResourceList {
	if sum == nil {
		sum = corev1.ResourceList{}
	}
	if p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed {
		return sum
	}
	for _, c := range p.Spec.Containers {
		for name, quantity := range c.Resources.Requests {
			total := sum[name]
			total.Add(quantity)
			sum[name] = total
		}
	}
	return sum
}

func budgets(list []policyv1.PodDisruptionBudget) (pdbs []candidate.PDB) {
	for _, p := range list {
		policy := p.Spec.UnhealthyPodEvictionPolicy
		to := candidate.PDB{
			Namespace: p.Namespace, Name: p.Name, DisruptionsAllowed: int(p.Status.DisruptionsAllowed),
			AlwaysAllow: policy != nil && *policy == policyv1.AlwaysAllow,
		}
		if s := p.Spec.Selector; s != nil {
			to.Selector = &candidate.Selector{MatchLabels: s.MatchLabels}
			for _, e := range s.MatchExpressions {
				to.Selector.MatchExpressions = append(to.Selector.MatchExpressions,
					candidate.Requirement{Key: e.Key, Operator: string(e.Operator), Values: e.Values})
			}
		}
		pdbs = append(pdbs, to)
	}
	return pdbs
}
