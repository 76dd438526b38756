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

// Guard returns a method that disrupts only what both m and disruptkit let go: budgets of zones that take turns and of
// methods, the disruption schedules of pods, PodDisruptionBudgets of what is started together, and probes; see the
// annotations of NodePools. It works with any method of Karpenter or of a provider.
//
// It can only tighten what Karpenter allows: m sees a part of the candidates that it would see, and budgets that are not
// higher, and of the commands that it returns some are dropped. Karpenter's own rules stay in force. What cannot be read,
// asked or stored lets nothing go.
//
// The candidates that m gets are those that may go, and those that may go in place of them, so that it chooses as ever. What
// it returns is checked again, on the cluster as it is by then: consolidation waits for 15 seconds before. Without any
// candidate m is not called, since consolidation would take the cluster for consolidated.
func Guard(m disruption.Method, c *Cluster) disruption.Method {
	g := &guard{Method: m, Cluster: c, refused: map[string]bool{}}
	g.reason, g.err = candidate.ParseReason(string(m.Reason()), candidate.Reason(m.Reason()))
	c.know(g.reason)
	return g
}

type guard struct {
	disruption.Method
	*Cluster
	reason candidate.Reason
	err    error // why the reason is none
	// refused are the nodes that the method last left alone although it could have disrupted them. A roll waits for them as
	// for other nodes that cannot start, and then goes on.
	refused map[string]bool
	report  disruptkit.Report
}

// SetNodePoolTotals forwards what Karpenter tells methods that want to know it.
func (g *guard) SetNodePoolTotals(totals map[string]disruption.NodePoolTotals) {
	if m, ok := g.Method.(disruption.NodePoolTotalsSetter); ok {
		m.SetNodePoolTotals(totals)
	}
}

// ComputeCommands lets the method choose among what may go, and returns what of its choice still may. Rolls are stored
// before: an error starts nothing.
func (g *guard) ComputeCommands(ctx context.Context, budgets map[string]int, candidates ...*disruption.Candidate) ([]disruption.Command, error) {
	if g.err != nil {
		return nil, fmt.Errorf("guarding method %q: %w", g.Reason(), g.err)
	}
	o := newOffer(g.reason, candidates)
	before, err := g.snapshot(ctx)
	if err != nil {
		return nil, fmt.Errorf("guarding method %q: %w", g.Reason(), err)
	}
	g.forget(o)
	d := o.decide(before.Input, g.refused)
	if closed, any := o.closed(before.Input, budgets, d); any {
		before.Input, d = closed, o.decide(closed, g.refused)
	}
	again := d
	if len(g.refused) > 0 {
		again = o.decide(before.Input, nil) // they may be tried once more
	}
	eligible := o.eligible(d, again)
	g.explain(before, d, o.without(eligible))
	most := o.tightened(budgets, d, again)
	commands, err := g.ask(ctx, maps.Clone(most), eligible)
	if err != nil {
		return nil, err
	}
	g.remember(eligible, commands)
	kept, check, err := g.keep(ctx, o, most, commands)
	if err == nil {
		err = g.saveRolls(ctx, before, o.rolls(d, check, kept))
	}
	if err != nil {
		g.release(kept)
		return nil, fmt.Errorf("guarding method %q: %w", g.Reason(), err)
	}
	if withheld := len(eligible) < len(candidates) || len(kept) < len(commands); withheld && len(kept) == 0 {
		g.State.MarkUnconsolidated() // consolidation looks again: what was withheld may go later
	}
	return kept, nil
}

// ask asks the method, unless there is nothing to choose from.
func (g *guard) ask(ctx context.Context, budgets map[string]int, eligible []*disruption.Candidate) ([]disruption.Command, error) {
	if len(eligible) == 0 {
		return nil, nil
	}
	return g.Method.ComputeCommands(ctx, budgets, eligible...)
}

// forget forgets who is no longer offered.
func (g *guard) forget(o offer) {
	for name := range g.refused {
		if o.byName[name] == nil {
			delete(g.refused, name)
		}
	}
}

// remember notes whom the method left alone, if it found nothing to do at all: drift tries one after the other until one can
// go. Only drift takes turns, so that only there anybody waits for them.
func (g *guard) remember(eligible []*disruption.Candidate, commands []disruption.Command) {
	for name := range chosen(commands) {
		delete(g.refused, name)
	}
	if g.reason != candidate.Drifted || len(commands) > 0 {
		return
	}
	for _, c := range eligible {
		g.refused[c.Name()] = true
	}
}

// keep returns the commands that may still be started, all of them together, and the decision that says so. One that
// replaces nodes is kept as a whole or not at all; of one that only deletes nodes, those that may go. Of each pool, most may.
func (g *guard) keep(
	ctx context.Context, o offer, most map[string]int, commands []disruption.Command,
) (kept []disruption.Command, check disruptkit.Decision, err error) {
	if len(commands) == 0 {
		return nil, check, nil
	}
	now, err := g.snapshot(ctx)
	if err != nil {
		g.release(commands)
		return nil, check, err
	}
	check = o.check(now.Input, commands)
	allowed := map[string]bool{}
	for _, c := range check.Allowed {
		if most[c.Pool]--; most[c.Pool] >= 0 {
			allowed[c.Node] = true
		}
	}
	for _, command := range commands {
		may := slices.DeleteFunc(slices.Clone(command.Candidates), func(c *disruption.Candidate) bool { return !allowed[c.Name()] })
		if whole := len(may) == len(command.Candidates); !whole && (len(may) == 0 || len(command.Replacements) > 0) {
			log.FromContext(ctx).V(1).Info("dropping a command that may no longer be started", "command", command.String())
			g.release([]disruption.Command{command})
			continue
		}
		command.Candidates = may
		kept = append(kept, command)
	}
	return kept, check, nil
}

// release gives back what commands for static NodePools have reserved of the limits of these, if they are not started.
func (g *guard) release(commands []disruption.Command) {
	for _, command := range commands {
		for _, c := range command.Candidates {
			if c.OwnedByStaticNodePool() && len(command.Replacements) > 0 {
				g.State.NodePoolState.ReleaseNodeCount(c.NodePool.Name, 1)
			}
		}
	}
}
