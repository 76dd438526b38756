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
func (b *book) lends() bool { return len(b.shares) > 0 }

// openShares finds the shares of all pools and groups.
func (b *book) openShares() {
	b.shares, b.changes, b.disrupted = map[*scope][]share{}, map[*scope]time.Time{}, map[int32]int{}
	for _, p := range b.fleet.Scopes {
		for _, l := range p.Budgets.Shares() {
			s := share{Limit: l}
			for j := range b.fleet.Requests {
				r := &b.fleet.Requests[j]
				if r.Kind != nil && r.UsesUp() && l.Covers(r.Reason()) && slices.Contains(r.Pool.Scopes, p) {
					s.requests = append(s.requests, r)
				}
			}
			b.shares[p] = append(b.shares[p], s)
		}
	}
}

// use returns what uses up the budgets of a pool or a group now, with the demand for its shares.
func (b *book) use(p *scope) *pacer {
	u := b.used[p.Index]
	if shares := b.shares[p]; len(shares) > 0 && u.Demand == nil {
		u.Demand = make(map[int]int, len(shares))
		for i := range shares {
			u.Demand[shares[i].Index] = b.demand(&shares[i], shares[i].Of(p.Nodes))
		}
	}
	return u
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
	for p := range b.shares {
		b.used[p.Index].Demand = nil
		b.forget(p)
	}
	if b.lends() {
		clear(b.changes)
		b.disrupted[r.Position] += n
	}
}

// demandChanges returns a time before which time alone changes no demand for the shares of a pool or a group.
func (b *book) demandChanges(p *scope) (next time.Time) {
	if next, known := b.changes[p]; known || len(b.shares[p]) == 0 {
		return next
	}
	next = b.change()
	for _, s := range b.shares[p] {
		for _, r := range s.requests {
			for _, said := range b.elsewhere(r) {
				next = schedule.First(next, said.Until)
			}
		}
	}
	b.changes[p] = next
	return next
}

// withheld returns the blocker of what is reserved for other reasons.
func (b *book) withheld(q *quota, disrupted int) candidate.Blocker {
	p := q.Pool
	n, by := p.Budgets.Reserved(b.now, p.Nodes, q.Reason, b.use(p).Usage)
	var whom []string
	for i := range b.shares[p] {
		if s := &b.shares[p][i]; by.Has(s.Index) {
			reasons := wording.List(s.Reasons, 3, func(r candidate.Reason) string { return wording.Quote(string(r)) })
			has := map[bool]string{true: "has", false: "have"}[len(s.Reasons) == 1]
			waits := wording.Count(b.demand(s, math.MaxInt), "candidate")
			whom = append(whom, fmt.Sprintf("%s, which %s %s", reasons, has, waits))
		}
	}
	text := fmt.Sprintf("%d of %s may be disrupted at once", q.Allowance.Nodes, wording.Count(p.Nodes, "node"))
	text = fmt.Sprintf("%s, %d reserved for %s", q.inUse(text, q.InUse, disrupted), n, strings.Join(whom, ", and "))
	which := q.Allowance.Binding | by
	return q.blocker(candidate.CodeReserved, which, text+": "+q.Describe(b.now, which))
}

// unsure reports whether the time at which the budgets of the layer allow a request is unknown because of shares.
func (g *budgetGate) unsure(r *request, lifts time.Time) bool {
	return lifts.IsZero() && g.kind(r) != nil && !g.demandChanges(g.kind(r).Pool).IsZero()
}
