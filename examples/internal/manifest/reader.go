package manifest

import (
	"cmp"
	"fmt"

	"github.com/disruptkit/disruptkit/topology"
)

// A reader collects objects, until all are there that belong together.
type reader struct {
	Cluster
	pools  map[string]*nodePool
	claims []*nodeClaim
	nodes  []*node
	pods   map[string][]*pod // by node
}

func newReader() *reader {
	return &reader{
		Cluster: Cluster{
			Rolls:   map[string]topology.Roll{},
			seen:    map[string]int{},
			unknown: map[string]int{},
		},
		pools: map[string]*nodePool{},
		pods:  map[string][]*pod{},
	}
}

// groups has the API group of each kind that is read.
var groups = map[string]string{
	"NodePool":            "karpenter.sh",
	"NodeClaim":           "karpenter.sh",
	"Node":                "",
	"Pod":                 "",
	"PodDisruptionBudget": "policy",
}

func (r *reader) add(o *object) {
	group, known := groups[o.kind]
	known = known && (o.apiVersion == "" || o.group() == group)
	switch {
	case known:
		r.seen[o.kind]++
		r.read(o)
	case o.kind == "" || o.isList(): // named as a fault
	default:
		r.unknown[fmt.Sprintf("%s (%s)", o.kind, cmp.Or(o.apiVersion, "no apiVersion"))]++
		return // whatever is wrong with it
	}
	r.faults = append(r.faults, o.faults...)
}

func (r *reader) read(o *object) {
	switch o.kind {
	case "NodePool":
		r.addPool(readNodePool(o))
	case "NodeClaim":
		r.claims = append(r.claims, readNodeClaim(o))
	case "Node":
		r.nodes = append(r.nodes, readNode(o))
	case "Pod":
		p := readPod(o)
		r.pods[p.node] = append(r.pods[p.node], p)
		if p.terms {
			r.terms++
		}
	}
}

// addPool adds a pool. Of the same name, decisions refuse all.
func (r *reader) addPool(p *nodePool) {
	r.pools[p.Name] = p
	if p.endless {
		r.endless = append(r.endless, p.Name)
	}
	if p.roll.Key != "" {
		r.Rolls[p.Name] = p.roll
	}
	r.faults = append(r.faults, p.warnings...)
	r.Pools = append(r.Pools, p.Pool)
}

// cluster joins what belongs together.
func (r *reader) cluster() *Cluster {
	for _, s := range states(r.claims, r.nodes, r.pods) {
		n, warnings := s.candidate(r.pools)
		r.Nodes = append(r.Nodes, n)
		r.faults = append(r.faults, warnings...)
	}
	return &r.Cluster
}
