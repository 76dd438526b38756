package manifest

import (
	"cmp"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// A state is a machine as Karpenter sees it: a NodeClaim, its Node, or both.
type state struct {
	claim *nodeClaim // nil: Karpenter does not manage the Node
	node  *node      // nil: the instance has not joined yet
	pods  []*pod

	unclaimable bool // no NodeClaims were given
	podsUnknown bool // no Pods were
}

// states joins NodeClaims with their Nodes, and Nodes with their Pods. Several objects with the same name each give a
// state: decisions reject them.
func states(claims []*nodeClaim, nodes []*node, pods map[string][]*pod) []state {
	byName, byProviderID := map[string][]*node{}, map[string][]*node{}
	for _, n := range nodes {
		byName[n.name] = append(byName[n.name], n)
		byProviderID[n.providerID] = append(byProviderID[n.providerID], n)
	}
	var all []state
	managed := map[*node]bool{}
	for _, c := range claims {
		var joined []*node
		if c.nodeName != "" {
			joined = byName[c.nodeName]
		}
		if len(joined) == 0 && c.providerID != "" {
			joined = byProviderID[c.providerID]
		}
		for _, n := range joined {
			managed[n] = true
			all = append(all, state{claim: c, node: n, pods: pods[n.name]})
		}
		if len(joined) == 0 {
			all = append(all, state{claim: c, pods: pods[c.nodeName]})
		}
	}
	for _, n := range nodes {
		if !managed[n] {
			all = append(all, state{node: n, pods: pods[n.name]})
		}
	}
	return all
}

const (
	registeredLabel  = "karpenter.sh/registered"
	initializedLabel = "karpenter.sh/initialized"
)

// registered reports whether the Node's own data counts, rather than that of its NodeClaim. (Karpenter:
// StateNode.Registered.)
func (s state) registered() bool {
	return s.claim == nil || s.node != nil && s.node.labels[registeredLabel] == "true"
}

// initialized reports whether the Node is complete. (Karpenter: StateNode.Initialized.)
func (s state) initialized() bool {
	return s.claim == nil && s.pool() == "" || s.node != nil && s.node.labels[initializedLabel] == "true"
}

// phase returns how far the machine has come.
func (s state) phase() candidate.Phase {
	switch {
	case s.initialized() && s.node != nil && s.node.ready:
		return candidate.Running
	case s.initialized():
		return candidate.NotReady
	case s.node != nil && s.node.labels[registeredLabel] == "true":
		return candidate.Registered
	}
	return candidate.Launched
}

// leaving returns whether the machine is about to be gone.
func (s state) leaving() candidate.Leaving {
	switch {
	case s.claim != nil && s.claim.terminating:
		return candidate.Terminating
	case s.claim != nil && s.claim.deleting, s.node != nil && (s.node.deleting || s.node.disrupted):
		return candidate.Draining
	}
	return candidate.Staying
}

// name returns the name of the Node, or that of the NodeClaim if there is no Node yet.
func (s state) name() string {
	if s.node != nil {
		return cmp.Or(s.node.name, s.node.where)
	}
	return cmp.Or(s.claim.name, s.claim.where)
}

// metadata returns what describes the machine. (Karpenter: StateNode.Labels, Annotations.)
func (s state) metadata() metadata {
	if s.registered() {
		return s.node.metadata
	}
	return s.claim.metadata
}

// pool returns the pool of the machine. Karpenter uses the NodeClaim's. If the input has no NodeClaims, it is the
// Node's label.
func (s state) pool() string {
	if s.claim == nil && !s.unclaimable {
		return ""
	}
	return s.metadata().labels[annotation.PoolLabel]
}

// has reports whether the machine has an annotation.
func (s state) has(name string) bool {
	_, there := s.metadata().annotations[name]
	return there
}

// isStray reports whether a Node has a pool's label but no NodeClaim.
func (s state) isStray() bool {
	return s.claim == nil && !s.unclaimable && s.node.labels[annotation.PoolLabel] != ""
}

// candidate returns the node for decisions, and its faults.
func (s state) candidate(pools map[string]*nodePool) (candidate.Node, []candidate.Warning) {
	meta := s.metadata()
	n := candidate.Node{
		Name:        s.name(),
		Pool:        s.pool(),
		Labels:      meta.labels,
		Phase:       s.phase(),
		PodsUnknown: s.podsUnknown,
	}
	if len(s.pods) > 0 {
		n.Pods = make([]candidate.Pod, len(s.pods))
	}
	for i, p := range s.pods {
		n.Pods[i] = p.Pod
	}
	doNotDisrupt, warnings := kube.NodeDoNotDisrupt(n.Name, meta.annotations[kube.DoNotDisruptAnnotation])
	doNotRepair, more := kube.NodeDoNotRepair(n.Name, meta.annotations[kube.DoNotRepairAnnotation])
	n.DoNotDisrupt, n.DoNotRepair, warnings = doNotDisrupt, doNotRepair, append(warnings, more...)
	if s.node != nil {
		n.ReadySince = s.node.readySince
	}
	n.Leaving = s.leaving()
	if s.claim != nil {
		n.Created = s.claim.created
		n.Rebooting = s.claim.rebooting
		n.HasGracePeriod, n.Deadline = s.claim.gracePeriod, s.claim.deadline
		n.Conditions = s.conditions(pools[n.Pool])
		if n.InFlight() {
			n.DisruptedFor = s.claim.disruptedFor
		}
	}
	if faults := s.faults(); len(faults) > 0 {
		if n.ReadySince = (time.Time{}); n.Phase == candidate.Running {
			n.Phase = candidate.NotReady // so that it uses up one disruption
		}
		n.Blockers = unreadable(candidate.GateNode, faults)
	}
	return n, warnings
}

func (s state) faults() (faults []candidate.Warning) {
	if s.node != nil {
		faults = append(faults, s.node.faults...)
	}
	if s.claim != nil {
		faults = append(faults, s.claim.faults...)
	}
	return faults
}

// unreadable returns a blocker for each fault of an object, since what it says about a machine or its pods may be
// wrong.
func unreadable(gate candidate.Gate, faults []candidate.Warning) (blockers []candidate.Blocker) {
	for _, f := range faults {
		code := CodeUnreadable
		if f.Code == candidate.CodeRejected {
			code = f.Code
		}
		blockers = append(blockers, candidate.Blocker{Gate: gate, Code: code, Message: f.Error()})
	}
	return blockers
}

// Consolidatable describes what Karpenter's condition of that name means.
const Consolidatable = "Consolidatable means only that consolidateAfter has passed; Karpenter's prices and scheduling simulation decide"

// conditions returns the reasons for which the machine should be disrupted.
//
// Karpenter marks every node as Consolidatable whose pods have not changed for long enough. If moving its pods costs
// nothing, the reason is Empty, otherwise Underutilized. (For the latter, Karpenter also requires something cheaper,
// which takes prices and a simulation of the scheduler. Here, all nodes that it would consider are candidates.) If the
// pods are unknown, it may be either.
func (s state) conditions(pool *nodePool) (conditions []candidate.Condition) {
	if s.claim.drifted {
		conditions = append(conditions, s.claim.drift)
	}
	if pool == nil {
		pool = &nodePool{} // nothing is known about it, and decisions say so
	}
	if !s.claim.consolidatable.isTrue() {
		return conditions
	}
	since, isEmpty := s.claim.consolidatable.since, empty(s.pods)
	if (isEmpty || s.podsUnknown) && !slices.Contains(pool.never, candidate.Empty) {
		conditions = append(conditions, candidate.Condition{Reason: candidate.Empty, Since: since})
	}
	if (!isEmpty || s.podsUnknown) && !slices.Contains(pool.never, candidate.Underutilized) {
		conditions = append(conditions, candidate.Condition{Reason: candidate.Underutilized, Since: since})
	}
	return conditions
}
