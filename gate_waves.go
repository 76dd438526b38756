package disruptkit

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// waveGate is the gate of rolls in waves (budget.Rollout), of pools and of groups: first a canary, then a few nodes,
// then the rest. Which wave a roll is in follows from how many nodes are new. Only since when a wave bakes has to be
// remembered.
type waveGate struct {
	fleet *fleet
	rolls [][]*waveRoll // by scope
	count int           // of all scopes
}

// newWaveGate returns the gate of a fleet.
func newWaveGate(f *fleet) *waveGate { return &waveGate{fleet: f} }

// Open counts the nodes that are new, and finds out which wave each roll is in.
func (g *waveGate) Open() {
	f := g.fleet
	g.rolls = make([][]*waveRoll, len(f.Scopes))
	for i, p := range f.Scopes {
		written := p.Budgets.Rollouts()
		for j := range written {
			if !p.Ambiguous {
				g.rolls[i] = append(g.rolls[i], &waveRoll{
					WaveLimits: &written[j], in: p, number: g.count, tallies: make([]waveTally, len(p.Pools())),
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
			last := f.Memory[key]
			roll.advance(f.Now, lastProgress(last.Waves, roll.Method), last.Starts, g.denied(roll))
		}
	}
}

// lastProgress returns what is remembered of a method.
func lastProgress(all []budget.Progress, method candidate.Reason) (none budget.Progress) {
	for _, p := range all {
		if p.Method == method {
			return p
		}
	}
	return none
}

// all returns the rolls of a pool and of its groups.
func (g *waveGate) all(p *scope) []*waveRoll {
	if len(p.Scopes) == 1 {
		return g.rolls[p.Index]
	}
	var all []*waveRoll
	for _, scope := range p.Scopes {
		all = append(all, g.rolls[scope.Index]...)
	}
	return all
}

// denied reports whether a probe or a breaker denies what a roll is for, to some of its pools.
func (g *waveGate) denied(roll *waveRoll) bool {
	denies := func(p *scope, scope *scope) bool {
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

// Allows reports whether the waves of all rolls have room for a request.
func (g *waveGate) Allows(r *request) bool {
	if g.count == 0 || r.Kind == nil {
		return true
	}
	for _, roll := range g.all(r.Pool) {
		if roll.Covers(r.Reason()) && roll.left() <= 0 {
			return false
		}
	}
	return true
}

// Blockers returns what waves say of a request. Requests with the same blockers share them.
func (g *waveGate) Blockers(r *request) (said []candidate.Blocker) {
	if g.Allows(r) {
		return nil
	}
	for _, roll := range g.all(r.Pool) {
		if roll.Covers(r.Reason()) && roll.left() <= 0 {
			said = joined(said, roll.refuse())
		}
	}
	return said
}

// refuse says why no more nodes may be disrupted.
func (roll *waveRoll) refuse() []candidate.Blocker {
	if key := [2]int{roll.started, roll.going}; roll.refusal == nil || roll.refused != key {
		b := candidate.Blocker{Gate: candidate.GateWave, Code: candidate.CodeWaveFull}
		switch {
		case len(roll.Faults) > 0:
			b.Code = candidate.CodeInvalidRollout
			b.Message = "no node may be disrupted: " + wording.Sentence(roll.Faults.Err())
		case roll.done > roll.baked:
			b.Code, b.Until, b.Message = candidate.CodeBakes, roll.lifts(), roll.bakes()
		default:
			b.Message = roll.full(roll.baked, roll.going)
		}
		roll.refusal, roll.refused = []candidate.Blocker{roll.in.Said(b)}, key
	}
	return roll.refusal
}

// lifts returns when the bake ends and lets more nodes be disrupted. A node in flight interrupts a bake, so then the
// time is unknown, as it is if the next wave is full already.
func (roll *waveRoll) lifts() (unknown time.Time) {
	size := roll.size(roll.done)
	if roll.started > 0 || size != budget.Unlimited && size <= roll.used {
		return unknown
	}
	return roll.Until()
}

// bakes says that a wave is done, and what it waits for.
func (roll *waveRoll) bakes() string {
	text := fmt.Sprintf("wave %d of %d is done, and ", roll.done, len(roll.Waves)+1)
	switch {
	case roll.since.IsZero() && roll.Bake == 0:
		return text + "the next one begins once no probe and no breaker denies it"
	case roll.since.IsZero():
		return text + fmt.Sprintf("bakes for %s once no probe and no breaker denies the next one",
			wording.Duration(roll.Bake))
	}
	return text + fmt.Sprintf("bakes for %s before the next one begins", wording.Duration(roll.Bake))
}

// full says how many nodes may be new in a wave, and how many are.
func (roll *waveRoll) full(wave, going int) string {
	text := fmt.Sprintf("wave %d of %d: %d of %s may be new or in flight until it is done, and %d %s", wave+1,
		len(roll.Waves)+1, roll.size(wave), wording.Count(roll.in.Nodes, "node"), roll.used, isOrAre(roll.used))
	if going > 0 {
		text += fmt.Sprintf(", with %d allowed now", going)
	}
	return text
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// Count counts a node that is disrupted. It takes up room in a wave if it is not new, and its replacement does not
// count already.
func (g *waveGate) Count(r *request, n int) {
	if g.count == 0 || !r.Node.Counted() {
		return
	}
	for _, roll := range g.all(r.Pool) {
		if len(roll.tallies) == 1 || slices.Contains(roll.pools, r.Pool.Name) {
			roll.started += n
		}
		if !r.Node.Disrupting(candidate.Unhealthy) && roll.Has(r.Node) && !roll.awaited[r.Name] {
			roll.going += n
		}
	}
}

// Until returns no time: time alone leaves no less room in a wave.
func (g *waveGate) Until(*request) (never time.Time) { return never }

// NextChange returns when the first bake ends.
func (g *waveGate) NextChange() (next time.Time) {
	for _, rolls := range g.rolls {
		for _, roll := range rolls {
			next = schedule.First(next, roll.Until())
		}
	}
	return next
}

// Progress returns what is to be remembered of a pool or a group.
func (g *waveGate) Progress(p *scope) (all []budget.Progress) {
	if p.Ambiguous || !dialect.Waves.In(g.fleet.Dialect) {
		return g.fleet.Memory[p.MemoryKey()].Waves
	}
	for _, roll := range g.rolls[p.Index] {
		if progress := roll.progress(); progress.Baked > 0 || progress.Done > 0 || len(progress.Pools) > 0 {
			all = append(all, progress)
		}
	}
	return all
}

// Of returns the roll of a pool or a group for a reason. Nil: it has none, or no node has the reason.
func (g *waveGate) Of(p *scope, reason candidate.Reason) *waveRoll {
	for _, roll := range g.rolls[p.Index] {
		if reason != "" && roll.wanted && roll.Covers(reason) {
			return roll
		}
	}
	return nil
}
