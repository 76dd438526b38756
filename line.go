package disruptkit

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// A lineReader makes the requests of a fleet and puts them in line.
type lineReader struct {
	*row
	watchers []watcher
	readers  []requestReader
	last     asked // almost all nodes have the reason of the one before
}

// asked is the last answer of asks.
type asked struct {
	pool   *scope
	reason candidate.Reason
	yes    bool
}

// readNodes makes the requests, in the order of the nodes in the input, which is fast. Those that are asked for stand
// in line:
//
//   - Repair comes first, the most urgent before the rest ("fixing a fault outranks any discretionary rebalance":
//     Karpenter, NewMethods). Repair that has a deadline, but no urgency, comes before all of it.
//   - Then come other reasons with a deadline, the earliest first.
//   - Then come those with which a roll in waves begins, and then the rest, the oldest first. In Karpenter's dialect,
//     where drift is asked for, nodes without pods to move come before the rest (Drift.ComputeCommands: "Prioritize
//     empty candidates").
//
// Those that are in line by age may have another order of their pools and groups.
func (c *lineReader) readNodes() {
	n := 0
	for range c.reasons() {
		n++
	}
	c.Requests, c.Line = make([]request, 0, n), make([]*request, 0, n)
	var repairs, datedRepairs, datedOthers, canaries, vacant []ticket
	others := make([]ticket, 0, n)
	vacantFirst := dialect.VacantFirst.In(c.Dialect) && candidate.Drifted.Covers(c.Reason)
	for node, condition := range c.reasons() {
		c.Requests = c.Requests[:len(c.Requests)+1]
		r := &c.Requests[len(c.Requests)-1]
		c.Fill(r, node, condition)
		for _, g := range c.readers {
			g.Read(r)
		}
		dated := !r.Deadline().IsZero()
		if !c.asks(r.Pool, condition.Reason) {
			continue // only turns depend on it
		}
		if !dated && !condition.Deadline.IsZero() && dialect.Deadlines.In(c.Dialect) {
			c.Misdated = append(c.Misdated, misdated{Node: r.Name, Condition: *condition})
		}
		repair := candidate.Unhealthy.Covers(condition.Reason)
		switch {
		case dated && !repair:
			datedOthers = append(datedOthers, ticket{condition.Deadline, r})
		case dated && condition.Urgency.IsZero():
			datedRepairs = append(datedRepairs, ticket{condition.Deadline, r})
		case vacantFirst && r.Node.Vacant():
			vacant = append(vacant, ticket{condition.Since, r})
		case !repair && r.Begins():
			canaries = append(canaries, ticket{condition.Since, r})
		case !repair:
			others = append(others, ticket{condition.Since, r})
		case condition.Urgency.IsZero():
			repairs = append(repairs, ticket{condition.Since, r})
		default:
			repairs = append(repairs, ticket{condition.Urgency, r})
		}
	}
	sortTickets(datedRepairs, compareDatedRepairs)
	sortTickets(repairs, compareRepairs)
	sortTickets(datedOthers, compareDated)
	sortTickets(canaries, compareNames)
	sortTickets(vacant, compareNames)
	sortTickets(others, compareNames)
	c.stand(datedRepairs)
	c.stand(repairs)
	c.orderDated(c.stand(datedOthers))
	c.order(c.stand(canaries))
	c.stand(vacant)
	c.order(c.stand(others))
}

// stand puts requests at the end of the line, and returns that part of it.
func (c *lineReader) stand(tickets []ticket) []*request {
	start := len(c.Line)
	for _, t := range tickets {
		c.Line = append(c.Line, t.request)
	}
	return c.Line[start:]
}

// reasons yields the nodes, by position, and those of their conditions that become requests: for what is asked, and for
// what the turns of zones depend on.
func (c *lineReader) reasons() iter.Seq2[int32, *candidate.Condition] {
	return func(yield func(int32, *candidate.Condition) bool) {
		for i := range c.Nodes {
			conditions := c.Nodes[i].Conditions
			for j := range conditions {
				if len(conditions) > 1 && repeated(conditions, j) {
					continue
				}
				reason, p := conditions[j].Reason, c.Pool(i)
				if (c.asks(p, reason) || p != nil && c.watches(p, reason)) && !yield(int32(i), &conditions[j]) {
					return
				}
			}
		}
	}
}

// repeated reports whether another condition counts in place of one, since it has the same reason: the one with the
// earlier deadline, then the one that has held for longer.
func repeated(conditions []candidate.Condition, i int) bool {
	c := &conditions[i]
	for j := range conditions {
		if o := &conditions[j]; j != i && o.Reason == c.Reason {
			by := cmp.Or(compareDeadlines(o, c), o.Since.Compare(c.Since), compareRest(o, c), cmp.Compare(j, i))
			if by < 0 {
				return true
			}
		}
	}
	return false
}

// compareRest orders conditions of the same age, so that the order of the input makes no difference.
func compareRest(a, b *candidate.Condition) int {
	bound := func(c *candidate.Condition) time.Duration {
		if c.Bound == nil {
			return math.MaxInt64
		}
		return *c.Bound
	}
	return cmp.Or(a.Deadline.Compare(b.Deadline), a.Urgency.Compare(b.Urgency), cmp.Compare(bound(a), bound(b)))
}

// compareDeadlines compares the deadlines of two conditions. None, and one that does not hold, comes last.
func compareDeadlines(a, b *candidate.Condition) int {
	switch none, other := !a.HasDeadline(), !b.HasDeadline(); {
	case none && other:
		return 0
	case none:
		return 1
	case other:
		return -1
	}
	return a.Deadline.Compare(b.Deadline)
}

// asks reports whether a condition of a pool's node is a candidate for the reason that is asked for. So is one whose
// reason nobody can know, since it may be any: budgets block it.
func (c *lineReader) asks(p *scope, reason candidate.Reason) bool {
	switch {
	case c.Reason.Covers(reason):
		return true
	case p == nil || p.Ambiguous || !dialect.AnyBudgetField.In(c.Dialect):
		return false
	case c.last.pool != p || c.last.reason != reason:
		parsed, err := candidate.ParseReason(string(reason), p.Budgets.Methods()...)
		c.last = asked{p, reason, err != nil || parsed != reason && c.Reason.Covers(parsed)}
		if candidate.Misspelt(c.Reason, reason) {
			c.misspelt = reason
		}
	}
	return c.last.yes
}

// watches reports whether what some gate says depends on requests of a pool for a reason.
func (c *lineReader) watches(p *scope, reason candidate.Reason) bool {
	for _, w := range c.watchers {
		if w.Watches(p, reason) {
			return true
		}
	}
	return false
}

// compareRepairs orders requests of the same urgency: the cheapest first.
func compareRepairs(a, b *request) int {
	return cmp.Or(cmp.Compare(a.Node.Cost, b.Node.Cost), compareNames(a, b))
}

// compareDated and compareDatedRepairs order requests with the same deadline as if they had none.
func compareDated(a, b *request) int {
	return cmp.Or(a.Since.Compare(b.Since), compareNames(a, b))
}

func compareDatedRepairs(a, b *request) int {
	return cmp.Or(a.Since.Compare(b.Since), compareRepairs(a, b))
}

// compareNames orders requests of the same age. If two of them share all names, what holds each of them back decides,
// so that the order of the input makes no difference.
func compareNames(a, b *request) int {
	names := cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Node.Pool, b.Node.Pool),
		strings.Compare(string(a.Condition.Reason), string(b.Condition.Reason)), a.Since.Compare(b.Since))
	if names != 0 || a == b {
		return names
	}
	return slices.CompareFunc(a.Standing(), b.Standing(), func(a, b candidate.Blocker) int {
		return cmp.Or(cmp.Compare(a.Gate, b.Gate), a.Compare(b))
	})
}
