package disruptkit

import (
	"fmt"
	"maps"
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
	fleet  *fleet
	rolls  []*waveRoll
	byPool [][]*waveRoll // its own, and its groups'
}

// openWaves counts the new nodes, and determines the wave of each roll.
func openWaves(f *fleet, signals *signalGate) *waveGate {
	g := &waveGate{fleet: f, byPool: make([][]*waveRoll, len(f.Pools))}
	for _, in := range f.Scopes {
		written := in.Budgets.Rollouts()
		for i := range written {
			if in.Ambiguous {
				continue
			}
			roll := newWaveRoll(&written[i], in, f.Memory[in.MemoryKey()].Waves)
			g.rolls = append(g.rolls, roll)
			for _, p := range in.Members {
				g.byPool[p.Index] = append(g.byPool[p.Index], roll)
			}
		}
	}
	if len(g.rolls) == 0 {
		return g
	}
	nodes := make([][]*candidate.Node, len(f.Pools))
	for i := range f.Nodes {
		if p := f.Pool(i); p != nil {
			nodes[p.Index] = append(nodes[p.Index], &f.Nodes[i])
		}
	}
	for _, roll := range g.rolls {
		roll.read(f, nodes)
		denied := slices.ContainsFunc(roll.in.Members, func(p *scope) bool {
			denies := func(reason candidate.Reason) bool { return signals.Denies(p, reason) }
			return slices.ContainsFunc(roll.reasons, denies)
		})
		roll.advance(f.Now, denied)
	}
	return g
}

func (g *waveGate) full(r *request) (full []*waveRoll) {
	if r.Kind == nil {
		return nil
	}
	for _, roll := range g.byPool[r.Pool.Index] {
		if roll.Covers(r.Reason()) && roll.left() <= 0 {
			full = append(full, roll)
		}
	}
	return full
}

func (g *waveGate) Allows(r *request) bool { return len(g.full(r)) == 0 }

// Blockers returns the waves that block a request. Requests with the same blockers share them.
func (g *waveGate) Blockers(r *request) (said []candidate.Blocker) {
	for _, roll := range g.full(r) {
		refusal := roll.refuse()
		if r.unit != nil && len(r.unit.members) > 1 {
			refusal = roll.refuseUnit(r.unit.size(func(m *request) bool {
				return m.Pool != nil && slices.Contains(roll.in.Members, m.Pool)
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
	if b.Code == candidate.CodeWaveFull && size > roll.size(roll.baked) && !roll.in.Budgets.Oversized() {
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
			b.Message = "no node may be disrupted: " + wording.Sentence(candidate.Err(roll.Faults))
		case roll.done > roll.baked:
			b.Code, b.Until, b.Message = candidate.CodeBakes, roll.lifts(), roll.bakes()
		default:
			b.Message = roll.fills()
		}
		roll.refusal = []candidate.Blocker{roll.in.Said(b)}
	}
	return roll.refusal
}

// lifts returns when the bake ends and allows one more node beside the others of its unit. It is unknown if a node in
// flight interrupts the bake, or if the next wave is full then.
func (roll *waveRoll) lifts() (unknown time.Time) {
	if roll.started > 0 || roll.size(roll.done) <= roll.used+roll.with { // a done wave has new nodes
		return unknown
	}
	return roll.until()
}

func (roll *waveRoll) bakes() string {
	then := fmt.Sprintf("bakes for %s before the next one begins", wording.Duration(roll.Bake))
	switch {
	case roll.since.IsZero() && roll.Bake == 0:
		then = "the next one begins once no probe and no breaker denies it"
	case roll.since.IsZero():
		then = fmt.Sprintf("bakes for %s once no probe and no breaker denies the next one",
			wording.Duration(roll.Bake))
	}
	return fmt.Sprintf("wave %d of %d is done, and %s", roll.done, len(roll.Waves)+1, then)
}

// fills describes how many nodes may be new in the wave, and how many are.
func (roll *waveRoll) fills() string {
	are := "are"
	if roll.used == 1 {
		are = "is"
	}
	return fmt.Sprintf("wave %d of %d: %d of %s may be new or in flight until it is done, and %d %s%s", roll.baked+1,
		len(roll.Waves)+1, roll.size(roll.baked), wording.Count(roll.in.Nodes, "node"), roll.used, are,
		alreadyAllowed(roll.disrupted-roll.with))
}

// Count counts a node that is disrupted. It uses a slot of a wave if it is not new, and its replacement does not
// already count.
func (g *waveGate) Count(r *request, n int, together bool) {
	if !r.Node.Counted() {
		return
	}
	for _, roll := range g.byPool[r.Pool.Index] {
		if roll.counts[r.Pool.Index] && !together {
			roll.started += n
		}
		if !r.Node.Disrupting(candidate.Unhealthy) && roll.has(r.Node) && !roll.awaited[r.Name] {
			roll.disrupted += n
			if together {
				roll.with += n
			}
		}
		roll.refusal = nil
	}
}

func (g *waveGate) NextChange() (next time.Time) {
	for _, roll := range g.rolls {
		next = schedule.First(next, roll.until())
	}
	return next
}

// Progress returns the Memory.Waves of a pool or a group.
func (g *waveGate) Progress(p *scope) (all []Progress) {
	if p.Ambiguous {
		return g.fleet.Memory[p.MemoryKey()].Waves
	}
	for _, roll := range g.rolls {
		if roll.in != p {
			continue
		}
		progress := roll.progress()
		if len(roll.Faults) > 0 || g.fleet.Now.IsZero() { // what is remembered stays
			progress = roll.stored
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
	for _, roll := range g.rolls {
		if roll.in == p && reason != "" && len(roll.reasons) > 0 && roll.Covers(reason) {
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

// A waveRoll is the waves of a pool or a group for one method, and the current wave. Only pools that roll, or have
// rolled, count.
type waveRoll struct {
	*budget.WaveLimits
	in    *scope
	sizes []int // of Waves, for the number of nodes

	reasons []candidate.Reason // its reasons, as nodes have them
	counts  map[int]bool       // the pools that count, by index
	stored  Progress           // what is remembered
	last    Progress           // the same, if it is of this revision and of these waves

	// The counted nodes of these pools, and those that join.
	fresh    int // new, and not in flight
	ready    int // of those, how many are Ready
	leaving  int // of those in flight, how many are new
	inFlight []string
	joining  []*candidate.Node
	missing  int
	used     int             // how many are new or in flight
	awaited  map[string]bool // nodes not in flight yet whose replacement already joins

	baked int       // how many waves are done, and have baked: the position of the next one
	done  int       // how many are done
	since time.Time // since when one bakes; zero: none does

	disrupted int // requests that are disrupted, of nodes that are not new
	with      int // of these, others of a unit that is judged
	started   int // requests that are disrupted, of all nodes that may interrupt a bake
	refusal   []candidate.Blocker
}

func newWaveRoll(waves *budget.WaveLimits, in *scope, stored []Progress) *waveRoll {
	roll := &waveRoll{WaveLimits: waves, in: in, sizes: waves.Sizes(in.Nodes), counts: map[int]bool{},
		awaited: map[string]bool{}}
	same := func(p Progress) bool { return p.Method == waves.Method }
	if i := slices.IndexFunc(stored, same); i >= 0 {
		roll.stored = stored[i]
	}
	return roll
}

// read counts the nodes, by pool. It reads what is remembered of the roll, unless that is of another revision, or of
// other waves.
func (roll *waveRoll) read(f *fleet, nodes [][]*candidate.Node) {
	if roll.stored.Revision == roll.in.Revision && slices.Equal(roll.stored.Waves, roll.Texts) {
		roll.last = roll.stored
	}
	for _, p := range roll.in.Members {
		roll.counts[p.Index] = slices.Contains(roll.last.Pools, p.Name)
		for _, n := range nodes[p.Index] {
			roll.want(p, n)
		}
		if roll.counts[p.Index] {
			roll.missing += p.InUse.Missing
			for _, n := range nodes[p.Index] {
				roll.see(n, f.Namesakes[n.Name])
			}
		}
	}
	roll.pair(f.Memory[roll.in.MemoryKey()].Starts)
}

// want adds the reasons of a pool's node that the roll is for.
func (roll *waveRoll) want(p *scope, n *candidate.Node) {
	for i := range n.Conditions {
		if reason := n.Conditions[i].Reason; roll.Covers(reason) {
			roll.counts[p.Index] = true
			if !slices.Contains(roll.reasons, reason) {
				roll.reasons = append(roll.reasons, reason)
			}
		}
	}
}

// has reports whether a node has a reason that the roll is for. A node that has none is new.
func (roll *waveRoll) has(n *candidate.Node) bool {
	return slices.ContainsFunc(n.Conditions, func(c candidate.Condition) bool { return roll.Covers(c.Reason) })
}

// see counts a node of a pool. Nodes that share their name use up waves, but never count as Ready.
func (roll *waveRoll) see(n *candidate.Node, alike bool) {
	old := roll.has(n)
	switch {
	case !n.Counted():
		if n.Phase.Joining() && n.Leaving == candidate.Staying {
			roll.joining = append(roll.joining, n)
		}
	case n.Disrupting(candidate.Unhealthy): // it is in flight, or may be
		roll.inFlight = append(roll.inFlight, n.Name)
		if !old {
			roll.leaving++
		}
	case !old:
		roll.fresh++
		if n.Ready() && !alike {
			roll.ready++
		}
	}
}

// pair counts the nodes that are new, in flight or joining. A node in flight and its replacement, or else a node that
// was created after its start, count once. If these times are unknown, both count.
func (roll *waveRoll) pair(starts []Start) {
	roll.used = roll.fresh + len(roll.inFlight) + roll.missing
	flying := make(map[string]time.Time, len(roll.inFlight)) // those without a replacement yet; zero: unknown start
	for _, name := range roll.inFlight {
		flying[name] = time.Time{}
	}
	for _, s := range starts {
		if last, there := flying[s.Node]; there && !s.Over && s.At.After(last) {
			flying[s.Node] = s.At
		}
	}
	var unnamed []time.Time // when nodes were created that name no node that they replace
	for _, n := range roll.joining {
		_, there := flying[n.Replaces]
		switch {
		case n.Replaces == "":
			unnamed = append(unnamed, n.Created)
		case there:
			delete(flying, n.Replaces)
		default:
			roll.used++
			roll.awaited[n.Replaces] = true
		}
	}
	started := slices.SortedFunc(maps.Values(flying), time.Time.Compare)
	started = slices.DeleteFunc(started, time.Time.IsZero)
	slices.SortFunc(unnamed, time.Time.Compare)
	for _, created := range unnamed {
		if len(started) > 0 && started[0].Before(created) {
			started = started[1:]
		} else {
			roll.used++
		}
	}
}

func (roll *waveRoll) advance(now time.Time, denied bool) {
	if len(roll.Faults) > 0 || now.IsZero() || len(roll.reasons) == 0 {
		return
	}
	roll.baked = min(max(roll.last.Baked, 0), len(roll.Waves))
	for roll.baked > 0 && roll.size(roll.baked-1) > roll.fresh+roll.leaving {
		roll.baked-- // nodes that were new are gone, or have the reason again
	}
	still := len(roll.inFlight)+len(roll.joining)+roll.missing == 0
	for still && roll.done < len(roll.Waves) && roll.size(roll.done) <= roll.ready {
		roll.done++
	}
	if roll.done <= roll.baked {
		roll.done = roll.baked
		return
	}
	if denied {
		return
	}
	roll.since = roll.last.Since
	if roll.since.IsZero() || roll.since.After(now) || roll.done > roll.last.Done {
		roll.since = now
	}
	if !now.Before(roll.since.Add(roll.Bake)) {
		roll.baked, roll.since = roll.done, time.Time{}
	}
}

// size returns how many nodes may be new or in flight until a wave is done. An invalid rollout has the size 0.
func (roll *waveRoll) size(wave int) int {
	switch {
	case len(roll.Faults) > 0:
		return 0
	case wave >= len(roll.sizes):
		return budget.Unlimited
	}
	return roll.sizes[wave]
}

func (roll *waveRoll) left() int {
	return roll.size(roll.baked) - rest(roll.in.Budgets, roll.used+roll.disrupted, roll.with)
}

// until returns when the bake ends. Zero: no wave bakes, or that is unknown.
func (roll *waveRoll) until() (none time.Time) {
	if roll.since.IsZero() {
		return none
	}
	return roll.since.Add(roll.Bake)
}

func (roll *waveRoll) progress() Progress {
	p := Progress{
		Method: roll.Method, Revision: roll.in.Revision, Waves: slices.Clone(roll.Texts), Baked: roll.baked,
	}
	if pools := roll.in.Members; len(pools) > 1 && len(roll.reasons) > 0 {
		for _, pool := range pools {
			if roll.counts[pool.Index] {
				p.Pools = append(p.Pools, pool.Name)
			}
		}
	}
	if !roll.since.IsZero() {
		p.Done, p.Since = roll.done, roll.since
	}
	return p
}
