package manifest

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/repair"
)

// A node is a Kubernetes Node.
type node struct {
	*object
	metadata
	providerID string
	disrupted  bool // it has the taint of nodes in flight
	// interrupted is the taint that says that the cloud takes it away.
	interrupted string
	maintained  conditions // that may say that somebody disrupts it
	cordoned    bool
	ready       bool
	readySince  time.Time
	// unreadySince is when it ceased to be Ready; zero: it is Ready, or that is unknown.
	unreadySince time.Time
	health       []repair.Condition // conditions that may call for repair
	created      time.Time          // set if there are any
	heartbeat    string             // the last, as it is written
}

// readNode reads a Node with its relevant conditions: Ready, and the types that may call for repair.
func readNode(o *object, unhealthy []string) *node {
	spec := o.root.field("spec")
	n := &node{object: o, metadata: o.metadata(), providerID: spec.field("providerID").text()}
	for _, taint := range spec.field("taints").each() {
		key := taint.field("key").text() // with any effect
		n.disrupted = n.disrupted || key == annotation.DisruptedTaint
		if slices.Contains(interruptionTaints, key) {
			n.interrupted = key
		}
	}
	n.maintained = o.conditions(kube.MaintenanceConditions()...)
	conditions := o.conditions(append([]string{"Ready"}, unhealthy...)...)
	for _, c := range conditions {
		if slices.Contains(unhealthy, c.kind) {
			n.health = append(n.health, repair.Condition{Type: c.kind, Status: c.status.text(), Reason: c.reason.text(), LastTransitionTime: c.since})
		}
	}
	if len(n.health) > 0 {
		n.created = o.created()
	}
	if ready := conditions.of("Ready"); ready.isTrue() {
		n.ready, n.readySince = true, ready.since
	} else {
		n.unreadySince = ready.since
	}
	for _, c := range o.root.apart().field("status").field("conditions").each() {
		n.heartbeat = max(n.heartbeat, c.textOf("lastHeartbeatTime"))
	}
	n.cordoned = spec.field("unschedulable").json == true
	return n
}

// maintain tells the node of decisions that somebody disrupts it.
func (n *node) maintain(to *candidate.Node) {
	for _, c := range n.maintained {
		if c.isTrue() {
			kube.Maintain(to, candidate.Maintenance{Condition: c.kind, Since: c.since})
		}
	}
}
