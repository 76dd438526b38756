package karpenter

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
)

// Guard returns a method that disrupts only what both m and disruptkit allow: by budgets for methods and for zones that
// take turns, disruption schedules of pods, PodDisruptionBudgets of nodes that start together, and probes; see the
// annotations of NodePools. It works with any method of Karpenter or of a provider. It panics if m's reason cannot be a
// method, such as "", since no budget could name it.
//
// DisruptionPolicies in the API server hold over all methods, and over all NodePools that they select. A cluster need not
// have their CustomResourceDefinition. If it has, and they cannot be read, nothing may be disrupted.
//
// It only tightens what Karpenter allows: m sees fewer candidates and no higher budgets, and some of its commands are
// dropped. Karpenter's own rules stay in force. If the cluster cannot be read, nothing may be disrupted. If a probe is not
// answered, or a memory not stored, nothing of that NodePool may be disrupted, or of those that the policy selects.
//
// M gets each candidate that may be disrupted if no other one is, so that it chooses as before. A session then disrupts
// what it returns, on the cluster as it is by then, since consolidation waits for 15 seconds. Without candidates m is
// not called: consolidation would mark the cluster as consolidated. When a withheld node becomes available,
// consolidation looks again.
//
// Karpenter's repair commits a reboot before it returns the command. So each candidate for repair that m gets may be disrupted by
// itself, the memory is stored first, and commands that reboot are never dropped.
func Guard(m disruption.Method, c *Cluster) disruption.Method {
	reason, err := candidate.ParseReason(string(m.Reason()), candidate.Reason(m.Reason()))
	if err != nil {
		panic(fmt.Errorf("guarding method %T: %w", m, err))
	}
	c.know(reason)
	return &guard{Method: m, Cluster: c, reason: reason, unstarted: map[string]bool{}}
}

type guard struct {
	disruption.Method
	*Cluster
	reason candidate.Reason
	// unstarted has the nodes that the method could have started but did not, for example because their pods fit nowhere.
	// A roll waits for them up to its patience, as for other nodes that cannot start.
	unstarted map[string]bool
	// follows has the nodes that are to be disrupted because of another node of their unit.
	follows map[string]bool
	relook  relook
}

// SetNodePoolTotals forwards the totals to methods that accept them.
func (g *guard) SetNodePoolTotals(totals map[string]disruption.NodePoolTotals) {
	if m, ok := g.Method.(disruption.NodePoolTotalsSetter); ok {
		m.SetNodePoolTotals(totals)
	}
}

// ComputeCommands lets the method choose among the nodes that may be disrupted, and returns the part of its choice that still may
// go. It stores the memory first. Without that, nothing of the pool starts. After an error nothing starts at all.
func (g *guard) ComputeCommands(ctx context.Context, budgets map[string]int, candidates ...*disruption.Candidate) ([]disruption.Command, error) {
	commands, err := g.compute(ctx, budgets, candidates)
	if err != nil || commands == nil {
		commands = []disruption.Command{} // never nil, like Karpenter's methods
	}
	return commands, err
}

func (g *guard) compute(ctx context.Context, budgets map[string]int, candidates []*disruption.Candidate) ([]disruption.Command, error) {
	s, err := g.snapshot(ctx)
	if err != nil {
		return nil, g.failed(err)
	}
	g.forget(s)
	p, err := g.prepare(ctx, s, newOffer(g.reason, candidates, g.follows, g.Recording), budgets)
	if err != nil {
		return nil, g.failed(err)
	}
	g.explain(s, p)
	g.follow(p.decision)
	g.wake(p)
	commands, err := g.ask(ctx, p)
	g.note(p)
	if err != nil {
		return nil, err
	}
	g.remember(p, commands)
	kept, err := g.confirm(ctx, s, p, commands)
	if err != nil {
		return nil, g.failed(err)
	}
	g.launched(kept)
	return kept, nil
}

// prepare returns what the method may do, and stores what is to be stored before it chooses. If that fails for a pool,
// or a policy, the plan is made again without its pools.
func (g *guard) prepare(ctx context.Context, s *snapshot, o offer, budgets map[string]int) (plan, error) {
	for {
		p := newPlan(o, s.Input, budgets, g.unstarted)
		p.early = p.ahead(s)
		failed, err := g.store(ctx, s, s, p.early, s.settled)
		if err != nil || len(failed) == 0 {
			return p, err
		}
	}
}

// failed adds the method to an error.
func (g *guard) failed(err error) error { return fmt.Errorf("guarding method %q: %w", g.Reason(), err) }

// call calls the method, unless there is nothing to choose from. Like Karpenter, it drops commands that do nothing.
func (g *guard) call(ctx context.Context, p plan, candidates []*disruption.Candidate) ([]disruption.Command, error) {
	commands, err := g.Method.ComputeCommands(ctx, maps.Clone(p.most), slices.Clone(candidates)...)
	if err != nil {
		g.release(commands)
		return nil, err
	}
	return slices.DeleteFunc(commands, func(c disruption.Command) bool { return c.Decision() == disruption.NoOpDecision }), nil
}

// forget forgets nodes that are gone or going. A node that Karpenter does not offer at the moment may come back.
func (g *guard) forget(s *snapshot) {
	unstarted, withheld := map[string]bool{}, map[string]bool{}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if g.unstarted[n.Name] && !n.InFlight() {
			unstarted[n.Name] = true
		}
		if g.relook.withheld[n.Name] {
			withheld[n.Name] = true
		}
	}
	g.unstarted, g.relook.withheld = unstarted, withheld
}

// remember records the nodes that the method did not start, if it found nothing to do at all: drift, expiration and requests try
// one node after another until one can be disrupted. Only these take turns, so only their rolls wait for such nodes.
func (g *guard) remember(p plan, commands []disruption.Command) {
	for name := range chosen(commands) {
		delete(g.unstarted, name)
	}
	if !g.replaces() || len(commands) > 0 {
		return
	}
	for _, c := range p.eligible {
		g.unstarted[c.Name()] = true
	}
}

// confirm returns the commands that may still start together, and stores the memory of all pools first. A command that
// reboots a node has started already.
func (g *guard) confirm(
	ctx context.Context, before *snapshot, p plan, commands []disruption.Command,
) ([]disruption.Command, error) {
	var rebooted, kept []disruption.Command
	for _, c := range commands {
		if c.Reboot {
			rebooted = append(rebooted, c)
		} else {
			kept = append(kept, c)
		}
	}
	now, after, u := before, map[string]disruptkit.Memory{}, p.units
	if len(kept) > 0 {
		var err error
		if now, err = g.snapshot(ctx); err != nil {
			g.release(kept)
			return nil, err
		}
		names := chosen(kept)
		in := block(p.input(now.Input), notChosen, func(n *candidate.Node) bool { return !names[n.Name] })
		session := disruptkit.Open(in, p.reason)
		u = unitsOf(in)
		kept = g.keep(ctx, u, kept, p.taker(session, u))
		d := session.Close()
		p.recording.Record(in, d)
		after = now.started(d, kept)
	}
	failed, err := g.store(ctx, before, now, after, now.settled)
	if err == nil {
		_, err = g.store(ctx, before, now, p.rest(before, after), before.settled)
	}
	if err != nil {
		g.release(kept)
		return nil, err
	}
	kept = g.keep(ctx, u, kept, func(nodes ...*disruption.Candidate) bool {
		return !slices.ContainsFunc(nodes, func(c *disruption.Candidate) bool {
			return slices.ContainsFunc(now.memories(c.NodePool.Name), func(key string) bool { return failed[key] })
		})
	})
	return append(rebooted, kept...), nil
}

// keep returns the commands whose nodes take accepts. A command that replaces nodes is kept as a whole or not at all, and so are commands that
// share a unit. A command that only deletes nodes, including terminate-first, is kept for those nodes that may be deleted.
func (g *guard) keep(
	ctx context.Context, u units, commands []disruption.Command, take func(...*disruption.Candidate) bool,
) (kept []disruption.Command) {
	may := map[part]bool{}
	for _, group := range u.groups(commands) {
		var nodes []*disruption.Candidate
		for _, c := range group {
			nodes = append(nodes, c.Candidate)
		}
		taken := take(nodes...)
		for _, c := range group {
			may[c] = taken
		}
	}
	for i, command := range commands {
		candidates := slices.DeleteFunc(slices.Clone(command.Candidates), func(c *disruption.Candidate) bool { return !may[part{c, i}] })
		if len(candidates) == 0 {
			log.FromContext(ctx).V(1).Info("dropping a command that may not be started", "command", command.String())
			g.release([]disruption.Command{command})
			continue
		}
		command.Candidates = candidates
		kept = append(kept, command)
	}
	return kept
}

// release returns reservations against the limits of static NodePools, for commands that do not start.
func (g *guard) release(commands []disruption.Command) {
	for _, command := range commands {
		for _, c := range command.Candidates {
			if c.OwnedByStaticNodePool() && len(command.Replacements) > 0 {
				g.State.NodePoolState.ReleaseNodeCount(c.NodePool.Name, 1)
			}
		}
	}
}
