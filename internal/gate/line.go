package gate

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/census"
	"github.com/disruptkit/disruptkit/internal/until"
)

// A crowd is what is needed only while the input is read.
type crowd struct {
	*Row
	in     Input
	counts census.Census
	kind   *Kind // the last Kind that was looked up, because nodes of one kind often follow each other
}

// readPools makes a Pool of each policy and its count of nodes.
func (c *crowd) readPools() {
	for i, counted := range c.counts.Pools {
		p := &Pool{
			Policy: c.in.Pools[counted.Index], Ambiguous: counted.Ambiguous, Nodes: counted.Nodes, InUse: counted.Disrupting,
			Index: i, unknown: counted.Unknown, firstUnknown: counted.FirstUnknown,
		}
		c.Pools = append(c.Pools, p)
		c.newKind(p, c.in.Reason)
	}
}

// readNodes makes the requests, in the order of the nodes in the input, which is fast. Those that are asked for stand in line. Repair
// comes first, the most urgent before the rest; then come all other reasons, the oldest first. In both, those with a deadline come
// before those without, the earliest deadline first; but repair that has an urgency goes by that alone. ("Repair runs first: fixing a fault
// outranks any discretionary rebalance": Karpenter, NewMethods.)
func (c *crowd) readNodes() {
	n := 0
	for range c.reasons() {
		n++
	}
	c.scratch = scratches.Get().(*scratch)
	c.scratch.reserve(n)
	c.Requests, c.Line = c.scratch.requests, c.scratch.line
	var repairs, datedRepairs, dated []ticket
	others := c.scratch.tickets[0]
	for node, condition := range c.reasons() {
		number := int32(len(c.Requests))
		c.Requests = c.Requests[:number+1]
		r := &c.Requests[number]
		c.fill(r, node, condition)
		if r.dated {
			c.date(r)
		}
		if !c.in.Reason.Covers(condition.Reason) {
			continue // only turns depend on it
		}
		if !r.dated && !condition.Deadline.IsZero() && c.in.Dialect != dialect.Karpenter {
			c.misdated = append(c.misdated, r)
		}
		repair := candidate.Unhealthy.Covers(condition.Reason)
		switch {
		case r.dated && !repair:
			dated = append(dated, newTicket(number, condition.Deadline))
		case r.dated && condition.Urgency.IsZero():
			datedRepairs = append(datedRepairs, newTicket(number, condition.Deadline))
		case !repair:
			others = append(others, newTicket(number, condition.Since))
		case condition.Urgency.IsZero():
			repairs = append(repairs, newTicket(number, condition.Since))
		default:
			repairs = append(repairs, newTicket(number, condition.Urgency))
		}
	}
	c.Zones.endAtDeadlines()
	c.sort(datedRepairs, compareDatedRepairs)
	c.sort(repairs, compareRepairs)
	c.sort(dated, compareDated)
	c.sort(others, compareNames)
	for _, tickets := range [...][]ticket{datedRepairs, repairs, dated, others} {
		for _, t := range tickets {
			c.Line = append(c.Line, &c.Requests[t.number])
		}
	}
}

// reasons yields the nodes, by position, and those of their conditions that become requests: for what is asked, and for what the turns
// of zones depend on.
func (c *crowd) reasons() iter.Seq2[int32, *candidate.Condition] {
	return func(yield func(int32, *candidate.Condition) bool) {
		for i := range c.in.Nodes {
			conditions := c.in.Nodes[i].Conditions
			for j := range conditions {
				reason, p := conditions[j].Reason, c.pool(i)
				asked := c.in.Reason.Covers(reason)
				if (asked || p != nil && c.Zones.limits(p, reason)) && !yield(int32(i), &conditions[j]) {
					return
				}
			}
		}
	}
}

// compareRepairs orders requests of the same urgency: the cheapest first.
func compareRepairs(a, b *Request) int {
	return cmp.Or(cmp.Compare(a.Node.Cost, b.Node.Cost), compareNames(a, b))
}

// compareDated and compareDatedRepairs order requests with the same deadline as if they had none.
func compareDated(a, b *Request) int { return cmp.Or(a.Since.Compare(b.Since), compareNames(a, b)) }

func compareDatedRepairs(a, b *Request) int {
	return cmp.Or(a.Since.Compare(b.Since), compareRepairs(a, b))
}

// compareNames orders requests of the same age. If two of them share all names, what holds each of them back decides, so that the
// order of the input makes no difference.
func compareNames(a, b *Request) int {
	names := cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Node.Pool, b.Node.Pool),
		strings.Compare(string(a.Condition.Reason), string(b.Condition.Reason)), a.Since.Compare(b.Since))
	if names != 0 || a == b {
		return names
	}
	return slices.CompareFunc(a.standing(), b.standing(), func(a, b candidate.Blocker) int {
		return cmp.Or(cmp.Compare(a.Gate, b.Gate), a.Compare(b))
	})
}

// fill makes a request.
func (c *crowd) fill(r *Request, node int32, condition *candidate.Condition) {
	n := &c.in.Nodes[node]
	r.Node, r.Condition, r.Pool, r.at = n, condition, c.pool(int(node)), node
	r.Name, r.Since, r.several = n.Name, condition.Since, len(n.Conditions) > 1
	r.duplicate = c.counts.Namesakes[n.Name]
	r.uncounted = !n.Counted() && candidate.Unhealthy.Covers(condition.Reason)
	r.dated = condition.HasDeadline() && c.in.Dialect != dialect.Karpenter
	if r.Pool != nil && !r.Pool.Ambiguous {
		r.Kind = c.kindOf(r.Pool, condition.Reason, r.Overdue(c.in.Now))
	}
	if c.in.asksNobody(condition.Reason) {
		r.node = expired(n)
		return
	}
	r.node = nodeItself(r, c.in.Now)
	if !n.InFlight() && (len(n.Pods) > 0 || c.Pods.Stopped()) { // a node in flight drains already: whether its pods may go is no longer asked here
		c.Pods.Gate.Judge(&r.Pods, n, condition)
		c.Pods.Closes = until.First(c.Pods.Closes, r.Pods.Until)
		if r.Kind != nil {
			r.Kind.Closes = until.First(r.Kind.Closes, r.Pods.Until)
		}
	}
}

// kindOf returns the kind of a pool's requests for a reason.
func (c *crowd) kindOf(p *Pool, reason candidate.Reason, overdue bool) *Kind {
	if c.kind != nil && c.kind.Pool == p && c.kind.Reason == reason && c.kind.Overdue == overdue {
		return c.kind
	}
	find := func(overdue bool) *Kind {
		if i := slices.IndexFunc(p.kinds, func(k *Kind) bool { return k.Reason == reason && k.Overdue == overdue }); i >= 0 {
			return p.kinds[i]
		}
		return nil
	}
	if c.kind = find(false); c.kind == nil {
		c.kind = c.newKind(p, reason)
	}
	if overdue {
		if c.kind = find(true); c.kind == nil {
			c.kind = c.newKind(p, reason)
			c.kind.Overdue = true
		}
	}
	return c.kind
}

func (c *crowd) newKind(p *Pool, reason candidate.Reason) *Kind {
	k := &Kind{Pool: p, Reason: reason, Asked: c.in.Reason.Covers(reason), Index: len(c.Kinds)}
	c.Kinds = append(c.Kinds, k)
	p.kinds = append(p.kinds, k)
	return k
}
