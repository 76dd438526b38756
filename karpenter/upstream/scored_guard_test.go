//go:build scored

package upstream_test

import (
	"context"
	"errors"
	"maps"
	"slices"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"

	"github.com/disruptkit/disruptkit/karpenter"
)

// guardScored returns a method that disrupts only what both m and disruptkit allow. There is a guard for each reason, which decides about the
// candidates that go for it. All guards look first, so that m chooses from one list of what each lets go. Then each checks what m chose for
// its reason, and stores the memory, as if a method of that reason had chosen.
//
// Only commands of one reason start in a pass: those of the first that may start. The others are chosen again in the next pass, which sees
// what has started. Karpenter runs it at once.
func guardScored(m disruption.ScoredMethod, c *karpenter.Cluster) disruption.ScoredMethod {
	g := &scoredGuard{m, c, nil}
	for _, one := range m.Methods() {
		if g.of(one.Reason()) == nil {
			p := &part{Method: one}
			p.guard = karpenter.Guard(p, c)
			g.parts = append(g.parts, p)
		}
	}
	return g
}

type scoredGuard struct {
	disruption.ScoredMethod
	*karpenter.Cluster
	parts []*part
}

// A part stands in for the method of one reason, which its guard asks.
type part struct {
	disruption.Method
	guard  disruption.Method
	answer func(most map[string]int, eligible []*disruption.Candidate) ([]disruption.Command, error)
}

// errLooked ends what a guard does before it remembers, checks or stores a choice.
var errLooked = errors.New("nothing has been chosen yet")

func (g *scoredGuard) of(reason v1.DisruptionReason) *part {
	for _, p := range g.parts {
		if p.Reason() == reason {
			return p
		}
	}
	return nil
}

func (g *scoredGuard) ComputeCommands(
	ctx context.Context, budgets map[v1.DisruptionReason]map[string]int, candidates ...*disruption.Candidate,
) ([]disruption.Command, error) {
	offered := map[*part][]*disruption.Candidate{}
	for _, c := range candidates {
		p := g.of(c.Method.Reason())
		offered[p] = append(offered[p], c)
	}
	most, eligible := map[v1.DisruptionReason]map[string]int{}, []*disruption.Candidate{}
	for _, p := range g.parts {
		some, may, err := p.look(ctx, budgets[p.Reason()], offered[p])
		if err != nil {
			return []disruption.Command{}, err
		}
		most[p.Reason()], eligible = some, append(eligible, may...)
	}
	var commands []disruption.Command
	if len(eligible) > 0 {
		var err error
		if commands, err = g.ScoredMethod.ComputeCommands(ctx, most, eligible...); err != nil {
			g.release(commands)
			return []disruption.Command{}, err
		}
	}
	return g.start(ctx, budgets, offered, commands)
}

// start returns the commands of the first reason of which some may start. If nothing at all has been chosen, each guard learns that its nodes
// could not start. If something has, the method may not have come to those of other reasons.
func (g *scoredGuard) start(
	ctx context.Context, budgets map[v1.DisruptionReason]map[string]int, offered map[*part][]*disruption.Candidate, commands []disruption.Command,
) ([]disruption.Command, error) {
	parts := g.parts
	if len(commands) > 0 {
		parts = nil
	}
	chosen := map[*part][]disruption.Command{}
	for _, command := range commands {
		p := g.of(command.Reason())
		if chosen[p] == nil && p != nil { // one of an unknown reason never starts
			parts = append(parts, p)
		}
		chosen[p] = append(chosen[p], command)
	}
	defer func() { g.release(slices.Concat(slices.Collect(maps.Values(chosen))...)) }()
	for _, p := range parts {
		kept, asked, err := p.start(ctx, budgets[p.Reason()], offered[p], chosen[p])
		if asked {
			delete(chosen, p) // its guard has released what may not start
		}
		if err != nil || len(kept) > 0 {
			return kept, err
		}
	}
	return []disruption.Command{}, nil
}

// look returns what may go, and how many nodes of each pool.
func (p *part) look(ctx context.Context, budgets map[string]int, offered []*disruption.Candidate) (
	most map[string]int, eligible []*disruption.Candidate, err error) {
	if len(offered) == 0 {
		return nil, nil, nil
	}
	p.answer = func(m map[string]int, may []*disruption.Candidate) ([]disruption.Command, error) {
		most, eligible = m, may
		return nil, errLooked
	}
	if _, err = p.guard.ComputeCommands(ctx, budgets, offered...); errors.Is(err, errLooked) {
		err = nil
	}
	return most, eligible, err
}

// start returns what of the chosen commands may still start, and whether the guard has asked for them.
func (p *part) start(ctx context.Context, budgets map[string]int, offered []*disruption.Candidate, chosen []disruption.Command) (
	kept []disruption.Command, asked bool, err error) {
	if len(offered) == 0 {
		return nil, false, nil
	}
	p.answer = func(map[string]int, []*disruption.Candidate) ([]disruption.Command, error) {
		asked = true
		return chosen, nil
	}
	kept, err = p.guard.ComputeCommands(ctx, budgets, offered...)
	return kept, asked, err
}

// ComputeCommands is what the guard calls.
func (p *part) ComputeCommands(_ context.Context, most map[string]int, eligible ...*disruption.Candidate) ([]disruption.Command, error) {
	return p.answer(most, eligible)
}

// release returns reservations against the limits of static NodePools, for commands that no guard has seen.
func (g *scoredGuard) release(commands []disruption.Command) {
	for _, command := range commands {
		for _, c := range command.Candidates {
			if c.OwnedByStaticNodePool() && len(command.Replacements) > 0 {
				g.State.NodePoolState.ReleaseNodeCount(c.NodePool.Name, 1)
			}
		}
	}
}
