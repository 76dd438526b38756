package disruptkit

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// A quota is what a pool's budgets allow for one reason.
type quota struct {
	*pool
	reason    candidate.Reason
	allowance budget.Allowance
	err       error // what is broken

	granted []grant // for each candidate that may go
	last    answer
}

// A grant is how many nodes were in use before a candidate that may go, and when one that is older, and waits for a
// budget that does not concern it, may take its place.
type grant struct {
	used      int
	displaced time.Time
}

// An answer is what blockers said, and what it holds for: so many allowed before, and from ≤ n < to.
type answer struct {
	blockers          []candidate.Blocker
	allowed, from, to int
}

// quota returns the quota of a reason.
func (p *pool) quota(reason candidate.Reason) *quota {
	for _, q := range p.quotas {
		if q.reason == reason {
			return q
		}
	}
	q := &quota{pool: p, reason: reason}
	if !p.ambiguous {
		q.allowance, q.err = budget.AllowedByReason(p.Budgets, p.now, p.nodes, reason)
	}
	p.quotas = append(p.quotas, q)
	return q
}

// blockers says what holds back a candidate that can go once more than n nodes may be disrupted: that is when, if time
// alone passes, those before it go, too. The last of them lifts then. Candidates share the answer.
func (q *quota) blockers(n int) []candidate.Blocker {
	if l := q.last; l.blockers != nil && l.allowed == q.allowed && l.from <= n && n < l.to {
		return l.blockers
	}
	until, then := q.crosses(n)
	if until.IsZero() {
		then = math.MaxInt
	}
	first := candidate.Blocker{Gate: candidate.GateBudget, Code: q.code(), Message: q.sentence(), Until: until}
	q.last = answer{[]candidate.Blocker{first}, q.allowed, n, then}
	if q.allowance.Nodes > 0 {
		return q.last.blockers
	}
	if opens, _ := q.crosses(0); !opens.Equal(until) {
		q.last.blockers[0].Until = opens
		q.last.blockers = append(q.last.blockers, candidate.Blocker{
			Gate: candidate.GateBudget, Code: candidate.CodeExhausted, Until: until,
			Message: "nodes in flight and older candidates use up what may go after that",
		})
	}
	return q.last.blockers
}

// crosses returns the first time at which the allowance rises above n, or where it is above n, falls to n or below;
// and what it is then. Zero is never.
func (q *quota) crosses(n int) (at time.Time, then int) {
	_, span := budget.AtMost(q.Budgets, n, q.nodes, q.reason).State(q.now)
	if span.End.IsZero() {
		return time.Time{}, 0
	}
	allowance, _ := budget.AllowedByReason(q.Budgets, span.End, q.nodes, q.reason)
	return span.End, allowance.Nodes
}

// setUntil sets until when the candidates that may go still may: each as long as more nodes may be disrupted than
// were in use before it.
func (ps pools) setUntil(allowed []candidate.Candidate) {
	type crossing struct {
		at   time.Time
		then int
		of   *quota
	}
	var last crossing // an allowance that falls to 2 falls to 3 no later: going backwards, one search serves many
	for i := len(allowed) - 1; i >= 0; i-- {
		c := &allowed[i]
		q := ps.of(c.Pool).quota(c.Reason)
		g := q.granted[len(q.granted)-1]
		q.granted = q.granted[:len(q.granted)-1]
		if last.of != q || g.used < last.then {
			at, then := q.crosses(g.used)
			last = crossing{at, then, q}
		}
		c.Until = soonest(last.at, g.displaced)
	}
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
		return "no node may go: " + strings.ReplaceAll(q.err.Error(), "\n", "; ")
	}
	var s strings.Builder
	if q.allowance.Nodes == 0 {
		fmt.Fprintf(&s, "0 of %d nodes may go now", q.nodes)
	} else {
		fmt.Fprintf(&s, "%d of %d nodes may go at once", q.allowance.Nodes, q.nodes)
		if q.disrupting > 0 {
			fmt.Fprintf(&s, ", %d in flight or not Ready", q.disrupting)
		}
		if q.allowed > 0 {
			fmt.Fprintf(&s, ", %d allowed before this one", q.allowed)
		}
	}
	written := q.Budgets.Budgets()
	separator := ": "
	for i := range q.allowance.Binding.All() {
		fmt.Fprintf(&s, "%sbudgets[%d] is %s", separator, i, written[i])
		separator = ", "
	}
	return s.String()
}
