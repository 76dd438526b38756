package budget

import "github.com/disruptkit/disruptkit/candidate"

// A Concern says which budgets affect a reason. The same budgets allow reasons with the same concern the same number of
// nodes at all times. So walks through a whole year are done once for all of them.
type Concern struct {
	ranks  [exact + 1]Indexes // budgets for the whole pool, by their rank for the reason
	scoped Indexes            // budgets that limit domains
	paces  [exact + 1]Indexes // budgets with a pace, by rank
	broken Indexes            // broken budgets, which allow nothing
	refuse bool               // nothing is allowed, because one of broken or the whole list is broken
	typo   bool               // nothing is allowed, because no budget can know the reason
}

// concern returns the concern of a reason.
func (s *Limits) concern(reason candidate.Reason) (c Concern) {
	c.typo = !s.Knows(reason)
	for i := range s.Pool {
		if rank := s.rank(&s.Pool[i], reason); rank != foreign {
			c.ranks[rank].Add(s.Pool[i].Index)
		}
	}
	for i := range s.Scoped {
		if b := &s.Scoped[i]; b.Limits(reason) {
			c.scoped.Add(b.Index)
		}
	}
	for i := range s.Paces {
		if rank := s.rank(&s.Paces[i], reason); rank != foreign {
			c.paces[rank].Add(s.Paces[i].Index)
		}
	}
	for i := range s.Broken {
		if s.Broken[i].Covers(reason) {
			c.broken.Add(s.Broken[i].Index)
			c.refuse = true
		}
	}
	return c
}

// An Alike is a group of reasons with the same concern, in the given order. At any time and for any number of nodes,
// the same budgets allow the same number for all of them.
type Alike struct {
	Concern
	Reasons []candidate.Reason
}

// Alike groups reasons by their concern. Groups are in the order of their first reasons.
func (s *Limits) Alike(reasons []candidate.Reason) (groups []Alike) {
	position := map[Concern]int{}
	for _, r := range reasons {
		c := s.concern(r)
		i, found := position[c]
		if !found {
			i = len(groups)
			position[c], groups = i, append(groups, Alike{Concern: c})
		}
		groups[i].Reasons = append(groups[i].Reasons, r)
	}
	return groups
}

// Limits reports whether a budget limits a reason while it is active. Sequential budgets limit only drift.
func (b *Limit) Limits(reason candidate.Reason) bool {
	return b.Covers(reason) && (!b.Sequential || candidate.Drifted.Covers(reason))
}

// Covering returns the budgets for the whole pool that cover the reason.
func (c *Concern) Covering() Indexes { return covering(c.ranks) }

// pacing returns the paces that cover the reason.
func (c *Concern) pacing() Indexes { return covering(c.paces) }

// covering returns the budgets of all ranks.
func covering(ranks [exact + 1]Indexes) (which Indexes) {
	for _, budgets := range ranks {
		which |= budgets
	}
	return which
}

// Deciding returns the active budgets for the whole pool that decide.
func (c *Concern) Deciding(active Indexes) Indexes { return mostSpecific(c.ranks, active) }

// mostSpecific returns the most specific of the active budgets.
func mostSpecific(ranks [exact + 1]Indexes, active Indexes) Indexes {
	for rank := exact; rank > foreign; rank-- {
		if decide := ranks[rank] & active; decide != 0 {
			return decide
		}
	}
	return 0
}

// Allowance is Allowed, given the active budgets.
func (s *Limits) Allowance(c *Concern, active Indexes, nodes int) Allowance {
	allowance := s.least(c.Deciding(active), nodes)
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
func (s *Limits) least(budgets Indexes, nodes int) Allowance {
	allowance := Allowance{Nodes: Unlimited}
	for i := range s.Pool {
		if b := &s.Pool[i]; budgets.Has(b.Index) {
			allowance.limit(b, nodes)
		}
	}
	return allowance
}

// At returns the budgets for the whole pool at some positions, paces included.
func (s *Limits) At(which Indexes) (budgets []*Limit) {
	for _, list := range [][]Limit{s.Pool, s.Paces} {
		for i := range list {
			if b := &list[i]; which.Has(b.Index) {
				budgets = append(budgets, b)
			}
		}
	}
	return budgets
}
