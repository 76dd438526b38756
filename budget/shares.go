package budget

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// Shares returns the valid guaranteed budgets (Budget.Guaranteed), in the order of the list. No reason has two.
func (s Set) Shares() []*Limit { return s.get().shares }

// Reserved returns how many nodes of the allowance for a reason are reserved for other reasons, and by which budgets. A
// guaranteed budget that is active reserves its Nodes, without those that its reasons have in flight, but no more than
// the demand for them (Usage.Demand): the rest is lent. Nothing is reserved for others from a reason that has fewer
// nodes in flight than its own share. Shares that exceed the allowance count in the order of the list.
//
// AllowedByReason and Forecast do not know the demand: they return the allowance with nothing reserved.
func (s Set) Reserved(now time.Time, nodes int, reason candidate.Reason, u Usage) (n int, by Indexes) {
	set := s.get()
	if len(set.shares) == 0 || reason == "" {
		return 0, 0
	}
	left := set.allowed(now, nodes, reason).Nodes
	for _, b := range set.shares {
		if !schedule.InWindow(b.Window, now) {
			continue
		}
		share, use := min(b.Of(nodes), left), u.of(b)
		left -= share
		switch waits := min(share-use, u.Demand[b.Index]); {
		case b.Covers(reason) && use < share:
			return 0, 0
		case !b.Covers(reason) && waits > 0:
			n += waits
			by.Add(b.Index)
		}
	}
	return n, by
}

// of returns how many nodes are in flight for the reasons of a share. For an unknown reason, they are in no share.
func (u Usage) of(b *Limit) (n int) {
	for reason, count := range u.InFlight {
		if reason != "" && b.Covers(reason) {
			n += count
		}
	}
	return n
}

// guaranteed reports whether the budget is a share, given its reasons.
func (c *checker) guaranteed(reasons []candidate.Reason) bool {
	b := c.Budget
	switch {
	case !b.Guaranteed:
		return false
	case len(b.Reasons) == 0:
		c.fault("reasons", "", "guaranteed nodes need reasons: write for which they are, such as Drifted")
	case b.TopologyKey+b.Per+b.Soak != "":
		c.fault("guaranteed", "true", "guaranteed nodes are a share of what may be disrupted at once in the whole "+
			"pool: write topologyKey, per and soak into a budget without guaranteed")
	case c.specific:
		c.fault("guaranteed", "true", "guaranteed nodes are a share of the most restrictive budget, and here the "+
			"most specific decide, so each method already has nodes of its own: leave guaranteed out")
	case b.neverLets():
		c.fault("nodes", b.Nodes, "nodes %q guarantees nothing: write how many, or delete the budget", b.Nodes)
	}
	for _, r := range reasons {
		for _, other := range c.shares {
			if other.Covers(r) || other.Names(r) {
				c.fault("reasons", string(r), "reason %s already has guaranteed nodes in %s: write one such "+
					"budget for each reason", wording.Quote(string(r)), other.set.places[other.Index])
			}
		}
	}
	return true
}
