package disruptionpolicy

import (
	"maps"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/probe"
)

// A Selection is what policies say about the NodePools of a cluster. The zero Selection limits nothing.
type Selection struct {
	Groups   []Selected // of the policies that select any NodePool
	Pauses   []probe.Pause
	Warnings []candidate.Warning // of what people have written

	pausing []string // whose each of the Pauses is: the object of the policy
}

// A Selected is a policy as decisions take it, without the verdicts of its probes.
type Selected struct {
	disruptkit.Group
	Policy Policy
}

// Select finds out which NodePools policies are about. Labels has the labels of all NodePools, by name; several may share one. Nil: NodePools
// were not read, so none is missing. Elsewhere has the pools of nodes that are not among these.
func Select(policies []Policy, labels map[string][]map[string]string, elsewhere []string) Selection {
	var s Selection
	for _, p := range policies {
		g, pauses := p.Of(labels, elsewhere)
		s.Warnings = slices.Concat(s.Warnings, p.Warnings, p.Faults)
		if idle := p.Idle(len(g.Pools)); idle != "" && labels != nil {
			s.Warnings = append(s.Warnings, candidate.Warning{Code: candidate.CodeNoEffect, Object: p.Object(), Field: "spec", Message: idle})
		}
		if len(g.Pools) == 0 {
			continue
		}
		for _, pause := range pauses {
			s.Pauses, s.pausing = append(s.Pauses, pause), append(s.pausing, p.Object())
		}
		s.Groups = append(s.Groups, Selected{g, p})
	}
	return s
}

// Elsewhere returns the pools of nodes that are not among those with labels.
func Elsewhere(nodes []candidate.Node, labels map[string][]map[string]string) []string {
	missing := map[string]bool{}
	for i := range nodes {
		if pool := nodes[i].Pool; pool != "" && labels[pool] == nil {
			missing[pool] = true
		}
	}
	return slices.Sorted(maps.Keys(missing))
}

// Place reports where people have written what a decision's warning is about, and whether that is a policy at all. Of a group that is not valid
// there is nothing to say here: the fault is reported with its policy.
func (s Selection) Place(w candidate.Warning) (placed []candidate.Warning, ours bool) {
	named := false
	for i, pause := range s.Pauses {
		if w.Object != pause.Object() {
			continue
		}
		if named = true; annotation.Concerns(w, pause) {
			of := w
			of.Object, of.Field = s.pausing[i], "spec.pause."+w.Field
			placed = append(placed, of)
		}
	}
	if len(placed) > 0 || named && w.Code == candidate.CodeUnknownPool { // decisions may be about some of the pools
		return placed, true
	}
	group, ours := strings.CutPrefix(w.Object, "Group/")
	if !ours || w.Code == candidate.CodeInvalidGroup {
		return nil, ours
	}
	if w.Object = Kind + "/" + group; strings.HasPrefix(w.Field, "budgets") {
		w.Field = "spec." + w.Field
	}
	return []candidate.Warning{w}, true
}
