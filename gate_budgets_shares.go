package disruptkit

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// A share is a guaranteed budget of a pool or a group, with the requests for its reasons, in line or not.
type share struct {
	*budget.Limit
	requests []*request // in the order of their nodes
}

// lends reports whether there are shares, so that less may be reserved once requests are disrupted.
func (b *book) lends() bool { return len(b.lenders) > 0 }

func (b *book) sharesOf(p *scope) (shares []share) {
	for _, l := range p.Budgets.Shares() {
		s := share{Limit: l}
		for j := range b.fleet.Requests {
			r := &b.fleet.Requests[j]
			if r.Kind != nil && r.UsesUp() && l.Covers(r.Reason()) && slices.Contains(r.Pool.Scopes, p) {
				s.requests = append(s.requests, r)
			}
		}
		shares = append(shares, s)
	}
	return shares
}

// usage returns what uses up the budgets for a reason, with the demand for shares.
func (a *account) usage(reason candidate.Reason) budget.Usage {
	if len(a.shares) > 0 && a.Demand == nil {
		a.Demand = make(map[int]int, len(a.shares))
		for i := range a.shares {
			s := &a.shares[i]
			a.Demand[s.Index] = a.book.demand(s, s.Of(a.Nodes))
		}
	}
	if a.with > 0 && rest(a.Budgets, a.For(reason), a.with) == 0 {
		return budget.Usage{Demand: a.Demand}
	}
	return a.Usage
}

// demand returns how many nodes only budgets keep from using a share, up to a number.
func (b *book) demand(s *share, most int) (n int) {
	last := int32(-1)
	for _, r := range s.requests {
		if n < most && r.Position != last && b.disrupted[r.Position] == 0 && len(b.elsewhere(r)) == 0 {
			n, last = n+1, r.Position
		}
	}
	return n
}

// elsewhere returns what blocks a request at other gates. Nothing is counted here meanwhile.
func (b *book) elsewhere(r *request) []candidate.Blocker {
	b.asks = true
	defer func() { b.asks = false }()
	return b.others(r)
}

// recount makes the demand for all shares unknown, because a request was counted or uncounted: it may use up a
// PodDisruptionBudget of others.
func (b *book) recount(r *request, n int) {
	for _, a := range b.lenders {
		a.Demand, a.changes = nil, nil
		b.forget(a.scope)
	}
	if b.lends() {
		b.disrupted[r.Position] += n
	}
}

// demandChanges returns a time before which time alone changes no demand for the shares of a pool or a group.
func (a *account) demandChanges() (never time.Time) {
	switch {
	case len(a.shares) == 0:
		return never
	case a.changes != nil:
		return *a.changes
	}
	next := a.book.change()
	for _, s := range a.shares {
		for _, r := range s.requests {
			for _, said := range a.book.elsewhere(r) {
				next = schedule.First(next, said.Until)
			}
		}
	}
	a.changes = &next
	return next
}

func (q *quota) withheld(disrupted int) candidate.Blocker {
	a := q.in
	n, by := a.Budgets.Reserved(a.now.at, a.Nodes, q.Reason, a.Usage)
	var whom []string
	for i := range a.shares {
		if s := &a.shares[i]; by.Has(s.Index) {
			reasons := wording.List(s.Reasons, 3, func(r candidate.Reason) string { return wording.Quote(string(r)) })
			has := map[bool]string{true: "has", false: "have"}[len(s.Reasons) == 1]
			waits := wording.Count(a.book.demand(s, math.MaxInt), "candidate")
			whom = append(whom, fmt.Sprintf("%s, which %s %s", reasons, has, waits))
		}
	}
	return q.blockerOf(candidate.CodeReserved, q.Allowance.Binding|by, "%s%s, %d reserved for %s",
		q.atOnce(q.Allowance), q.inUse(q.InUse, disrupted), n, strings.Join(whom, ", and "))
}
