package disruptkit

import (
	"maps"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// A waveRoll is the waves of a pool or a group for one method, and the current wave. Only pools that roll, or have
// rolled, count.
type waveRoll struct {
	*budget.WaveLimits
	in    *scope
	sizes []int // of Waves, for the number of nodes

	reasons []candidate.Reason // its reasons, as nodes have them
	counts  map[int]bool       // the pools that count, by index
	last    budget.Progress    // what is remembered of this revision and of these waves

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

func newWaveRoll(waves *budget.WaveLimits, in *scope) *waveRoll {
	return &waveRoll{WaveLimits: waves, in: in, sizes: waves.Sizes(in.Nodes), counts: map[int]bool{},
		awaited: map[string]bool{}}
}

// want adds a reason of a pool's node, if the roll is for it.
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

// recall reads what is remembered of the roll, unless that is of another revision, or of other waves.
func (roll *waveRoll) recall(last budget.Progress) {
	if last.Revision == roll.in.Revision && slices.Equal(last.Waves, roll.Texts) {
		roll.last = last
	}
	for _, p := range roll.in.Pools() {
		roll.counts[p.Index] = roll.counts[p.Index] || slices.Contains(roll.last.Pools, p.Name)
		if roll.counts[p.Index] {
			roll.missing += p.InUse.Missing
		}
	}
}

// has reports whether a node has a reason that the roll is for. A node that has none is new.
func (roll *waveRoll) has(n *candidate.Node) bool {
	return slices.ContainsFunc(n.Conditions, func(c candidate.Condition) bool { return roll.Covers(c.Reason) })
}

// see counts a node of a pool. Nodes that share their name use up waves, but never count as Ready.
func (roll *waveRoll) see(p *scope, n *candidate.Node, alike bool) {
	old := roll.has(n)
	switch {
	case !roll.counts[p.Index]:
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
func (roll *waveRoll) pair(starts []budget.Start) {
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

func (roll *waveRoll) left() int { return roll.size(roll.baked) - roll.used - roll.disrupted }

// until returns when the bake ends. Zero: no wave bakes, or that is unknown.
func (roll *waveRoll) until() (none time.Time) {
	if roll.since.IsZero() {
		return none
	}
	return roll.since.Add(roll.Bake)
}

func (roll *waveRoll) progress() budget.Progress {
	p := budget.Progress{
		Method: roll.Method, Revision: roll.in.Revision, Waves: slices.Clone(roll.Texts), Baked: roll.baked,
	}
	if pools := roll.in.Pools(); len(pools) > 1 && len(roll.reasons) > 0 {
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
