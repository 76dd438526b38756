// Package waves is the gate of rolls in waves (budget.Rollout): first a canary, then a few nodes, then the rest.
//
// Which wave a roll is in is not counted up, it is seen: nodes without the reason are new, and as many of them as there
// are, so far has the roll come. Only since when a wave bakes has to be remembered.
package waves

import (
	"fmt"
	"iter"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/duration"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/sentence"
	"github.com/disruptkit/disruptkit/internal/trait"
)

// Gate is the gate of waves, of pools and of groups.
type Gate struct {
	fleet *gate.Fleet
	rolls [][]*Roll // by scope
	count int       // of all scopes
}

// New returns the gate of a fleet.
func New(f *gate.Fleet) *Gate { return &Gate{fleet: f} }

// Open counts the nodes that are new, and finds out which wave each roll is in.
func (g *Gate) Open() {
	f := g.fleet
	g.rolls = make([][]*Roll, len(f.Scopes))
	for i, p := range f.Scopes {
		written := p.Limits().Rollouts
		for j := range written {
			if !p.Ambiguous {
				g.rolls[i] = append(g.rolls[i], &Roll{
					Rollout: &written[j], in: p, number: g.count, tallies: make([]tally, len(p.Pools())),
				})
				g.count++
			}
		}
	}
	if g.count == 0 {
		return
	}
	for i := range f.Nodes {
		if p := f.Pool(i); p != nil {
			for _, roll := range g.all(p) {
				roll.see(p, &f.Nodes[i], f.Namesakes[f.Nodes[i].Name])
			}
		}
	}
	for _, p := range f.Scopes {
		for _, roll := range g.rolls[p.Index] {
			key := p.MemoryKey()
			roll.advance(f.Now, last(f.Waves[key], roll.Method), f.Starts[key].Known, g.denied(roll))
		}
	}
}

// last returns what is remembered of a method.
func last(all []budget.Progress, method candidate.Reason) (none budget.Progress) {
	for _, p := range all {
		if p.Method == method {
			return p
		}
	}
	return none
}

// all returns the rolls of a pool and of its groups.
func (g *Gate) all(p *gate.Pool) []*Roll {
	if len(p.Scopes) == 1 {
		return g.rolls[p.Index]
	}
	var all []*Roll
	for _, scope := range p.Scopes {
		all = append(all, g.rolls[scope]...)
	}
	return all
}

// of returns the rolls that have waves for a request.
func (g *Gate) of(r *gate.Request) (all []*Roll) {
	if g.count == 0 || r.Kind == nil {
		return nil
	}
	for _, roll := range g.all(r.Pool) {
		if roll.Covers(r.Reason()) {
			all = append(all, roll)
		}
	}
	return all
}

// denied reports whether a probe or a breaker denies what a roll is for, to some of its pools.
func (g *Gate) denied(roll *Roll) bool {
	denies := func(p *gate.Pool, scope *gate.Pool) bool {
		verdicts := g.fleet.Verdicts
		if scope != nil {
			verdicts = scope.Verdicts
		}
		for _, v := range verdicts {
			for _, reason := range roll.reasons {
				if _, denied := v.Blocker(reason, p.Name, p.Labels, g.fleet.Now); denied {
					return true
				}
			}
		}
		return false
	}
	for _, p := range roll.in.Pools() {
		if denies(p, nil) {
			return true
		}
		for _, scope := range p.Within {
			if scope != nil && denies(p, scope) {
				return true
			}
		}
	}
	return false
}

// Judge returns what waves say of a request. Requests that hear the same share the answer.
func (g *Gate) Judge(r *gate.Request) (said []candidate.Blocker) {
	for _, roll := range g.of(r) {
		if roll.left() <= 0 {
			said = gate.Joined(said, roll.refuse())
		}
	}
	return said
}

// refuse says why no more nodes may go.
func (roll *Roll) refuse() []candidate.Blocker {
	if roll.refusal == nil || roll.refused != roll.going {
		b := candidate.Blocker{Gate: candidate.GateWave, Code: candidate.CodeWaveFull}
		switch {
		case len(roll.Faults) > 0:
			b.Code = candidate.CodeInvalidRollout
			b.Message = "no node may go: " + sentence.Of(roll.Faults.Err())
		case roll.done > roll.baked:
			b.Code, b.Until, b.Message = candidate.CodeBakes, roll.Until(), roll.bakes()
		default:
			b.Message = roll.full(roll.baked, roll.going)
		}
		roll.refusal, roll.refused = []candidate.Blocker{roll.in.Said(b)}, roll.going
	}
	return roll.refusal
}

// bakes says that a wave is done, and what it waits for.
func (roll *Roll) bakes() string {
	text := fmt.Sprintf("wave %d of %d is done, and ", roll.done, len(roll.Waves)+1)
	switch {
	case roll.since.IsZero() && roll.Bake == 0:
		return text + "the next one begins once no probe and no breaker denies it"
	case roll.since.IsZero():
		return text + fmt.Sprintf("bakes for %s once no probe and no breaker denies the next one",
			duration.Text(roll.Bake))
	}
	return text + fmt.Sprintf("bakes for %s before the next one begins", duration.Text(roll.Bake))
}

// full says how many nodes may be new in a wave, and how many are.
func (roll *Roll) full(wave, going int) string {
	text := fmt.Sprintf("wave %d of %d: %d of %s may be new or in flight until it is done, and %d %s", wave+1,
		len(roll.Waves)+1, roll.size(wave), sentence.Count(roll.in.Nodes, "node"), roll.used, be(roll.used))
	if going > 0 {
		text += fmt.Sprintf(", with %d allowed before this one", going)
	}
	return text
}

func be(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// Go counts a node that goes, and is no longer old.
func (g *Gate) Go(r *gate.Request) { g.add(r, 1) }

// Return undoes Go.
func (g *Gate) Return(r *gate.Request) { g.add(r, -1) }

func (g *Gate) add(r *gate.Request, n int) {
	for roll := range g.takesPlaceIn(r) {
		if !roll.awaited[r.Name] { // otherwise its replacement counts already
			roll.going += n
		}
	}
}

// takesPlaceIn yields the rolls in which a request takes a place if it goes: its node counts, and is not new.
func (g *Gate) takesPlaceIn(r *gate.Request) iter.Seq[*Roll] {
	return func(yield func(*Roll) bool) {
		if g.count == 0 || r.Kind == nil || !r.Node.Counted() || r.Node.Disrupting(candidate.Unhealthy) {
			return
		}
		for _, roll := range g.all(r.Pool) {
			if roll.Has(r.Node) && !yield(roll) {
				return
			}
		}
	}
}

// Progress returns what is to be remembered of a pool or a group.
func (g *Gate) Progress(p *gate.Pool) (all []budget.Progress) {
	if p.Ambiguous || !trait.Waves.In(g.fleet.Dialect) {
		return g.fleet.Waves[p.MemoryKey()]
	}
	for _, roll := range g.rolls[p.Index] {
		if progress := roll.progress(); progress.Baked > 0 || progress.Done > 0 || len(progress.Pools) > 0 {
			all = append(all, progress)
		}
	}
	return all
}

// Of returns the roll of a pool or a group for a reason. Nil: it has none, or no node has the reason.
func (g *Gate) Of(p *gate.Pool, reason candidate.Reason) *Roll {
	for _, roll := range g.rolls[p.Index] {
		if reason != "" && roll.wanted && roll.Covers(reason) {
			return roll
		}
	}
	return nil
}
