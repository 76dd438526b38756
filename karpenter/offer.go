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

// notChosen holds back nodes while a choice is checked. It is never shown.
const notChosen = "not-chosen"

// An offer is the candidates that Karpenter offers to a method for a reason.
type offer struct {
	reason    candidate.Reason
	byName    map[string]*disruption.Candidate
	recording *replay.Recorder
}

func newOffer(reason candidate.Reason, candidates []*disruption.Candidate, recording *replay.Recorder) offer {
	o := offer{reason, map[string]*disruption.Candidate{}, recording}
	for _, c := range candidates {
		o.byName[c.Name()] = c
	}
	return o
}

// decide decides which of the offered nodes may go, if some of them cannot start.
func (o offer) decide(in disruptkit.Input, unstarted map[string]bool) disruptkit.Decision {
	return o.recording.Decide(o.input(in, func(name string) (code candidate.Code, message string) {
		if unstarted[name] {
			return CodeNotStarted, "Karpenter could not start it when it last tried: see its own events"
		}
		return "", ""
	}), o.reason)
}

// check decides whether all nodes that a method chose may go together.
func (o offer) check(in disruptkit.Input, commands []disruption.Command) disruptkit.Decision {
	may := chosen(commands)
	return o.recording.Decide(o.input(in, func(name string) (code candidate.Code, message string) {
		if !may[name] {
			return notChosen, "the method chose others"
		}
		return "", ""
	}), o.reason)
}

// close holds back pools if Karpenter lets none of their nodes go although a decision does, and reports whether there
// are any. Karpenter may be stricter because it does not know that the most specific budgets decide. For repair, nodes
// that no budget counts may still go.
func (o offer) close(in *disruptkit.Input, budgets map[string]int, d disruptkit.Decision) bool {
	pools := map[string]bool{}
	for _, c := range d.Allowed {
		if budgets[c.Pool] <= 0 && o.counts(c.Node) {
			pools[c.Pool] = true
		}
	}
	closed := candidate.Blocker{Gate: candidate.GateBudget, Code: candidate.CodeExhausted, Message: "Karpenter's own budgets let no more nodes go"}
	if o.repairs() {
		in.Nodes = slices.Clone(in.Nodes)
		for i := range in.Nodes {
			if n := &in.Nodes[i]; pools[n.Pool] && o.counts(n.Name) {
				n.Blockers = append(slices.Clip(n.Blockers), closed)
			}
		}
		return len(pools) > 0
	}
	in.Pools = slices.Clone(in.Pools)
	for i := range in.Pools {
		if p := &in.Pools[i]; pools[p.Name] {
			p.Blockers = append(slices.Clip(p.Blockers), closed)
		}
	}
	return len(pools) > 0
}

// input returns the input for the offer: only offered nodes are candidates, and those for which against returns a code
// have a blocker.
func (o offer) input(in disruptkit.Input, against func(name string) (code candidate.Code, message string)) disruptkit.Input {
	in.Nodes = slices.Clone(in.Nodes)
	for i := range in.Nodes {
		n := &in.Nodes[i]
		wanted := slices.ContainsFunc(n.Conditions, func(c candidate.Condition) bool { return o.reason.Covers(c.Reason) })
		offered := o.byName[n.Name]
		if offered == nil && !wanted {
			continue
		}
		code, message := CodeNotOffered, fmt.Sprintf("Karpenter does not offer it for %s: see its own events", o.reason)
		if offered != nil {
			code, message = against(n.Name)
		}
		if code != "" {
			n.Blockers = append(slices.Clip(n.Blockers), candidate.Blocker{Gate: candidate.GateNode, Code: code, Message: message})
		}
		if offered == nil {
			continue
		}
		n.Cost = offered.DisruptionCost
		if !wanted {
			n.Conditions = append(slices.Clip(n.Conditions), o.condition(offered, in.Now))
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
