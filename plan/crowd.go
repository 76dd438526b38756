package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// A crowd makes decisions on few nodes in place of many, with the same answers:
//
//   - Waiting nodes that differ only in their names, ages, costs and ranks form a class. A decision is on the first few
//     of a class in line. If a gate of Decide blocks a node, it blocks the nodes of its class behind it, and all
//     blockers are those after the decision. So if the last of the few is blocked, those behind it have the same
//     blockers. If not, the decision is on more nodes, up to all.
//   - One node stands for all nodes that only count, and count alike, because they are in flight, have no reason to be
//     disrupted, or are behind the few of a class (candidate.Node.StandsFor).
//   - Pools that no other pool depends on form a section. It is asked again only when something changes for it.
//
// Where budgets have topology keys, nodes are alike only in one domain. A turn depends on the first node in line of
// each domain that may be disrupted, and not on how many there are.
//
// All other nodes stand for themselves: in pools with paces, shares, waves or starts to remember, or whose domains
// soak, with deadlines, in repair, with pods that have schedules, and nodes in flight whose pods use
// PodDisruptionBudgets.
type crowd struct {
	*fleet
	account *account
	judge   func(disruptkit.Input, candidate.Reason) disruptkit.Decision // Options.Decide
	plain   map[string]*disruptkit.Pool                                  // pools whose nodes may be in classes
	keys    map[string][]string                                          // the topology keys of their budgets

	scheduled bool   // there are PodDisruptionSchedules
	seats     []seat // by node id
	classes   []*class
	counted   map[kin]*standIn
	sections  []*section
	sectionOf map[string]*section // by pool
	whole     bool                // the last decision was on all sections, and allowed nodes of several

	buffer []candidate.Node
	ids    []int             // of buffer; -1: of a node that stands for others
	sought map[string]*class // scratch
}

// A seat is the place of a node in a crowd: in a class, among nodes that only count, by itself, or nowhere.
type seat struct {
	section *section
	class   *class
	stand   *standIn
	at      int // in section.single; -1: it is not there
}

// A class is waiting nodes that differ only in names, ages, costs and ranks.
type class struct {
	reason  candidate.Reason
	members []int // ids, in line; some may have started
	first   int   // all before this position have started
	waiting int   // how many have not
	one     bool  // a pass starts at most one of them: fleet.startsOneOf
	asked   int   // how many of the first are asked
	last    int   // the id of the last of these
	told    int   // the last that was when the decision for the reason was made; -1: none was made at this time
	rest    *standIn
	account *template
}

// A kin is what nodes that only count have in common if they count alike.
type kin struct {
	pool    string
	phase   candidate.Phase
	leaving candidate.Leaving
	reason  candidate.Reason
	domains string
}

// A standIn stands for nodes that count alike.
type standIn struct {
	node   candidate.Node
	many   int
	behind int // how many more it stands for, which are behind the few of their classes
}

// leastAsked is how many of the first nodes of a class decisions are on at least. It is a variable for tests, as is
// noCrowds: decisions are always on all nodes.
var (
	leastAsked = 1
	noCrowds   bool
)

// newCrowd returns a crowd of a fleet at its beginning, or nil if it would not make decisions smaller.
func newCrowd(
	f *fleet, a *account, judge func(disruptkit.Input, candidate.Reason) disruptkit.Decision,
) *crowd {
	_, schedules := f.in.Rules.Written()
	c := &crowd{
		fleet: f, account: a, judge: judge, plain: map[string]*disruptkit.Pool{}, keys: map[string][]string{},
		scheduled: len(schedules) > 0,
		counted:   map[kin]*standIn{}, sectionOf: map[string]*section{}, sought: map[string]*class{},
	}
	if c.findPlain(); len(c.plain) == 0 || overlap(f.model.Reasons) {
		return nil
	}
	of := c.divide()
	byKey := map[string]*class{}
	rules := f.in.Rules
	rules.Dialect = f.in.Dialect
	gate := candidate.OpenPods(rules, f.in.Now)
	for id := range f.in.Nodes {
		n := &f.in.Nodes[id]
		c.seats = append(c.seats, seat{section: of[id], at: -1})
		key, reason := c.classOf(id, n, gate)
		if key == "" {
			c.sit(id)
			continue
		}
		if byKey[key] == nil {
			byKey[key] = &class{reason: reason, one: c.startsOneOf(n.Pool, reason), told: -1}
			c.classes = append(c.classes, byKey[key])
		}
		byKey[key].members = append(byKey[key].members, id)
		c.seats[id].class = byKey[key]
	}
	c.classes = slices.DeleteFunc(c.classes, func(of *class) bool {
		if len(of.members) > of.fewest() {
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
	for _, of := range c.classes {
		s := c.seats[of.members[0]].section
		s.classes = append(s.classes, of)
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
		remembers := paced || len(m.Starts)+len(m.Paces) > 0
		zoned := p.Budgets.Scopes("")
		// An order exchanges places in line among other pools, and turns do not depend on it: all of its nodes count.
		ordered := p.Budgets.Order() != "" && len(c.in.Pools)+len(zoned) > 1
		soaks := len(zoned) > 0 && p.Topology.Soak != 0
		if known[p.Name] {
			delete(c.plain, p.Name)
		} else if !remembers && !ordered && !soaks {
			c.plain[p.Name], c.keys[p.Name] = p, keysOf(zoned)
		}
		known[p.Name] = true
	}
}

// keysOf returns the topology keys of budgets, each once.
func keysOf(zoned []budget.Limit) (keys []string) {
	for _, b := range zoned {
		if !slices.Contains(keys, b.Key) {
			keys = append(keys, b.Key)
		}
	}
	return keys
}

// zoned reports whether the pool of a node has budgets with a topology key.
func (c *crowd) zoned(n *candidate.Node) bool { return len(c.keys[n.Pool]) > 0 }

// domains returns the domains of a node for the budgets of its pool, in a text.
func (c *crowd) domains(n *candidate.Node) string {
	text := ""
	for _, key := range c.keys[n.Pool] {
		text += strconv.Quote(n.Labels[key])
	}
	return text
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
	if len(asked) != 1 || c.others(n, 1) || !n.Deadline.IsZero() || nominated {
		return "", ""
	}
	k := asked[0]
	blockers := candidate.NodeGate(n, k, p.Budgets.Minimum(k.Reason), c.in.Now)
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
		n.Pool, "/", k.Reason, "/", c.domains(n), n.HasGracePeriod, n.Vacant(), v.Waived, pdbs, shared, blockers,
		room, since,
	), k.Reason
}

// onlyPDBs reports whether the time alone changes nothing about the pods of a node.
func (c *crowd) onlyPDBs(n *candidate.Node) bool {
	asks := func(p candidate.Pod) bool { return p.Terms != candidate.Terms{} }
	return !slices.ContainsFunc(n.Pods, asks) && !c.scheduled
}

// odd reports whether a node has a unit, a deadline, or a reason with special rules.
func (c *crowd) odd(n *candidate.Node) bool {
	return n.Unit != "" || !deadline(c.in, n, c.account.sets[n.Pool], c.model.Reasons).IsZero() ||
		slices.ContainsFunc(n.Conditions, func(k candidate.Condition) bool {
			own := k.Reason == "" || candidate.Unhealthy.Covers(k.Reason) || candidate.Expired.Covers(k.Reason)
			return own || !k.Deadline.IsZero()
		})
}

// others reports whether a node has more than so many conditions, and they may matter although they are not asked for:
// to a turn, or to Options.Decide.
func (c *crowd) others(n *candidate.Node, asked int) bool {
	return len(n.Conditions) > asked && (c.zoned(n) || !c.account.constant)
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
	of.asked, of.waiting, of.rest = of.fewest(), len(of.members), c.standIn(&c.in.Nodes[of.members[0]])
	of.account = c.account.gather(of.members)
}

// joined gives a seat to a new node, in the section of another one, whose pods it gets.
func (c *crowd) joined(id, from int) {
	if c != nil {
		c.seats = append(c.seats, seat{section: c.seats[from].section, at: -1})
		c.changed(id)
	}
}

// changed gives a new seat to a node that has changed.
func (c *crowd) changed(id int) {
	if c == nil {
		return
	}
	s := &c.seats[id]
	s.section.forget()
	if s.class != nil {
		s.class.waiting--
		s.class = nil
	}
	if s.stand != nil {
		s.stand.many--
		s.stand = nil
	}
	if s.at >= 0 {
		single := s.section.single
		last := len(single) - 1
		moved := single[last]
		single[s.at] = moved
		c.seats[moved].at = s.at
		s.section.single, s.at = single[:last], -1
	}
	if c.at[id] >= 0 {
		c.sit(id)
	}
}

// sit gives a node a seat that is in no class.
func (c *crowd) sit(id int) {
	n, s := &c.in.Nodes[c.at[id]], &c.seats[id]
	if !c.onlyCounts(n) {
		s.at = len(s.section.single)
		s.section.single = append(s.section.single, id)
		return
	}
	if joins := n.Phase.Joining() && n.Leaving != candidate.Terminating; !n.Counted() && !joins && !c.zoned(n) {
		return // nothing counts it
	}
	s.stand = c.standIn(n)
	s.stand.many++
}

// standIn returns what stands for the nodes that count as one does.
func (c *crowd) standIn(n *candidate.Node) *standIn {
	k := kin{n.Pool, n.Phase, n.Leaving, n.DisruptedFor, c.domains(n)}
	if c.counted[k] == nil {
		alike := *n
		alike.Name = c.unused(fmt.Sprintf("%s (and %d more kinds)", n.Name, len(c.counted)))
		alike.Conditions, alike.Pods, alike.Blockers = nil, nil, nil
		c.counted[k] = &standIn{node: alike}
		of := c.sectionOf[n.Pool]
		of.counted = append(of.counted, c.counted[k])
	}
	return c.counted[k]
}

// onlyCounts reports whether decisions on other nodes depend on a node by its number alone, and none is made on it.
func (c *crowd) onlyCounts(n *candidate.Node) bool {
	if c.plain[n.Pool] == nil || len(c.named[n.Name]) > 1 || n.Rebooting || !n.Phase.Known() || c.odd(n) {
		return false
	}
	if !goes(n) {
		return len(c.askedFor(n)) == 0 && !c.others(n, 0)
	}
	return len(n.Pods) == 0 || c.in.Dialect == dialect.Karpenter
}

// nodes returns the nodes of sections to decide on.
func (c *crowd) nodes(sections []*section) []candidate.Node {
	all, ids := c.buffer[:0], c.ids[:0]
	for _, s := range sections {
		for _, id := range s.single {
			all, ids = append(all, c.in.Nodes[c.at[id]]), append(ids, id)
		}
		for _, of := range s.classes {
			for i, asked := c.next(of), 0; asked < min(of.asked, of.waiting); i++ {
				if id := of.members[i]; c.seats[id].class == of {
					all, ids = append(all, c.in.Nodes[c.at[id]]), append(ids, id)
					of.last = id
					asked++
				}
			}
			of.rest.behind += max(0, of.waiting-of.asked)
		}
		for _, stand := range s.counted {
			if stand.many+stand.behind > 0 {
				stand.node.StandsFor, stand.behind = stand.many+stand.behind, 0
				all, ids = append(all, stand.node), append(ids, -1)
			}
		}
	}
	c.buffer, c.ids = all, ids
	return all
}

// next returns the position of the first waiting member of a class, and forgets those before it.
func (c *crowd) next(of *class) int {
	for of.waiting > 0 && c.seats[of.members[of.first]].class != of {
		of.first++
	}
	return of.first
}

// decide makes a decision that holds for all nodes. It returns how many nodes it was on.
func (c *crowd) decide(in disruptkit.Input, reason candidate.Reason) (d disruptkit.Decision, nodes int) {
	if !c.whole {
		d, nodes = c.join(in, reason)
		c.whole = c.several(d.Allowed)
	}
	if c.whole { // sections do not know who is first in line
		c.forget()
		var more int
		d, more = c.ask(in, reason, c.sections)
		nodes += more
		c.whole = c.several(d.Allowed)
	}
	for _, of := range c.classes {
		if reason.Covers(of.reason) {
			of.told = of.last
		}
		if len(d.Allowed) < of.asked/2 {
			of.asked = max(of.fewest(), of.asked/2) // the next decision will be much like this one
		}
	}
	return d, nodes
}

// ask makes a decision on few nodes of sections that holds for all.
func (c *crowd) ask(
	in disruptkit.Input, reason candidate.Reason, sections []*section,
) (d disruptkit.Decision, nodes int) {
	for {
		in.Nodes = c.nodes(sections)
		nodes += len(in.Nodes)
		c.obstruct(in.Nodes, c.ids, reason, in.Now)
		d = c.judge(in, reason)
		if c.settled(&d, reason, sections) { // before some that use up budgets are taken out
			c.narrow(&d)
			return d, nodes
		}
	}
}

// settled reports whether a decision also holds for the nodes of each class behind the last that it was on: that one is
// blocked, or a pass starts no more than one of them: the first is ahead of all that are not asked. If not, the next
// decision is on more nodes.
func (c *crowd) settled(d *disruptkit.Decision, reason candidate.Reason, sections []*section) bool {
	clear(c.sought)
	for _, s := range sections {
		for _, of := range s.classes {
			if of.waiting > of.asked && reason.Covers(of.reason) && !of.one {
				c.sought[c.in.Nodes[c.at[of.last]].Name] = of
			}
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

// fewest returns how many of the first nodes of a class are asked at least: two where it matters whether a pass leaves
// out some (simulation.ahead).
func (of *class) fewest() int {
	if of.one {
		return max(leastAsked, 2)
	}
	return leastAsked
}

// tell passes the answer for the last node of each class that was asked to the class.
func (c *crowd) tell(now time.Time) {
	for _, of := range c.classes {
		if of.told >= 0 && of.waiting > 0 {
			c.account.repeat(of.account, c.account.slotOf[of.told], now)
		}
		of.told = -1
	}
}
