package candidate

import (
	"fmt"
	"math"

	"github.com/disruptkit/disruptkit/internal/evict/compiled"
	"github.com/disruptkit/disruptkit/internal/quote"
)

// parseKarpenter reads annotations as Karpenter does: only do-not-disrupt. Invalid values are ignored, whatever the
// policy. (Karpenter: IsDoNotDisruptActive.)
func parseKarpenter(keys []string, annotations map[string]string) (p parsed) {
	for _, key := range keys {
		value := annotations[key]
		w := Warning{
			Code: CodeNoEffect, Field: key, Value: value,
			Message: fmt.Sprintf("%.100q has no effect in Karpenter, which knows no disruption schedules of pods", value),
		}
		if key == DoNotDisruptAnnotation {
			var wrong string
			if p.terms.Protect, wrong = parseDoNotDisrupt(value); wrong == "" {
				continue
			}
			w.Code, w.Message = CodeInvalidAnnotation, fmt.Sprintf("%.100q %s", value, wrong)
		}
		p.warnings = append(p.warnings, w)
	}
	return p
}

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
	rules.Schedules, rules.ScheduleIndex = nil, compiled.Index{}
	g.rules, g.apart = &rules, true
	for i, p := range rules.PDBs {
		if p.Written < 0 {
			g.pdbs[i].left = math.MaxInt
		}
		if p.Invalid && g.stop == nil {
			g.stop = []Blocker{{Gate: GatePod, Code: CodeInvalidPDB, Source: g.sources.pdb(i, g.rules), Message: "PDB " + quote.Text(p.Name) +
				" is not valid, and Karpenter disrupts no node of the cluster until it is"}}
		}
	}
}

// Stopped reports whether the gate blocks all nodes, even those without pods. In Karpenter's dialect an invalid
// PodDisruptionBudget does that.
func (g *PodGate) Stopped() bool { return g.stop != nil }

// karpenterWarnings returns a warning for everything that has no effect in Karpenter, or stops it.
func (r Rules) karpenterWarnings() (all []Warning) {
	for _, w := range r.get().warnings {
		if w.Code != CodeInvalidSchedule {
			all = append(all, w)
		}
	}
	for _, s := range r.get().schedules {
		all = append(all, Warning{Code: CodeNoEffect, Object: s.object(), Message: "Karpenter has no PodDisruptionSchedules, so it blocks nothing"})
	}
	return all
}
