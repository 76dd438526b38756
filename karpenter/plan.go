package karpenter

import (
	"maps"
	"slices"

	"sigs.k8s.io/karpenter/pkg/controllers/disruption"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// A plan is what a method may do about an offer.
type plan struct {
	offer
	// decision assumes that nodes which were not started cannot start. It says why the others stay.
	decision disruptkit.Decision
	eligible []*disruption.Candidate      // the candidates among which the method may choose
	most     map[string]int               // how many nodes of each pool may go at most
	budgets  map[string]int               // how many nodes of each pool Karpenter lets go
	early    map[string]disruptkit.Memory // stored before the method chooses
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

// retry decides as if all nodes could start, then as if those that this makes eligible could not, and so on: a node
// that was not started before may be able to start now, in any zone.
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

// eligible returns the candidates among which a method may choose: first those that may go, then those that could go in
// their place.
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

// tightened returns how many nodes of each pool may go at most: as many as the most permissive of the decisions lets
// go, or 1 if nodes of the pool are only displaced, but no more than Karpenter says. Nodes that no budget counts are
// not included.
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

// atMost returns the nodes that a decision lets go, up to each pool's maximum.
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

// ahead returns the memories that are stored before the method chooses, with all nodes that may go as started. They are
// those of all pools of the offer, and of their policies, if a node may reboot, since that cannot be taken back, or else
// those that could not be written before, so that the method does not choose their nodes in vain. The next decision
// forgets the starts of nodes that did not start.
func (p plan) ahead(s *snapshot) map[string]disruptkit.Memory {
	ahead, all := map[string]disruptkit.Memory{}, p.reboots()
	for _, c := range p.byName {
		for _, key := range s.memories(c.NodePool.Name) {
			if !s.held[key] && (all || s.retries[key]) {
				ahead[key] = p.decision.Memory[key]
			}
		}
	}
	return ahead
}

// rest returns the memories to store of pools and policies of which nothing starts: those of the offer as in the
// decision, those of pools whose launches have ended, and none for pools that have no policy any more.
func (p plan) rest(s *snapshot, started map[string]disruptkit.Memory) map[string]disruptkit.Memory {
	rest, goes := map[string]disruptkit.Memory{}, map[string]bool{}
	for _, c := range p.decision.Allowed {
		goes[c.Node] = true
	}
	for _, l := range s.settled {
		rest[l.pool] = s.Memory[l.pool]
	}
	for _, c := range p.byName {
		for _, key := range s.memories(c.NodePool.Name) {
			rest[key] = p.idle(key, goes)
		}
	}
	for name := range s.nodePools {
		if s.obsolete(name) {
			rest[name] = disruptkit.Memory{}
		}
	}
	maps.DeleteFunc(rest, func(key string, _ disruptkit.Memory) bool {
		_, early := p.early[key]
		_, starts := started[key]
		return early || starts
	})
	return rest
}

// idle returns a memory if nothing starts: that of the decision, without the nodes that it lets start.
func (p plan) idle(key string, goes map[string]bool) disruptkit.Memory {
	m := p.decision.Memory[key]
	m.Starts = slices.DeleteFunc(slices.Clone(m.Starts), func(s budget.Start) bool {
		return !s.Seen && s.At.Equal(p.decision.Now) && goes[s.Node]
	})
	return m
}

// started returns the memories of the pools of commands that start, and of their policies, as a decision has them.
func (s *snapshot) started(d disruptkit.Decision, commands []disruption.Command) map[string]disruptkit.Memory {
	after := map[string]disruptkit.Memory{}
	for _, command := range commands {
		for _, c := range command.Candidates {
			for _, key := range s.memories(c.NodePool.Name) {
				after[key] = d.Memory[key]
			}
		}
	}
	return after
}
