package plan

import (
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// A section is pools of a crowd that no decision on others depends on (Model.together). What is decided for it, for all
// reasons, holds until one of its nodes or its memory changes, or time changes one of the decisions. The sections are
// planned together where pools take turns in the passes of Karpenter.
type section struct {
	pools   []disruptkit.Pool
	single  []int // the ids of nodes that stand for themselves
	classes []*class
	counted []*standIn                               // in the order in which they came up
	mixed   bool                                     // a node may be a candidate in several decisions
	answers map[candidate.Reason]disruptkit.Decision // that hold at a time
	at      time.Time
}

// forget forgets the answers, because something has changed.
func (s *section) forget() { clear(s.answers) }

// forget forgets the answers of all sections.
func (c *crowd) forget() {
	if c != nil {
		for _, s := range c.sections {
			s.forget()
		}
	}
}

// turn turns to a time, at which either all answers still hold, or none.
func (s *section) turn(now time.Time, reasons []candidate.Reason) {
	if s.at.Equal(now) {
		return
	}
	s.at = now
	for _, reason := range reasons {
		d, known := s.answers[reason]
		if next := d.NextChange; !known || !next.IsZero() && !next.After(now) {
			s.forget()
		}
	}
}

// divide makes the sections, and returns that of each node, by id.
func (c *crowd) divide() (of []*section) {
	together, pools, groups := c.model.together(c.in)
	if c.obstructs() || len(c.model.Outages)+len(c.in.Groups)+len(c.in.Gates) > 0 {
		for group := range together.parents { // what these change is not known to a section
			together.join(0, group)
		}
	}
	by := map[int]*section{} // by group
	at := func(group int) *section {
		root := together.root(group)
		if by[root] == nil {
			by[root] = &section{answers: map[candidate.Reason]disruptkit.Decision{}}
			c.sections = append(c.sections, by[root])
		}
		return by[root]
	}
	for i := range c.in.Pools {
		s := at(pools[c.in.Pools[i].Name])
		s.pools = append(s.pools, c.in.Pools[i])
	}
	for id, group := range groups {
		s := at(group)
		s.mixed = s.mixed || c.mixed(&c.in.Nodes[id])
		of = append(of, s)
	}
	for name, group := range pools {
		c.sectionOf[name] = at(group)
	}
	return of
}

// mixed reports whether a node may be a candidate in several decisions, or others of its name or its unit in another
// one.
func (c *crowd) mixed(n *candidate.Node) bool {
	unknown := func(k candidate.Condition) bool {
		known, _ := candidate.ParseReason(string(k.Reason))
		return known != k.Reason
	}
	return len(n.Conditions) > 1 || slices.ContainsFunc(n.Conditions, unknown) || n.Unit != "" ||
		len(c.named[n.Name]) > 1
}

// join makes a decision for each section, unless the last one still holds, and joins them. If that one alone is about
// its nodes, what it blocks is left out, since it is known. The others of each section are in line.
func (c *crowd) join(in disruptkit.Input, reason candidate.Reason) (all disruptkit.Decision, nodes int) {
	if len(c.sections) == 1 {
		return c.ask(in, reason, c.sections)
	}
	all.Now, all.Reason = in.Now, reason
	for _, s := range c.sections {
		s.turn(in.Now, c.model.Reasons)
		d, known := s.answers[reason]
		if !known {
			its, asked := in, 0
			its.Pools = s.pools
			d, asked = c.ask(its, reason, []*section{s})
			nodes += asked
			if alike(in.Memory, d.Memory) {
				s.answers[reason] = d
			} else {
				s.forget()
			}
			in.Memory = d.Memory
		}
		if !known || s.mixed {
			all.Blocked = append(all.Blocked, d.Blocked...)
		}
		all.Allowed = append(all.Allowed, d.Allowed...)
		all.Pools, all.NextChange = append(all.Pools, d.Pools...), schedule.First(all.NextChange, d.NextChange)
	}
	all.Memory = in.Memory
	slices.SortStableFunc(all.Pools, func(a, b disruptkit.PoolDecision) int { return strings.Compare(a.Pool, b.Pool) })
	return all, nodes
}

// several reports whether candidates are of several sections.
func (c *crowd) several(candidates []candidate.Candidate) bool {
	return slices.ContainsFunc(candidates, func(o candidate.Candidate) bool {
		return c.sectionOf[o.Pool] != c.sectionOf[candidates[0].Pool]
	})
}
