package budget

import "github.com/disruptkit/disruptkit/candidate"

// A concern says which budgets have to do with a reason. Reasons with the same concern are always allowed the same number
// of nodes, by the same budgets: what takes a walk through a year is done once for all of them.
type concern struct {
	ranks  [exact + 1]Indexes // the budgets for the whole pool, by how specific they are for the reason; none is foreign
	scoped Indexes            // the budgets that limit domains
	paces  [exact + 1]Indexes // the budgets that limit how many nodes start within some time, by how specific they are
	broken Indexes            // the budgets that allow nothing
	refuse bool               // something broken allows nothing: one of those, or the list as a whole
	typo   bool               // no budget can know the reason, and nothing is allowed
}

// concern returns that of a reason.
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

// Alike groups reasons with which the same budgets have to do, in the order of the first of each group. For all reasons of a
// group the same is allowed, by the same budgets, whatever the time and the number of nodes: what is costly, such as a
// Forecast, can be done once for all of them.
func (s Set) Alike(reasons []candidate.Reason) [][]candidate.Reason {
	var groups [][]candidate.Reason
	for _, a := range s.get().alike(reasons) {
		groups = append(groups, a.reasons)
	}
	return groups
}

// alike are reasons with the same concern, in the order in which they were given.
type alike struct {
	concern
	reasons []candidate.Reason
}

// alike groups reasons by their concern, in the order of the first of each group.
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

// limits reports whether a budget limits a reason while it is active. Sequential ones do so for drift.
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

// deciding returns which of the active budgets for the whole pool decide.
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

// allowance returns what is allowed while some budgets are active, as AllowedByReason does.
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

// least returns the minimum of what some budgets for the whole pool allow.
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
