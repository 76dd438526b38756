package disruptkit

import (
	"fmt"
	"slices"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// order puts requests in the orders of their pools and groups. They stand in line by age. An order moves no pool: the
// pool's requests share the places that they have, and only which of them has which place changes. So a pool's order is
// no matter of other pools. A group's order does the same with all requests of its pools. Groups come first, those with
// the most pools before others, and the pools last: so within a pool its own order holds, and between pools that of the
// groups.
func (c *lineReader) order(part []*request) {
	if len(part) < 2 {
		return
	}
	for _, g := range c.Scopes[len(c.Pools):] {
		if isOrdered(g) {
			c.share(part, func(p *scope) *scope { return p.Within[g.Layer] }, g)
		}
	}
	if slices.ContainsFunc(c.Pools, isOrdered) {
		c.share(part, func(p *scope) *scope { return p }, nil)
	}
}

// isOrdered reports whether a pool or a group has another order than by age.
func isOrdered(p *scope) bool { return !p.Ambiguous && p.Budgets.Order() != budget.OldestFirst }

// share lets the requests of each scope share their places by its order: of one scope, or of all.
func (c *lineReader) share(part []*request, which func(*scope) *scope, only *scope) {
	places := map[*scope][]int{}
	for i, r := range part {
		if r.Pool == nil {
			continue
		}
		if s := which(r.Pool); s != nil && isOrdered(s) && (only == nil || s == only) {
			places[s] = append(places[s], i)
		}
	}
	for s, at := range places {
		o, requests := s.Budgets.Order(), make([]*request, len(at))
		for i, place := range at {
			requests[i] = part[place]
		}
		slices.SortStableFunc(requests, func(a, b *request) int {
			return o.Compare(a.Node, b.Node, a.Since, b.Since)
		})
		for i, place := range at {
			part[place] = requests[i]
		}
	}
}

// orderDated is order for requests in line by their deadlines: it orders those with the same one.
func (c *lineReader) orderDated(part []*request) {
	for len(part) > 0 {
		n := 1
		for n < len(part) && part[n].Condition.Deadline.Equal(part[0].Condition.Deadline) {
			n++
		}
		c.order(part[:n])
		part = part[n:]
	}
}

// orderWarnings says that no node of a pool or a group has what its order goes by.
func (row *row) orderWarnings(p *scope) []candidate.Warning {
	field := map[budget.Order]string{budget.CheapestFirst: "Cost", budget.LowestRank: "Rank"}[p.Budgets.Order()]
	if field == "" || !row.untold()[p] {
		return nil
	}
	written := p.Budgets.Spec().Order
	return []candidate.Warning{{
		Code: candidate.CodeNoEffect, Field: "order", Value: written,
		Message: fmt.Sprintf("order %q has no effect, since no node has a %s, and the oldest goes first: set Node.%s, "+
			"or leave order out", written, field, field),
	}}
}

// untold returns the pools and groups that have nodes, but none with what their order goes by.
func (row *row) untold() map[*scope]bool {
	if row.withoutOrder != nil {
		return row.withoutOrder
	}
	row.withoutOrder = map[*scope]bool{}
	told := map[*scope]bool{}
	for i := range row.Nodes {
		p := row.Pool(i)
		if p == nil {
			continue
		}
		for _, scope := range p.Scopes {
			if !told[scope] {
				told[scope] = scope.Budgets.Order().HasKey(&row.Nodes[i])
				row.withoutOrder[scope] = !told[scope]
			}
		}
	}
	return row.withoutOrder
}
