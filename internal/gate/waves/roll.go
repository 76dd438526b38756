package waves

import (
	"cmp"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/limit"
)

// A Roll is the waves of a pool, or of a group, for one method, and the one that it is in.
type Roll struct {
	*limit.Rollout
	in     *gate.Pool
	number int

	reasons []candidate.Reason // those that it is for, as nodes have them; first the method
	tallies []tally            // of its pools
	wanted  bool               // some node has such a reason
	pools   []string           // of several: those that roll, or have rolled since it was wanted
	tally                      // of these pools
	used    int                // how many nodes are new or in flight

	baked int       // how many waves are done, and have baked: the position of the next one
	done  int       // how many are done
	since time.Time // since when one bakes; zero: none does
	kept  *budget.Progress

	going   int // requests that go, of nodes that are not new
	refusal []candidate.Blocker
	refused int // going when refusal was made
}

// A tally counts nodes of a pool.
type tally struct {
	rolls    bool // some node has a reason that the roll is for
	fresh    int  // counted nodes that are new, and stay
	ready    int  // of those, how many are Ready
	inFlight int
	leaving  int // of those in flight, how many are new
	joining  int
	missing  int
}

// add adds up tallies of pools.
func (t *tally) add(o tally) {
	t.fresh += o.fresh
	t.ready += o.ready
	t.inFlight += o.inFlight
	t.leaving += o.leaving
	t.joining += o.joining
	t.missing += o.missing
}

// of returns the tally of one of the roll's pools.
func (r *Roll) of(p *gate.Pool) *tally {
	if !r.in.Grouped() {
		return &r.tallies[0]
	}
	i, _ := slices.BinarySearchFunc(r.in.Members, p, func(a, b *gate.Pool) int { return cmp.Compare(a.Index, b.Index) })
	return &r.tallies[i]
}

// see counts a node of a pool. Nodes that share their name use up waves, but are never said to be done.
func (r *Roll) see(p *gate.Pool, n *candidate.Node, alike bool) {
	old, t := r.Has(n), r.of(p)
	for i := range n.Conditions {
		if reason := n.Conditions[i].Reason; r.Covers(reason) && !slices.Contains(r.reasons, reason) {
			r.reasons = append(r.reasons, reason)
		}
	}
	t.rolls = t.rolls || old
	switch {
	case !n.Counted():
		if n.Phase.Joining() && n.Leaving == candidate.Staying {
			t.joining++
		}
	case n.Disrupting(candidate.Unhealthy): // it is in flight, or may be
		t.inFlight++
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
func (r *Roll) count(last budget.Progress) {
	for i, p := range r.in.Pools() {
		t := &r.tallies[i]
		r.wanted = r.wanted || t.rolls
		if len(r.tallies) > 1 {
			if !t.rolls && !slices.Contains(last.Pools, p.Name) {
				continue
			}
			r.pools = append(r.pools, p.Name)
		}
		t.missing = p.InUse.Missing()
		r.tally.add(*t)
	}
	// A node that joins takes the place of one in flight, if there is one. So it is not counted twice.
	r.used = r.fresh + max(r.inFlight, r.joining) + r.missing
}

// advance finds out which wave the roll is in, given what is remembered of it.
func (r *Roll) advance(now time.Time, last budget.Progress, denied bool) {
	kept := last
	if last.Revision != r.in.Revision || !slices.Equal(last.Waves, r.Texts) {
		last = budget.Progress{}
	}
	r.count(last)
	if len(r.Faults) > 0 || now.IsZero() { // nothing goes, and what is remembered stays
		r.kept = &kept
		return
	}
	if !r.wanted { // the roll is over
		r.pools = nil
		return
	}
	r.baked = min(max(last.Baked, 0), len(r.Waves))
	for r.baked > 0 && r.size(r.baked-1) > r.fresh+r.leaving {
		r.baked-- // nodes that were new are gone, or have the reason once more
	}
	for r.inFlight == 0 && r.done < len(r.Waves) && r.size(r.done) <= r.ready {
		r.done++
	}
	if r.done <= r.baked {
		r.done = r.baked
		return
	}
	if denied {
		return
	}
	r.since = last.Since
	if r.since.IsZero() || r.since.After(now) || r.done > last.Done {
		r.since = now
	}
	if !now.Before(r.since.Add(r.Bake)) {
		r.baked, r.since = r.done, time.Time{}
	}
}

func (r *Roll) size(wave int) int { return r.Size(wave, r.in.Nodes) }

// left returns how many more nodes may go.
func (r *Roll) left() int {
	if size := r.size(r.baked); size != limit.Unlimited {
		return size - r.used - r.going
	}
	return limit.Unlimited
}

// Until returns when the wave that bakes has baked. Zero: none does, or that is unknown.
func (r *Roll) Until() (none time.Time) {
	if r.since.IsZero() {
		return none
	}
	return r.since.Add(r.Bake)
}

// progress returns what is to be remembered.
func (r *Roll) progress() budget.Progress {
	if r.kept != nil {
		return *r.kept
	}
	p := budget.Progress{
		Method: r.Method, Revision: r.in.Revision, Waves: slices.Clone(r.Texts), Baked: r.baked, Pools: r.pools,
	}
	if !r.since.IsZero() {
		p.Done, p.Since = r.done, r.since
	}
	return p
}

// A Stand is where a roll is: disruptkit.Wave.
type Stand struct {
	Wave, Of     int
	Nodes, InUse int
	Since, Until time.Time
}

// Stand returns where the roll is. A wave that bakes is told, not the one after it.
func (r *Roll) Stand() Stand {
	s := Stand{Wave: r.baked + 1, Of: len(r.Waves) + 1, InUse: r.used, Since: r.since, Until: r.Until()}
	if r.done > r.baked {
		s.Wave = r.done
	}
	s.Nodes = r.size(s.Wave - 1)
	return s
}
