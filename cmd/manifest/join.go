package manifest

import (
	"slices"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// cluster returns the objects as an engine reads them.
func (r *reader) cluster(p Policy) *Cluster {
	var pools []*nodePool
	for _, o := range r.pools {
		again := o.again()
		pools = append(pools, readNodePool(again, again.disruption(), p))
	}
	var several []disruptionpolicy.Policy
	for _, o := range r.several {
		several = append(several, readDisruptionPolicy(o.again(), p))
	}
	return r.join(p, pools, several)
}

// join joins what belongs together.
func (r *reader) join(p Policy, pools []*nodePool, several []disruptionpolicy.Policy) *Cluster {
	c := &Cluster{
		Memory: map[string]disruptkit.Memory{}, Probes: map[string][]httpget.Spec{}, Said: map[string]Event{},
		policy: p, from: r, all: pools, pools: map[string]*nodePool{}, several: several,
		byPDB: map[string]pdb{}, standings: map[string]Standing{}, requests: map[string]annotation.Request{}, ignored: map[string][]string{},
		admitted: map[string]budget.Set{}, unmarked: map[string][]string{},
	}
	asked := c.readPods()
	c.faults = append(c.faults, r.faults...)
	for _, p := range pools {
		c.addPool(p)
	}
	doubts := c.readRules()
	reads := slices.Clone(annotation.OfNodes)
	for _, p := range pools {
		reads = append(reads, p.unitLabel)
	}
	for _, s := range states(r.claims, r.nodes, r.pods) {
		s.unclaimable, s.podsUnknown = !c.has("NodeClaim"), !c.has("Pod")
		if s.isStray() {
			c.strays = append(c.strays, s.name())
		}
		n, warnings := s.candidate(c.pools)
		if s.node != nil {
			warnings = append(warnings, misplaced("Node", s.node.String(), s.node.annotations, reads...)...)
		}
		if s.claim != nil {
			warnings = append(warnings, misplaced("NodeClaim", s.claim.String(), s.claim.annotations, reads...)...)
		}
		for i, p := range s.pods {
			n.Pods[i].Terms = asked[p]
		}
		if s.node != nil && c.policy.As.Dialect() != dialect.Karpenter {
			s.node.maintain(&n)
		}
		if was, known := c.standings[n.Name]; !known || s.ending().before(was.lifespan) { // several may share a name
			standing := s.standing()
			standing.Interrupted = c.interruption(s)
			c.standings[n.Name] = standing
		}
		c.compare(n, s.claim)
		if c.policy.As == engine.Steward { // which releases what it holds
			n.DoNotDisrupt = n.DoNotDisrupt && !s.has(annotation.Held)
			n.DoNotRepair = n.DoNotRepair && !s.has(annotation.RepairHeld)
		}
		if c.policy.As.Annotated() {
			c.noteAge(&n, s)
		}
		c.noteRequest(&n, s)
		n.Blockers = append(n.Blockers, unreadable(candidate.GatePod, doubts.about(s.pods))...)
		if s.node != nil && n.Pool != "" && !n.Phase.Joining() && !n.InFlight() && len(s.pods) == 0 {
			c.podless++
		}
		if said, ok := c.from.events.of(s); ok {
			c.Said[n.Name] = said
		}
		c.Nodes, c.states = append(c.Nodes, n), append(c.states, s)
		c.faults = append(c.faults, warnings...)
	}
	c.unite()
	c.addGroups()
	c.addBreakers()
	c.faults = append(c.faults, c.unrepaired()...)
	return c
}

// readPods returns what the annotations of pods ask for.
func (c *Cluster) readPods() map[*pod]candidate.Terms {
	parser := kube.Parser{Dialect: c.policy.As.Dialect()}
	asked := map[*pod]candidate.Terms{}
	for _, p := range c.from.annotated {
		terms, warnings := parser.Terms(p.Namespace, p.Name, p.annotations)
		asked[p], c.faults = terms, append(c.faults, warnings...)
	}
	return asked
}

// readRules sets the rules of pods, and returns what cannot be read of them.
func (c *Cluster) readRules() doubts {
	doubts := c.from.doubts
	var pdbs []candidate.PDB
	for _, p := range c.from.pdbs {
		pdbs, c.byPDB[p.Namespace+"/"+p.Name] = append(pdbs, p.PDB), p
	}
	var schedules []candidate.PodSchedule
	for _, s := range c.from.schedules {
		switch {
		case c.policy.As.Annotated():
			c.faults = append(c.faults, c.unscheduled(s))
		case len(s.faults) > 0 && c.policy.As == engine.Disruptkit: // which alone reads them
			doubts.pods = append(slices.Clip(doubts.pods), s.faults...)
		default:
			schedules = append(schedules, s.PodSchedule)
		}
	}
	c.Rules, _ = candidate.CompileRules(pdbs, schedules) // decisions report what is wrong
	c.Rules.FailClosed = c.policy.FailClosed
	return doubts
}

// addPool adds a pool. If several share a name, decisions reject all of them.
func (c *Cluster) addPool(p *nodePool) {
	c.pools[p.Name] = p
	if !p.memory.Equal(disruptkit.Memory{}) {
		c.Memory[p.Name] = p.memory
	}
	if len(p.probes) > 0 {
		c.Probes[p.Name] = append(c.Probes[p.Name], p.probes...)
	}
	c.Pauses = append(c.Pauses, p.Pauses...)
	if c.policy.As.Annotated() {
		c.admitted[p.Name], _ = p.Admitted.Compile()
	}
	c.faults = slices.Concat(c.faults, p.warnings, p.dropped, p.hints, p.faults)
	c.Pools = append(c.Pools, p.Pool)
}
