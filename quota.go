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
)

// A quota is what a pool's budgets allow for one reason.
type quota struct {
	*pool
	reason    candidate.Reason
	allowance budget.Allowance
	err       error               // what is broken
	zonings   []*zoning           // what limits its domains
	signals   []candidate.Blocker // what probes and breakers say

	rises   crossing // the last that was asked for
	soonest crossing // the same, for those who need not wait for others
	opening crossing // the same, of a budget of 0
	falls   []step   // those that were asked for
	said    answer
}

// A step is when the allowance first falls so low.
type step struct {
	at time.Time
	to int
}

// A crossing is when the allowance next rises above n. It is the same for all n with from ≤ n < to.
type crossing struct {
	at       time.Time
	from, to int
}

func (c crossing) holds(n int) bool { return c.from <= n && n < c.to }

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

// blockers says what holds back a candidate that can go once more than n nodes may be disrupted: that is when, if time
// alone passes, those before it go, too. The last of them lifts then. Candidates share the answer.
func (q *quota) blockers(n int) []candidate.Blocker {
	rises := q.risesAbove(n, &q.rises)
	if q.said.blockers != nil && q.said.taken == q.taken && q.said.until.Equal(rises) {
		return q.said.blockers
	}
	first := candidate.Blocker{Gate: candidate.GateBudget, Code: q.code(), Message: q.sentence(), Until: rises}
	q.said = answer{[]candidate.Blocker{first}, q.taken, rises}
	if q.allowance.Nodes == 0 && !q.opens().Equal(rises) {
		q.said.blockers[0].Until = q.opens()
		q.said.blockers = append(q.said.blockers, exhausted(rises))
	}
	return q.said.blockers
}

// exhausted holds back a candidate for longer than something else.
func exhausted(until time.Time) candidate.Blocker {
	return candidate.Blocker{
		Gate: candidate.GateBudget, Code: candidate.CodeExhausted, Until: until,
		Message: "nodes in flight and older candidates use up what may go after that",
	}
}

// risesAbove returns when more than n nodes may be disrupted, and remembers it in c.
func (q *quota) risesAbove(n int, c *crossing) time.Time {
	if !c.holds(n) {
		at, then := q.crosses(n)
		if at.IsZero() {
			then = math.MaxInt
		}
		*c = crossing{at, n, then}
	}
	return c.at
}

// later returns what holds back a candidate once its blockers have lifted, if all do: the pool's budgets as they are
// then, and its topology. Until when is not known.
func (q *quota) later(r *request, blockers []candidate.Blocker, used int) []candidate.Blocker {
	at, lift := candidate.Lift(blockers)
	if !lift {
		return nil
	}
	later := q.pool.pods.later(r.pods, at)
	if allowance, _ := budget.AllowedByReason(q.Budgets, at, q.nodes, q.reason); allowance.Remaining(used) == 0 {
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
func (q *quota) opens() time.Time { return q.risesAbove(0, &q.opening) }

// crosses returns the first time at which the allowance rises above n, or where it is above n, falls to n or below;
// and what it is then. Zero is never.
func (q *quota) crosses(n int) (at time.Time, then int) {
	_, at = budget.AtMost(q.Budgets, q.nodes, q.reason, n).Until(q.now)
	if at.IsZero() {
		return at, 0
	}
	allowance, _ := budget.AllowedByReason(q.Budgets, at, q.nodes, q.reason)
	return at, allowance.Nodes
}

// end returns up to when more than used nodes may be disrupted, as is so now.
func (q *quota) end(used int) time.Time {
	last := step{to: q.allowance.Nodes}
	for i := 0; last.to > used; i++ {
		if i == len(q.falls) {
			at, to := q.crosses(last.to - 1)
			q.falls = append(q.falls, step{at, to})
		}
		last = q.falls[i]
	}
	return last.at
}

func (q *quota) code() string {
	switch {
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
		if q.taken > 0 {
			fmt.Fprintf(&s, ", %d allowed before this one", q.taken)
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
		texts = append(texts, fmt.Sprintf("budgets[%d] is %s", i, written[i]))
	}
	return strings.Join(texts, ", ")
}
