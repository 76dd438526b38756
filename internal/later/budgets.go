package later

import (
	"fmt"
	"math"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/until"
)

// budgets is the clock of what a pool's budgets allow.
type budgets struct {
	row    *gate.Row
	pools  []pool  // by pool
	quotas []quota // by Kind
}

// A pool is what uses up its budgets, as far as it is known.
type pool struct {
	soon    budget.Usage             // in flight, going, and coming
	changes int                      // how often soon has changed
	counted map[*candidate.Node]bool // those of several reasons that are in soon
}

// A quota is what a pool's budgets allow for one reason, as time passes.
type quota struct {
	*gate.Quota
	now      time.Time
	regroups time.Time // when time may change what uses it up

	opens    opening // with nobody in flight
	opensFor opening // for those that need not wait for others
	opensBy  opening // for those that wait behind all that come
	falls    []step  // those that were asked for
	soon     int     // how much of it is used up by pool.soon
	counted  int     // the pool.changes that soon is of
	said     told
}

// An opening is when there is next room for one more node, if some are in use. It is the same for all numbers of those
// with from ≤ n < to.
type opening struct {
	at       time.Time
	from, to int
}

// A step is when the allowance first falls so low.
type step struct {
	at time.Time
	to int
}

// told is what was said, with the time until which it holds.
type told struct {
	refusal  *candidate.Blocker // without it
	until    time.Time
	blockers []candidate.Blocker
}

func newBudgets(row *gate.Row) *budgets {
	b := &budgets{row, make([]pool, len(row.Pools)), make([]quota, len(row.Kinds))}
	for i, p := range row.Pools {
		b.pools[i] = pool{soon: p.InUse.Clone(), changes: 1}
	}
	for i, k := range row.Kinds {
		b.quotas[i] = quota{Quota: row.Budgets.Quota(k), now: row.Now}
		if !k.Pool.Ambiguous {
			b.quotas[i].regroups = k.Pool.Budgets.Regroups(row.Now, k.Reason)
		}
	}
	return b
}

// until returns the blockers of a request for which there is no room, until there is some if time alone passes and all
// before it go, too. Requests share the answer.
func (b *budgets) until(r *gate.Request, refusal []candidate.Blocker, c *chances) []candidate.Blocker {
	q := &b.quotas[r.Kind.Index]
	c.waitForPlace(q.roomFrom(b.row.Budgets.Used(r.Pool), &q.opensFor))
	from := q.roomFrom(b.pools[r.Pool.Index].soon, &q.opensBy)
	if q.said.refusal == &refusal[0] && q.said.until.Equal(from) {
		return q.said.blockers
	}
	first := refusal[0]
	first.Until = from
	blockers := []candidate.Blocker{first}
	if opens := q.roomFrom(budget.Usage{}, &q.opens); q.Allowance.Nodes == 0 && !opens.Equal(from) {
		blockers[0].Until = opens
		blockers = append(blockers, exhausted(from))
	}
	q.said = told{&refusal[0], from, blockers}
	return blockers
}

// exhausted holds back a request later, for longer than something else.
func exhausted(until time.Time) candidate.Blocker {
	return candidate.Blocker{
		Gate: candidate.GateBudget, Code: candidate.CodeExhausted, Until: until, Later: true,
		Message: "nodes in flight and older candidates use up what may go after that",
	}
}

// roomFrom returns when there is room for one more node while those of u are in use, and remembers it in o.
func (q *quota) roomFrom(u budget.Usage, o *opening) time.Time {
	if n := u.Total(); n < o.from || o.to <= n {
		_, at := q.Pool.Budgets.Room(q.now, q.Pool.Nodes, q.Reason, u)
		*o = opening{at, n, math.MaxInt}
		if !at.IsZero() {
			_, room := q.roomAt(at, u)
			o.to = n + min(room, math.MaxInt-n)
		}
	}
	return o.at
}

// roomAt returns what is allowed at a time, and for how many more nodes there is room then while those of u are in use.
func (q *quota) roomAt(at time.Time, u budget.Usage) (allowance budget.Allowance, room int) {
	allowance, _ = budget.AllowedByReason(q.Pool.Budgets, at, q.Pool.Nodes, q.Reason)
	return allowance, allowance.Remaining(q.Pool.Budgets.InUse(at, q.Pool.Nodes, q.Reason, u))
}

// end returns up to when more may go than do before a request.
func (b *budgets) end(r *gate.Request) time.Time {
	return b.quotas[r.Kind.Index].fallsTo(b.row.Budgets.Taken(r.Kind))
}

// fallsTo returns up to when more than used nodes may be disrupted, as is so now; at the latest up to when others may
// come to use it up.
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

// fallsBelow returns when the allowance first falls below n, as it does not now, and what it is then. Zero is never.
func (q *quota) fallsBelow(n int) step {
	_, at := q.Pool.Budgets.AtMost(q.now, q.Pool.Nodes, q.Reason, n-1)
	if at.IsZero() {
		return step{}
	}
	allowance, _ := budget.AllowedByReason(q.Pool.Budgets, at, q.Pool.Nodes, q.Reason)
	return step{at, allowance.Nodes}
}

// room reports whether the budgets leave room for a request beside all that come, and up to when.
func (b *budgets) room(r *gate.Request) (end time.Time, room bool) {
	p, q := &b.pools[r.Pool.Index], &b.quotas[r.Kind.Index]
	if q.counted != p.changes {
		q.soon = r.Pool.Budgets.InUse(b.row.Now, r.Pool.Nodes, r.Kind.Reason, p.soon)
		q.counted = p.changes
	}
	if q.Allowance.Remaining(q.soon) == 0 {
		return end, false
	}
	return q.fallsTo(q.soon), true
}

// goes counts a request that goes.
func (b *budgets) goes(r *gate.Request, _ time.Time) { b.pools[r.Pool.Index].count(r) }

// comes counts a request that may go later, unless its node is counted already.
func (b *budgets) comes(r *gate.Request, c *chances) {
	if p := &b.pools[r.Pool.Index]; c.inPool().ok && !p.counted[r.Node] {
		p.count(r)
	}
}

// next returns when time alone may first change what uses up a budget.
func (b *budgets) next() (next time.Time) {
	for i, k := range b.row.Kinds {
		if b.row.Budgets.Used(k.Pool).Total() > 0 && (k.Asked || b.row.Zones.Orders(k)) {
			next = until.First(next, b.quotas[i].regroups)
		}
	}
	return next
}

// count counts a request in soon. A node of several reasons may go for another of them later, once: where the most specific
// budgets decide it is counted for each of them, since it may use up other budgets then.
func (p *pool) count(r *gate.Request) {
	p.changes++
	p.soon.Add(r.Reason(), 1)
	if len(r.Node.Conditions) < 2 || p.counted[r.Node] {
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

// after returns what holds back a request at a later time: the budgets as they are then.
func (b *budgets) after(r *gate.Request, at time.Time) []candidate.Blocker {
	q := &b.quotas[r.Kind.Index]
	allowance, room := q.roomAt(at, b.pools[r.Pool.Index].soon)
	if room > 0 {
		return nil
	}
	blocker := exhausted(time.Time{})
	if allowance.Nodes == 0 {
		blocker.Code = candidate.CodeAllowsNone
		blocker.Message = fmt.Sprintf("0 of %d nodes may go after that: %s", q.Pool.Nodes, q.Describe(allowance.Binding))
	}
	return []candidate.Blocker{blocker}
}
