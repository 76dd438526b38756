package karpenter

import (
	"fmt"
	"slices"
	"time"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/replay"
	"github.com/disruptkit/disruptkit/cmd/standing"
)

// Codes of the guard's own blockers. They may lift at any time.
const (
	CodeNotOffered candidate.Code = "not-offered"      // Karpenter does not offer the node: see what it says itself
	CodeNotStarted candidate.Code = "not-started"      // Karpenter could not start the node when it last tried
	CodeNotStored                 = standing.NotStored // the memory of the NodePool, or of a DisruptionPolicy, could not be written
	CodeNotRead    candidate.Code = "not-read"         // the DisruptionPolicies could not be read
)

var (
	notStarted = candidate.Blocker{
		Gate: candidate.GateNode, Code: CodeNotStarted,
		Message: "Karpenter could not start it when it last tried: see its own events",
	}
	// notChosen blocks what a method did not choose. It is never shown.
	notChosen = candidate.Blocker{Gate: candidate.GateNode, Code: "not-chosen", Message: "the method chose others"}
	usedUp    = candidate.Blocker{
		Gate: candidate.GateBudget, Code: candidate.CodeExhausted, Message: "Karpenter's own budgets allow no more nodes",
	}
)

// An offer is the candidates that Karpenter offers to a method for a reason.
type offer struct {
	reason    candidate.Reason
	byName    map[string]*disruption.Candidate
	follows   map[string]bool // those that the method has no reason to disrupt but their unit
	recording *replay.Recorder
}

func newOffer(
	reason candidate.Reason, candidates []*disruption.Candidate, follows map[string]bool, recording *replay.Recorder,
) offer {
	o := offer{reason, map[string]*disruption.Candidate{}, follows, recording}
	for _, c := range candidates {
		o.byName[c.Name()] = c
	}
	return o
}

// input returns the input for the offer: offered nodes are candidates, and all others are blocked. Units do not count for repair: Karpenter can
// repair only the node that is broken, and its unit is broken with it.
func (o offer) input(in disruptkit.Input) disruptkit.Input {
	asked := func(c candidate.Condition) bool { return o.reason.Covers(c.Reason) }
	in = block(in, candidate.Blocker{
		Gate: candidate.GateNode, Code: CodeNotOffered,
		Message: fmt.Sprintf("Karpenter does not offer it for %s: see its own events", o.reason),
	}, func(n *candidate.Node) bool {
		return o.byName[n.Name] == nil && (n.Unit != "" || slices.ContainsFunc(n.Conditions, asked))
	})
	for i := range in.Nodes {
		n := &in.Nodes[i]
		if o.repairs() {
			n.Unit = ""
		}
		c := o.byName[n.Name]
		if c == nil {
			continue
		}
		n.Cost = c.DisruptionCost
		if !o.follows[n.Name] && !slices.ContainsFunc(n.Conditions, asked) {
			n.Conditions = append(slices.Clip(n.Conditions), o.condition(c, in.Now))
		}
	}
	return in
}

// tightened blocks the pools of the offer of which Karpenter's own budgets allow no more nodes. It may be stricter,
// since it does not know that the most specific budgets decide. Turns of zones stay where they are meanwhile. For
// repair, only the nodes that budgets count are blocked.
func (o offer) tightened(in disruptkit.Input, budgets map[string]int) disruptkit.Input {
	closed := map[string]bool{}
	for _, c := range o.byName {
		closed[c.NodePool.Name] = budgets[c.NodePool.Name] <= 0
	}
	if o.repairs() {
		return block(in, usedUp, func(n *candidate.Node) bool { return closed[n.Pool] && o.counts(n.Name) })
	}
	in.Pools = slices.Clone(in.Pools)
	for i := range in.Pools {
		if p := &in.Pools[i]; closed[p.Name] {
			p.Blockers = append(slices.Clip(p.Blockers), usedUp)
		}
	}
	return in
}

// block returns the input with a blocker for some of its nodes.
func block(in disruptkit.Input, by candidate.Blocker, which func(*candidate.Node) bool) disruptkit.Input {
	in.Nodes = slices.Clone(in.Nodes)
	for i := range in.Nodes {
		if n := &in.Nodes[i]; which(n) {
			n.Blockers = append(slices.Clip(n.Blockers), by)
		}
	}
	return in
}

// condition returns the condition of an offered node if its NodeClaim has none.
func (o offer) condition(c *disruption.Candidate, now time.Time) candidate.Condition {
	if o.repairs() {
		return ToUnhealthy(c, now)
	}
	return candidate.Condition{Reason: o.reason, Since: since(c.NodeClaim)}
}

// since returns since when a NodeClaim is consolidatable. Zero means unknown.
func since(c *v1.NodeClaim) time.Time {
	if consolidatable := c.StatusConditions().Get(v1.ConditionTypeConsolidatable); consolidatable.IsTrue() {
		return consolidatable.LastTransitionTime.Time
	}
	return time.Time{}
}

// chosen returns the names of the nodes in commands.
func chosen(commands []disruption.Command) map[string]bool {
	names := map[string]bool{}
	for _, command := range commands {
		for _, c := range command.Candidates {
			names[c.Name()] = true
		}
	}
	return names
}
