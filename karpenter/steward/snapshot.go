package steward

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	disruptionutils "sigs.k8s.io/karpenter/pkg/utils/disruption"
	podutils "sigs.k8s.io/karpenter/pkg/utils/pod"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/karpenter/internal/shared"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
	"github.com/disruptkit/disruptkit/repair"
)

// objects are what a snapshot was made of.
type objects struct {
	pools    map[string]*v1.NodePool
	policies map[string]karpenter.Policy // of the pools that are opted in
	nodes    map[string]*corev1.Node
	claims   map[string]*v1.NodeClaim              // by node
	shared   map[string]*unstructured.Unstructured // the DisruptionPolicies that select NodePools, by Group.Key
	keys     map[string][]string                   // of those that select a pool
}

// takesPart reports whether the steward holds the nodes of a NodePool. Only "true" asks for that.
func takesPart(np *v1.NodePool) bool { return np.Annotations[annotation.Steward] == "true" }

// enforced reports whether admission denies the disruption of a NodePool's held nodes.
func enforced(np *v1.NodePool) bool { return np.Annotations[annotation.StewardEnforced] == "true" }

// look reads the cluster. It is an error if any part of it cannot be read.
func (s *Steward) look(ctx context.Context) (Snapshot, objects, error) {
	ctx = options.ToContext(ctx, &options.Options{}) // Karpenter's price of moving a pod asks for its feature gates
	shot := Snapshot{
		Input: disruptkit.Input{Memory: map[string]disruptkit.Memory{}}, Marks: map[string]annotation.Mark{}, Releases: map[string]map[string]time.Time{}, Shared: map[string]map[string]time.Time{},
		Rests: s.rests, Enforced: map[string]bool{}, Bystanders: map[string]bool{}, Ages: map[string]Age{}, Dry: s.Dry, Soon: s.Soon,
	}
	seen := objects{
		map[string]*v1.NodePool{}, map[string]karpenter.Policy{}, map[string]*corev1.Node{}, map[string]*v1.NodeClaim{},
		map[string]*unstructured.Unstructured{}, map[string][]string{},
	}
	var claims v1.NodeClaimList
	var nodes corev1.NodeList
	var pools v1.NodePoolList
	var pods corev1.PodList
	var pdbs policyv1.PodDisruptionBudgetList
	for _, list := range []client.ObjectList{&pools, &claims, &nodes, &pods, &pdbs} {
		if err := s.Client.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
			return shot, seen, fmt.Errorf("listing %T: %w", list, err)
		}
	}
	written, err := shared.List(ctx, s.Client)
	if err != nil {
		return shot, seen, err
	}
	s.known.Read(ctx, s.Calendars, s.Clock())
	policies := s.shared.Read(written, s.known.Calendars)
	verdicts := s.lookAtPools(pools.Items, policies, &shot, seen)
	budgets := make([]candidate.PDB, 0, len(pdbs.Items))
	for i := range pdbs.Items {
		budgets = append(budgets, karpenter.ToPDB(&pdbs.Items[i]))
	}
	shot.Input.Rules, _ = candidate.CompileRules(budgets, nil) // decisions report faults
	on := map[string][]*corev1.Pod{}
	for i := range pods.Items {
		if p := &pods.Items[i]; p.Spec.NodeName != "" {
			on[p.Spec.NodeName] = append(on[p.Spec.NodeName], p)
		}
	}
	byProviderID := map[string]*corev1.Node{}
	for i := range nodes.Items {
		n := s.nodes.newest(&nodes.Items[i]).(*corev1.Node)
		seen.nodes[n.Name] = n
		if n.Spec.ProviderID != "" {
			byProviderID[n.Spec.ProviderID] = n
		}
	}
	shot.Input.Now = s.Clock() // after the verdicts, so that none is from the future
	shot.Input.Nodes = make([]candidate.Node, 0, len(claims.Items))
	facts := make([]annotation.Facts, 0, len(claims.Items))
	for i := range claims.Items {
		c := s.claims.newest(&claims.Items[i]).(*v1.NodeClaim)
		n := byProviderID[c.Status.ProviderID]
		if n == nil || c.Status.ProviderID == "" {
			n = nil
		}
		var there []*corev1.Pod
		if n != nil {
			there = on[n.Name]
		}
		shot.Input.Nodes = append(shot.Input.Nodes, s.node(ctx, n, c, there, seen, shot))
		facts = append(facts, karpenter.UnitFacts(&state.StateNode{Node: n, NodeClaim: c}))
	}
	unite(&shot, seen, facts)
	s.group(&shot, seen, policies, written, verdicts)
	s.settle(&shot, seen, claims.Items)
	for name, n := range seen.nodes { // without a NodeClaim
		if _, known := shot.Marks[name]; !known && n.Labels[v1.NodePoolLabelKey] != "" && markOf(n).Ours() {
			shot.Marks[name] = markOf(n)
			shot.Input.Nodes = append(shot.Input.Nodes, candidate.Node{Name: name, Phase: candidate.Launched})
		}
	}
	return shot, seen, nil
}

// lookAtPools adds the NodePools that are opted in, and runs their probes and those of DisruptionPolicies. It returns the verdicts of these, by
// the policy's name.
func (s *Steward) lookAtPools(
	pools []v1.NodePool, policies []disruptionpolicy.Policy, shot *Snapshot, seen objects,
) map[string][]probe.Verdict {
	var probes []httpget.Spec
	for i := range pools {
		np := s.pools.newest(&pools[i]).(*v1.NodePool)
		seen.pools[np.Name] = np
		shot.Enforced[np.Name] = enforced(np)
		if !takesPart(np) {
			continue
		}
		p := karpenter.ToPolicy(asDrift(np), s.known.Calendars)
		seen.policies[np.Name] = p
		pool := p.Pool
		if len(p.Probes) > 0 {
			probes = append(probes, p.Probes...)
			pool.Verdicts = s.Prober.Verdicts(p.Probes...)
		}
		shot.Input.Pools = append(shot.Input.Pools, pool)
		shot.Input.Pauses = append(shot.Input.Pauses, p.Pauses...)
		shot.Input.Memory[np.Name] = p.Memory
		shot.Releases[np.Name] = readReleases(np.Annotations[annotation.Releases])
	}
	verdicts := map[string][]probe.Verdict{}
	for _, p := range policies {
		if len(p.Probes) > 0 {
			probes = append(probes, p.Probes...)
			verdicts[p.Name] = s.Prober.Verdicts(p.Probes...)
		}
	}
	s.Prober.Set(probes)
	return verdicts
}

// readReleases reads the annotation of a NodePool or a policy. What cannot be read is nothing: the nodes themselves say that they are released as well.
func readReleases(text string) map[string]time.Time {
	var releases map[string]time.Time
	if json.Unmarshal([]byte(text), &releases) != nil {
		return nil
	}
	return releases
}

// node returns a machine as decisions see it, and adds its mark.
func (s *Steward) node(
	ctx context.Context, n *corev1.Node, c *v1.NodeClaim, pods []*corev1.Pod, seen objects, shot Snapshot,
) candidate.Node {
	now := shot.Input.Now
	to, _ := karpenter.ToNode(&state.StateNode{Node: n, NodeClaim: c}, now)
	to.DoNotDisrupt, to.DoNotRepair = false, false
	if n == nil || to.Name != n.Name { // it has not registered yet
		return to
	}
	mark := markOf(n)
	shot.Marks[n.Name], seen.claims[n.Name] = mark, c
	to.DoNotDisrupt, to.DoNotRepair = mark.Disrupt == annotation.Theirs, mark.Repair == annotation.Theirs
	for i := range n.Spec.Taints {
		if n.Spec.Taints[i].Key == v1.DisruptedTaintKey {
			to.Leaving, to.Maintenance = max(to.Leaving, candidate.Draining), candidate.Maintenance{}
		}
	}
	if !n.DeletionTimestamp.IsZero() {
		to.Leaving, to.Maintenance = max(to.Leaving, candidate.Draining), candidate.Maintenance{}
	}
	if to.InFlight() {
		to.DisruptedFor = disruptedFor(c, seen.pools[to.Pool])
	}
	to.Pods = make([]candidate.Pod, 0, len(pods))
	var moving []*corev1.Pod
	for _, p := range pods {
		pod, _ := karpenter.ToPod(p, &s.parser)
		to.Pods = append(to.Pods, pod)
		if podutils.IsReschedulable(p) {
			moving = append(moving, p)
		}
	}
	np := seen.pools[to.Pool]
	if np != nil && !to.InFlight() {
		to.Conditions = append(to.Conditions, consolidation(ctx, np, c, moving)...)
	}
	shot.Ages[n.Name] = ageOf(&to, n, c, np, seen.policies[to.Pool], now)
	if broken, is := s.unhealthy(n, c, now); is {
		to.Conditions = append(to.Conditions, broken)
	}
	return to
}

// markOf returns the mark of a node, with its taint.
func markOf(n *corev1.Node) annotation.Mark {
	mark := annotation.ReadMark(n.Annotations)
	mark.Soon = slices.ContainsFunc(n.Spec.Taints, isSoon)
	return mark
}

// disruptedFor returns why Karpenter disrupts a node; "" where it does not say. One that was made to drift is disrupted for the reason of that,
// unless it has drifted by itself as well.
func disruptedFor(c *v1.NodeClaim, np *v1.NodePool) candidate.Reason {
	for _, condition := range c.Status.Conditions {
		if condition.Type == v1.ConditionTypeDisruptionReason && condition.IsTrue() {
			reason, _ := candidate.ParseReason(condition.Reason)
			was, made := MadeToDrift(c)
			switch {
			case made == "" || made == candidate.Drifted || reason != candidate.Drifted:
			case np == nil || np.Annotations[v1.NodePoolHashAnnotationKey] == was:
				return made
			default:
				return ""
			}
			return reason
		}
	}
	return ""
}

// consolidation returns the reason for which Karpenter would consolidate a node. Whether it will, only it knows.
func consolidation(ctx context.Context, np *v1.NodePool, c *v1.NodeClaim, moving []*corev1.Pod) []candidate.Condition {
	d := np.Spec.Disruption
	if d.ConsolidateAfter.Duration == nil || np.Spec.Replicas != nil {
		return nil
	}
	for _, condition := range c.Status.Conditions {
		if condition.Type != v1.ConditionTypeConsolidatable || !condition.IsTrue() {
			continue
		}
		reason := candidate.Underutilized
		if disruptionutils.ComputeRescheduleDisruptionCost(ctx, moving) <= disruptionutils.PerNodeBaseDisruptionCost {
			reason = candidate.Empty
		}
		if reason == candidate.Underutilized && d.ConsolidationPolicy == v1.ConsolidationPolicyWhenEmpty {
			return nil
		}
		return []candidate.Condition{{Reason: reason, Since: condition.LastTransitionTime.Time}}
	}
	return nil
}

// unhealthy returns the reason for which a node is to be repaired.
func (s *Steward) unhealthy(n *corev1.Node, c *v1.NodeClaim, now time.Time) (candidate.Condition, bool) {
	patient := repair.Node{Created: n.CreationTimestamp.Time}
	for _, condition := range n.Status.Conditions {
		patient.Conditions = append(patient.Conditions, repair.Condition{
			Type: string(condition.Type), Status: string(condition.Status), Reason: condition.Reason,
			LastTransitionTime: condition.LastTransitionTime.Time,
		})
	}
	if !s.Repair.Unhealthy(patient.Conditions) {
		return candidate.Condition{}, false
	}
	for _, condition := range c.Status.Conditions {
		if condition.Type == v1.ConditionTypeRebooting && condition.IsFalse() {
			patient.RebootEnded = condition.LastTransitionTime.Time
		}
	}
	return repair.Resolve(s.Repair, patient, now).Condition()
}
