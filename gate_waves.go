package disruptkit

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// waveGate is the gate of rolls in waves (budget.Rollout), of pools and of groups: first a canary, then a few nodes,
// then the rest. The number of new nodes determines the wave; only the start of a bake is remembered.
type waveGate struct {
	still
	fleet *fleet
	own   [][]*waveRoll // by scope
	all   [][]*waveRoll // by pool: its own, and its groups'
}

// openWaves counts the new nodes, and determines the wave of each roll.
func openWaves(f *fleet) *waveGate {
	g := &waveGate{fleet: f}
	g.own, g.all = make([][]*waveRoll, len(f.Scopes)), make([][]*waveRoll, len(f.Pools))
	for i, p := range f.Scopes {
		written := p.Budgets.Rollouts()
		for j := range written {
			if !p.Ambiguous {
				g.own[i] = append(g.own[i], newWaveRoll(&written[j], p))
			}
		}
	}
	if !slices.ContainsFunc(g.own, func(rolls []*waveRoll) bool { return len(rolls) > 0 }) {
		return g
	}
	for i, p := range f.Pools {
		for _, scope := range p.Scopes {
			g.all[i] = append(g.all[i], g.own[scope.Index]...)
		}
	}
	g.each(func(roll *waveRoll, p *scope, n *candidate.Node) { roll.want(p, n) })
	for _, rolls := range g.own {
		for _, roll := range rolls {
			roll.recall(lastProgress(f.Memory[roll.in.MemoryKey()].Waves, roll.Method))
		}
	}
	g.each(func(roll *waveRoll, p *scope, n *candidate.Node) { roll.see(p, n, f.Namesakes[n.Name]) })
	for _, rolls := range g.own {
		for _, roll := range rolls {
			roll.pair(f.Memory[roll.in.MemoryKey()].Starts)
			roll.advance(f.Now, g.denied(roll))
		}
	}
	return g
}

// each calls a function with each node and each roll of its pool and of its groups.
func (g *waveGate) each(f func(roll *waveRoll, p *scope, n *candidate.Node)) {
	for i := range g.fleet.Nodes {
		if p := g.fleet.Pool(i); p != nil {
			for _, roll := range g.all[p.Index] {
				f(roll, p, &g.fleet.Nodes[i])
			}
		}
	}
}

func lastProgress(all []budget.Progress, method candidate.Reason) (none budget.Progress) {
	for _, p := range all {
		if p.Method == method {
			return p
		}
	}
	return none
}

// denied reports whether a probe or a breaker denies a reason of a roll to some of its pools.
func (g *waveGate) denied(roll *waveRoll) bool {
	for _, p := range roll.in.Pools() {
		verdicts := slices.Clone(g.fleet.Verdicts)
		for _, scope := range p.Scopes {
			verdicts = append(verdicts, scope.Verdicts...)
		}
		for _, v := range verdicts {
			for _, reason := range roll.reasons {
				if _, denied := v.Blocker(reason, p.Name, p.Labels, g.fleet.Now); denied {
					return true
				}
			}
		}
	}
	return false
}

func (g *waveGate) full(r *request) (full []*waveRoll) {
	if r.Kind == nil {
		return nil
	}
	for _, roll := range g.all[r.Pool.Index] {
		if roll.Covers(r.Reason()) && roll.left() <= 0 {
			full = append(full, roll)
		}
	}
	return full
}

// Allows reports whether the waves of all rolls allow a request.
func (g *waveGate) Allows(r *request) bool { return len(g.full(r)) == 0 }

// Blockers returns the waves that block a request. Requests with the same blockers share them.
func (g *waveGate) Blockers(r *request) (said []candidate.Blocker) {
	for _, roll := range g.full(r) {
		refusal := roll.refuse()
		if r.unit != nil && len(r.unit.members) > 1 {
			refusal = roll.refuseUnit(r.unit.size(func(m *request) bool {
				return m.Pool != nil && slices.Contains(roll.in.Pools(), m.Pool)
			}))
		}
		said = joined(said, refusal)
	}
	return said
}

// refuseUnit returns the blocker of a unit with so many nodes. Its other nodes are counted.
func (roll *waveRoll) refuseUnit(size int) []candidate.Blocker {
	b := roll.refuse()[0]
	b.Message = fmt.Sprintf("its unit has %d nodes, and %s", size, b.Message)
	if b.Code == candidate.CodeWaveFull && size > roll.size(roll.baked) {
		b.Code = codeUnitTooLarge
	}
	return []candidate.Blocker{b}
}

func (roll *waveRoll) refuse() []candidate.Blocker {
	if roll.refusal == nil {
		b := candidate.Blocker{Gate: candidate.GateWave, Code: candidate.CodeWaveFull}
		switch {
		case len(roll.Faults) > 0:
			b.Code = candidate.CodeInvalidRollout
			b.Message = "no node may be disrupted: " + wording.Sentence(roll.Faults.Err())
		case roll.done > roll.baked:
			b.Code, b.Until, b.Message = candidate.CodeBakes, roll.lifts(), roll.bakes()
		default:
			b.Message = roll.fills()
		}
		roll.refusal = []candidate.Blocker{roll.in.Said(b)}
	}
	return roll.refusal
}

// lifts returns when the bake ends and allows more nodes. It is unknown if a node in flight interrupts the bake, or if
// the next wave is already full.
func (roll *waveRoll) lifts() (unknown time.Time) {
	if roll.started > 0 || roll.size(roll.done) <= roll.used {
		return unknown
	}
	return roll.until()
}

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

// fills describes how many nodes may be new in the wave, and how many are.
func (roll *waveRoll) fills() string {
	are := "are"
	if roll.used == 1 {
		are = "is"
	}
	text := fmt.Sprintf("wave %d of %d: %d of %s may be new or in flight until it is done, and %d %s", roll.baked+1,
		len(roll.Waves)+1, roll.size(roll.baked), wording.Count(roll.in.Nodes, "node"), roll.used, are)
	if n := roll.disrupted - roll.with; n > 0 {
		text += fmt.Sprintf(", with %d allowed now", n)
	}
	return text
}

// Count counts a node that is disrupted. It uses a slot of a wave if it is not new, and its replacement does not
// already count.
func (g *waveGate) Count(r *request, n int) {
	if !r.Node.Counted() {
		return
	}
	for _, roll := range g.all[r.Pool.Index] {
		if roll.counts[r.Pool.Index] && !g.fleet.Together {
			roll.started += n
		}
		if !r.Node.Disrupting(candidate.Unhealthy) && roll.has(r.Node) && !roll.awaited[r.Name] {
			roll.disrupted += n
			if g.fleet.Together {
				roll.with += n
			}
		}
		roll.refusal = nil
	}
}

// NextChange returns when the first bake ends.
func (g *waveGate) NextChange() (next time.Time) {
	for _, rolls := range g.own {
		for _, roll := range rolls {
			next = schedule.First(next, roll.until())
		}
	}
	return next
}

// Progress returns the Memory.Waves of a pool or a group.
func (g *waveGate) Progress(p *scope) (all []budget.Progress) {
	last := g.fleet.Memory[p.MemoryKey()].Waves
	if p.Ambiguous {
		return last
	}
	for _, roll := range g.own[p.Index] {
		progress := roll.progress()
		if len(roll.Faults) > 0 || g.fleet.Now.IsZero() { // what is remembered stays
			progress = lastProgress(last, roll.Method)
		}
		if progress.Baked > 0 || progress.Done > 0 || len(progress.Pools) > 0 {
			all = append(all, progress)
		}
	}
	return all
}

// Of returns the state of the roll of a pool or a group for a reason: the wave that bakes, or else the wave in
// progress. Nil: it has no roll, or no node has the reason.
func (g *waveGate) Of(p *scope, reason candidate.Reason) *Wave {
	for _, roll := range g.own[p.Index] {
		if reason != "" && len(roll.reasons) > 0 && roll.Covers(reason) {
			w := Wave{Wave: roll.baked + 1, Of: len(roll.Waves) + 1, InUse: roll.used, Since: roll.since}
			if w.Until = roll.until(); roll.done > roll.baked {
				w.Wave = roll.done
			}
			w.Nodes = roll.size(w.Wave - 1)
			return &w
		}
	}
	return nil
}
