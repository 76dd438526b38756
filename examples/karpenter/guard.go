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
// It only tightens what Karpenter allows: m sees fewer candidates and no higher budgets, and some of its commands are
// dropped. Karpenter's own rules stay in force. If something cannot be read, probed or stored, nothing may go.
//
// M gets the candidates that may go and those that could go in their place, so that it chooses as before. What it
// returns is checked again, on the cluster as it is by then, since consolidation waits for 15 seconds. Without
// candidates m is not called: consolidation would mark the cluster as consolidated. When a withheld node becomes
// available, consolidation looks again.
//
// Karpenter's repair commits a reboot before it returns the command. So each candidate for repair that m gets may go by
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
	relook    relook
}

// SetNodePoolTotals forwards the totals to methods that accept them.
func (g *guard) SetNodePoolTotals(totals map[string]disruption.NodePoolTotals) {
	if m, ok := g.Method.(disruption.NodePoolTotalsSetter); ok {
		m.SetNodePoolTotals(totals)
	}
}

// ComputeCommands lets the method choose among the nodes that may go, and returns the part of its choice that still may
// go. It stores the memory first. After an error nothing starts.
func (g *guard) ComputeCommands(ctx context.Context, budgets map[string]int, candidates ...*disruption.Candidate) ([]disruption.Command, error) {
	commands, err := g.compute(ctx, budgets, candidates)
	if err != nil || commands == nil {
		commands = []disruption.Command{} // never nil, like Karpenter's methods
	}
	return commands, err
}

func (g *guard) compute(ctx context.Context, budgets map[string]int, candidates []*disruption.Candidate) ([]disruption.Command, error) {
	before, err := g.snapshot(ctx)
	if err != nil {
		return nil, g.failed(err)
	}
	g.forget(before)
	p := newPlan(newOffer(g.reason, candidates), before.Input, budgets, g.unstarted)
	g.explain(before, p)
	reboots := p.reboots()
	if reboots {
		if err := g.saveMemory(ctx, before, p.memory(disruptkit.Decision{}, nil)); err != nil {
			return nil, g.failed(err)
		}
	}
	g.wake(p)
	commands, err := g.ask(ctx, p)
	g.note(p)
	if err != nil {
		return nil, err
	}
	g.remember(p, commands)
	kept, after, err := g.confirm(ctx, p, commands)
	if err == nil && !reboots { // the memory does not depend on which node is repaired
		err = g.saveMemory(ctx, before, after)
	}
	if err != nil {
		g.release(kept)
		return nil, g.failed(err)
	}
	g.launched(kept)
	return kept, nil
}

// failed adds the method to an error.
func (g *guard) failed(err error) error { return fmt.Errorf("guarding method %q: %w", g.Reason(), err) }

// ask calls the method, unless there is nothing to choose from. Like Karpenter, it drops commands that do nothing.
func (g *guard) ask(ctx context.Context, p plan) ([]disruption.Command, error) {
	if len(p.eligible) == 0 {
		return nil, nil
	}
	commands, err := g.Method.ComputeCommands(ctx, maps.Clone(p.most), slices.Clone(p.eligible)...)
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

// remember records the nodes that the method did not start, if it found nothing to do at all: drift tries one node
// after another until one can go. Only drift takes turns, so only a roll of drift waits for such nodes.
func (g *guard) remember(p plan, commands []disruption.Command) {
	for name := range chosen(commands) {
		delete(g.unstarted, name)
	}
	if g.reason != candidate.Drifted || len(commands) > 0 {
		return
	}
	for _, c := range p.eligible {
		g.unstarted[c.Name()] = true
	}
}

// confirm returns the commands that may still start together, and the memory to store with them. A command that
// replaces nodes may start as a whole or not at all. A command that only deletes nodes, including terminate-first, may
// start for those nodes that may go. A command that reboots a node has started already.
func (g *guard) confirm(ctx context.Context, p plan, commands []disruption.Command) (kept []disruption.Command, after map[string]disruptkit.Memory, err error) {
	commands = slices.Clone(commands)
	commands = slices.DeleteFunc(commands, func(c disruption.Command) bool {
		if c.Reboot {
			kept = append(kept, c)
		}
		return c.Reboot
	})
	if len(commands) == 0 {
		return kept, p.memory(disruptkit.Decision{}, nil), nil
	}
	now, err := g.snapshot(ctx)
	if err != nil {
		g.release(commands)
		return nil, nil, err
	}
	check := p.check(now.Input, commands)
	allowed := p.atMost(check)
	for _, command := range commands {
		may := slices.DeleteFunc(slices.Clone(command.Candidates), func(c *disruption.Candidate) bool { return !allowed[c.Name()] })
		if whole := len(may) == len(command.Candidates); !whole && (len(may) == 0 || len(command.Replacements) > 0) {
			log.FromContext(ctx).V(1).Info("dropping a command that may no longer be started", "command", command.String())
			g.release([]disruption.Command{command})
			continue
		}
		for _, c := range may {
			delete(allowed, c.Name()) // a node goes once
		}
		command.Candidates = may
		kept = append(kept, command)
	}
	return kept, p.memory(check, kept), nil
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
