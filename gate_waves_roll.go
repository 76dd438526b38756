package disruptkit

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// A waveRoll is the waves of a pool, or of a group, for one method, and the one that it is in.
type waveRoll struct {
	*budget.WaveLimits
	in     *scope
	number int

	reasons   []candidate.Reason // those that it is for, as nodes have them; first the method
	tallies   []waveTally        // of its pools
	wanted    bool               // some node has such a reason
	pools     []string           // of several: those that roll, or have rolled since it was wanted
	waveTally                    // of these pools
	used      int                // how many nodes are new or in flight
	awaited   map[string]bool    // nodes not in flight yet that some node replaces that joins already

	baked int       // how many waves are done, and have baked: the position of the next one
	done  int       // how many are done
	since time.Time // since when one bakes; zero: none does
	kept  *budget.Progress

	going   int // requests that are disrupted, of nodes that are not new
	started int // requests that are disrupted, of all nodes that may interrupt a bake
	refusal []candidate.Blocker
	refused [2]int // started and going when refusal was made
}

// A waveTally counts nodes of a pool.
type waveTally struct {
	rolls    bool // some node has a reason that the roll is for
	fresh    int  // counted nodes that are new, and stay
	ready    int  // of those, how many are Ready
	inFlight []string
	leaving  int               // of those in flight, how many are new
	joining  []*candidate.Node // those that join
	missing  int
}

// add adds up tallies of pools.
func (t *waveTally) add(o waveTally) {
	t.fresh += o.fresh
	t.ready += o.ready
	t.inFlight = append(t.inFlight, o.inFlight...)
	t.leaving += o.leaving
	t.joining = append(t.joining, o.joining...)
	t.missing += o.missing
}

// of returns the tally of one of the roll's pools.
func (roll *waveRoll) of(p *scope) *waveTally {
	if !roll.in.Grouped() {
		return &roll.tallies[0]
	}
	byIndex := func(a, b *scope) int { return cmp.Compare(a.Index, b.Index) }
	i, _ := slices.BinarySearchFunc(roll.in.Members, p, byIndex)
	return &roll.tallies[i]
}

// see counts a node of a pool. Nodes that share their name use up waves, but are never said to be done.
func (roll *waveRoll) see(p *scope, n *candidate.Node, alike bool) {
	old, t := roll.Has(n), roll.of(p)
	for i := range n.Conditions {
		if reason := n.Conditions[i].Reason; roll.Covers(reason) && !slices.Contains(roll.reasons, reason) {
			roll.reasons = append(roll.reasons, reason)
		}
	}
	t.rolls = t.rolls || old
	switch {
	case !n.Counted():
		if n.Phase.Joining() && n.Leaving == candidate.Staying {
			t.joining = append(t.joining, n)
		}
	case n.Disrupting(candidate.Unhealthy): // it is in flight, or may be
		t.inFlight = append(t.inFlight, n.Name)
		if !old {
			t.leaving++
		}
	case !old:
		t.fresh++
		if n.Ready() && !alike {
			t.ready++
		}
	}
}

// count adds up those pools that roll, and those that have rolled, as is remembered: nodes of another pool are not new
// because of this roll.
func (roll *waveRoll) count(last budget.Progress, starts []budget.Start) {
	for i, p := range roll.in.Pools() {
		t := &roll.tallies[i]
		roll.wanted = roll.wanted || t.rolls
		if len(roll.tallies) > 1 {
			if !t.rolls && !slices.Contains(last.Pools, p.Name) {
				continue
			}
			roll.pools = append(roll.pools, p.Name)
		}
		t.missing = p.InUse.Missing()
		roll.waveTally.add(*t)
	}
	roll.used = roll.fresh + len(roll.inFlight) + roll.missing
	roll.pair(starts)
}

// pair counts the nodes that join, except one for each node in flight, since the two are one slot: one that replaces
// it, or else one that was created after it started. If that is unknown, both count.
func (roll *waveRoll) pair(starts []budget.Start) {
	flying := make(map[string]time.Time, len(roll.inFlight)) // those without a replacement yet; zero: unknown start
	for _, name := range roll.inFlight {
		flying[name] = time.Time{}
	}
	for _, s := range starts {
		if last, there := flying[s.Node]; there && !s.Over && s.At.After(last) {
			flying[s.Node] = s.At
		}
	}
	var unnamed []*candidate.Node
	for _, n := range roll.joining {
		if n.Replaces == "" {
			unnamed = append(unnamed, n)
			continue
		}
		if _, there := flying[n.Replaces]; there {
			delete(flying, n.Replaces)
			continue
		}
		roll.used++
		if roll.awaited == nil {
			roll.awaited = map[string]bool{}
		}
		roll.awaited[n.Replaces] = true
	}
	begun := slices.SortedFunc(maps.Values(flying), time.Time.Compare)
	begun = slices.DeleteFunc(begun, time.Time.IsZero)
	slices.SortFunc(unnamed, func(a, b *candidate.Node) int { return a.Created.Compare(b.Created) })
	for _, n := range unnamed {
		if len(begun) > 0 && begun[0].Before(n.Created) {
			begun = begun[1:]
		} else {
			roll.used++
		}
	}
}

// advance finds out which wave the roll is in, given what is remembered of it.
func (roll *waveRoll) advance(now time.Time, last budget.Progress, starts []budget.Start, denied bool) {
	kept := last
	if last.Revision != roll.in.Revision || !slices.Equal(last.Waves, roll.Texts) {
		last = budget.Progress{}
	}
	roll.count(last, starts)
	if len(roll.Faults) > 0 || now.IsZero() { // nothing goes, and what is remembered stays
		roll.kept = &kept
		return
	}
	if !roll.wanted { // the roll is over
		roll.pools = nil
		return
	}
	roll.baked = min(max(last.Baked, 0), len(roll.Waves))
	for roll.baked > 0 && roll.size(roll.baked-1) > roll.fresh+roll.leaving {
		roll.baked-- // nodes that were new are gone, or have the reason once more
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
	roll.since = last.Since
	if roll.since.IsZero() || roll.since.After(now) || roll.done > last.Done {
		roll.since = now
	}
	if !now.Before(roll.since.Add(roll.Bake)) {
		roll.baked, roll.since = roll.done, time.Time{}
	}
}

func (roll *waveRoll) size(wave int) int { return roll.Size(wave, roll.in.Nodes) }

// left returns how many more nodes may go.
func (roll *waveRoll) left() int {
	if size := roll.size(roll.baked); size != budget.Unlimited {
		return size - roll.used - roll.going
	}
	return budget.Unlimited
}

// Until returns when the wave that bakes has baked. Zero: none does, or that is unknown.
func (roll *waveRoll) Until() (none time.Time) {
	if roll.since.IsZero() {
		return none
	}
	return roll.since.Add(roll.Bake)
}

// progress returns what is to be remembered.
func (roll *waveRoll) progress() budget.Progress {
	if roll.kept != nil {
		return *roll.kept
	}
	p := budget.Progress{
		Method: roll.Method, Revision: roll.in.Revision, Waves: slices.Clone(roll.Texts), Baked: roll.baked,
		Pools: roll.pools,
	}
	if !roll.since.IsZero() {
		p.Done, p.Since = roll.done, roll.since
	}
	return p
}

// Stand returns where the roll is. A wave that bakes is told, not the one after it.
func (roll *waveRoll) Stand() Wave {
	s := Wave{Wave: roll.baked + 1, Of: len(roll.Waves) + 1, InUse: roll.used, Since: roll.since, Until: roll.Until()}
	if roll.done > roll.baked {
		s.Wave = roll.done
	}
	s.Nodes = roll.size(s.Wave - 1)
	return s
}
