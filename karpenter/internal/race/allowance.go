package race

import (
	"fmt"
	"math"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/karpenter"
)

// Allowance is how many nodes of a pool may be disrupted for a reason, by the same scheduled budgets. Karpenter reads
// all of them each time; disruptkit has compiled them, as the guard does once for each version of a NodePool.
func Allowance(budgets int) (Race, error) {
	const nodes = 500
	pool := &v1.NodePool{}
	pool.Spec.Disruption.Budgets = scheduled(budgets)
	set, err := budget.Compile(karpenter.ToBudgets(pool.Spec.Disruption.Budgets))
	if err != nil {
		return Race{}, err
	}
	week := everyFiveHours(friday)
	now := &still{}
	for _, now.now = range week {
		theirs, err := pool.GetAllowedDisruptionsByReason(now, nodes, karpenterReason)
		if err != nil {
			return Race{}, err
		}
		ours, err := budget.AllowedByReason(set, now.now, nodes, disruptkitReason)
		if err != nil {
			return Race{}, err
		}
		if limit(ours.Nodes) != theirs {
			return Race{}, fmt.Errorf("%d budgets, %s: disruptkit says %d, Karpenter %d", budgets, now.now, ours.Nodes, theirs)
		}
	}
	return Race{
		Rule: "Nodes that may be disrupted, of one pool", Size: count(budgets, "budget"),
		Karpenter: func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				now.now = week[i%len(week)]
				_, _ = pool.GetAllowedDisruptionsByReason(now, nodes, karpenterReason)
			}
		},
		DisruptKit: func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				_, _ = budget.AllowedByReason(set, week[i%len(week)], nodes, disruptkitReason)
			}
		},
	}, nil
}

// limit returns a number of disruptkit as Karpenter has it.
func limit(nodes int) int {
	if nodes == budget.Unlimited {
		return math.MaxInt32
	}
	return nodes
}

// scheduled returns budgets for different hours, every third of them for drift alone. Later ones are tighter, so that
// each may be the one that counts.
func scheduled(n int) (list []v1.Budget) {
	for i := range n {
		cron := fmt.Sprintf("%d %d * * mon-fri", i, (9+i)%24)
		b := v1.Budget{
			Nodes: fmt.Sprintf("%d%%", 60-i), Schedule: &cron,
			Duration: &metav1.Duration{Duration: time.Duration(8+i%5) * time.Hour},
		}
		if i%3 == 1 {
			b.Reasons = []v1.DisruptionReason{karpenterReason}
		}
		list = append(list, b)
	}
	return list
}
