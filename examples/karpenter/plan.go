package karpenter

import (
	"slices"

	"sigs.k8s.io/karpenter/pkg/controllers/disruption"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
)

// A plan is what a method may do about an offer.
type plan struct {
	offer
	// decision takes those that were not started for nodes that cannot start: it says why others stay, and what is to be
	// remembered if nothing starts.
	decision disruptkit.Decision
	eligible []*disruption.Candidate // among whom the method may choose
	most     map[string]int          // how many of each pool may go at the most
	budgets  map[string]int          // how many of each pool Karpenter lets go
}

func newPlan(o offer, in disruptkit.Input, budgets map[string]int, unstarted map[string]bool) plan {
	d := o.decide(in, unstarted)
	for closed := o.close(&in, budgets, d); closed; closed = o.close(&in, budgets, d) {
		d = o.decide(in, unstarted)
	}
	ds := []disruptkit.Decision{d}
	if len(unstarted) > 0 {
		ds = append(ds, o.retry(in)...)
	}
	p := plan{offer: o, decision: d, eligible: o.eligible(ds), most: o.tightened(budgets, ds), budgets: budgets}
	p.eligible = slices.DeleteFunc(p.eligible, func(c *disruption.Candidate) bool {
		return p.most[c.NodePool.Name] <= 0 && p.counts(c.Name())
	})
	return p
}

// retry decides as if all could start, then as if those whom that makes eligible could not, and so on: one of those that were
// not started may have come free in any zone.
func (o offer) retry(in disruptkit.Input) (ds []disruptkit.Decision) {
	tried := map[string]bool{}
	for {
		d := o.decide(in, tried)
		before := len(tried)
		for _, c := range o.eligible([]disruptkit.Decision{d}) {
			tried[c.Name()] = true
		}
		if len(tried) == before {
			return ds
		}
		ds = append(ds, d)
	}
}

// eligible returns the candidates among which a method may choose: first those that may go, and then those that may go in
// place of them.
func (o offer) eligible(ds []disruptkit.Decision) (eligible []*disruption.Candidate) {
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

// tightened returns how many nodes of each pool may go at the most: as many as Karpenter says, and as one of the decisions
// lets go. One may that is displaced by nodes of other pools. Nodes that no budget counts are not among them.
func (o offer) tightened(budgets map[string]int, ds []disruptkit.Decision) map[string]int {
	most := map[string]int{}
	for _, d := range ds {
		count := map[string]int{}
		for _, c := range d.Allowed {
			if o.counts(c.Node) {
				count[c.Pool]++
			}
		}
		for _, c := range d.Blocked {
			if c.Displaced && o.counts(c.Node) {
				count[c.Pool] = max(count[c.Pool], 1)
			}
		}
		for pool, n := range count {
			most[pool] = max(most[pool], min(n, budgets[pool]))
		}
	}
	return most
}

// atMost returns the nodes that a decision lets go, but no more of each pool than may go at the most.
func (p plan) atMost(d disruptkit.Decision) map[string]bool {
	allowed, count := map[string]bool{}, map[string]int{}
	for _, c := range d.Allowed {
		switch {
		case !p.counts(c.Node):
			allowed[c.Node] = true
		case count[c.Pool] < p.most[c.Pool]:
			count[c.Pool]++
			allowed[c.Node] = true
		}
	}
	return allowed
}

// memory returns what is to be remembered of the offer's pools: as the check says, if a command of the pool is kept, else as
// the decision does.
func (p plan) memory(check disruptkit.Decision, kept []disruption.Command) map[string]disruptkit.Memory {
	after := map[string]disruptkit.Memory{}
	for _, c := range p.byName {
		after[c.NodePool.Name] = p.decision.Memory[c.NodePool.Name]
	}
	for _, command := range kept {
		for _, c := range command.Candidates {
			after[c.NodePool.Name] = check.Memory[c.NodePool.Name]
		}
	}
	return after
}
