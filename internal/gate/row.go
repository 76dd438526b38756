package gate

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/prefetch"
)

// A Row is the gates, open on one input, with the requests that stand before them.
type Row struct {
	Now       time.Time
	Pools     []*Pool // by name, each once
	Kinds     []*Kind
	Requests  []Request       // in the order of their nodes in the input, including those that only turns depend on
	Line      []*Request      // the requests for the decision's reason, in order
	Namesakes map[string]bool // names that several nodes share

	going    []*Request // the requests of the line that go, in order, once Decide has decided
	nodes    []candidate.Node
	dated    bool       // some request has a deadline
	misdated []*Request // requests for the decision's reason with a deadline before the reason began to hold
	owners   []int32    // for each node, the position of its pool in Pools; -1: the pool is not in the input

	Node    *Node
	Pods    *Pods
	Signals *Signals
	Backoff *Backoff
	Budgets *Budgets
	Zones   *Zones
	gates   [Count]Gate
	scratch *scratch
}

// Warnings returns the warnings about a pool.
func (row *Row) Warnings(p *Pool) []candidate.Warning {
	if p.Ambiguous {
		return []candidate.Warning{{
			Code: candidate.CodeUnknownPool, Object: "NodePool/" + p.Name, Field: "name", Value: p.Name,
			Message: fmt.Sprintf("several pools are called %q, and it is unclear whose budgets apply: write each pool once", p.Name),
		}}
	}
	all := slices.Concat(p.Budgets.Warnings(), row.Zones.Warnings(p), row.Budgets.Quota(p.kinds[0]).Warnings())
	for i := range all {
		all[i].Object = "NodePool/" + p.Name
	}
	return append(all, p.phaseWarnings()...)
}

// Walk yields the requests of the line, in order.
func (row *Row) Walk() iter.Seq[*Request] {
	return func(yield func(*Request) bool) {
		for _, r := range prefetch.Each(row.Line, func(r **Request) int { return (*r).read() }) {
			if !yield(*r) {
				return
			}
		}
	}
}

// pool returns the pool of a node, or nil.
func (row *Row) pool(node int) *Pool {
	if at := row.owners[node]; at >= 0 {
		return row.Pools[at]
	}
	return nil
}
