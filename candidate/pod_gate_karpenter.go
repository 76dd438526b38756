package candidate

import (
	"math"

	"github.com/disruptkit/disruptkit/internal/wording"
)

// forKarpenter makes the gate judge as Karpenter does:
//
//   - A PodDisruptionBudget holds pods back if it allows exactly 0. If it allows less, all may go. (Karpenter:
//     pdb.Limits.isEvictable.)
//   - A PodDisruptionBudget with an invalid selector blocks all nodes of the cluster, for every reason. (Karpenter:
//     pdb.NewLimits, GetCandidates.)
//   - Each node is checked separately: nodes in flight, and those allowed before it, use up nothing. (Karpenter:
//     pdb.Limits.CanEvictPods.)
//   - There are no PodDisruptionSchedules.
func (g *PodGate) forKarpenter() {
	rules := *g.written
	rules.Schedules, rules.ScheduleIndex = nil, selectorIndex{}
	g.rules, g.apart = &rules, true
	for i, p := range rules.PDBs {
		if p.Written < 0 {
			g.pdbs[i].left = math.MaxInt
		}
		if p.Invalid && g.stop == nil {
			g.stop = []Blocker{{
				Gate: GatePod, Code: CodeInvalidPDB, Source: g.sources.pdb(i, g.rules),
				Message: "PDB " + wording.Quote(p.Name) +
					" is not valid, and Karpenter disrupts no node of the cluster until it is",
			}}
		}
	}
}

// Stopped reports whether the gate blocks all nodes, even those without pods. In Karpenter's dialect an invalid
// PodDisruptionBudget does that.
func (g *PodGate) Stopped() bool { return g.stop != nil }
