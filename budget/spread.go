package budget

import (
	"iter"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

const (
	mostSpread  = 90 * 24 * time.Hour
	mostOpening = 20_000 // changes of budgets since a roll began, after which all time counts as open
)

// sudden are the methods that come and go, and do not roll through a pool. No spread delays them.
var sudden = []candidate.Reason{
	candidate.Unhealthy, candidate.Requested, candidate.Empty, candidate.Underutilized,
}

// rolls reports whether a spread applies to a reason. It does to an unknown one.
func rolls(reason candidate.Reason) bool {
	return reason == "" || !slices.ContainsFunc(sudden, func(m candidate.Reason) bool { return m.Covers(reason) })
}

// Spreads reports whether the budget spreads a roll for a reason.
func (b *Limit) Spreads(reason candidate.Reason) bool {
	return b.Spread > 0 && b.Covers(reason) && rolls(reason)
}

// Openings yields the spans of open time for a reason, from a time on: while the budget decides and the budgets allow a
// node. Neighbouring spans may touch. An end of zero means never.
func (s Set) Openings(
	b *Limit, nodes int, reason candidate.Reason, from time.Time,
) iter.Seq2[time.Time, time.Time] {
	set := s.get()
	c := set.concern(reason)
	return func(yield func(opens, closes time.Time) bool) {
		for o := range set.each(c.pool.all() & set.constant) {
			if o.Of(nodes) == 0 && !set.specific {
				return // it is always closed
			}
		}
		var opens, none time.Time // zero: it is closed
		n := 0
		for at, active := range Changes(set.list(c.pool.all()), from) {
			if !opens.IsZero() && !yield(opens, at) {
				return
			}
			if opens = none; c.pool.deciding(active).Has(b.Index) && set.allowance(&c, active, nodes).Nodes > 0 {
				opens = at
			}
			if n++; n > mostOpening {
				opens = at
				break
			}
		}
		if !opens.IsZero() {
			yield(opens, none)
		}
	}
}

// spread returns the open time over which a roll is spread, or 0.
func (c *checker) spread(reasons []candidate.Reason) time.Duration {
	b := c.Budget
	d := c.length(ofSpread, b.Spread)
	switch {
	case d == 0:
		return 0
	case b.TopologyKey+b.Per+b.Soak != "" || b.Guaranteed:
		c.fault("spread", b.Spread, "spread %q is for nodes at once in the whole pool: write topologyKey, per, soak "+
			"and guaranteed into a budget without spread", b.Spread)
	case b.neverLets():
		c.fault("nodes", b.Nodes, "nodes %q allows no node: leave spread out if nothing should be disrupted", b.Nodes)
	}
	for _, r := range reasons {
		if !rolls(r) {
			c.fault("reasons", string(r), "reason %s does not roll through a pool, so it cannot be spread: name "+
				"Drifted or Expired, and write a second budget for the others", wording.Quote(string(r)))
		}
	}
	for i := range c.limits {
		o := &c.limits[i]
		if o.Spread > 0 && (len(o.Reasons) == 0 || len(reasons) == 0 || slices.ContainsFunc(reasons,
			func(r candidate.Reason) bool { return o.Covers(r) || o.Names(r) })) {
			c.fault("spread", b.Spread, "a budget before it already spreads some of the same nodes: write one spread "+
				"for each reason")
		}
	}
	return d
}
