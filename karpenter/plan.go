package karpenter

import (
	"maps"

	"sigs.k8s.io/karpenter/pkg/controllers/disruption"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
)

// A plan is what a method may do about an offer.
type plan struct {
	offer
	decision disruptkit.Decision          // to disrupt nothing: it says what blocks the others
	all      disruptkit.Decision          // to disrupt all that may be disrupted together
	eligible []*disruption.Candidate      // the candidates among which the method may choose
	may      map[string]bool              // their names
	most     map[string]int               // how many nodes of each pool it may choose
	budgets  map[string]int               // how many nodes of each pool Karpenter allows
	early    map[string]disruptkit.Memory // stored before the method chooses
	units    units
}

// newPlan finds out what may be disrupted. A node that could not start may be able to now, in any zone. So sessions in
// which all of them could start follow, then those in which the ones that this makes eligible could not, and so on.
func newPlan(o offer, in disruptkit.Input, budgets map[string]int, unstarted map[string]bool) plan {
	in = o.input(o.tightened(in, budgets))
	without := func(names map[string]bool) disruptkit.Input {
		return block(in, notStarted, func(n *candidate.Node) bool { return names[n.Name] })
	}
	p := plan{offer: o, may: map[string]bool{}, most: map[string]int{}, budgets: budgets, units: unitsOf(in)}
	p.all, p.decision = p.ask(without(unstarted))
	for tried, more := map[string]bool{}, len(unstarted) > 0; more; {
		_, none := p.ask(without(tried))
		more = false
		for _, c := range none.Free {
			if unstarted[c.Node] {
				tried[c.Node], more = true, true
			}
		}
	}
	return p
}

// ask adds what may be disrupted to the plan, and returns the decisions to disrupt all of it, in line, and nothing. The
// method may choose as many nodes of a pool as may be disrupted together, or 1 that shares a limit with nodes of other
// pools, but no more than Karpenter allows. It may choose any number of nodes that no budget counts.
func (p *plan) ask(in disruptkit.Input) (all, none disruptkit.Decision) {
	all, none = p.recording.Decide(in, p.reason), disruptkit.Open(in, p.reason).Close()
	p.recording.Record(in, none)
	counted := map[string]int{}
	for _, c := range all.Allowed {
		if p.counts(c.Node) {
			counted[c.Pool]++
		}
	}
	for _, c := range none.Free {
		if !p.may[c.Node] {
			p.may[c.Node] = true
			p.eligible = append(p.eligible, p.byName[c.Node])
		}
		if p.counts(c.Node) {
			p.most[c.Pool] = max(p.most[c.Pool], min(max(counted[c.Pool], 1), p.budgets[c.Pool]))
		}
	}
	return all, none
}

// taker returns a function that disrupts nodes in a session, all or none, as far as Karpenter's own number allows it, and only whole units.
func (p plan) taker(s *disruptkit.Session, u units) func(nodes ...*disruption.Candidate) bool {
	byName, left := map[string]candidate.Candidate{}, maps.Clone(p.most)
	for c := range s.Candidates() {
		byName[c.Node] = c
	}
	return func(nodes ...*disruption.Candidate) bool {
		if len(u.missing(chosen([]disruption.Command{{Candidates: nodes}}))) > 0 {
			return false
		}
		all, after := make([]candidate.Candidate, len(nodes)), maps.Clone(left)
		for i, n := range nodes {
			if all[i] = byName[n.Name()]; p.counts(n.Name()) {
				after[n.NodePool.Name]--
			}
		}
		for _, n := range nodes {
			if after[n.NodePool.Name] < 0 {
				return false
			}
		}
		if !s.Disrupt(all...) {
			return false
		}
		left = after
		return true
	}
}

// ahead returns the memories that are stored before the method chooses, as if all nodes that may be disrupted together
// were. They are those of all pools of the offer, and of their policies, if a node may reboot, since that cannot be
// taken back, or else those that could not be written before, so that the method does not choose their nodes in vain.
// The next decision forgets the starts of nodes that did not start.
func (p plan) ahead(s *snapshot) map[string]disruptkit.Memory {
	ahead, all := map[string]disruptkit.Memory{}, p.reboots()
	for _, c := range p.byName {
		for _, key := range s.memories(c.NodePool.Name) {
			if !s.held[key] && (all || s.retries[key]) {
				ahead[key] = p.all.Memory[key]
			}
		}
	}
	return ahead
}

// rest returns the memories to store of pools and policies without a start: those of the offer as in the
// decision, but a turn waits for the nodes that the method has tried in vain; those of pools whose launches have ended; and none
// for pools that have no policy any more.
func (p plan) rest(s *snapshot, started map[string]disruptkit.Memory) map[string]disruptkit.Memory {
	rest := map[string]disruptkit.Memory{}
	for _, l := range s.settled {
		rest[l.pool] = s.Memory[l.pool]
	}
	for _, c := range p.byName {
		for _, key := range s.memories(c.NodePool.Name) {
			m := p.decision.Memory[key]
			m.Roll = p.all.Memory[key].Roll
			rest[key] = m
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
