package budgets

import (
	"cmp"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/until"
)

// When a request comes before others that are ahead of it in line, such as a node on which a pod is expected for a
// minute, those others may find their places taken. They come later then, and are put into the queue again, each for
// the first time at which it may go.

const (
	mostLate    = 32  // how many are put into the queue again for one request
	mostYielded = 100 // for how many requests of a pool that is done
)

// yields makes room for a request that comes at a time: it takes those out of the queue that come later. If there is
// room for all, it takes none. It reports whether it is certain what becomes of them.
func (c *clock) yields(r *gate.Request, at time.Time) bool {
	p := c.of(r)
	switch {
	case c.scope(r).Budgets.MostSpecific():
		return false
	case !p.paced && p.spare > 0:
		p.spare--
		return true
	case p.yielded >= mostYielded || p.nevers() || c.others.Tied(c.scope(r).Scope()):
		return false
	}
	p.yielded++
	late := func(one queued) bool { return one.At.After(at) }
	for _, one := range p.line {
		if late(one) {
			p.late = append(p.late, one)
		}
	}
	if len(p.late) > mostLate || len(p.late) < p.after(at) { // it is not known when some others would go then
		p.late = p.late[:0]
		return false
	}
	slices.SortFunc(p.late, func(a, b queued) int { return cmp.Compare(a.place, b.place) })
	p.line = slices.DeleteFunc(p.line, late)
	for i := range p.late {
		one := &p.late[i]
		p.lane(one.Reason()).Take(one.Arrival)
		p.forget(func(s budget.Start) bool { return s.Node == one.Name && s.At.Equal(one.At) })
		p.foreseen--
		one.Earliest = until.Latest(one.Earliest, at)
	}
	p.epoch++
	return true
}

// requeue puts those into the queue again that yields took out: always the one that may go first, or of several the
// first in line.
func (c *clock) requeue(pool *gate.Pool) {
	p := &c.pools[pool.Index]
	for len(p.late) > 0 {
		next, certain := c.first(p.late)
		if !certain {
			break
		}
		one := p.late[next]
		p.late = slices.Delete(p.late, next, next+1)
		p.lane(one.Reason()).Put(one.Arrival)
		p.startsLater(one.Node, one.Reason(), one.At)
		p.line = append(p.line, one)
	}
	for _, one := range p.late {
		p.lane(one.Reason()).Put(gate.Arrival{State: gate.Loose, Earliest: one.Earliest})
	}
	p.late = p.late[:0]
}

// first finds out when each of some requests comes if none of the others did, and returns the first to come.
func (c *clock) first(late []queued) (next int, certain bool) {
	for i := range late {
		one := &late[i]
		at, known := c.goesFrom(one.Request, until.Latest(one.free, one.Earliest))
		if !known || at.IsZero() || !c.others.Free(one.Request, at) {
			return next, false
		}
		if one.At = at; at.Before(late[next].At) {
			next = i
		}
	}
	return next, true
}
