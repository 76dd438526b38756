package disruptkit

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// A unit is the nodes that are disrupted together (candidate.Node.Unit), with one reason. Its requests are judged
// together: each as if the others were in flight already.
type unit struct {
	members  []*request
	blockers []candidate.Blocker // of the unit as a whole

	// The last judgement of its members.
	judged  int                   // row.changes then, plus one; 0: never
	allowed bool                  // nothing blocks any of them
	said    [][]candidate.Blocker // by member
	named   [][]candidate.Blocker // the same for the others
}

// The codes of units. They are stable.
const (
	codeUnitTooLarge candidate.Code = "unit-too-large"     // a limit is smaller than the unit
	codeUnitSpans    candidate.Code = "unit-spans-domains" // the unit has nodes in several zones that take turns
	codeUnitPools    candidate.Code = "unit-spans-pools"   // of a Warning: the unit has nodes in several pools
	codeUnitBroken   candidate.Code = "unit-broken"        // of a Warning: some of its nodes are in flight already
)

// readUnits gives all nodes of a unit the reasons of each of them. It copies the nodes if there are units.
func (f *fleet) readUnits() {
	units := map[string][]int{}
	for i := range f.Nodes {
		if n := &f.Nodes[i]; n.Unit != "" {
			units[n.Unit] = append(units[n.Unit], i)
		}
	}
	maps.DeleteFunc(units, func(_ string, members []int) bool { return len(members) < 2 })
	if len(units) == 0 {
		return
	}
	f.Nodes = slices.Clone(f.Nodes)
	f.firsts, f.united = map[*candidate.Condition]string{}, map[int32]bool{}
	for _, name := range slices.Sorted(maps.Keys(units)) {
		f.unite(name, units[name])
	}
}

// A cause is a condition for which a unit is disrupted, and the node that has it.
type cause struct {
	candidate.Condition
	node string
}

// compare orders causes with one reason as the line orders their candidates.
func (c *cause) compare(other *cause) int {
	at := func(c *cause) time.Time {
		if c.Urgency.IsZero() || !candidate.Unhealthy.Covers(c.Reason) {
			return c.Since
		}
		return c.Urgency
	}
	return cmp.Or(compareDeadlines(&c.Condition, &other.Condition), at(c).Compare(at(other)),
		compareConditions(&c.Condition, &other.Condition), strings.Compare(c.node, other.node))
}

// unite gives the nodes of a unit that are not in flight the conditions, the cost and the rank of the whole. Of several
// conditions with one reason, that of the candidate that is first in line counts.
func (f *fleet) unite(name string, members []int) {
	slices.SortFunc(members, func(a, b int) int {
		return cmp.Or(strings.Compare(f.Nodes[a].Name, f.Nodes[b].Name), cmp.Compare(a, b))
	})
	// What replaces a node in flight is not of its unit, and neither is it once it is in flight itself.
	replaces := func(at int) bool { return f.Nodes[at].Replaces != "" || f.Nodes[at].Phase.Joining() }
	if slices.ContainsFunc(members, func(at int) bool { return f.Nodes[at].InFlight() && !replaces(at) }) {
		members = slices.DeleteFunc(members, replaces)
	}
	causes := f.causes(name, members)
	var cost float64
	rank := math.MaxInt
	pools := map[string]bool{}
	staying := slices.DeleteFunc(members, func(at int) bool { return f.Nodes[at].InFlight() })
	for _, at := range staying {
		n := &f.Nodes[at]
		cost, rank, pools[n.Pool], f.united[int32(at)] = cost+n.Cost, min(rank, n.Rank), true, true
	}
	for _, at := range staying {
		n := &f.Nodes[at]
		own := n.Conditions
		for _, c := range own {
			if !c.Deadline.IsZero() && !c.HasDeadline() && f.Reason.Covers(c.Reason) {
				f.warnDeadline(n.Name, c)
			}
		}
		n.Conditions, n.Cost, n.Rank = make([]candidate.Condition, 0, len(causes)), cost, rank
		for _, reason := range slices.Sorted(maps.Keys(causes)) {
			first := causes[reason]
			n.Conditions = append(n.Conditions, first.Condition)
			c := &n.Conditions[len(n.Conditions)-1]
			f.firsts[c], c.Because = first.node, ""
			has := func(c candidate.Condition) bool { return c.Reason == reason }
			if !slices.ContainsFunc(own, has) {
				c.Because = first.node
			}
		}
	}
	if len(pools) > 1 {
		f.unitFaults = append(f.unitFaults, warningf(codeUnitPools, "Unit/"+name, "Node.Unit", name,
			"unit %q has nodes of several pools (%s), and each has to allow its own: put a unit into one pool", name,
			strings.Join(slices.Sorted(maps.Keys(pools)), ", ")))
	}
}

// causes returns why a unit is disrupted, by reason. If a node of it is in flight, the others follow it.
func (f *fleet) causes(name string, members []int) map[candidate.Reason]cause {
	causes := map[candidate.Reason]cause{}
	note := func(c candidate.Condition, node string) {
		next := cause{c, node}
		if first, there := causes[c.Reason]; !there || next.compare(&first) < 0 {
			causes[c.Reason] = next
		}
	}
	follow := slices.ContainsFunc(members, func(at int) bool { return !f.Nodes[at].InFlight() })
	for _, at := range members {
		n := &f.Nodes[at]
		switch {
		case !n.InFlight():
			for _, c := range n.Conditions {
				note(c, n.Name)
			}
		case n.Leaving == candidate.Staying || !follow: // it reboots and comes back, or none is left to follow
		case n.DisruptedFor == "":
			f.unitFaults = append(f.unitFaults, warningf(codeUnitBroken, "Unit/"+name, "Node.DisruptedFor", "",
				"node %q of unit %q is in flight for an unknown reason, so nothing follows for the others: "+
					"set Node.DisruptedFor", n.Name, name))
		default:
			has := func(c candidate.Condition) bool { return c.Reason == n.DisruptedFor }
			if !slices.ContainsFunc(n.Conditions, has) {
				note(candidate.Condition{Reason: n.DisruptedFor}, n.Name)
			}
			for _, c := range n.Conditions {
				if has(c) {
					note(c, n.Name)
				}
			}
		}
	}
	return causes
}

// compareConditions orders two conditions with one reason: the one with the earlier deadline, then the one that has
// held for longer.
func compareConditions(a, b *candidate.Condition) int {
	return cmp.Or(compareDeadlines(a, b), a.Since.Compare(b.Since), compareRest(a, b))
}

func (row *row) formUnits() {
	type key struct {
		name   string
		reason candidate.Reason
	}
	if row.united == nil {
		return
	}
	units := map[key]*unit{}
	for i := range row.Requests {
		r := &row.Requests[i]
		if !row.united[r.Position] {
			continue
		}
		k := key{r.Node.Unit, r.Condition.Reason}
		if units[k] == nil {
			units[k] = &unit{}
		}
		units[k].members = append(units[k].members, r)
	}
	for _, u := range units {
		slices.SortFunc(u.members, func(a, b *request) int {
			return cmp.Or(strings.Compare(a.Name, b.Name), cmp.Compare(a.Position, b.Position))
		})
		u.blockers = row.spans(u)
		for _, r := range u.members {
			r.unit = u
		}
	}
}

// spans returns a blocker for each budget whose domains take turns, and that finds the unit in several of them.
func (row *row) spans(u *unit) (blockers []candidate.Blocker) {
	asked := map[*zoning]bool{}
	for _, r := range u.members {
		if r.Kind == nil {
			continue
		}
		for _, z := range row.Zones.within[r.Pool.Index] {
			if !asked[z] && z.turns && z.limitsReason(r.Reason()) && u.apart(z) {
				blockers = append(blockers, row.spanning(z, r))
			}
			asked[z] = true
		}
	}
	return blockers
}

func (row *row) spanning(z *zoning, r *request) candidate.Blocker {
	s, in := z.written, z.in
	_, end := s.Window.Until(row.Now)
	b := candidate.Blocker{
		Gate: candidate.GateTopology, Code: codeUnitSpans, Until: end, ForGood: end.IsZero(),
		Message: fmt.Sprintf("its unit %s has nodes in several domains of %s, which %s disrupts one after another: "+
			"put a unit into one domain", wording.Quote(r.Node.Unit), s.Key, in.Budgets.Place(s.Index)),
		Source: &candidate.Source{Budgets: []int{s.Index}, Key: s.Key},
	}
	others := z.lent || z.replaced(row.Now, end) // may order the pool then
	if others || in.overdue || reached(in.deadline, end) {
		b.Until = time.Time{}
	}
	b.ForGood = b.ForGood && !others
	return in.Said(b)
}

// apart reports whether nodes of a unit, in one pool or group, are in several domains of a budget.
func (u *unit) apart(z *zoning) bool {
	var first *request
	for _, r := range u.members {
		switch {
		case r.Pool == nil || r.Pool.ByLayer[z.in.Layer] != z.in.scope:
		case first == nil:
			first = r
		case r.Node.Labels[z.written.Key] != first.Node.Labels[z.written.Key]:
			return true
		}
	}
	return false
}

// size returns how many nodes of the unit a limit counts that concerns those for which a function reports true.
func (u *unit) size(concerns func(*request) bool) (n int) {
	for _, r := range u.members {
		if r.UsesUp() && concerns(r) {
			n++
		}
	}
	return n
}

// rest returns how much of a limit the request of a unit finds used up. Its other nodes use up their own part of that.
// If nothing else uses it up, and the budgets allow large units alone (budget.Spec.Oversized), it finds nothing used
// up.
func rest(budgets budget.Set, used, own int) int {
	if used == own && budgets.Oversized() {
		return 0
	}
	return used
}

// judge judges all members of a unit, unless nothing has changed since the last time. Otherwise each member would be
// judged as often as the unit has members.
func (row *row) judge(u *unit) {
	if u.judged == row.changes+1 {
		return
	}
	u.judged, u.allowed = row.changes+1, len(u.blockers) == 0
	u.said, u.named = nil, nil
	row.together(u, func(r *request) {
		said := slices.Clone(row.blockers(r))
		u.said, u.named = append(u.said, said), append(u.named, u.naming(r, said))
		u.allowed = u.allowed && len(said) == 0
	})
}

func (row *row) allowsUnit(u *unit) bool {
	row.judge(u)
	return u.allowed
}

// unitBlockers returns what blocks a unit. Blockers of other members name their node, unless the request has the same.
func (row *row) unitBlockers(of *request) []candidate.Blocker {
	u := of.unit
	row.judge(u)
	at := slices.Index(u.members, of)
	own := u.said[at]
	all := slices.Concat(own, u.blockers)
	for i, named := range u.named {
		for _, b := range named {
			same := func(o candidate.Blocker) bool { return repeatsOf(b, o) }
			if i != at && !slices.ContainsFunc(own, same) {
				all = append(all, b)
			}
		}
	}
	return all
}

// repeatsOf reports whether a blocker of another member says the same of its node as one of the node itself.
func repeatsOf(other, own candidate.Blocker) bool {
	message := other.Message
	other.Message, other.Source = own.Message, own.Source
	return own.Gate != candidate.GateNode && other.Compare(own) == 0 && strings.HasSuffix(message, ": "+own.Message)
}

// naming returns blockers of a member for the others.
func (u *unit) naming(r *request, said []candidate.Blocker) []candidate.Blocker {
	said = slices.Clone(said)
	for i := range said {
		b := &said[i]
		b.Message = "node " + wording.Quote(r.Name) + " of its unit: " + b.Message
		source := candidate.Source{Node: r.Name}
		if b.Source != nil {
			source = *b.Source
			source.Node = r.Name
		}
		b.Source = &source
	}
	return said
}

// together calls a function with each member of a unit, while all other members are counted. Nothing remains counted.
func (row *row) together(u *unit, judge func(*request)) {
	// A node without a known pool blocks the unit, whatever is counted. One that is disrupted already is counted.
	members := slices.DeleteFunc(slices.Clone(u.members), func(r *request) bool {
		return r.Kind == nil || row.node.disrupted(r)
	})
	count := func(r *request, n int) {
		for i := range row.gates {
			row.gates[i].Count(r, n, true)
		}
	}
	for _, r := range members {
		count(r, 1)
	}
	for _, r := range u.members {
		counted := slices.Contains(members, r)
		if counted {
			count(r, -1)
		}
		if judge(r); counted {
			count(r, 1)
		}
	}
	for _, r := range members {
		count(r, -1)
	}
}
