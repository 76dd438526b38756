package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// A crowd makes decisions on few nodes in place of many, with the same answers:
//
//   - Waiting nodes that differ only in their names, ages, costs and ranks form a class. A decision is on the first few
//     of a class in line, and on the last one. If a gate of Decide blocks a node, it blocks the nodes of its class
//     behind it, and all blockers are those after the decision. So if the second last of these nodes is blocked, all
//     between it and the last have the same blockers. If not, the decision is on more nodes, up to all.
//   - One node stands for all nodes that only count, and count alike, because they are in flight or have no reason to
//     be disrupted (candidate.Node.StandsFor).
//
// All other nodes stand for themselves: in pools with zones, paces, shares, waves or starts to remember, with
// deadlines, in repair, with pods that have schedules, and nodes in flight whose pods use PodDisruptionBudgets.
type crowd struct {
	*fleet
	account *account
	plain   map[string]*disruptkit.Pool // pools whose nodes may be in classes

	seats   []seat // by node id
	single  []int  // the ids of nodes that stand for themselves
	classes []*class
	counted map[kin]*standIn
	kins    []kin // of counted, in the order in which they came up

	buffer []candidate.Node
	ids    []int             // of buffer; -1: of a node that stands for others
	sought map[string]*class // scratch
}

// A seat is the place of a node in a crowd: in a class, among nodes that only count, by itself, or nowhere.
type seat struct {
	class *class
	stand *standIn
	at    int // in crowd.single; -1: it is not there
}

// A class is waiting nodes that differ only in names, ages, costs and ranks.
type class struct {
	reason  candidate.Reason
	members []int // ids, in line; some may have started
	first   int   // all before this position have started
	end     int   // all from this position on have
	waiting int   // how many have not
	asked   int   // how many of the first are asked
	before  int   // the id of the last of these
	told    *template
}

// A kin is what nodes that only count have in common if they count alike.
type kin struct {
	pool    string
	phase   candidate.Phase
	leaving candidate.Leaving
	reason  candidate.Reason
}

// A standIn stands for nodes that count alike.
type standIn struct {
	node candidate.Node
	many int
}

// mostAsked is how many of the first nodes of a class decisions are on, unless all of these are allowed. It is a
// variable for tests, as is noCrowds: decisions are always on all nodes.
var (
	mostAsked = 4
	noCrowds  bool
)

// newCrowd returns a crowd of a fleet at its beginning, or nil if it would not make decisions smaller.
func newCrowd(f *fleet, a *account) *crowd {
	c := &crowd{
		fleet: f, account: a, plain: map[string]*disruptkit.Pool{}, counted: map[kin]*standIn{},
		sought: map[string]*class{},
	}
	if c.findPlain(); len(c.plain) == 0 || overlap(f.model.Reasons) {
		return nil
	}
	byKey := map[string]*class{}
	rules := f.in.Rules
	rules.Dialect = f.in.Dialect
	gate := candidate.OpenPods(rules, f.in.Now)
	for id := range f.in.Nodes {
		c.seats = append(c.seats, seat{at: -1})
		n := &f.in.Nodes[id]
		key, reason := c.classOf(id, n, gate)
		if key == "" {
			c.sit(id)
			continue
		}
		if byKey[key] == nil {
			byKey[key] = &class{reason: reason, asked: mostAsked}
			c.classes = append(c.classes, byKey[key])
		}
		of := byKey[key]
		of.members = append(of.members, id)
		c.seats[id].class = of
	}
	c.classes = slices.DeleteFunc(c.classes, func(of *class) bool {
		if len(of.members) > mostAsked+1 {
			c.line(of)
			return false
		}
		for _, id := range of.members { // all of them would be asked
			c.seats[id].class = nil
			c.sit(id)
		}
		return true
	})
	if len(c.classes) == 0 {
		return nil
	}
	return c
}

// overlap reports whether one reason covers another one: then a node may have two answers at one time.
func overlap(reasons []candidate.Reason) bool {
	for i, r := range reasons {
		for j, other := range reasons {
			if i != j && r.Covers(other) {
				return true
			}
		}
	}
	return false
}

// findPlain finds the pools in which the blockers of a node depend only on the number of other nodes.
func (c *crowd) findPlain() {
	if len(c.in.Pauses) > 0 {
		return // they name zones
	}
	known := map[string]bool{}
	for _, g := range c.in.Groups { // their nodes depend on those of other pools
		for _, pool := range g.Pools {
			known[pool] = true
		}
	}
	for i := range c.in.Pools {
		p := &c.in.Pools[i]
		m := c.in.Memory[p.Name]
		paced := len(p.Budgets.Rollouts())+len(p.Budgets.Pacing())+len(p.Budgets.Shares()) > 0
		remembers := paced || len(m.Starts)+len(m.Paces) > 0 || m.Roll.Key != ""
		// An order exchanges places in line among other pools, so that all of its nodes count.
		ordered := p.Budgets.Order() != "" && len(c.in.Pools) > 1
		if known[p.Name] {
			delete(c.plain, p.Name)
		} else if len(p.Budgets.Scopes("")) == 0 && !remembers && !ordered {
			c.plain[p.Name] = p
		}
		known[p.Name] = true
	}
}

// classOf returns what a node has in common with all of its class, and its reason of the plan, or "" if the node is in
// no class.
func (c *crowd) classOf(id int, n *candidate.Node, gate *candidate.PodGate) (key string, of candidate.Reason) {
	p := c.plain[n.Pool]
	fit := p != nil && !n.InFlight() && n.Phase == candidate.Running && n.Counted()
	if !fit || len(c.named[n.Name]) > 1 || c.odd(n) {
		return "", ""
	}
	asked := c.askedFor(n)
	nominated := n.NominatedUntil.After(c.in.Now)
	if len(asked) != 1 || !n.Deadline.IsZero() || nominated {
		return "", ""
	}
	k := asked[0]
	least := candidate.Minimum{Held: p.Budgets.DisruptAfter(k.Reason), Age: p.Budgets.MinAge(k.Reason)}
	blockers := candidate.NodeGate(n, k, least, c.in.Now)
	if slices.ContainsFunc(blockers, func(b candidate.Blocker) bool { return !b.Until.IsZero() }) {
		return "", ""
	}
	var v candidate.PodVerdict
	several := func(b candidate.Blocker) bool { return b.Code == candidate.CodeSeveralPDBs }
	if gate.Judge(&v, n, &k); slices.ContainsFunc(v.Blockers, several) || !v.Waived && !c.onlyPDBs(n) {
		return "", ""
	}
	pdbs := make([]int32, len(v.Uses))
	for i, u := range v.Uses {
		pdbs[i] = u.PDB
	}
	var shared []int32
	if c.obstructs() && !waived(n, k.Reason) {
		shared = c.shared(id)
	}
	room, since := c.model.room(n), [2]int64{}
	if room != "" && c.model.Full {
		first, last := ages(n)
		since = [2]int64{first.UnixNano(), last.UnixNano()}
	}
	return fmt.Sprint(
		n.Pool, "/", k.Reason, "/", n.HasGracePeriod, n.Vacant(), v.Waived, pdbs, shared, blockers, room, since,
	), k.Reason
}

// onlyPDBs reports whether the time alone changes nothing about the pods of a node.
func (c *crowd) onlyPDBs(n *candidate.Node) bool {
	asks := func(p candidate.Pod) bool { return p.Terms != candidate.Terms{} }
	return !slices.ContainsFunc(n.Pods, asks) && len(c.in.Rules.PodSchedules()) == 0
}

// odd reports whether a node has a unit, a deadline, or a reason with special rules.
func (c *crowd) odd(n *candidate.Node) bool {
	return n.Unit != "" || !deadline(c.in, n, c.account.sets[n.Pool], c.model.Reasons).IsZero() ||
		slices.ContainsFunc(n.Conditions, func(k candidate.Condition) bool {
			own := k.Reason == "" || candidate.Unhealthy.Covers(k.Reason) || candidate.Expired.Covers(k.Reason)
			return own || !k.Deadline.IsZero()
		})
}

// askedFor returns the conditions of a node for the plan's reasons.
func (c *crowd) askedFor(n *candidate.Node) (asked []candidate.Condition) {
	for _, k := range n.Conditions {
		if anyCovers(c.model.Reasons, k.Reason) {
			asked = append(asked, k)
		}
	}
	return asked
}

// line puts the members of a class in the order of Decide.
func (c *crowd) line(of *class) {
	since := make(map[int]time.Time, len(of.members))
	for _, id := range of.members {
		since[id] = c.askedFor(&c.in.Nodes[id])[0].Since
	}
	budgets := c.plain[c.in.Nodes[of.members[0]].Pool].Budgets.In(c.in.Dialect)
	slices.SortFunc(of.members, func(i, j int) int {
		a, b := &c.in.Nodes[i], &c.in.Nodes[j]
		return cmp.Or(budgets.Compare(a, b, since[i], since[j]), since[i].Compare(since[j]),
			strings.Compare(a.Name, b.Name))
	})
	of.end, of.waiting = len(of.members), len(of.members)
	of.told = c.account.gather(of.members)
}

// changed gives a new seat to a node that has changed.
func (c *crowd) changed(id int) {
	if c == nil {
		return
	}
	for len(c.seats) <= id {
		c.seats = append(c.seats, seat{at: -1})
	}
	s := &c.seats[id]
	if s.class != nil {
		s.class.waiting--
		s.class = nil
	}
	if s.stand != nil {
		s.stand.many--
		s.stand = nil
	}
	if s.at >= 0 {
		last := len(c.single) - 1
		moved := c.single[last]
		c.single[s.at] = moved
		c.seats[moved].at = s.at
		c.single, s.at = c.single[:last], -1
	}
	if c.at[id] >= 0 {
		c.sit(id)
	}
}

// sit gives a node a seat that is in no class.
func (c *crowd) sit(id int) {
	n, s := &c.in.Nodes[c.at[id]], &c.seats[id]
	if !c.onlyCounts(n) {
		s.at = len(c.single)
		c.single = append(c.single, id)
		return
	}
	if joins := n.Phase.Joining() && n.Leaving == candidate.Staying; !n.Counted() && !joins {
		return // nothing counts it
	}
	k := kin{n.Pool, n.Phase, n.Leaving, n.DisruptedFor}
	if c.counted[k] == nil {
		alike := *n
		alike.Name = c.unused(fmt.Sprintf("%s (and %d more kinds)", n.Name, len(c.kins)))
		alike.Labels, alike.Conditions, alike.Pods, alike.Blockers = nil, nil, nil, nil
		c.counted[k] = &standIn{node: alike}
		c.kins = append(c.kins, k)
	}
	s.stand = c.counted[k]
	s.stand.many++
}

// onlyCounts reports whether decisions on other nodes depend on a node by its number alone, and none is made on it.
func (c *crowd) onlyCounts(n *candidate.Node) bool {
	if c.plain[n.Pool] == nil || len(c.named[n.Name]) > 1 || n.Rebooting || !n.Phase.Known() || c.odd(n) {
		return false
	}
	if !goes(n) {
		return len(c.askedFor(n)) == 0
	}
	return len(n.Pods) == 0 || c.in.Dialect == dialect.Karpenter
}

// nodes returns the nodes to decide on.
func (c *crowd) nodes() []candidate.Node {
	all, ids := c.buffer[:0], c.ids[:0]
	for _, id := range c.single {
		all, ids = append(all, c.in.Nodes[c.at[id]]), append(ids, id)
	}
	for _, k := range c.kins {
		if s := c.counted[k]; s.many > 0 {
			s.node.StandsFor = s.many
			all, ids = append(all, s.node), append(ids, -1)
		}
	}
	for _, of := range c.classes {
		last := c.last(of)
		if last < 0 {
			continue
		}
		asked := 0
		for i := of.first; i < of.end-1 && asked < of.asked; i++ {
			if id := of.members[i]; c.seats[id].class == of {
				all, ids = append(all, c.in.Nodes[c.at[id]]), append(ids, id)
				of.before = id
				asked++
			}
		}
		all, ids = append(all, c.in.Nodes[c.at[last]]), append(ids, last)
		if left := of.waiting - asked - 1; left > 0 { // they count all the same
			alike := c.in.Nodes[c.at[last]]
			alike.Name, alike.Conditions, alike.Pods, alike.Blockers = c.unused(alike.Name+" (and more)"), nil, nil, nil
			alike.StandsFor = left
			all, ids = append(all, alike), append(ids, -1)
		}
	}
	c.buffer, c.ids = all, ids
	return all
}

// last returns the id of the last waiting member of a class, or -1, and forgets those that have started at either end.
func (c *crowd) last(of *class) int {
	if of.waiting == 0 {
		return -1
	}
	for c.seats[of.members[of.first]].class != of {
		of.first++
	}
	for c.seats[of.members[of.end-1]].class != of {
		of.end--
	}
	return of.members[of.end-1]
}

// decide makes a decision that holds for all nodes. It returns how many nodes it was on.
func (c *crowd) decide(in disruptkit.Input, reason candidate.Reason) (d disruptkit.Decision, nodes int) {
	for {
		in.Nodes = c.nodes()
		nodes += len(in.Nodes)
		c.obstruct(in.Nodes, c.ids, reason, in.Now)
		d = disruptkit.Decide(in, reason)
		if c.narrow(&d); c.settled(&d, reason) {
			break
		}
	}
	for _, of := range c.classes { // the next decision will be much like this one
		if len(d.Allowed) < of.asked/2 {
			of.asked = max(mostAsked, of.asked/2)
		}
	}
	return d, nodes
}

// settled reports whether a decision also holds for the nodes of each class between the last two that it was on: the
// second last is blocked. If it is not, the next decision is on more nodes.
func (c *crowd) settled(d *disruptkit.Decision, reason candidate.Reason) bool {
	clear(c.sought)
	for _, of := range c.classes {
		if of.waiting > of.asked+1 && reason.Covers(of.reason) && !c.oneStarts(of) {
			c.sought[c.in.Nodes[c.at[of.before]].Name] = of
		}
	}
	settled := true
	for i := range d.Allowed {
		if of := c.sought[d.Allowed[i].Node]; of != nil {
			settled, of.asked = false, of.asked*2
		}
	}
	return settled
}

// oneStarts reports whether it does not matter which nodes of a class a decision allows: a pass of Karpenter starts one
// drifted node, and the first of the class is ahead of all that are not asked.
func (c *crowd) oneStarts(of *class) bool {
	return c.startsOneOf(c.in.Nodes[c.at[of.before]].Pool, of.reason)
}

// tell passes the answer for the last waiting node of each class to the class.
func (c *crowd) tell(now time.Time) {
	for _, of := range c.classes {
		if last := c.last(of); last >= 0 {
			c.account.repeat(of.told, c.account.slotOf[last], now)
		}
	}
}

// whole reports whether decisions are on all nodes that wait.
func (c *crowd) whole() bool {
	return !slices.ContainsFunc(c.classes, func(of *class) bool { return of.waiting > mostAsked+1 })
}
