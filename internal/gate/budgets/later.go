package budgets

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/limit"
	"github.com/disruptkit/disruptkit/internal/sentence"
	"github.com/disruptkit/disruptkit/internal/until"
)

// clock is the clock of budgets, and of the waiver of overdue nodes.
//
//	in use now ─┐                              ┌─ outlook: when is there room, and when do paces let it start?
//	            ├─▶ pool: what is in use at ───┤     (by kind, asked at least and at most)
//	queue ──────┘   each time, least and most  └─ due: when does the waiver let it go?
//	  ▲ Arrive                                                    │
//	  └── requests that come, each at the first time at which ◀──┘ Lifts, Foresee
//	      both leave it a place
//
// Why not simply the time at which a budget opens? Because of those that are ahead in line. Each takes a place at that
// time, or has its own time, or none that is known. So the first time is sought with the requests that are certain to
// come (least), and told only if there is a place then even with all that could have come (most).
type clock struct {
	gate   *Gate
	others gate.Others
	*ledger
}

// A ledger is what the clocks of all layers write down, each about its own pools or groups.
type ledger struct {
	pools  []pool    // by scope
	quotas []outlook // by Kind
	ties   map[tied]gate.Tie
}

// A pool holds what uses up the budgets of a pool, now and later. Soon and the queue are the two books of a
// gate.CountingClock.
type pool struct {
	soon   limit.Usage              // nodes that are in flight or not Ready, requests that go, and requests that come
	inSoon map[*candidate.Node]bool // the nodes with several reasons that soon counts
	own    nodeArrival              // what Look took out of the queue
	queue
	pace
}

// An outlook is what a pool's budgets allow for one reason, as time passes. It remembers answers. Thousands of requests
// ask the same, and each answer is a search through the windows of all budgets.
type outlook struct {
	*Quota
	now      time.Time
	regroups time.Time // when other nodes begin or cease to use it up: other budgets are the most specific then

	roomIfIdle      roomAnswer // when there is room if no node is in use
	roomBesideGoing roomAnswer // when there is room beside what is in flight and what goes
	lastFull        []fullAnswer
	lastAllowance   allowanceAnswer
	falls           []fall // the first falls of the allowance, as far as they were asked for
	said            told
	lastStarts      startAnswers // when paces let one more node start beside those that come
	besideGoing     startAnswers // and beside those that go
}

// A roomAnswer is when there is next room for one more node beside n nodes in use. The answer is the same for all from
// ≤ n < to, so requests that go one after the other share it.
type roomAnswer struct {
	at       time.Time
	from, to int
}

// A fullAnswer is a roomAnswer that was asked for from a time on, beside all that have come by then.
type fullAnswer struct {
	roomAnswer
	asked time.Time
	epoch int // queue.epoch
}

// An allowanceAnswer is what is allowed at a time.
type allowanceAnswer struct {
	at        time.Time
	allowance budget.Allowance
}

// A startAnswer is when paces let one more node start, from a time on. As more nodes come, the answer for the same time
// or a later one is never earlier. So a search may begin at the last answer.
type startAnswer struct {
	which limit.Indexes // of the paces
	asked bool
	from  time.Time // asked for from then on
	at    time.Time // zero: never
	epoch int       // queue.epoch
}

// holds reports whether there is an answer, for a time or an earlier one, and no request was taken out since.
func (s *startAnswer) holds(epoch int, from time.Time) bool {
	return s.asked && s.epoch == epoch && !s.from.After(from)
}

// startAnswers are those for all paces, and for some of them.
type startAnswers []startAnswer

// of returns the last answer for some of the paces.
func (all *startAnswers) of(which limit.Indexes) *startAnswer {
	i := slices.IndexFunc(*all, func(s startAnswer) bool { return s.which == which })
	if i < 0 {
		i, *all = len(*all), append(*all, startAnswer{which: which})
	}
	return &(*all)[i]
}

// A fall is when the allowance first falls to a number or below, and what it falls to.
type fall struct {
	at time.Time
	to int
}

// told is the last answer, and what it depends on.
type told struct {
	refusal  *candidate.Blocker // the gate's blocker, without a time
	until    time.Time
	known    bool
	blockers []candidate.Blocker
}

// Later begins the second reading.
func (g *Gate) Later(others gate.Others) gate.CountingClock {
	if g.later == nil {
		g.later = g.newLedger()
	}
	return &clock{g, others, g.later}
}

func (b *Book) newLedger() *ledger {
	f := b.fleet
	l := &ledger{make([]pool, len(f.Scopes)), make([]outlook, len(f.Kinds)), map[tied]gate.Tie{}}
	for i, p := range f.Scopes {
		l.pools[i] = pool{soon: p.InUse.Clone(), queue: queue{spare: limit.Unlimited}, pace: b.newPace(p)}
	}
	for i, k := range f.Kinds {
		l.quotas[i] = outlook{Quota: b.Quota(k), now: b.now}
		if !k.Pool.Ambiguous {
			l.quotas[i].regroups = k.Pool.Limits().Regroups(b.now, k.Reason)
		}
	}
	return l
}

// scope returns the pool of a request, or its group in the clock's layer. Of and outlook return what is known of that.
func (c *clock) scope(r *gate.Request) *gate.Pool { return c.gate.pool(r) }
func (c *clock) of(r *gate.Request) *pool         { return &c.pools[c.scope(r).Index] }
func (c *clock) outlook(r *gate.Request) *outlook { return &c.quotas[c.gate.kind(r).Index] }

// Lifts returns the blockers of a request for which there is no room, with the time when there is room: if only time
// passes, and all requests ahead of it in line that can come do so. Requests share the answer, but for what paces say:
// each has a time of its own.
func (c *clock) Lifts(r *gate.Request, refusal []candidate.Blocker, chances *gate.Chances) (all []candidate.Blocker) {
	chances.OtherPools = chances.OtherPools || len(c.scope(r).Members) > 1
	if r.Kind.Excused {
		return c.liftsExcused(r, refusal[0], chances)
	}
	waits := slices.IndexFunc(refusal, func(b candidate.Blocker) bool {
		return b.Code == candidate.CodePaced || b.Code == candidate.CodeSoaks
	})
	if waits < 0 {
		return c.liftsFull(r, refusal, chances)
	}
	if waits > 0 {
		all = slices.Clip(c.liftsFull(r, refusal[:waits], chances))
	}
	for _, one := range refusal[waits:] {
		all = append(all, c.liftsPaced(r, one, chances))
	}
	return all
}

// liftsFull is Lifts for budgets that limit how many nodes go at once.
func (c *clock) liftsFull(r *gate.Request, refusal []candidate.Blocker, chances *gate.Chances) []candidate.Blocker {
	q := c.outlook(r)
	room := until.First(q.roomBeside(c.gate.usage(c.scope(r)), &q.roomBesideGoing), c.excusedBesideGoing(r))
	chances.WaitForPlace(room, c.of(r).unready > 0)
	from, known := c.roomOrDueFrom(r, c.gate.now)
	chances.NoteBudgets(from, known)
	if !r.Deadline().IsZero() {
		ifIdle := until.First(q.roomBeside(limit.Usage{}, &q.roomIfIdle), c.excusedBeside(r, limit.Usage{}))
		return q.tellFull(from, known, ifIdle, refusal[0])
	}
	if q.said.refusal == &refusal[0] && q.said.until.Equal(from) && q.said.known == known {
		return q.said.blockers
	}
	blockers := q.tellFull(from, known, q.roomBeside(limit.Usage{}, &q.roomIfIdle), refusal[0])
	q.said = told{&refusal[0], from, known, blockers}
	return blockers
}

// tellFull returns blockers that say that there is no room until a time, if it is known, and that there would be some
// earlier if no node were in use.
func (q *outlook) tellFull(from time.Time, known bool, ifIdle time.Time, first candidate.Blocker) []candidate.Blocker {
	first.Until = from
	if q.Allowance.Nodes > 0 || ifIdle.Equal(from) {
		return []candidate.Blocker{first}
	}
	first.Until = ifIdle
	return []candidate.Blocker{first, q.exhausted(from, known)}
}

// exhausted returns the blocker of a request for which there is no room even after its other blockers have lifted, or
// for which this is unknown.
func (q *outlook) exhausted(from time.Time, known bool) candidate.Blocker {
	b := candidate.Blocker{
		Gate: candidate.GateBudget, Code: candidate.CodeExhausted, Until: from, Later: true, Source: q.source(0),
		Message: q.Pool.Of() + "nodes in flight and candidates before it use up the budget after that",
	}
	if !known {
		b.Message = q.Pool.Of() + "nodes in flight and candidates before it may use up the budget after that"
	}
	return b
}

// roomBeside returns when there is room for one more node beside those of u, and remembers the answer in o.
func (q *outlook) roomBeside(u limit.Usage, o *roomAnswer) time.Time {
	if n := u.Total(); n < o.from || o.to <= n {
		_, at := q.Pool.Limits().Room(q.now, q.Pool.Nodes, q.Reason, u)
		*o = roomAnswer{at, n, math.MaxInt}
		if !at.IsZero() {
			_, room := q.roomAt(at, u)
			o.to = n + min(room, math.MaxInt-n)
		}
	}
	return o.at
}

// roomAt returns what is allowed at a time, and for how many more nodes there is room then beside those of u.
func (q *outlook) roomAt(at time.Time, u limit.Usage) (allowance budget.Allowance, room int) {
	allowance, _ = budget.AllowedByReason(q.Pool.Budgets, at, q.Pool.Nodes, q.Reason)
	return allowance, allowance.Remaining(q.Pool.Limits().InUse(at, q.Pool.Nodes, q.Reason, u))
}

// Ends returns until when the budgets allow a request that goes, and all ahead of it in line that do.
func (c *clock) Ends(r *gate.Request) (end time.Time) {
	if c.gate.passes(r) {
		return end
	}
	end = until.First(c.outlook(r).fallsTo(c.gate.takenFor(c.gate.kind(r))), c.paceEnds(r, c.gate.starting(c.scope(r))))
	return gate.EndUnless(end, c.excusedBesideGoing(r))
}

// fallsTo returns until when more than used nodes may be disrupted, as they may now. If other nodes may begin to use up
// the budgets before (regroups), it returns that time.
func (q *outlook) fallsTo(used int) time.Time {
	last := fall{to: q.Allowance.Nodes}
	for i := 0; last.to > used; i++ {
		if i == len(q.falls) {
			q.falls = append(q.falls, q.fallsBelow(last.to))
		}
		last = q.falls[i]
	}
	return until.First(last.at, q.regroups)
}

// fallsBelow returns when the allowance, which is n or more now, first falls below n, and what it is then. The zero
// step is never.
func (q *outlook) fallsBelow(n int) fall {
	_, at := q.Pool.Limits().AtMost(q.now, q.Pool.Nodes, q.Reason, n-1)
	if at.IsZero() {
		return fall{}
	}
	allowance, _ := budget.AllowedByReason(q.Pool.Budgets, at, q.Pool.Nodes, q.Reason)
	return fall{at, allowance.Nodes}
}

// Room reports whether the budgets leave room for a request beside all that come, and until when.
func (c *clock) Room(r *gate.Request) (end time.Time, room bool) {
	if c.gate.passes(r) {
		return end, true
	}
	overdue := c.excusedBesideAll(r)
	if !overdue.IsZero() && !overdue.After(c.gate.now) {
		return end, true
	}
	p, q := c.of(r), c.outlook(r)
	soon := c.scope(r).Limits().InUse(c.gate.now, c.scope(r).Nodes, r.Reason(), p.soon)
	if _, held := c.heldBack(r); held || q.Allowance.Remaining(soon) == 0 || !c.mayStart(r) {
		return end, false
	}
	return gate.EndUnless(until.First(q.fallsTo(soon), c.paceEnds(r, p.starting)), overdue), true
}

// Goes counts a request that goes.
func (c *clock) Goes(r *gate.Request, _ time.Time) {
	if c.gate.kind(r) == nil {
		return
	}
	p := c.of(r)
	p.addSoon(r, c.scope(r))
	p.begins(r, c.gate.now)
	if r.Node.Counted() && !r.Node.Ready() {
		p.unready++
	}
}

// Comes counts a request that may go later: as a start, and, unless its node is counted already, as a node in use.
func (c *clock) Comes(r *gate.Request, chances *gate.Chances) {
	if !chances.InPool().OK || c.gate.kind(r) == nil {
		return
	}
	p := c.of(r)
	if !r.Uncounted() {
		p.starting.Add(r.Reason(), 1) // for each of its reasons, since it is unknown for which the node goes
	}
	if !p.inSoon[r.Node] {
		p.addSoon(r, c.scope(r))
	}
}

// NextChange returns when time alone may first change what uses up a budget.
func (c *clock) NextChange() (next time.Time) {
	for _, p := range c.gate.fleet.Scopes {
		if p.Layer == c.gate.layer {
			next = until.First(next, c.nextPacing(p))
		}
	}
	for i, k := range c.gate.fleet.Kinds {
		if k.Pool.Layer == c.gate.layer && c.gate.usage(k.Pool).Total() > 0 && (k.Asked || k.Watched) {
			next = until.First(next, c.quotas[i].regroups)
		}
	}
	return next
}

// addSoon counts a request in soon. A node with several reasons goes once, but later perhaps for another of them. Where
// the most specific budgets decide, another reason may use up other budgets, so the node is counted once for each of
// its reasons.
func (p *pool) addSoon(r *gate.Request, in *gate.Pool) {
	if r.Uncounted() {
		return
	}
	p.soon.Add(r.Reason(), 1)
	if !r.Several() || p.inSoon[r.Node] {
		return
	}
	if p.inSoon == nil {
		p.inSoon = map[*candidate.Node]bool{}
	}
	p.inSoon[r.Node] = true
	for _, c := range r.Node.Conditions {
		if in.Budgets.MostSpecific() && c.Reason != r.Reason() {
			p.soon.Add(c.Reason, 1)
		}
	}
}

// Foresee returns what will hold back a request at a later time: the budgets as they are then.
func (c *clock) Foresee(r *gate.Request, at time.Time, chances *gate.Chances) []candidate.Blocker {
	if c.gate.passes(r) {
		return nil
	}
	q := c.outlook(r)
	if from, known := c.roomOrDueFrom(r, at); !from.Equal(at) {
		chances.NoteBudgets(from, known)
		blocker := q.exhausted(from, known)
		if allowance := q.allowance(at); allowance.Nodes == 0 && !gate.Reached(r.Deadline(), at) {
			blocker.Code = candidate.CodeAllowsNone
			blocker.Source = q.source(allowance.Binding)
			blocker.Message = q.Pool.Of() + fmt.Sprintf("0 of %s may go after that: %s",
				sentence.Count(q.Pool.Nodes, "node"), q.Describe(at, allowance.Binding))
		}
		if from.IsZero() {
			return []candidate.Blocker{blocker}
		}
		return append([]candidate.Blocker{blocker}, c.foreseePace(r, from, chances)...)
	}
	return c.foreseePace(r, at, chances)
}
