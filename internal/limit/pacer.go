package limit

import (
	"iter"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/until"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Pacer answers what paces let start, for a pool whose starts it keeps in order, while more nodes start. It is not
// safe for concurrent use.
//
// A pace counts starts for its own reasons and for unknown ones; if the most specific budgets decide, it counts starts
// for the reasons for which it decides. Paces do not affect Set.Allowed, and other budgets do not affect a Pacer: a
// node must satisfy both. The same rules select the paces that decide as for other budgets.
type Pacer struct {
	set     *Set
	paces   []watched
	tallies []*tally
	ends    []*ending
}

// watched is a pace with the time for which its state is known.
type watched struct {
	*Budget
	limit    int
	active   bool
	from, to time.Time // active holds for from ≤ t < to; a zero to means that nothing is known
}

// A tally has the starts for one reason.
type tally struct {
	reason candidate.Reason
	ahead  bool        // they count from their time on, not yet before
	at     []time.Time // in order
	always Indexes     // the paces that count the reason whichever are active

	decide  Indexes // the paces that decide for the reason while those of active are active
	active  Indexes
	decided bool // decide is known
}

// Pacer returns a Pacer for a number of nodes, given earlier starts: why and when. One whose time lies ahead, by a
// wrong clock, counts already now.
func (s *Set) Pacer(nodes int, starts iter.Seq2[candidate.Reason, time.Time]) *Pacer {
	p := &Pacer{set: s}
	if len(s.Paces) == 0 {
		return p
	}
	for i := range s.Paces {
		b := &s.Paces[i]
		p.paces = append(p.paces, watched{Budget: b, limit: b.Limit.Of(nodes)})
	}
	for reason, at := range starts {
		t := p.of(reason, false)
		t.at = append(t.at, at)
	}
	for _, t := range p.tallies {
		slices.SortFunc(t.at, time.Time.Compare)
	}
	return p
}

// Clone returns an independent copy.
func (p *Pacer) Clone() *Pacer {
	clone := &Pacer{set: p.set, paces: slices.Clone(p.paces)}
	for _, t := range p.tallies {
		t := *t
		t.at = slices.Clone(t.at)
		clone.tallies = append(clone.tallies, &t)
	}
	return clone
}

// Start counts one more start for a reason, from its time on.
func (p *Pacer) Start(reason candidate.Reason, at time.Time) {
	if len(p.paces) == 0 {
		return
	}
	t := p.of(reason, true)
	t.at = slices.Insert(t.at, t.upTo(at), at)
	p.ends = nil
}

// Drop takes out a start that Start counted.
func (p *Pacer) Drop(reason candidate.Reason, at time.Time) {
	t := p.of(reason, true)
	if i := t.upTo(at) - 1; i >= 0 && t.at[i].Equal(at) {
		t.at, p.ends = slices.Delete(t.at, i, i+1), nil
	}
}

// of returns the tally of a reason.
func (p *Pacer) of(reason candidate.Reason, ahead bool) *tally {
	for _, t := range p.tallies {
		if t.reason == reason && t.ahead == ahead {
			return t
		}
	}
	t := &tally{reason: reason, ahead: ahead}
	for i := range p.set.Paces {
		if b := &p.set.Paces[i]; p.set.counts(b, reason) {
			t.always.Add(b.Index)
		}
	}
	p.tallies = append(p.tallies, t)
	return t
}

// begun returns how many starts count at a time, those included that no longer do.
func (t *tally) begun(at time.Time) int {
	if t.ahead {
		return t.upTo(at)
	}
	return len(t.at)
}

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
	pacing := Pacing{set: p.set, at: at}
	active := p.activeAt(at)
	decide := p.decide(p.of(reason, false), active)
	for i := range p.paces {
		b := &p.paces[i]
		if !decide.Has(b.Index) {
			continue
		}
		left := b.limit
		for _, t := range p.tallies {
			if len(t.at) > 0 && p.counted(t, active).Has(b.Index) {
				left -= max(0, t.begun(at)-t.upTo(at.Add(-b.Per)))
			}
		}
		pacing.paces = append(pacing.paces, paced{b.Budget, left})
	}
	return pacing
}

// NextStart returns the first time at or after from when one more node may start for a reason, if nothing else starts
// until then. Zero means never, or only after some thousand changes.
func (p *Pacer) NextStart(from time.Time, reason candidate.Reason) time.Time {
	own := p.of(reason, false)
	for range farthest {
		active := p.activeAt(from)
		decide := p.decide(own, active)
		next, ever := from, true // while the same paces are active, no more node may start before, or ever
		for i := range p.paces {
			if b := &p.paces[i]; decide.Has(b.Index) {
				frees := p.frees(b, from, active)
				next, ever = until.Latest(next, frees), ever && !frees.IsZero()
			}
		}
		if !ever {
			next = time.Time{}
		} else if next.Equal(from) {
			return from
		}
		if from = until.First(next, p.paceChange(from)); from.IsZero() {
			break
		}
	}
	return time.Time{}
}

// frees returns when a pace lets one more node start: now, or once enough of the starts up to now no longer count.
// Zero is never: it is a percentage of no nodes.
func (p *Pacer) frees(b *watched, now time.Time, active Indexes) time.Time {
	type begun struct {
		*tally
		from, to int // of at
	}
	var list [8]begun
	counted, n := list[:0], 0
	for _, t := range p.tallies {
		if len(t.at) == 0 || !p.counted(t, active).Has(b.Index) {
			continue
		}
		if one := (begun{t, t.upTo(now.Add(-b.Per)), t.begun(now)}); one.from < one.to {
			counted = append(counted, one)
			n += one.to - one.from
		}
	}
	over := n - b.limit + 1 // how many must cease to count
	switch {
	case over <= 0:
		return now
	case over > n:
		return time.Time{}
	}
	var last time.Time // of those
	for _, one := range counted {
		// the first start of the tally by which so many of all tallies have begun
		i, _ := slices.BinarySearchFunc(one.at[one.from:one.to], over, func(at time.Time, over int) int {
			sum := 0
			for _, other := range counted {
				sum += max(0, min(other.upTo(at), other.to)-other.from)
			}
			return sum - over
		})
		if i += one.from; i < one.to {
			last = until.First(last, one.at[i])
		}
	}
	return last.Add(b.Per)
}

// NextChange returns when time alone may next change how many nodes may start: a start no longer counts, or a pace
// becomes active or inactive. Zero means never.
func (p *Pacer) NextChange(now time.Time) (next time.Time) {
	for i := range p.paces {
		per := p.paces[i].Per
		for _, t := range p.tallies {
			if i := t.upTo(now.Add(-per)); i < len(t.at) {
				next = until.First(next, t.at[i].Add(per))
			}
		}
	}
	return until.First(next, p.paceChange(now))
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

// paceChange returns when a pace next becomes active or inactive. Zero means never.
func (p *Pacer) paceChange(now time.Time) (next time.Time) {
	for i := range p.paces {
		b := &p.paces[i]
		b.look(now)
		next = until.First(next, b.to)
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
		t.decide = p.set.mostSpecificOf(p.set.Paces, t.reason, func(b *Budget) bool { return active.Has(b.Index) })
		t.active, t.decided = active, true
	}
	return t.decide
}

// counted returns the paces that count the starts of a tally.
func (p *Pacer) counted(t *tally, active Indexes) Indexes {
	if !p.set.Specific {
		return t.always
	}
	return t.always | p.decide(t, active)
}

// mostPaceChanges is how often paces may become active or inactive before Ends takes them to let a node start for good.
const mostPaceChanges = 100

// An ending has what paces let start for a reason each time that one of them becomes active or inactive.
type ending struct {
	reason  candidate.Reason
	now     time.Time
	changes []Pacing
	slack   int // how many may start whatever the change
}

// Ends returns when a pace becomes active that no longer lets a node start for a reason, beside others that start. Zero
// means never, or only after a hundred changes.
func (p *Pacer) Ends(now time.Time, reason candidate.Reason, beside Usage) (never time.Time) {
	e := p.endingFor(now, reason)
	if beside.Total() < e.slack {
		return never
	}
	for i := range e.changes {
		if c := &e.changes[i]; c.MayStart(beside).Nodes <= 0 {
			return c.at
		}
	}
	return never
}

// endingFor returns what paces let start for a reason from each of their changes on.
func (p *Pacer) endingFor(now time.Time, reason candidate.Reason) *ending {
	for _, e := range p.ends {
		if e.reason == reason && e.now.Equal(now) {
			return e
		}
	}
	e := &ending{reason: reason, now: now, slack: Unlimited}
	for range mostPaceChanges {
		if now = p.paceChange(now); now.IsZero() {
			break
		}
		c := p.Pacing(now, reason)
		e.changes = append(e.changes, c)
		for _, b := range c.paces {
			e.slack = min(e.slack, b.left)
		}
	}
	p.ends = append(p.ends, e)
	return e
}
