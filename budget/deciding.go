package budget

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// A rank is how specific a budget is for a reason.
type rank int

const (
	foreign  rank = iota // it does not cover the reason
	general              // it is for all reasons
	byMethod             // it names the reason's method
	exact                // it names the reason itself
)

// rank returns how specific a budget is for a reason.
func (b *Limit) rank(reason candidate.Reason) rank {
	switch {
	case b.exempt != "" && reason != "" && b.exempt.Covers(reason):
		return foreign
	case len(b.Reasons) == 0 || reason == "":
		return general
	}
	best := foreign
	for _, r := range b.Reasons {
		switch {
		case r == reason:
			return exact
		case r.Covers(reason):
			best = byMethod
		}
	}
	return best
}

// ranked are budgets by how specific they are for a reason. If the most restrictive decide, all have the same rank.
type ranked [exact + 1]Indexes

// all returns the budgets of all ranks.
func (r *ranked) all() Indexes { return r[general] | r[byMethod] | r[exact] }

// deciding returns the most specific of the active budgets.
func (r *ranked) deciding(active Indexes) Indexes {
	for rank := exact; rank > foreign; rank-- {
		if decide := r[rank] & active; decide != 0 {
			return decide
		}
	}
	return 0
}

// A concern is the budgets that affect a reason. Reasons with the same concern are allowed the same number of
// nodes at all times.
type concern struct {
	pool   ranked  // for the whole pool
	paces  ranked  // with a pace
	scoped Indexes // for domains
	broken Indexes // invalid ones
	refuse bool    // nothing is allowed, because one of broken or the whole list is invalid
	typo   bool    // nothing is allowed, because budgets cannot name the reason
}

// concern returns the concern of a reason.
func (s *set) concern(reason candidate.Reason) concern {
	if c, known := s.concerns[reason]; known {
		return c
	}
	c := concern{typo: !s.knows(reason)}
	for i := range s.limits {
		b := &s.limits[i]
		rank := b.rank(reason)
		if rank != foreign && !s.specific {
			rank = general
		}
		switch {
		case rank == foreign:
		case b.Broken():
			c.broken.Add(b.Index)
			c.refuse = true
		case b.Key != "":
			if !b.Sequential || candidate.Drifted.Covers(reason) { // sequential budgets limit drift alone
				c.scoped.Add(b.Index)
			}
		case b.Per > 0:
			c.paces[rank].Add(b.Index)
		default:
			c.pool[rank].Add(b.Index)
		}
	}
	return c
}

// Alike groups reasons that the same budgets affect. At any time and for any number of nodes, the same budgets allow
// the same number for all reasons of a group. So costly work, such as a Forecast, need only be done once for each
// group. Groups are in the order of their first reasons.
func (s Set) Alike(reasons []candidate.Reason) (groups [][]candidate.Reason) {
	position := map[concern]int{}
	for _, r := range reasons {
		c := s.get().concern(r)
		i, found := position[c]
		if !found {
			i = len(groups)
			position[c], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], r)
	}
	return groups
}

// Deciding returns which of the budgets that are active at a time decide how many nodes may be disrupted for a reason:
// those that cover it, or the most specific of these. Invalid budgets are not included: they allow nothing, whichever
// budgets decide. For the reason "", which means any reason, all active budgets decide.
func (s Set) Deciding(now time.Time, reason candidate.Reason) Indexes {
	c := s.get().concern(reason)
	return c.pool.deciding(s.get().active(now, c.pool.all()))
}

func (s *set) allowance(c *concern, active Indexes, nodes int) Allowance {
	if c.typo {
		return Allowance{}
	}
	allowance, decide := Allowance{Nodes: Unlimited}, c.pool.deciding(active)|c.broken
	for i := range s.limits { // each would allocate
		if b := &s.limits[i]; decide.Has(b.Index) || b.Index < 0 {
			allowance.least(b.Of(nodes), b.Index)
		}
	}
	return allowance
}

// Knows reports whether budgets can name a reason, in the spelling of the API, and do not misspell it. "" means any
// reason, and counts as known.
func (s Set) Knows(reason candidate.Reason) bool { return !s.get().concern(reason).typo }

func (s *set) knows(reason candidate.Reason) bool {
	if reason == "" || slices.Contains(candidate.Methods(), reason) {
		return true
	}
	parsed, err := candidate.ParseReason(string(reason), s.methods...)
	return err == nil && parsed == reason && s.misspelling(reason) == ""
}

// misspelling returns the child in a budget that a reason is probably a misspelling of, or "". If a budget names the
// reason itself, both exist.
func (s *set) misspelling(reason candidate.Reason) (named candidate.Reason) {
	for _, b := range s.naming {
		for _, child := range b.Reasons {
			if child == reason {
				return ""
			}
			if named == "" && child != child.Method() && wording.Misspelt(child, reason) {
				named = child
			}
		}
	}
	return named
}

// Named returns the distinct reasons that valid budgets name.
func (s Set) Named() (reasons []candidate.Reason) { return s.get().named() }

func (s *set) named() (reasons []candidate.Reason) {
	for _, b := range s.naming {
		for _, r := range b.Reasons {
			if !b.Broken() && !slices.Contains(reasons, r) {
				reasons = append(reasons, r)
			}
		}
	}
	return reasons
}
