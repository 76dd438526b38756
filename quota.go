package disruptkit

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/sentence"
	"github.com/disruptkit/disruptkit/internal/until"
)

// A quota is what a pool's budgets allow for one reason.
type quota struct {
	*pool
	reason     candidate.Reason
	allowance  budget.Allowance
	disrupting int                 // before this decision, what uses it up
	regroups   time.Time           // when time may change what counts as that
	err        error               // what is broken
	zonings    []*zoning           // what limits its domains
	signals    []candidate.Blocker // what probes and breakers say

	last    opening // the last that was asked for
	soonest opening // the same, for those who need not wait for others
	first   opening // the same, of a budget of 0
	falls   []step  // those that were asked for
	said    answer
}

// A step is when the allowance first falls so low.
type step struct {
	at time.Time
	to int
}

// An opening is when there is next room for one more node, if some are in use. It is the same for all numbers of those
// with from ≤ n < to.
type opening struct {
	at       time.Time
	from, to int
}

func (o opening) holds(n int) bool { return o.from <= n && n < o.to }

// An answer is what blockers returned, and what it depends on.
type answer struct {
	blockers []candidate.Blocker
	taken    int
	until    time.Time
}

// quota returns the quota of a reason.
func (p *pool) quota(reason candidate.Reason) *quota {
	if q := p.byReason[reason]; q != nil {
		return q
	}
	q := &quota{pool: p, reason: reason, signals: p.signals(reason)}
	if !p.ambiguous {
		q.allowance, q.err = budget.AllowedByReason(p.Budgets, p.now, p.nodes, reason)
		q.disrupting = q.inUse(p.disrupting)
		q.regroups = p.Budgets.Regroups(p.now, reason)
	}
	for _, z := range p.zonings {
		if z.heeds(reason) {
			q.zonings = append(q.zonings, z)
		}
	}
	p.quotas = append(p.quotas, q)
	p.byReason[reason] = q
	return q
}

// inUse returns how many of those in use now use up what the budgets allow for the reason.
func (q *quota) inUse(u budget.Usage) int {
	return budget.InUse(q.Budgets, q.now, q.nodes, q.reason, u)
}

// blockers says what holds back a candidate for which there is no room: until there is some, if time alone passes,
// and those before it go, too. The last of them lifts then. Candidates share the answer.
func (q *quota) blockers() []candidate.Blocker {
	from := q.hasRoomFrom(q.soon, &q.last)
	if q.said.blockers != nil && q.said.taken == q.taken() && q.said.until.Equal(from) {
		return q.said.blockers
	}
	first := candidate.Blocker{Gate: candidate.GateBudget, Code: q.code(), Message: q.sentence(), Until: from}
	q.said = answer{[]candidate.Blocker{first}, q.taken(), from}
	if q.allowance.Nodes == 0 && !q.opens().Equal(from) {
		q.said.blockers[0].Until = q.opens()
		q.said.blockers = append(q.said.blockers, exhausted(from))
	}
	return q.said.blockers
}

// exhausted holds back a candidate later, for longer than something else.
func exhausted(until time.Time) candidate.Blocker {
	return candidate.Blocker{
		Gate: candidate.GateBudget, Code: candidate.CodeExhausted, Until: until,
		Message: "nodes in flight and older candidates use up what may go after that", Later: true,
	}
}

// roomAt returns what is allowed at a time, and for how many more nodes there is room then while those of u are in use.
func (q *quota) roomAt(at time.Time, u budget.Usage) (allowance budget.Allowance, room int) {
	allowance, _ = budget.AllowedByReason(q.Budgets, at, q.nodes, q.reason)
	return allowance, allowance.Remaining(budget.InUse(q.Budgets, at, q.nodes, q.reason, u))
}

// hasRoomFrom returns when there is room for one more node while those of u are in use, and remembers it in o.
func (q *quota) hasRoomFrom(u budget.Usage, o *opening) time.Time {
	if n := u.Total(); !o.holds(n) {
		_, at := budget.Room(q.Budgets, q.now, q.nodes, q.reason, u)
		*o = opening{at, n, math.MaxInt}
		if !at.IsZero() {
			_, room := q.roomAt(at, u)
			o.to = n + min(room, math.MaxInt-n)
		}
	}
	return o.at
}

// later returns what holds back a candidate once its blockers have lifted, if all do: the pool's budgets as they are
// then, and its topology. Until when is not known.
func (q *quota) later(r *request, blockers []candidate.Blocker) []candidate.Blocker {
	at, lift := candidate.Lift(blockers)
	if !lift {
		return nil
	}
	later := q.pool.pods.later(r.pods, at)
	if allowance, room := q.roomAt(at, q.soon); room == 0 {
		b := exhausted(time.Time{})
		if allowance.Nodes == 0 {
			b.Code = candidate.CodeAllowsNone
			b.Message = fmt.Sprintf("0 of %d nodes may go after that: %s", q.nodes, q.describe(allowance.Binding))
		}
		later = append(later, b)
	}
	switch end := q.zonesEnd; {
	case end.IsZero() || end.After(at):
		for _, z := range q.zonings {
			if b, blocked := z.later(r.node, at); blocked {
				later = append(later, b)
			}
		}
	case !at.Equal(q.unzoned):
		later = append(later, turnUnknown(time.Time{}))
	}
	return later
}

// never reports whether the budgets let nothing go, without an end.
func (q *quota) never() bool { return q.allowance.Nodes == 0 && q.opens().IsZero() }

// opens returns when an allowance of 0 ends.
func (q *quota) opens() time.Time { return q.hasRoomFrom(budget.Usage{}, &q.first) }

// fallsBelow returns when the allowance first falls below n, as it does not now, and what it is then. Zero is never.
func (q *quota) fallsBelow(n int) step {
	_, at := budget.AtMost(q.Budgets, q.now, q.nodes, q.reason, n-1)
	if at.IsZero() {
		return step{}
	}
	allowance, _ := budget.AllowedByReason(q.Budgets, at, q.nodes, q.reason)
	return step{at, allowance.Nodes}
}

// end returns up to when more than used nodes may be disrupted, as is so now; at the latest up to when others may
// come to use it up.
func (q *quota) end(used int) time.Time {
	last := step{to: q.allowance.Nodes}
	for i := 0; last.to > used; i++ {
		if i == len(q.falls) {
			q.falls = append(q.falls, q.fallsBelow(last.to))
		}
		last = q.falls[i]
	}
	return until.First(last.at, q.regroups)
}

func (q *quota) code() string {
	switch {
	case q.now.IsZero():
		return candidate.CodeNoTime
	case q.unknownReason():
		return candidate.CodeUnknownReason
	case q.err != nil:
		return candidate.CodeInvalidBudget
	case q.allowance.Nodes == 0:
		return candidate.CodeAllowsNone
	}
	return candidate.CodeExhausted
}

// unknownReason reports whether what is wrong is the reason, and no budget.
func (q *quota) unknownReason() bool {
	var broken candidate.Warning
	return q.err != nil && !errors.As(q.err, &broken)
}

// sentence says what the budgets allow, what of it is in use, and which budgets say so.
func (q *quota) sentence() string {
	if q.err != nil {
		return "no node may go: " + sentence.Of(q.err)
	}
	var s strings.Builder
	if q.allowance.Nodes == 0 {
		fmt.Fprintf(&s, "0 of %d nodes may go now", q.nodes)
	} else {
		fmt.Fprintf(&s, "%d of %d nodes may go at once", q.allowance.Nodes, q.nodes)
		if q.disrupting > 0 {
			fmt.Fprintf(&s, ", %d in flight or not Ready", q.disrupting)
		}
		if taken := q.taken(); taken > 0 {
			fmt.Fprintf(&s, ", %d allowed before this one", taken)
		}
	}
	s.WriteString(": " + q.describe(q.allowance.Binding))
	return s.String()
}

// describe names budgets: "budgets[0] is 10%, budgets[2] is 5".
func (q *quota) describe(which budget.Indexes) string {
	written := q.Budgets.Budgets()
	var texts []string
	for i := range which.All() {
		texts = append(texts, fmt.Sprintf("%s is %s", q.Budgets.Place(i), written[i]))
	}
	return strings.Join(texts, ", ")
}

// nextRegrouping returns when time alone may first change what nodes use up.
func (ps pools) nextRegrouping() time.Time {
	var next time.Time
	for _, p := range ps {
		for _, q := range p.quotas {
			if p.used.Total() > 0 {
				next = until.First(next, q.regroups)
			}
		}
	}
	return next
}
