package candidate

import (
	"fmt"
	"math"

	"github.com/disruptkit/disruptkit/internal/quote"
)

// parseKarpenter reads annotations as Karpenter does: do-not-disrupt, and nothing else. What is not valid is ignored, whatever the
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
//   - A PodDisruptionBudget holds pods back if it allows exactly 0. One that allows less lets all of them go. (Karpenter:
//     pdb.Limits.isEvictable.)
//   - One whose selector is not valid holds back all nodes of the cluster, for every reason. (Karpenter: pdb.NewLimits,
//     GetCandidates.)
//   - Each node is asked for on its own: those that go before it, or are in flight, use up nothing. (Karpenter:
//     pdb.Limits.CanEvictPods.)
//   - There are no PodDisruptionSchedules.
func (g *PodGate) forKarpenter() {
	rules := *g.rules.get()
	rules.schedules, rules.scheduleIndex = nil, index{}
	g.rules.compiled, g.apart = &rules, true
	for i, p := range rules.pdbs {
		if p.written < 0 {
			g.left[i] = math.MaxInt
		}
		if p.code == CodeInvalidPDB && g.stop == nil {
			g.stop = []Blocker{{Gate: GatePod, Code: CodeInvalidPDB, Source: p.source, Message: "PDB " + quote.Text(path(p.Namespace, p.Name)) +
				" is not valid, and Karpenter disrupts no node of the cluster until it is"}}
		}
	}
}

// Stopped reports whether the gate lets no node go, also none without pods: in Karpenter's dialect, where a PodDisruptionBudget is not
// valid.
func (g *PodGate) Stopped() bool { return g.stop != nil }

// karpenterWarnings returns what has no effect in Karpenter, or stops it.
func (r Rules) karpenterWarnings() (all []Warning) {
	for _, w := range r.get().warnings {
		if w.Code != CodeInvalidSchedule {
			all = append(all, w)
		}
	}
	for _, s := range r.get().schedules {
		all = append(all, Warning{Code: CodeNoEffect, Object: s.object(), Message: "Karpenter knows no PodDisruptionSchedules: it holds back nothing"})
	}
	return all
}
