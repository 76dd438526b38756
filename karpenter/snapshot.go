package karpenter

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	nodepoolutils "sigs.k8s.io/karpenter/pkg/utils/nodepool"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// compiled is the policy of one version of a NodePool.
type compiled struct {
	version string
	Policy
}

// A snapshot is the input of a decision, and the objects behind it.
type snapshot struct {
	disruptkit.Input
	nodePools map[string]*v1.NodePool
	annotated map[string]bool // NodePools; see Policy.Annotated
	several   several
	held      map[string]bool              // memories that could not be written, so that their pools are blocked
	retries   map[string]bool              // memories that could not be written, and are now tried again
	stored    map[string]disruptkit.Memory // as in the objects; Input.Memory also counts launches that have ended since
	settled   []*launch                    // these launches
	warnings  []events.Event
}

// snapshot reads the cluster: nodes from Karpenter's state, everything else from the API. As in Karpenter, it ignores
// pods that are bound to nodes which the state does not have.
func (c *Cluster) snapshot(ctx context.Context) (*snapshot, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &snapshot{
		nodePools: map[string]*v1.NodePool{}, annotated: map[string]bool{}, held: map[string]bool{}, retries: map[string]bool{},
		Input: disruptkit.Input{Memory: map[string]disruptkit.Memory{}},
	}
	if c.known.Read(ctx, c.Calendars, c.Clock.Now()) {
		c.policies = nil
	}
	if err := c.lookAtPolicies(ctx, s); err != nil {
		return nil, err
	}
	if err := c.lookAtPools(ctx, s); err != nil {
		return nil, err
	}
	if err := c.lookAtPDBs(ctx, s); err != nil {
		return nil, err
	}
	pods, err := c.pods(ctx)
	if err != nil {
		return nil, err
	}
	s.Nodes = make([]candidate.Node, 0, c.nodes)
	s.Now = c.Clock.Now() // after the verdicts, so that none is from the future
	claims := map[string]*state.StateNode{}
	var facts []annotation.Facts // of the nodes
	for n := range c.State.Nodes() {
		to, warnings := ToNode(n, s.Now)
		if n.NodeClaim != nil && len(c.launches) > 0 {
			claims[n.NodeClaim.Name] = n
		}
		bound := bound{}
		if n.Node != nil {
			bound = pods[n.Node.Name]
		}
		to.Pods = bound.pods
		s.request(&to, n)
		s.age(&to, n, c.policies[to.Pool].Policy)
		s.Nodes, facts = append(s.Nodes, to), append(facts, UnitFacts(n))
		if n.NodeClaim != nil { // other nodes are not Karpenter's
			s.warn(n.NodeClaim, warnings...)
			s.warnings = append(s.warnings, bound.warnings...)
		}
	}
	c.nodes = len(s.Nodes)
	c.unite(s, facts)
	if err := c.group(ctx, s); err != nil {
		return nil, err
	}
	s.stored = maps.Clone(s.Memory)
	c.settle(s, claims)
	c.holdBack(s)
	return s, nil
}

// holdBack blocks the pools of memories that could not be written, until these are tried again.
func (c *Cluster) holdBack(s *snapshot) {
	for key, o := range s.keepers() {
		f, failed := c.memory.failure(key, o)
		switch {
		case !failed || !s.obeys(key):
		case f.retry.After(s.Now):
			s.hold(key, f)
		default:
			s.retries[key] = true
		}
	}
}

// lookAtPools adds NodePools, their memory, and the verdicts of their probes.
func (c *Cluster) lookAtPools(ctx context.Context, s *snapshot) error {
	nodePools, err := nodepoolutils.ListManaged(ctx, c.Client, c.CloudProvider)
	if err != nil {
		return fmt.Errorf("listing NodePools: %w", err)
	}
	probes := slices.Clone(c.Probes)
	policies := make(map[string]compiled, len(nodePools))
	for i, np := range nodePools {
		np = c.memory.newest(np.Name, np).(*v1.NodePool)
		nodePools[i] = np
		p, ok := c.policies[np.Name]
		if !ok || p.version != np.ResourceVersion {
			p = compiled{np.ResourceVersion, ToPolicy(np, c.known.Calendars, c.methods...)}
		}
		policies[np.Name] = p
		probes = append(probes, p.Probes...)
		s.Pauses = append(s.Pauses, p.Pauses...)
		s.nodePools[np.Name], s.annotated[np.Name] = np, p.Annotated
		s.warn(np, p.Warnings...)
	}
	c.policies = policies
	for _, p := range s.several.policies {
		probes = append(probes, p.Probes...)
	}
	if c.Prober != nil {
		c.Prober.Set(probes)
	}
	s.Verdicts = c.verdicts(c.Probes)
	for _, np := range nodePools {
		p := policies[np.Name]
		pool := p.Pool
		pool.Verdicts = c.verdicts(p.Probes)
		s.Pools = append(s.Pools, pool)
		if p.Annotated {
			s.Memory[np.Name] = p.Memory
		}
	}
	for _, p := range s.several.policies {
		s.several.verdicts[p.Name] = c.verdicts(p.Probes)
	}
	return nil
}

// verdicts returns the verdicts of probes. Without a Prober, they allow nothing.
func (c *Cluster) verdicts(probes []httpget.Spec) []probe.Verdict {
	switch {
	case len(probes) == 0:
		return nil
	case c.Prober != nil:
		return c.Prober.Verdicts(probes...)
	}
	var verdicts []probe.Verdict
	for _, p := range probes {
		verdicts = append(verdicts, probe.Verdict{
			Probe: p.String(), Code: candidate.CodeNotObserved, Cause: "nobody asks it: set the Prober of the guards' Cluster",
		})
	}
	return verdicts
}

// lookAtPDBs adds PodDisruptionBudgets.
func (c *Cluster) lookAtPDBs(ctx context.Context, s *snapshot) error {
	var list policyv1.PodDisruptionBudgetList
	if err := c.Client.List(ctx, &list, client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("listing PodDisruptionBudgets: %w", err)
	}
	pdbs := make([]candidate.PDB, 0, len(list.Items))
	for i := range list.Items {
		pdbs = append(pdbs, ToPDB(&list.Items[i]))
	}
	s.Rules, _ = candidate.CompileRules(pdbs, nil) // decisions report faults
	s.Rules.FailClosed = c.FailClosed
	return nil
}

// bound has the pods of a node, and warnings about them.
type bound struct {
	pods     []candidate.Pod
	warnings []events.Event
}

// pods returns all pods by the name of their Node.
func (c *Cluster) pods(ctx context.Context) (map[string]bound, error) {
	var list corev1.PodList
	if err := c.Client.List(ctx, &list, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("listing Pods: %w", err)
	}
	pods := map[string]bound{}
	for i := range list.Items {
		p := &list.Items[i]
		if p.Spec.NodeName == "" {
			continue
		}
		there := pods[p.Spec.NodeName]
		to, warnings := ToPod(p, &c.parser)
		there.pods = append(there.pods, to)
		for _, w := range warnings {
			if w.Field != kube.DoNotDisruptAnnotation { // Karpenter says so itself
				there.warnings = append(there.warnings, warningEvent(p, w))
			}
		}
		pods[p.Spec.NodeName] = there
	}
	return pods, nil
}
