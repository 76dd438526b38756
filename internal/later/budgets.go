package later

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

// budgets is the clock of the gate of budgets.
type budgets struct {
	row    *gate.Row
	pools  []pool  // by pool
	quotas []quota // by Kind

	free      func(r *gate.Request, at time.Time) bool // whether all other gates let a request go at a time
	entangled func(p *gate.Pool) bool                  // whether other gates tie nodes of a pool together
}

// A pool holds what uses up the budgets of a pool, now and later.
type pool struct {
	soon    limit.Usage              // nodes that are in flight or not Ready, requests that go, and requests that come
	counted map[*candidate.Node]bool // the nodes with several reasons that soon counts
	queue
	pace
}

// A quota is what a pool's budgets allow for one reason, as time passes.
type quota struct {
	*gate.Quota
	now      time.Time
	regroups time.Time // when other nodes begin or cease to use it up: other budgets are the most specific then

	opens    opening // when there is room if no node is in use
	opensFor opening // when there is room beside what is in flight and what goes
	full     []filled
	later    allowed // the last answer of allowance
	falls    []step  // the first steps down, as far as they were asked for
	said     told
	starts   started // when paces let one more node start beside those that come
}

// An opening is when there is next room for one more node beside n nodes in use. The answer is the same for all from ≤ n < to.
type opening struct {
	at       time.Time
	from, to int
}

// A filled is an opening that was asked for from a time on, beside all that have come by then.
type filled struct {
	opening
	asked time.Time
	epoch int // queue.epoch
}

// allowed is what is allowed at a time.
type allowed struct {
	at        time.Time
	allowance budget.Allowance
}

// A started is an answer of startsFrom: asked from a time on, one more node may start at another. As more nodes come, the answer for the
// same time or a later one is never earlier.
type started struct {
	from, at time.Time
	epoch    int // queue.epoch
}

// A step is when the allowance first falls to a number or below, and what it falls to.
type step struct {
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

func newBudgets(row *gate.Row) *budgets {
	b := &budgets{row: row, pools: make([]pool, len(row.Pools)), quotas: make([]quota, len(row.Kinds))}
	for i, p := range row.Pools {
		b.pools[i] = pool{soon: p.InUse.Clone(), queue: queue{spare: budget.Unlimited}, pace: newPace(row, p)}
	}
	for i, k := range row.Kinds {
		b.quotas[i] = quota{Quota: row.Budgets.Quota(k), now: row.Now}
		if !k.Pool.Ambiguous {
			b.quotas[i].regroups = k.Pool.Limits().Regroups(row.Now, k.Reason)
		}
	}
	return b
}

// until returns the blockers of a request for which there is no room, with the time when there is room: if only time passes, and
// all older requests that can come do so. Requests share the answer, but for what paces say: each has a time of its own.
func (b *budgets) until(r *gate.Request, refusal []candidate.Blocker, c *chances) (blockers []candidate.Blocker) {
	if r.Kind.Overdue {
		return b.tooMany(r, refusal[0], c)
	}
	last := len(refusal) - 1
	if refusal[last].Code != candidate.CodePaced {
		return b.full(r, refusal, c)
	}
	if last > 0 {
		blockers = slices.Clip(b.full(r, refusal[:last], c))
	}
	return append(blockers, b.paced(r, refusal[last], c))
}

// full is until for budgets that limit how many nodes go at once.
func (b *budgets) full(r *gate.Request, refusal []candidate.Blocker, c *chances) []candidate.Blocker {
	q := &b.quotas[r.Kind.Index]
	room := until.First(q.roomFrom(b.row.Budgets.Used(r.Pool), &q.opensFor), b.overdueBesideThose(r))
	c.waitForPlace(room, b.pools[r.Pool.Index].unready > 0)
	from, known := b.fullUntil(r, b.row.Now)
	c.learn(from, known)
	if !r.Deadline().IsZero() {
		return q.tellFull(from, known, until.First(q.roomFrom(limit.Usage{}, &q.opens), b.overdueFrom(r, limit.Usage{})), refusal[0])
	}
	if q.said.refusal == &refusal[0] && q.said.until.Equal(from) && q.said.known == known {
		return q.said.blockers
	}
	blockers := q.tellFull(from, known, q.roomFrom(limit.Usage{}, &q.opens), refusal[0])
	q.said = told{&refusal[0], from, known, blockers}
	return blockers
}

// tellFull returns blockers that say that there is no room until a time, if it is known, and that there would be some earlier if no
// node were in use.
func (q *quota) tellFull(from time.Time, known bool, opens time.Time, first candidate.Blocker) []candidate.Blocker {
	first.Until = from
	if q.Allowance.Nodes > 0 || opens.Equal(from) {
		return []candidate.Blocker{first}
	}
	first.Until = opens
	return []candidate.Blocker{first, exhausted(from, known)}
}

// exhausted returns the blocker of a request for which there is no room even after its other blockers have lifted, or for which this
// is unknown.
func exhausted(until time.Time, known bool) candidate.Blocker {
	b := candidate.Blocker{
		Gate: candidate.GateBudget, Code: candidate.CodeExhausted, Until: until, Later: true,
		Message: "nodes in flight and older candidates use up the budget after that",
	}
	if !known {
		b.Message = "nodes in flight and older candidates may use up the budget after that"
	}
	return b
}

// roomFrom returns when there is room for one more node beside those of u, and remembers the answer in o.
func (q *quota) roomFrom(u limit.Usage, o *opening) time.Time {
	if n := u.Total(); n < o.from || o.to <= n {
		_, at := q.Pool.Limits().Room(q.now, q.Pool.Nodes, q.Reason, u)
		*o = opening{at, n, math.MaxInt}
		if !at.IsZero() {
			_, room := q.roomAt(at, u)
			o.to = n + min(room, math.MaxInt-n)
		}
	}
	return o.at
}

// roomAt returns what is allowed at a time, and for how many more nodes there is room then beside those of u.
func (q *quota) roomAt(at time.Time, u limit.Usage) (allowance budget.Allowance, room int) {
	allowance, _ = budget.AllowedByReason(q.Pool.Budgets, at, q.Pool.Nodes, q.Reason)
	return allowance, allowance.Remaining(q.Pool.Limits().InUse(at, q.Pool.Nodes, q.Reason, u))
}

// end returns until when the budgets allow a request that goes, and all older ones that do.
func (b *budgets) end(r *gate.Request) (end time.Time) {
	if r.Uncounted() {
		return end
	}
	end = until.First(b.quotas[r.Kind.Index].fallsTo(b.row.Budgets.Taken(r.Kind)), b.paceEnds(r, b.row.Budgets.Starting(r.Pool)))
	return endUnless(end, b.overdueBesideThose(r))
}

// fallsTo returns until when more than used nodes may be disrupted, as they may now. If other nodes may begin to use up the budgets
// before (regroups), it returns that time.
func (q *quota) fallsTo(used int) time.Time {
	last := step{to: q.Allowance.Nodes}
	for i := 0; last.to > used; i++ {
		if i == len(q.falls) {
			q.falls = append(q.falls, q.fallsBelow(last.to))
		}
		last = q.falls[i]
	}
	return until.First(last.at, q.regroups)
}

// fallsBelow returns when the allowance, which is n or more now, first falls below n, and what it is then. The zero step is never.
func (q *quota) fallsBelow(n int) step {
	_, at := q.Pool.Limits().AtMost(q.now, q.Pool.Nodes, q.Reason, n-1)
	if at.IsZero() {
		return step{}
	}
	allowance, _ := budget.AllowedByReason(q.Pool.Budgets, at, q.Pool.Nodes, q.Reason)
	return step{at, allowance.Nodes}
}

// room reports whether the budgets leave room for a request beside all that come, and until when.
func (b *budgets) room(r *gate.Request) (end time.Time, room bool) {
	if r.Uncounted() {
		return end, true
	}
	overdue := b.overdueBesideAll(r)
	if !overdue.IsZero() && !overdue.After(b.row.Now) {
		return end, true
	}
	p, q := &b.pools[r.Pool.Index], &b.quotas[r.Kind.Index]
	soon := r.Pool.Limits().InUse(b.row.Now, r.Pool.Nodes, r.Kind.Reason, p.soon)
	if !q.Waits.IsZero() || q.Allowance.Remaining(soon) == 0 || !b.mayStart(r) {
		return end, false
	}
	return endUnless(until.First(q.fallsTo(soon), b.paceEnds(r, p.starting)), overdue), true
}

// goes counts a request that goes.
func (b *budgets) goes(r *gate.Request, _ time.Time) {
	p := &b.pools[r.Pool.Index]
	p.addSoon(r)
	p.begins(r, b.row.Now)
	if r.Node.Counted() && !r.Node.Ready() {
		p.unready++
	}
}

// comes counts a request that may go later: as a start, and, unless its node is counted already, as a node in use.
func (b *budgets) comes(r *gate.Request, c *chances) {
	if !c.inPool().ok {
		return
	}
	p := &b.pools[r.Pool.Index]
	if !r.Uncounted() {
		p.starting.Add(r.Reason(), 1) // for each of its reasons, since it is unknown for which the node goes
	}
	if !p.counted[r.Node] {
		p.addSoon(r)
	}
}

// next returns when time alone may first change what uses up a budget.
func (b *budgets) next() (next time.Time) {
	for _, p := range b.row.Pools {
		next = until.First(next, b.nextPacing(p))
	}
	for i, k := range b.row.Kinds {
		if b.row.Budgets.Used(k.Pool).Total() > 0 && (k.Asked || b.row.Zones.Orders(k)) {
			next = until.First(next, b.quotas[i].regroups)
		}
	}
	return next
}

// addSoon counts a request in soon. A node with several reasons goes once, but later perhaps for another of them. Where the most
// specific budgets decide, another reason may use up other budgets, so the node is counted once for each of its reasons.
func (p *pool) addSoon(r *gate.Request) {
	if r.Uncounted() {
		return
	}
	p.soon.Add(r.Reason(), 1)
	if !r.Several() || p.counted[r.Node] {
		return
	}
	if p.counted == nil {
		p.counted = map[*candidate.Node]bool{}
	}
	p.counted[r.Node] = true
	for _, c := range r.Node.Conditions {
		if r.Pool.Budgets.MostSpecific() && c.Reason != r.Reason() {
			p.soon.Add(c.Reason, 1)
		}
	}
}

// after returns what will hold back a request at a later time: the budgets as they are then.
func (b *budgets) after(r *gate.Request, at time.Time, c *chances) []candidate.Blocker {
	if r.Uncounted() {
		return nil
	}
	q := &b.quotas[r.Kind.Index]
	if from, known := b.fullUntil(r, at); !from.Equal(at) {
		c.learn(from, known)
		blocker := exhausted(from, known)
		if allowance := q.allowance(at); allowance.Nodes == 0 && !reached(r.Deadline(), at) {
			blocker.Code = candidate.CodeAllowsNone
			blocker.Source = gate.Source(allowance.Binding)
			blocker.Message = fmt.Sprintf("0 of %s may go after that: %s", sentence.Count(q.Pool.Nodes, "node"), q.Describe(at, allowance.Binding))
		}
		if from.IsZero() {
			return []candidate.Blocker{blocker}
		}
		return append([]candidate.Blocker{blocker}, b.pacedAfter(r, from, c)...)
	}
	return b.pacedAfter(r, at, c)
}
