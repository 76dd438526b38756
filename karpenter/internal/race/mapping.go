package race

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	nodepoolutils "sigs.k8s.io/karpenter/pkg/utils/nodepool"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/karpenter"
)

// Mapping is how many nodes of each pool may be disrupted now for a reason, from Karpenter's state of the cluster.
// Both list the NodePools through the same client.
//
// Karpenter's BuildDisruptionBudgetMapping copies the whole state first, which is most of its time. It also sets two
// metrics for each pool and makes an event for each that may not lose a node, which is dropped here.
//
// disruptkit looks at the state as the guard does, without a copy, and decides. So it also says which of the nodes
// that have drifted may be disrupted, and why the others may not. Its policies are those of the versions of the NodePools that
// it has seen. What the guard looks at besides, pods and PodDisruptionBudgets, is in Pass.
//
// Listing through the fake client, some 0.2 ms, is a good part of both at 100 nodes.
func (f *Fleet) Mapping() (Race, error) {
	ctx := context.Background()
	g := glance{Fleet: f, policies: map[string]policy{}}
	theirs, err := f.mapping(ctx)
	if err != nil {
		return Race{}, err
	}
	ours, err := g.mapping(ctx)
	if err != nil {
		return Race{}, err
	}
	if diff := cmp.Diff(theirs, ours); diff != "" {
		return Race{}, fmt.Errorf("%d nodes: Karpenter says (-), disruptkit (+):\n%s", f.nodes, diff)
	}
	return Race{
		Rule: "Nodes that may be disrupted, of all pools", Size: count(f.nodes, "node"),
		Karpenter: f.karpenter(ctx),
		DisruptKit: repeated(func() error {
			_, err := g.mapping(ctx)
			return err
		}),
	}, nil
}

func (f *Fleet) karpenter(ctx context.Context) func(*testing.B) {
	return repeated(func() error {
		_, err := f.mapping(ctx)
		return err
	})
}

// repeated returns a benchmark of something that takes far longer than a call.
func repeated(f func() error) func(*testing.B) {
	return func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := f(); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// mapping asks Karpenter.
func (f *Fleet) mapping(ctx context.Context) (map[string]int, error) {
	return disruption.BuildDisruptionBudgetMapping(ctx, f.state, f.clock, f.client, f.cloud, dropped{}, karpenterReason)
}

// A glance is what of the guard is needed for the numbers of pools.
type glance struct {
	*Fleet
	policies map[string]policy // by NodePool
}

type policy struct {
	version string
	pool    disruptkit.Pool
}

// mapping asks disruptkit.
func (g *glance) mapping(ctx context.Context) (map[string]int, error) {
	nodePools, err := nodepoolutils.ListManaged(ctx, g.client, g.cloud)
	if err != nil {
		return nil, err
	}
	in := disruptkit.Input{Now: g.clock.Now(), Nodes: make([]candidate.Node, 0, g.nodes)}
	for _, np := range nodePools {
		p, ok := g.policies[np.Name]
		if !ok || p.version != np.ResourceVersion {
			p = policy{np.ResourceVersion, karpenter.ToPolicy(np, nil).Pool}
			g.policies[np.Name] = p
		}
		in.Pools = append(in.Pools, p.pool)
	}
	for n := range g.state.Nodes() {
		to, _ := karpenter.ToNode(n, in.Now)
		in.Nodes = append(in.Nodes, to)
	}
	remaining := map[string]int{}
	for _, p := range disruptkit.Decide(in, disruptkitReason).Pools {
		if p.Reason == disruptkitReason {
			remaining[p.Pool] = p.Remaining
		}
	}
	return remaining, nil
}
