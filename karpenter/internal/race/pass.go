package race

import (
	"context"
	"errors"
	"slices"
	"strings"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"

	"github.com/disruptkit/disruptkit/karpenter"
)

// Pass is all that the guard does while Karpenter looks for a node to replace and starts one, against the same
// BuildDisruptionBudgetMapping as in Mapping, which is a part of what Karpenter does meanwhile.
//
// The guard looks at the cluster, pods and PodDisruptionBudgets included, decides among the candidates, reports why those
// that are withheld are, and decides again on what the method has chosen, by another look. The method takes the first
// candidate; it costs nothing.
func (f *Fleet) Pass() (Race, error) {
	ctx := context.Background()
	budgets, err := f.mapping(ctx)
	if err != nil {
		return Race{}, err
	}
	candidates, err := f.candidates(ctx)
	if err != nil {
		return Race{}, err
	}
	guarded := karpenter.Guard(first{}, f.guards())
	pass := func() error {
		commands, err := guarded.ComputeCommands(ctx, budgets, candidates...)
		if err == nil && len(commands) != 1 {
			err = errors.New("the guard starts nothing")
		}
		return err
	}
	if err := pass(); err != nil {
		return Race{}, err
	}
	return Race{
		Rule: "… as part of a whole pass of a guard", Size: count(f.nodes, "node"),
		Karpenter:  f.karpenter(ctx),
		DisruptKit: repeated(pass),
	}, nil
}

// candidates returns the nodes that Karpenter would offer: those that have drifted and could be disrupted.
func (f *Fleet) candidates(ctx context.Context) (candidates []*disruption.Candidate, err error) {
	nodePools, _, err := disruption.BuildNodePoolMap(ctx, f.client, f.cloud)
	for _, n := range f.state.DeepCopyNodes() {
		drifted := n.NodeClaim.StatusConditions().Get(v1.ConditionTypeDrifted).IsTrue()
		if drifted && n.ValidateNodeDisruptable(f.clock) == nil {
			pool := nodePools[n.Labels()[v1.NodePoolLabelKey]]
			candidates = append(candidates, &disruption.Candidate{StateNode: n, NodePool: pool})
		}
	}
	slices.SortFunc(candidates, func(a, b *disruption.Candidate) int { return strings.Compare(a.Name(), b.Name()) })
	return candidates, err
}

// first is a method that starts the first of its candidates.
type first struct{ disruption.Method }

func (first) Reason() v1.DisruptionReason { return karpenterReason }
func (first) ConsolidationType() string   { return "" }

func (first) ComputeCommands(
	_ context.Context, budgets map[string]int, candidates ...*disruption.Candidate,
) ([]disruption.Command, error) {
	for _, c := range candidates {
		if budgets[c.NodePool.Name] > 0 {
			return []disruption.Command{{Candidates: []*disruption.Candidate{c}}}, nil
		}
	}
	return nil, nil
}
