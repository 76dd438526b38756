package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/internal/display"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Comparison is the difference of a second plan from a first one. Only nodes that are Done by themselves count: not
// those that are disrupted only because they expire, and not those that never are.
type Comparison struct {
	Compared
	Late  int            // how many more nodes miss their deadlines
	Pools []PoolCompared // all pools of both plans, by name
}

// A PoolCompared is the difference of two plans for one pool, and for each of its zones.
type PoolCompared struct {
	Name string
	Compared
	Zones []ZoneCompared // by name
}

// A ZoneCompared is the difference of two plans for the nodes of a pool in one zone.
type ZoneCompared struct {
	Name string // "": unknown
	Compared
}

// Compared is the difference of two plans for some nodes.
type Compared struct {
	// Before and After are when the last node ends in each plan, of the nodes that are Done by themselves in both
	// plans. If there are none, they are of all nodes that are Done by themselves in each. Zero: there are none.
	Before, After time.Time
	Done          int       // how many more nodes are Done by themselves; below 0: fewer
	Finish        time.Time // when the last of them has ended in the second plan; zero: there are none
}

// Compare compares two plans, such as today's and one with other budgets.
func Compare(first, second Plan) Comparison {
	c, all, places := Comparison{}, pairing{}, map[string]map[string]*pairing{} // by pool and zone
	at := func(pool string) map[string]*pairing {
		if places[pool] == nil {
			places[pool] = map[string]*pairing{}
		}
		return places[pool]
	}
	pair := func(n, before, after *Node) {
		zones := at(n.Pool)
		if zones[n.Zone] == nil {
			zones[n.Zone] = &pairing{}
		}
		all.add(before, after)
		zones[n.Zone].add(before, after)
	}
	before, after := first.selfDone(), second.selfDone()
	for k, n := range before {
		pair(n, n, after[k])
	}
	for k, n := range after {
		if before[k] == nil {
			pair(n, nil, n)
		}
	}
	for i, pools := range [][]Pool{first.Pools, second.Pools} {
		for _, p := range pools {
			at(p.Name)
			c.Late += (2*i - 1) * p.Late
		}
	}
	c.Compared = all.compared()
	for _, name := range slices.Sorted(maps.Keys(places)) {
		p, whole := PoolCompared{Name: name}, pairing{}
		for _, zone := range slices.Sorted(maps.Keys(places[name])) {
			whole.join(*places[name][zone])
			p.Zones = append(p.Zones, ZoneCompared{zone, places[name][zone].compared()})
		}
		p.Compared = whole.compared()
		c.Pools = append(c.Pools, p)
	}
	return c
}

// A numbered is a node of a pool. Nodes that share a name are distinguished by their order.
type numbered struct {
	pool, name string
	number     int
}

// selfDone returns the nodes that are Done by themselves.
func (p Plan) selfDone() map[numbered]*Node {
	all := make(map[numbered]*Node, len(p.Nodes))
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if n.Outcome != Done || n.OnlyExpires() {
			continue
		}
		k := numbered{n.Pool, n.Name, 0}
		for all[k] != nil {
			k.number++
		}
		all[k] = n
	}
	return all
}

// A pairing has when the last of some nodes ends in each of two plans: of nodes that are Done by themselves in both,
// and in each.
type pairing struct {
	before, after, first, second time.Time
	done                         int
}

// add adds a node as it is in each plan; nil: it is not Done by itself there.
func (p *pairing) add(before, after *Node) {
	var one pairing
	if before != nil {
		one.first, one.done = before.End(), -1
	}
	if after != nil {
		one.second, one.done = after.End(), one.done+1
	}
	if before != nil && after != nil {
		one.before, one.after = one.first, one.second
	}
	p.join(one)
}

// join adds other nodes.
func (p *pairing) join(o pairing) {
	p.before, p.after = schedule.Last(p.before, o.before), schedule.Last(p.after, o.after)
	p.first, p.second = schedule.Last(p.first, o.first), schedule.Last(p.second, o.second)
	p.done += o.done
}

func (p *pairing) compared() Compared {
	if p.before.IsZero() {
		return Compared{p.first, p.second, p.done, p.second}
	}
	return Compared{p.before, p.after, p.done, p.second}
}

// Gain returns how much earlier the second plan finishes. Below 0 means later. It is 0 if either plan disrupts no node.
func (c Compared) Gain() time.Duration {
	if c.Before.IsZero() || c.After.IsZero() {
		return 0
	}
	return c.Before.Sub(c.After)
}

// order orders two comparisons with the same first plan by gain, greatest first: by nodes done, then by how few miss
// their deadlines, then by time, then by the time of single pools, then by when all are done.
func (c Comparison) order(other Comparison) int {
	pools := func(c Comparison) (sum time.Duration) {
		for _, p := range c.Pools {
			sum += p.Gain() / time.Duration(len(c.Pools))
		}
		return sum
	}
	return cmp.Or(cmp.Compare(other.Done, c.Done), cmp.Compare(c.Late, other.Late),
		cmp.Compare(other.Gain(), c.Gain()), cmp.Compare(pools(other), pools(c)), inOrder(c.Finish, other.Finish))
}

// String returns "done on Tue 24 Nov 2026 02:10 UTC instead of Thu 26 Nov 2026 03:40 UTC, 2d1h30m earlier; 14 more
// nodes done".
func (c Comparison) String() string {
	text := ""
	switch {
	case c.Before.Equal(c.After) && c.After.IsZero():
		text = "no node is ever done, as before"
	case c.Before.Equal(c.After):
		text = "done on " + day(c.After) + ", as before"
	case c.After.IsZero():
		text = "no node is ever done, instead of " + day(c.Before)
	case c.Before.IsZero():
		text = "done on " + day(c.After) + " instead of never"
	default:
		text = fmt.Sprintf("done on %s instead of %s, %s", day(c.After), day(c.Before), gainText(c.Gain()))
	}
	for _, p := range c.Pools { // of one that is not the last to finish
		if gain := p.Gain(); c.Gain() == 0 && gain != 0 {
			text += fmt.Sprintf("; pool %s %s", poolTitle(p.Name), gainText(gain))
		}
		for _, z := range p.Zones {
			if gain := z.Gain(); p.Gain() == 0 && gain != 0 {
				text += fmt.Sprintf("; zone %s of pool %s %s", wording.Quote(z.Name), poolTitle(p.Name), gainText(gain))
			}
		}
	}
	if c.Done != 0 {
		text += fmt.Sprintf("; %s done", moreNodes(c.Done))
		if c.Finish.After(c.After) {
			text += ", by " + day(c.Finish)
		}
	}
	if c.Late != 0 {
		text += fmt.Sprintf("; %s late", moreNodes(c.Late))
	}
	return text
}

// gainText returns "2d1h30m earlier", or later.
func gainText(gain time.Duration) string {
	if gain > 0 {
		return display.Rough(gain) + " earlier"
	}
	return display.Rough(-gain) + " later"
}

// moreNodes returns "14 more nodes", or fewer.
func moreNodes(more int) string {
	if more > 0 {
		return wording.Count(more, "more node")
	}
	return wording.Count(-more, "fewer node")
}
