package plan

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
)

// An account records what nodes wait for, and for how long.
type account struct {
	from time.Time
	roster
	teller
	clocks map[string]*clock
}

func newAccount(in disruptkit.Input, reasons []candidate.Reason) *account {
	a := &account{
		from: in.Now, roster: roster{places: map[string][]int{}}, teller: newTeller(in), clocks: map[string]*clock{},
	}
	for i := range in.Nodes {
		n := &in.Nodes[i]
		reason, asked := asked(n, reasons)
		if goes(n) && n.Pool == "" || !goes(n) && !asked {
			a.leaveOut()
			continue
		}
		if a.clocks[n.Pool] == nil {
			a.clocks[n.Pool] = newClock(a.from)
		}
		due := deadline(in, n, a.sets[n.Pool], reasons)
		a.add(slot{
			Node: Node{
				Name: n.Name, Pool: n.Pool, Zone: n.Labels[zoneLabel], Reason: reason, Outcome: Open, Deadline: due,
			},
			clock: a.clocks[n.Pool], key: -1, since: a.from, read: -1, many: 1,
		})
	}
	return a
}

// turnTo changes the state of a slot.
func (a *account) turnTo(s *slot, p phase, key int, hopeless bool, now time.Time) {
	if s.phase == p && s.key == key && s.hopeless == hopeless {
		return
	}
	s.clock.advance(now)
	add(s.group(), s.key, -s.many)
	if s.phase == waits && s.key >= 0 && (s.key != key || p != waits) {
		a.spend(s, now)
	}
	s.phase, s.key, s.hopeless = p, key, hopeless
	if p != ended {
		add(s.group(), s.key, s.many)
	}
}

// spend adds the time since the last call to the waits of a slot.
func (a *account) spend(s *slot, now time.Time) {
	d := now.Sub(s.since)
	s.since = now
	if d <= 0 {
		return
	}
	w := a.waits[s.key]
	i := slices.IndexFunc(s.Waits,
		func(o Wait) bool { return o.Gate == w.Gate && o.Code == w.Code && o.Cause == w.Cause })
	if i < 0 {
		i = len(s.Waits)
		s.Waits = append(s.Waits, w)
	}
	s.Waits[i].For += d
}

// read records what blocks the waiting nodes, according to the decisions at one time. If a node has several reasons,
// the first that may still be allowed counts. Where budgets allow several nodes, and a pass starts one of them, the
// others wait for passes, whether or not budgets allow them as well.
func (a *account) read(decisions []disruptkit.Decision, ahead ahead) {
	a.listen(decisions)
	a.reading++
	a.heard = a.heard[:0]
	for _, d := range decisions {
		for i := range d.Blocked {
			c := &d.Blocked[i]
			if at := a.find(c.Node, c.Pool); at >= 0 && len(c.Blockers) > 0 {
				a.hear(at, a.blocked(&a.slots[at], c, ahead.of(c) > 1))
			}
		}
	}
	for _, at := range a.leftOut {
		a.hear(at, said{key: a.pass})
	}
	a.leftOut = a.leftOut[:0]
}

// record records what was read.
func (a *account) record(now time.Time) {
	for _, at := range a.heard {
		if s := &a.slots[at]; s.shares == nil {
			a.turnTo(s, waits, s.said.key, s.said.stays, now)
		}
	}
}

// hopeless reports whether all remaining nodes wait for ever.
func (a *account) hopeless() bool {
	for _, c := range a.clocks {
		if len(c.waiting)+len(c.flying) > 0 {
			return false
		}
	}
	return true
}

// starts records that a node starts, and its course.
func (a *account) starts(i int, reason candidate.Reason, k course, replacement string, now time.Time) {
	a.part(i)
	s, key := &a.slots[i], a.drain
	if k.replaced && k.ready.Before(k.gone) {
		key = a.launch
	}
	a.turnTo(s, flies, key, k.gone.IsZero(), now)
	a.toGo--
	s.goes(reason, k, replacement, now)
	s.Queue = a.queued(k.queue)
}

// goes records that a node starts, and its course.
func (n *Node) goes(reason candidate.Reason, k course, replacement string, now time.Time) {
	n.Outcome, n.Reason, n.Start, n.Ready, n.Gone, n.Replacement = Done, reason, now, k.ready, k.gone, replacement
	n.Killed, n.Blockers = k.killed, k.blockers
	if k.gone.IsZero() {
		n.Outcome = Never
	}
}

// happens records an event of a node in flight.
func (a *account) happens(e event) {
	if e.slot < 0 {
		return
	}
	s := &a.slots[e.slot]
	switch {
	case s.phase == ended, s.Gone.IsZero():
	case !e.at.Before(s.End()):
		a.turnTo(s, ended, -1, false, e.at)
		if !s.OnlyExpires() {
			s.clock.commit()
		}
	case e.what == joins:
		a.turnTo(s, flies, a.drain, false, e.at)
	case e.what == leaves:
		a.turnTo(s, flies, a.launch, false, e.at)
	}
}

// close ends the account of nodes that have not started. Over means that nothing will change for them any more;
// otherwise the plan has reached its limit.
func (a *account) close(now time.Time, over bool, last []disruptkit.Decision) {
	held := map[string][]candidate.Blocker{}
	for _, d := range last {
		for i := range d.Blocked {
			if c := &d.Blocked[i]; held[c.Node] == nil {
				held[c.Node] = ordered(c.Blockers)
			}
		}
	}
	for i := range a.slots {
		a.part(i)
		s := &a.slots[i]
		s.Late = !s.Deadline.IsZero() && (s.Gone.IsZero() || s.Deadline.Before(s.Gone))
		if s.phase != waits {
			continue
		}
		s.Blockers = held[s.Name]
		if over || s.hopeless {
			s.Outcome, s.Waits = Never, nil
			if s.key >= 0 {
				s.Waits = []Wait{a.waits[s.key]}
			}
			continue
		}
		s.Late = s.Late && !s.Deadline.After(now)
		if s.key >= 0 {
			a.spend(s, now)
		}
		s.clock.advance(now)
		s.clock.commit()
	}
}

// pools returns the pools of the plan's nodes.
func (a *account) pools(nodes []Node) []Pool {
	var pools []Pool
	at := map[string]int{}
	for i := range nodes {
		n := &nodes[i]
		j, ok := at[n.Pool]
		if !ok {
			j = len(pools)
			at[n.Pool] = j
			pools = append(pools, Pool{Name: n.Pool})
		}
		p := &pools[j]
		p.add(n, farAway)
		if !n.OnlyExpires() {
			p.Start, p.Finish = spanned(p.Start, p.Finish, n)
		}
	}
	for i := range pools {
		pools[i].Clock = a.clockFace(a.clocks[pools[i].Name])
	}
	return pools
}

// clockFace returns Pool.Clock.
func (a *account) clockFace(c *clock) []Wait {
	var all []Wait
	for key, d := range c.spent {
		if d > 0 {
			w := a.waits[key]
			w.For = d
			all = append(all, w)
		}
	}
	slices.SortFunc(all, func(v, w Wait) int {
		return cmp.Or(cmp.Compare(w.For, v.For), cmp.Compare(v.Gate, w.Gate), cmp.Compare(v.Code, w.Code),
			strings.Compare(v.Cause, w.Cause))
	})
	return all
}
