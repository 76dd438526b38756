package budget

import (
	"iter"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Pacer answers what paces let start, for a pool whose starts it keeps in order, while more nodes start. It is not
// safe for concurrent use.
//
// A pace counts starts for its own reasons and for unknown ones; if the most specific budgets decide, it counts starts
// for the reasons for which it decides. Paces do not affect Set.Allowed, and other budgets do not affect a Pacer: a
// node must satisfy both. The same rules select the paces that decide as for other budgets.
//
// A budget that soaks is asked, too: see [Places]. To it, a node that starts takes a place for good, since only events
// end that.
type Pacer struct {
	set     *set
	paces   []watched // and budgets that soak; if the most specific decide, also the others that they compete with
	tallies []*tally

	notReady int       // nodes that take places, but are not in flight
	known    time.Time // Places.Known
}

// watched is a budget with the time for which its state is known.
type watched struct {
	*Limit
	limit    int
	active   bool
	from, to time.Time // active holds for from ≤ t < to; a zero to means that nothing is known
}

// A tally has the starts for one reason.
type tally struct {
	reason candidate.Reason
	kind   tallied
	at     []time.Time // in order
	always Indexes     // the paces that count the reason whichever are active

	decide  Indexes // the paces that decide for the reason while those of active are active
	active  Indexes
	decided bool // decide is known
}

// tallied is what a tally counts.
type tallied uint8

const (
	begun   tallied = iota // nodes that have started
	ahead                  // nodes that start: they count from their time on, not yet before
	taken                  // places of nodes that are there: only events free them
	waiting                // places of nodes that are gone, which do not soak yet: likewise
	soaking                // places that soak, since a time
)

// Pacer returns a Pacer for a number of nodes, given earlier starts: why and when. One whose time lies ahead, by a
// wrong clock, counts already now.
func (s Set) Pacer(nodes int, starts iter.Seq2[candidate.Reason, time.Time]) *Pacer {
	set := s.get()
	p := &Pacer{set: set}
	if !s.Waits() {
		return p
	}
	which := set.paces | set.soaks
	if set.specific && set.soaks != 0 {
		which |= set.pool
	}
	for b := range set.each(which) {
		p.paces = append(p.paces, watched{Limit: b, limit: b.Of(nodes)})
	}
	for reason, at := range starts {
		t := p.of(reason, begun)
		t.at = append(t.at, at)
	}
	for _, t := range p.tallies {
		slices.SortFunc(t.at, time.Time.Compare)
	}
	return p
}

// Clone returns an independent copy.
func (p *Pacer) Clone() *Pacer {
	clone := &Pacer{set: p.set, paces: slices.Clone(p.paces), notReady: p.notReady, known: p.known}
	for _, t := range p.tallies {
		t := *t
		t.at = slices.Clone(t.at)
		clone.tallies = append(clone.tallies, &t)
	}
	return clone
}

// Start counts one more start for a reason, from its time on. What its node takes is apart: see Occupy.
func (p *Pacer) Start(reason candidate.Reason, at time.Time) {
	if len(p.paces) == 0 {
		return
	}
	t := p.of(reason, ahead)
	t.at = slices.Insert(t.at, t.upTo(at), at)
}

// of returns the tally of a reason.
func (p *Pacer) of(reason candidate.Reason, kind tallied) *tally {
	for _, t := range p.tallies {
		if t.reason == reason && t.kind == kind {
			return t
		}
	}
	t := &tally{reason: reason, kind: kind}
	for i := range p.paces {
		if b := p.paces[i].Limit; p.set.counts(b, reason) {
			t.always.Add(b.Index)
		}
	}
	p.tallies = append(p.tallies, t)
	return t
}

// counting returns which of the times count for a budget at a time: a range of positions.
func (t *tally) counting(b *Limit, now time.Time) (from, to int) {
	to = len(t.at)
	if t.kind == ahead {
		to = t.upTo(now)
	}
	switch paces := b.Per > 0; {
	case paces == (t.kind > ahead):
		return 0, 0
	case paces:
		from = t.upTo(now.Add(-b.Per))
	case t.kind == soaking:
		from = t.upTo(now.Add(-b.Soak))
	}
	return min(from, to), to
}

// ends reports whether its times cease to count for a budget as time passes.
func (t *tally) ends(b *Limit) bool {
	return b.Per > 0 && t.kind <= ahead || b.Soak > 0 && t.kind == soaking
}

// lasts returns for how long a start or a place counts.
func (b *Limit) lasts() time.Duration { return b.Per + b.Soak } // one of them is zero

// upTo returns how many starts are not after a time.
func (t *tally) upTo(at time.Time) int {
	low, high := 0, len(t.at)
	for low < high {
		if middle := (low + high) / 2; t.at[middle].After(at) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// Pacing returns how many more nodes may start at a time for a reason. A start later than that time, among those that
// Pacer was given, counts as if it were at that time.
func (p *Pacer) Pacing(at time.Time, reason candidate.Reason) Pacing {
	if len(p.paces) == 0 {
		return Pacing{}
	}
	pacing := Pacing{set: p.set, at: at, reason: reason}
	active := p.activeAt(at)
	decide := p.decide(p.of(reason, begun), active)
	for i := range p.paces {
		b := &p.paces[i]
		if !decide.Has(b.Index) {
			continue
		}
		left := b.limit - p.unready(b, reason)
		for _, t := range p.tallies {
			if len(t.at) > 0 && p.counted(t, active).Has(b.Index) {
				from, to := t.counting(b.Limit, at)
				left -= to - from
			}
		}
		if p.unknown(b, at) {
			left = 0
		}
		pacing.paces = append(pacing.paces, pacedLimit{b.Limit, left})
	}
	return pacing
}

// NextStart returns the first time at or after from when one more node may start for a reason, if nothing else starts
// until then. Zero means never, or only after some thousand changes.
func (p *Pacer) NextStart(from time.Time, reason candidate.Reason) time.Time {
	own := p.of(reason, begun)
	for range farthest {
		active := p.activeAt(from)
		decide := p.decide(own, active)
		next, ever := from, true // while the same paces are active, no more node may start before, or ever
		for i := range p.paces {
			if b := &p.paces[i]; decide.Has(b.Index) {
				frees := p.frees(b, from, active, reason)
				next, ever = schedule.Last(next, frees), ever && !frees.IsZero()
				if frees.IsZero() && !p.set.specific && b.Constant() {
					return frees // it decides at all times, and counts the same
				}
			}
		}
		if !ever {
			next = time.Time{}
		} else if next.Equal(from) {
			return from
		}
		if from = schedule.First(next, p.PaceChange(from)); from.IsZero() {
			break
		}
	}
	return time.Time{}
}

// frees returns when a budget lets one more node start: now, or once enough of what counts now has ended. Zero is
// never, or only after an event.
func (p *Pacer) frees(b *watched, now time.Time, active Indexes, reason candidate.Reason) time.Time {
	var list [8]takenSpan
	ends, n := list[:0], p.unready(b, reason)
	for _, t := range p.tallies {
		if len(t.at) == 0 || !p.counted(t, active).Has(b.Index) {
			continue
		}
		from, to := t.counting(b.Limit, now)
		n += to - from
		if from < to && t.ends(b.Limit) {
			ends = append(ends, takenSpan{t, from, to})
		}
	}
	at := now
	if over := n - b.limit + 1; over > 0 { // so many must cease to count
		last := nth(ends, over)
		if last.IsZero() {
			return last
		}
		at = last.Add(b.lasts())
	}
	if p.unknown(b, at) {
		at = schedule.Last(at, p.known.Add(b.Soak))
	}
	return at
}

// A takenSpan is what counts of a tally: a range of its times.
type takenSpan struct {
	*tally
	from, to int
}

// nth returns the n-th time of some ranges together, or zero if they have fewer.
func nth(all []takenSpan, n int) (at time.Time) {
	for _, one := range all {
		// the first time of the tally by which there are so many in all
		i, _ := slices.BinarySearchFunc(one.at[one.from:one.to], n, func(at time.Time, n int) int {
			sum := 0
			for _, other := range all {
				sum += max(0, min(other.upTo(at), other.to)-other.from)
			}
			return sum - n
		})
		if i += one.from; i < one.to {
			at = schedule.First(at, one.at[i])
		}
	}
	return at
}

// NextChange returns when time alone may next change how many nodes may start: a start no longer counts, or a pace
// becomes active or inactive. Zero means never.
func (p *Pacer) NextChange(now time.Time) (next time.Time) {
	for i := range p.paces {
		b := &p.paces[i]
		for _, t := range p.tallies {
			if i := t.upTo(now.Add(-b.lasts())); t.ends(b.Limit) && i < len(t.at) {
				next = schedule.First(next, t.at[i].Add(b.lasts()))
			}
		}
		if p.unknown(b, now) {
			next = schedule.First(next, p.known.Add(b.Soak))
		}
	}
	return schedule.First(next, p.PaceChange(now))
}

// activeAt returns the paces that are active at a time.
func (p *Pacer) activeAt(at time.Time) (active Indexes) {
	for i := range p.paces {
		b := &p.paces[i]
		b.look(at)
		active.put(b.Index, b.active)
	}
	return active
}

// PaceChange returns when a pace next becomes active or inactive. Zero means never.
func (p *Pacer) PaceChange(now time.Time) (next time.Time) {
	for i := range p.paces {
		b := &p.paces[i]
		b.look(now)
		next = schedule.First(next, b.to)
	}
	return next
}

// look finds out whether the pace is active at a time, and until when.
func (b *watched) look(at time.Time) {
	switch {
	case b.Constant():
		b.active = true
	case at.IsZero():
		b.active, b.to = schedule.InWindow(b.Window, at), time.Time{}
	case b.to.IsZero() || at.Before(b.from) || !at.Before(b.to):
		b.from = at
		b.active, b.to = b.Window.Until(at)
	}
}

// decide returns the paces that decide for a tally's reason.
func (p *Pacer) decide(t *tally, active Indexes) Indexes {
	if !t.decided || t.active != active {
		t.decide = p.set.waiting(t.reason, active)
		t.active, t.decided = active, true
	}
	return t.decide
}

// counted returns the paces that count the starts of a tally.
func (p *Pacer) counted(t *tally, active Indexes) Indexes {
	if !p.set.specific {
		return t.always
	}
	return t.always | p.decide(t, active)
}
