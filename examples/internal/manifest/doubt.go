package manifest

import (
	"cmp"
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
)

// doubts are what cannot be read of objects that may concern many nodes. Each holds back all those that it may concern.
type doubts struct {
	nodes      []candidate.Warning            // any: of a Pod that may run there
	pods       []candidate.Warning            // those with pods: of a PodDisruptionSchedule that may select them
	namespaces map[string][]candidate.Warning // those with pods of a namespace: of a PodDisruptionBudget, by namespace
}

// addPod notes that a pod that cannot be read may run on any node.
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

func (d *doubts) addPodSchedule(o *object) { d.pods = append(d.pods, o.faults...) }

// about returns what cannot be read of the pods of a node, and of what may concern them. Pods that hold nothing back
// are nobody's concern.
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
