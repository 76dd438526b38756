package karpenter

import (
	"context"
	"fmt"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	nodepoolutils "sigs.k8s.io/karpenter/pkg/utils/nodepool"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/topology"
)

// A Cluster is what the guards of one Karpenter share: the things that its main has anyway, and what they remember. Its first
// five fields are required.
type Cluster struct {
	Client        client.Client
	State         *state.Cluster
	Clock         clock.Clock
	Recorder      events.Recorder
	CloudProvider cloudprovider.CloudProvider

	// Probes are those that count for every NodePool, besides those that a NodePool is annotated with.
	Probes []probe.Probe
	// Prober asks them. Controllers sets one that runs with the manager if there is none. Where there still is none, a probe
	// lets nothing go.
	Prober Prober
	// FailClosed lets annotations of pods that are not valid hold back their nodes; see candidate.Rules.
	FailClosed bool

	mu       sync.Mutex
	methods  []candidate.Reason // that are a provider's own
	parser   candidate.Parser
	policies map[string]compiled // by NodePool
	rolls    rollStore
	reports  map[candidate.Reason]disruptkit.Report // the last ones
	nodes    int                                    // how many the last snapshot had
}

// know lets budgets name the reason of a method.
func (c *Cluster) know(method candidate.Reason) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(slices.Concat(candidate.Methods(), c.methods), method) {
		c.methods, c.policies = append(c.methods, method), nil
	}
}

// A Prober asks probes all the time; *poll.Runner is one.
type Prober interface {
	// Set says which to ask, instead of those before.
	Set(probes []probe.Probe)
	// Verdicts returns what they say now.
	Verdicts(probes ...probe.Probe) []probe.Verdict
}

// compiled is the policy of a version of a NodePool.
type compiled struct {
	version string
	Policy
}

// A snapshot is what a decision is made of, and the objects behind it.
type snapshot struct {
	disruptkit.Input
	nodePools map[string]*v1.NodePool
	warnings  []events.Event
}

// snapshot looks at the cluster: at Karpenter's state for nodes, and at the API for everything else. Pods that are bound to
// nodes that the state does not know are nobody's, as in Karpenter.
func (c *Cluster) snapshot(ctx context.Context) (*snapshot, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &snapshot{nodePools: map[string]*v1.NodePool{}, Input: disruptkit.Input{Rolls: map[string]topology.Roll{}}}
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
	s.Now = c.Clock.Now() // after the verdicts, lest one be from the future
	for n := range c.State.Nodes() {
		to, warnings := ToNode(n, s.Now)
		bound := bound{}
		if n.Node != nil {
			bound = pods[n.Node.Name]
		}
		to.Pods = bound.pods
		s.Nodes = append(s.Nodes, to)
		if n.NodeClaim != nil { // what is wrong with other nodes does not concern Karpenter
			s.warn(n.NodeClaim, warnings...)
			s.warnings = append(s.warnings, bound.warnings...)
		}
	}
	c.nodes = len(s.Nodes)
	return s, nil
}

// lookAtPools adds NodePools, where their rolls stand, and what their probes say.
func (c *Cluster) lookAtPools(ctx context.Context, s *snapshot) error {
	nodePools, err := nodepoolutils.ListManaged(ctx, c.Client, c.CloudProvider)
	if err != nil {
		return fmt.Errorf("listing NodePools: %w", err)
	}
	probes := slices.Clone(c.Probes)
	policies := make(map[string]compiled, len(nodePools))
	for _, np := range nodePools {
		p, ok := c.policies[np.Name]
		if !ok || p.version != np.ResourceVersion {
			p = compiled{np.ResourceVersion, ToPolicy(np, c.methods...)}
		}
		policies[np.Name] = p
		probes = append(probes, p.Probes...)
		s.nodePools[np.Name] = np
		s.warn(np, p.Warnings...)
	}
	c.policies = policies
	if c.Prober != nil {
		c.Prober.Set(probes)
	}
	s.Verdicts = c.verdicts(c.Probes)
	for _, np := range nodePools {
		p := policies[np.Name]
		pool := p.Pool
		pool.Verdicts = c.verdicts(p.Probes)
		s.Pools = append(s.Pools, pool)
		s.Rolls[np.Name] = c.rolls.of(np, p.Roll)
	}
	return nil
}

// verdicts returns what probes say: nothing good, where nobody asks them.
func (c *Cluster) verdicts(probes []probe.Probe) []probe.Verdict {
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
	s.Rules, _ = candidate.Compile(pdbs, nil) // decisions report what is wrong
	s.Rules.FailClosed = c.FailClosed
	return nil
}

// bound are the pods of a node, and what is wrong with them.
type bound struct {
	pods     []candidate.Pod
	warnings []events.Event
}

// pods returns the pods by the name of the Node that they are bound to.
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
			if w.Field != candidate.DoNotDisruptAnnotation { // Karpenter says so itself
				there.warnings = append(there.warnings, warningEvent(p, w))
			}
		}
		pods[p.Spec.NodeName] = there
	}
	return pods, nil
}

// saveRolls stores those that decisions have changed.
func (c *Cluster) saveRolls(ctx context.Context, s *snapshot, after map[string]topology.Roll) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range sortedKeys(after) {
		if np := s.nodePools[name]; np != nil {
			if err := c.rolls.save(ctx, c.Client, np, s.Rolls[name], after[name]); err != nil {
				return err
			}
		}
	}
	return nil
}
