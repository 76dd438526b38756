package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/quote"
	"github.com/disruptkit/disruptkit/internal/sentence"
	"github.com/disruptkit/disruptkit/internal/until"
)

// readDeadlines sets the deadline of their pool's controls on conditions without one. It copies the nodes of such
// pools.
func (c *crowd) readDeadlines() {
	if !slices.ContainsFunc(c.Pools, (*Pool).hasDeadlines) {
		return
	}
	c.nodes = slices.Clone(c.nodes)
	for i := range c.nodes {
		p := c.pool(i)
		if p == nil || !p.hasDeadlines() {
			continue
		}
		n := &c.nodes[i]
		n.Conditions = slices.Clone(n.Conditions)
		for j := range n.Conditions {
			n.Conditions[j].Deadline = Deadline(n.Conditions[j], p.Budgets)
		}
	}
	c.in.Nodes = c.nodes
}

// Deadline returns the deadline of a condition of a node: its own, even one that is before Since, or else that of the
// controls of the node's pool. Zero means none.
func Deadline(c candidate.Condition, pool budget.Set) time.Time {
	after := pool.Deadline(c.Reason)
	if !c.Deadline.IsZero() || c.Since.IsZero() || after == candidate.Forever {
		return c.Deadline
	}
	return c.Since.Add(after)
}

func (p *Pool) hasDeadlines() bool { return !p.Ambiguous && p.Limits().Deadlines.Ever() }

// due is a summary of the deadlines of a pool's nodes.
type due struct {
	overdue []candidate.Reason // for which nodes are overdue, without duplicates
	next    time.Time          // when the next node becomes overdue; zero: never
}

// due returns a function that summarises the deadlines of a pool's nodes. It reads them only when called.
func (c *crowd) due() func(*Pool) due {
	var all []due
	return func(p *Pool) due {
		if all == nil {
			all = make([]due, len(c.Pools))
			for i := range c.nodes {
				if p := c.pool(i); p != nil {
					all[p.Index].read(c.nodes[i].Conditions, c.in.Now)
				}
			}
		}
		return all[p.Index]
	}
}

func (d *due) read(conditions []candidate.Condition, now time.Time) {
	for _, c := range conditions {
		switch {
		case !c.HasDeadline():
		case !c.Overdue(now):
			d.next = until.First(d.next, c.Deadline)
		case !slices.Contains(d.overdue, c.Reason):
			d.overdue = append(d.overdue, c.Reason)
		}
	}
}

// date records that a request has a deadline.
func (c *crowd) date(r *Request) {
	c.dated = true
	if r.Kind != nil {
		c.Zones.date(r)
	}
}

// DeadlineWarnings returns a warning for each deadline that is before its reason began to hold.
func (row *Row) DeadlineWarnings() (all []candidate.Warning) {
	for _, r := range row.misdated {
		deadline, since := r.Condition.Deadline.UTC().Format(time.RFC3339Nano), r.Since.UTC().Format(time.RFC3339Nano)
		all = append(all, candidate.Warning{
			Code: candidate.CodeInvalidDeadline, Object: "Node/" + r.Name, Field: "deadline", Value: deadline,
			Message: fmt.Sprintf("deadline %s is before %s, when %s began to hold, and is ignored: write a later one",
				deadline, since, quote.Text(string(r.Condition.Reason))),
		})
	}
	slices.SortFunc(all, func(a, b candidate.Warning) int {
		return cmp.Or(strings.Compare(a.Object, b.Object), strings.Compare(a.Message, b.Message))
	})
	return all
}

// mayBeOverdue reports whether one more overdue request may go, given the nodes in flight and the requests that go.
func (g *Budgets) mayBeOverdue(q *Quota) bool {
	return q.Overdue.Remaining(g.used[q.Pool.Index].TotalFor(q.Reason)) > 0
}

// tooMany returns the blocker of an overdue request that has to wait for others.
func (q *Quota) tooMany(now time.Time, inUse, going int) candidate.Blocker {
	b := candidate.Blocker{Gate: candidate.GateBudget, Code: candidate.CodeExhausted, Source: Source(q.Overdue.Binding)}
	if q.Overdue.Nodes == 0 { // broken
		b.Code, b.Source = q.code(), Source(q.Allowance.Binding)
		b.Message = q.sentence(now, going)
		return b
	}
	b.Message = fmt.Sprintf("the node is overdue, and %d of %s may go at once then", q.Overdue.Nodes, sentence.Count(q.Pool.Nodes, "node"))
	if inUse -= going; inUse > 0 {
		b.Message += fmt.Sprintf(", %d %s", inUse, users(q.Reason))
	}
	if going > 0 {
		b.Message += fmt.Sprintf(", %d allowed before this one", going)
	}
	if which := q.Overdue.Binding; which != 0 {
		b.Message += ": " + q.Describe(now, which)
	}
	return b
}
