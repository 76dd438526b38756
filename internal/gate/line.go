package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/census"
)

// A crowd holds what is needed only while the input is read.
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
			Index: i,
		}
		c.Pools = append(c.Pools, p)
		c.newKind(p, c.in.Reason)
	}
}

// readNodes makes the requests. First comes the line: the requests asked for, in order. Behind it come other requests that the turns
// of zones depend on. Nodes are read in the order of the input, which is fast, and each request is put in its place.
func (c *crowd) readNodes() {
	all := c.sightings()
	line, asked := c.inLine(all)
	places := make([]int32, len(all))
	for i, p := range line {
		places[p.number] = int32(i)
	}
	c.Requests, c.last = make([]Request, len(all)), make([]int32, len(c.in.Nodes))
	c.Line = c.Requests[:asked]
	for i, s := range all {
		r := &c.Requests[places[i]]
		c.fill(r, s)
		r.before, c.last[s.node] = c.last[s.node], places[i]+1
	}
}

// A sighting is a node and one of its conditions, by their positions.
type sighting struct {
	node, condition int32
	asked           bool // the caller asked for its reason; otherwise, only turns depend on it
}

// sightings returns the sightings that become requests, in the order of the nodes.
func (c *crowd) sightings() []sighting {
	most := 0
	for i := range c.in.Nodes {
		most += len(c.in.Nodes[i].Conditions)
	}
	all := make([]sighting, 0, most)
	for i := range c.in.Nodes {
		n, p := &c.in.Nodes[i], c.pool(i)
		for j := range n.Conditions {
			reason := n.Conditions[j].Reason
			if asked := c.in.Reason.Covers(reason); asked || p != nil && c.Zones.limits(p, reason) {
				all = append(all, sighting{int32(i), int32(j), asked})
			}
		}
	}
	return all
}

// A place is where a sighting stands in line. It holds what sorting compares first: the age, or how urgent a repair is, but no names.
type place struct {
	second int64 // since when the condition holds, or its urgency
	nano   int32
	number int32 // of the sighting
}

// inLine puts the sightings that are asked for in line, and the others behind them. It returns how many are asked for. Repair comes
// first, the most urgent before the rest; then come all other reasons, the oldest first. ("Repair runs first: fixing a fault outranks
// any discretionary rebalance": Karpenter, NewMethods.)
func (c *crowd) inLine(all []sighting) (line []place, asked int) {
	var repairs, others []place
	line = make([]place, 0, len(all))
	for i, s := range all {
		condition := &c.in.Nodes[s.node].Conditions[s.condition]
		at, repair := condition.Since, candidate.Unhealthy.Covers(condition.Reason)
		if repair && !condition.Urgency.IsZero() {
			at = condition.Urgency
		}
		p := place{at.Unix(), int32(at.Nanosecond()), int32(i)}
		switch {
		case !s.asked:
			others = append(others, p)
		case repair:
			repairs = append(repairs, p)
		default:
			line = append(line, p)
		}
	}
	c.sort(repairs, all, c.compareRepairs)
	c.sort(line, all, c.compareNames)
	if len(repairs) > 0 {
		line = append(repairs, line...)
	}
	return append(line, others...), len(line)
}

// sort sorts places by time, and those of the same time by their sightings.
func (c *crowd) sort(places []place, all []sighting, compare func(a, b sighting) int) {
	slices.SortFunc(places, func(a, b place) int {
		switch {
		case a.second != b.second:
			return cmp.Compare(a.second, b.second)
		case a.nano != b.nano:
			return cmp.Compare(a.nano, b.nano)
		}
		return compare(all[a.number], all[b.number])
	})
}

// compareRepairs orders sightings of the same urgency: the cheapest first.
func (c *crowd) compareRepairs(a, b sighting) int {
	if costs := cmp.Compare(c.in.Nodes[a.node].Cost, c.in.Nodes[b.node].Cost); costs != 0 {
		return costs
	}
	return c.compareNames(a, b)
}

// compareNames orders sightings of the same age. If two of them share all names, what holds each of them back decides, so that the
// order of the input makes no difference.
func (c *crowd) compareNames(a, b sighting) int {
	n, m := &c.in.Nodes[a.node], &c.in.Nodes[b.node]
	v, w := &n.Conditions[a.condition], &m.Conditions[b.condition]
	names := cmp.Or(strings.Compare(n.Name, m.Name), strings.Compare(n.Pool, m.Pool),
		strings.Compare(string(v.Reason), string(w.Reason)), v.Since.Compare(w.Since))
	if names != 0 || a == b {
		return names
	}
	var r, s Request
	c.fill(&r, a)
	c.fill(&s, b)
	return strings.Compare(fmt.Sprintf("%#v", r.standing()), fmt.Sprintf("%#v", s.standing()))
}

// fill makes a request.
func (c *crowd) fill(r *Request, s sighting) {
	n := &c.in.Nodes[s.node]
	r.Node, r.Condition, r.Pool, r.at = n, &n.Conditions[s.condition], c.pool(int(s.node)), s.node
	r.Name, r.Since, r.several = n.Name, r.Condition.Since, len(n.Conditions) > 1
	r.duplicate = c.counts.Namesakes[n.Name]
	r.uncounted = candidate.Unhealthy.Covers(r.Condition.Reason) && !n.Counted()
	if r.Pool != nil && !r.Pool.Ambiguous {
		r.Kind = c.kindOf(r.Pool, r.Condition.Reason)
	}
	if c.in.asksNobody(r.Condition.Reason) {
		r.node = expired(n)
		return
	}
	r.node = nodeItself(r, c.in.Now)
	if !n.InFlight() && (len(n.Pods) > 0 || c.Pods.Stopped()) { // a node in flight drains already: whether its pods may go is no longer asked here
		r.Pods = c.Pods.PodGate.Judge(n, *r.Condition)
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
