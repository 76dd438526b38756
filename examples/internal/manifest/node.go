package manifest

import "time"

// A node is a Kubernetes Node.
type node struct {
	*object
	metadata
	providerID string
	disrupted  bool // it has the taint of nodes in flight
	ready      bool
	readySince time.Time
}

func readNode(o *object) *node {
	spec := o.root.field("spec")
	n := &node{object: o, metadata: o.metadata(), providerID: spec.field("providerID").text()}
	for _, taint := range spec.field("taints").each() {
		if taint.field("key").text() == disruptedTaint { // with whatever effect
			n.disrupted = true
		}
	}
	if ready := o.conditions("Ready").of("Ready"); ready.isTrue() {
		n.ready, n.readySince = true, ready.since
	}
	return n
}
