package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/census"
)

// A Request is a node and one reason to disrupt it.
type Request struct {
	Node      *candidate.Node
	Condition *candidate.Condition
	Pool      *Pool // nil if it is not in the input
	Kind      *Kind // nil if nobody knows whose policy holds for the node
	Pods      candidate.PodVerdict

	// The answers of Row.Decide.
	Goes      bool // it may go now
	Displaced bool // it may not, but only because of those that go before it

	duplicate bool                // another node has its name
	node      []candidate.Blocker // what holds back the node itself
	domains   []int32             // of each of its pool's zonings, the position of its domain; below 0 it is not concerned
}

// Standing returns what holds back the node itself and its pods, whoever else goes.
func (r *Request) Standing() []candidate.Blocker { return joined(r.node, r.Pods.Blockers) }

// A crowd is the input while it is read.
type crowd struct {
	*Row
	in     Input
	counts census.Census
	kind   *Kind // the last that was looked up: nodes of a kind often follow each other
}

// readPools makes the pools of the policies and of what was counted.
func (c *crowd) readPools() {
	for i, counted := range c.counts.Pools {
		p := &Pool{
			Policy: c.in.Pools[counted.Index], Ambiguous: counted.Ambiguous, Nodes: counted.Nodes, InUse: counted.Disrupting,
			Roll: c.in.Rolls[counted.Name], Index: i,
		}
		c.Pools = append(c.Pools, p)
		c.newKind(p, c.in.Reason)
	}
}

// pool returns the pool of a node, or nil.
func (c *crowd) pool(node int) *Pool {
	if at := c.counts.Owners[node]; at >= 0 {
		return c.Pools[at]
	}
	return nil
}

// readNodes makes the requests: what is asked for, and what else the turns of zones depend on.
func (c *crowd) readNodes() {
	most := 0
	for i := range c.in.Nodes {
		most += len(c.in.Nodes[i].Conditions)
	}
	c.Requests = make([]Request, 0, most)
	for i := range c.in.Nodes {
		n := &c.in.Nodes[i]
		p, duplicate, from := c.pool(i), c.counts.Namesakes[n.Name], len(c.Requests)
		pods := podsOf{gate: c.Pods, node: n}
		for j := range n.Conditions {
			condition := &n.Conditions[j]
			if asked := c.in.Reason.Covers(condition.Reason); !asked && !p.zoned(condition.Reason) {
				continue
			}
			c.Requests = append(c.Requests, Request{Node: n, Condition: condition, Pool: p, duplicate: duplicate})
			r := &c.Requests[len(c.Requests)-1]
			if p != nil && !p.Ambiguous {
				r.Kind = c.kindOf(p, condition.Reason)
			}
			r.node = standing(r, c.in.Now)
			pods.judge(r)
		}
		if p != nil && len(p.zonings) > 0 {
			if p.members == nil {
				p.members = make([]member, 0, p.Nodes)
			}
			p.members = append(p.members, member{n, duplicate, int32(from), int32(len(c.Requests))})
		}
	}
}

// kindOf returns the kind of a pool's requests for a reason.
func (c *crowd) kindOf(p *Pool, reason candidate.Reason) *Kind {
	if c.kind != nil && c.kind.Pool == p && c.kind.Reason == reason {
		return c.kind
	}
	i := slices.IndexFunc(p.kinds, func(k *Kind) bool { return k.Reason == reason })
	if i >= 0 {
		c.kind = p.kinds[i]
	} else {
		c.kind = c.newKind(p, reason)
	}
	return c.kind
}

func (c *crowd) newKind(p *Pool, reason candidate.Reason) *Kind {
	k := &Kind{Pool: p, Reason: reason, Asked: c.in.Reason.Covers(reason), Index: len(c.Kinds)}
	c.Kinds = append(c.Kinds, k)
	p.kinds = append(p.kinds, k)
	return k
}

// inLine returns the requests that are asked for, the oldest first.
func inLine(requests []Request, asked candidate.Reason) []Request {
	type place struct {
		second int64 // since when the reason holds
		nano   int32
		at     int32 // in requests
	}
	line := make([]place, 0, len(requests))
	for i := range requests {
		if since := requests[i].Condition.Since; asked.Covers(requests[i].Condition.Reason) {
			line = append(line, place{since.Unix(), int32(since.Nanosecond()), int32(i)})
		}
	}
	slices.SortFunc(line, func(a, b place) int {
		if c := cmp.Or(cmp.Compare(a.second, b.second), cmp.Compare(a.nano, b.nano)); c != 0 {
			return c
		}
		return requests[a.at].compareNames(&requests[b.at])
	})
	sorted := make([]Request, len(line)) // copies: the line is walked three times, and memory likes that in order
	for i, p := range line {
		sorted[i] = requests[p.at]
	}
	return sorted
}

// Compare puts the oldest first.
func (r *Request) Compare(other *Request) int {
	return cmp.Or(r.Condition.Since.Compare(other.Condition.Since), r.compareNames(other))
}

// compareNames orders requests of the same age. Nodes that have all of their names in common are ordered by what else there
// is to see of them, lest the order of the input show.
func (r *Request) compareNames(other *Request) int {
	c := cmp.Or(strings.Compare(r.Node.Name, other.Node.Name), strings.Compare(r.Node.Pool, other.Node.Pool),
		strings.Compare(string(r.Condition.Reason), string(other.Condition.Reason)))
	if c != 0 || r.Node == other.Node {
		return c
	}
	return strings.Compare(fmt.Sprintf("%#v", r.Standing()), fmt.Sprintf("%#v", other.Standing()))
}
