package karpenter

import (
	"fmt"
	"maps"
	"slices"
	"time"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

// The codes of the guard's own blockers. All of them may lift at any time.
const (
	CodeNotOffered = "not-offered" // Karpenter does not offer the node: see what it says itself
	CodeRefused    = "refused"     // Karpenter left the node alone when it last could have disrupted it
	CodeNotChosen  = "not-chosen"  // the method chose others
)

// An offer are the candidates that Karpenter offers a method for a reason.
type offer struct {
	reason candidate.Reason
	byName map[string]*disruption.Candidate
}

func newOffer(reason candidate.Reason, candidates []*disruption.Candidate) offer {
	o := offer{reason, map[string]*disruption.Candidate{}}
	for _, c := range candidates {
		o.byName[c.Name()] = c
	}
	return o
}

// decide decides who of those that are offered may go, if those who were refused cannot start.
func (o offer) decide(in disruptkit.Input, refused map[string]bool) disruptkit.Decision {
	return disruptkit.Decide(o.input(in, func(name string) (code, message string) {
		if refused[name] {
			return CodeRefused, "Karpenter left it alone when it last could have disrupted it: see its own events"
		}
		return "", ""
	}), o.reason)
}

// closed returns the input for pools of which Karpenter lets nothing go although the decision does: where the most specific
// budgets decide, Karpenter, which does not know that, may be stricter.
func (o offer) closed(in disruptkit.Input, budgets map[string]int, d disruptkit.Decision) (closed disruptkit.Input, any bool) {
	in.Pools = slices.Clone(in.Pools)
	for i := range in.Pools {
		p := &in.Pools[i]
		lets := slices.ContainsFunc(d.Allowed, func(c candidate.Candidate) bool { return c.Pool == p.Name })
		if lets && budgets[p.Name] <= 0 {
			any = true
			p.Blockers = append(slices.Clip(p.Blockers), candidate.Blocker{
				Gate: candidate.GateBudget, Code: candidate.CodeExhausted, Message: "Karpenter's own budgets let no more nodes go",
			})
		}
	}
	return in, any
}

// check decides whether those that a method chose may go, all of them together.
func (o offer) check(in disruptkit.Input, commands []disruption.Command) disruptkit.Decision {
	may := chosen(commands)
	return disruptkit.Decide(o.input(in, func(name string) (code, message string) {
		if !may[name] {
			return CodeNotChosen, "the method chose others"
		}
		return "", ""
	}), o.reason)
}

// input returns the input with the offer: those that are offered want to go, all others cannot, nor those for which against
// has a code.
func (o offer) input(in disruptkit.Input, against func(name string) (code, message string)) disruptkit.Input {
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
		if !wanted {
			n.Conditions = append(slices.Clip(n.Conditions), candidate.Condition{Reason: o.reason, Since: since(offered.NodeClaim)})
		}
	}
	return in
}

// since returns since when a NodeClaim can be consolidated. Zero is unknown.
func since(c *v1.NodeClaim) time.Time {
	if consolidatable := c.StatusConditions().Get(v1.ConditionTypeConsolidatable); consolidatable.IsTrue() {
		return consolidatable.LastTransitionTime.Time
	}
	return time.Time{}
}

// eligible returns the candidates among which a method may choose: first those that may go, and then those that may go in
// place of them.
func (o offer) eligible(ds ...disruptkit.Decision) (eligible []*disruption.Candidate) {
	seen := map[string]bool{}
	add := func(c candidate.Candidate) {
		if of := o.byName[c.Node]; of != nil && !seen[c.Node] {
			seen[c.Node] = true
			eligible = append(eligible, of)
		}
	}
	for _, d := range ds {
		for _, c := range d.Allowed {
			add(c)
		}
	}
	for _, d := range ds {
		for _, c := range d.Blocked {
			if c.Displaced {
				add(c)
			}
		}
	}
	return eligible
}

// without returns the candidates that are not among others, by name.
func (o offer) without(others []*disruption.Candidate) map[string]*disruption.Candidate {
	rest := maps.Clone(o.byName)
	for _, c := range others {
		delete(rest, c.Name())
	}
	return rest
}

// tightened returns how many nodes of each pool may go at the most: as many as Karpenter says, and as one of the decisions
// lets go.
func (o offer) tightened(budgets map[string]int, ds ...disruptkit.Decision) map[string]int {
	most := map[string]int{}
	for _, d := range ds {
		count := map[string]int{}
		for _, c := range d.Allowed {
			count[c.Pool]++
		}
		for pool, n := range count {
			most[pool] = max(most[pool], min(n, budgets[pool]))
		}
	}
	return most
}

// rolls returns where the rolls of the offer's pools stand: as the check says, if a command of the pool is kept, else as the
// decision says.
func (o offer) rolls(d, check disruptkit.Decision, kept []disruption.Command) map[string]topology.Roll {
	rolls := map[string]topology.Roll{}
	for _, c := range o.byName {
		rolls[c.NodePool.Name] = d.Rolls[c.NodePool.Name]
	}
	for _, command := range kept {
		for _, c := range command.Candidates {
			rolls[c.NodePool.Name] = check.Rolls[c.NodePool.Name]
		}
	}
	return rolls
}

// chosen returns the names of the nodes of commands.
func chosen(commands []disruption.Command) map[string]bool {
	names := map[string]bool{}
	for _, command := range commands {
		for _, c := range command.Candidates {
			names[c.Name()] = true
		}
	}
	return names
}
