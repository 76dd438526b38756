package manifest

import (
	"cmp"
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
)

// doubts are faults of objects that may concern many nodes. Each blocks all nodes that it may concern.
type doubts struct {
	nodes      []candidate.Warning            // any node: of a Pod that may run there
	pods       []candidate.Warning            // nodes with pods: of a PodDisruptionSchedule that may select them
	namespaces map[string][]candidate.Warning // nodes with pods of a namespace: of a PodDisruptionBudget, by namespace
}

// addPod records that an unreadable pod may run on any node.
func (d *doubts) addPod(p *pod) {
	if p.nodeless {
		d.nodes = append(d.nodes, p.faults...)
	}
}

func (d *doubts) addPDB(o *object) {
	if o.isFaulty("metadata") || o.isFaulty("metadata.namespace") {
		d.pods = append(d.pods, o.faults...)
		return
	}
	d.namespaces[o.space()] = append(d.namespaces[o.space()], o.faults...)
}

// about returns the faults of a node's pods, and of objects that may concern them. It ignores pods that block nothing.
func (d *doubts) about(pods []*pod) []candidate.Warning {
	faults := slices.Clone(d.nodes)
	seen := map[string]bool{}
	active := false
	for _, p := range pods {
		faults = append(faults, p.faults...)
		if p.Inactive {
			continue
		}
		if !active {
			faults = append(faults, d.pods...)
		}
		active = true
		if !p.Unevictable && !seen[p.Namespace] {
			seen[p.Namespace] = true
			faults = append(faults, d.namespaces[p.Namespace]...)
		}
	}
	slices.SortStableFunc(faults, func(a, b candidate.Warning) int { return cmp.Compare(a.Object, b.Object) })
	return faults
}
