package budget

import "github.com/disruptkit/disruptkit/candidate"

// A concern says which budgets affect a reason. The same budgets allow reasons with the same concern the same number of
// nodes at all times. So walks through a whole year are done once for all of them.
type concern struct {
	ranks  [exact + 1]Indexes // budgets for the whole pool, by their rank for the reason
	scoped Indexes            // budgets that limit domains
	paces  [exact + 1]Indexes // budgets with a pace, by rank
	broken Indexes            // broken budgets, which allow nothing
	refuse bool               // nothing is allowed, because one of broken or the whole list is broken
	typo   bool               // nothing is allowed, because no budget can know the reason
}

// concern returns the concern of a reason.
func (s *set) concern(reason candidate.Reason) (c concern) {
	c.typo = !s.knows(reason)
	for i := range s.pool {
		if rank := s.rank(&s.pool[i], reason); rank != foreign {
			c.ranks[rank].add(s.pool[i].index)
		}
	}
	for i := range s.scoped {
		if s.limits(&s.scoped[i], reason) {
			c.scoped.add(s.scoped[i].index)
		}
	}
	for i := range s.paces {
		if rank := s.rank(&s.paces[i], reason); rank != foreign {
			c.paces[rank].add(s.paces[i].index)
		}
	}
	for i := range s.broken {
		if s.broken[i].covers(reason) {
			c.broken.add(s.broken[i].index)
			c.refuse = true
		}
	}
	return c
}

// Alike groups reasons that the same budgets affect. At any time and for any number of nodes, the same budgets allow
// the same number for all reasons of a group. So costly work, such as a Forecast, need only be done once for each
// group. Groups are in the order of their first reasons.
func (s Set) Alike(reasons []candidate.Reason) [][]candidate.Reason {
	var groups [][]candidate.Reason
	for _, a := range s.get().alike(reasons) {
		groups = append(groups, a.reasons)
	}
	return groups
}

// An alike is a group of reasons with the same concern, in the given order.
type alike struct {
	concern
	reasons []candidate.Reason
}

// alike groups reasons by their concern. Groups are in the order of their first reasons.
func (s *set) alike(reasons []candidate.Reason) (groups []alike) {
	position := map[concern]int{}
	for _, r := range reasons {
		c := s.concern(r)
		i, found := position[c]
		if !found {
			i = len(groups)
			position[c], groups = i, append(groups, alike{concern: c})
		}
		groups[i].reasons = append(groups[i].reasons, r)
	}
	return groups
}

// limits reports whether a budget limits a reason while it is active. Sequential budgets limit only drift.
func (s *set) limits(b *compiled, reason candidate.Reason) bool {
	return b.covers(reason) && (!s.written[b.index].Sequential || candidate.Drifted.Covers(reason))
}

// covering returns the budgets for the whole pool that cover the reason.
func (c *concern) covering() (which Indexes) {
	for _, budgets := range c.ranks {
		which |= budgets
	}
	return which
}

// pacing returns the paces that cover the reason.
func (c *concern) pacing() (which Indexes) {
	for _, budgets := range c.paces {
		which |= budgets
	}
	return which
}

// deciding returns the active budgets for the whole pool that decide.
func (c *concern) deciding(active Indexes) Indexes { return mostSpecific(c.ranks, active) }

// mostSpecific returns the most specific of the active budgets.
func mostSpecific(ranks [exact + 1]Indexes, active Indexes) Indexes {
	for rank := exact; rank > foreign; rank-- {
		if decide := ranks[rank] & active; decide != 0 {
			return decide
		}
	}
	return 0
}

// allowance is AllowedByReason, given the active budgets.
func (s *set) allowance(c *concern, active Indexes, nodes int) Allowance {
	allowance := s.least(c.deciding(active), nodes)
	switch {
	case c.typo:
		return Allowance{}
	case !c.refuse:
		return allowance
	case allowance.Nodes > 0:
		return Allowance{Binding: c.broken}
	}
	allowance.Binding |= c.broken
	return allowance
}

// least returns the minimum that some budgets for the whole pool allow.
func (s *set) least(budgets Indexes, nodes int) Allowance {
	allowance := Allowance{Nodes: Unlimited}
	for i := range s.pool {
		if b := &s.pool[i]; budgets.Has(b.index) {
			allowance.limit(b, nodes)
		}
	}
	return allowance
}

// at returns the budgets for the whole pool at some positions, paces included.
func (s *set) at(which Indexes) (budgets []*compiled) {
	for _, list := range [][]compiled{s.pool, s.paces} {
		for i := range list {
			if b := &list[i]; which.Has(b.index) {
				budgets = append(budgets, b)
			}
		}
	}
	return budgets
}
