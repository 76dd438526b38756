package budget

import "github.com/disruptkit/disruptkit/candidate"

// Pacing returns the paces and the budgets that soak or spread a roll, and, if the most specific budgets decide, the
// budgets that compete with the latter.
func (s Set) Pacing() []*Limit {
	set := s.get()
	which := set.paces | set.soaks | set.spreads
	if set.specific && set.soaks|set.spreads != 0 {
		which |= set.pool
	}
	return set.list(which)
}

// PacingFor returns which of Pacing decide for a reason while some budgets are active, and which count the starts and
// the nodes in flight for that reason. Paces compete with paces, and budgets that soak or spread with all others.
//
// A pace counts what starts for a reason that it names, or an unknown one. If the most restrictive budgets decide, it
// counts what it covers; if the most specific do, what it decides for. A budget that soaks counts as for InUse.
func (s Set) PacingFor(reason candidate.Reason, active Indexes) (decide, count Indexes) {
	set := s.get()
	c := set.concern(reason)
	limits := set.soaks
	if rolls(reason) {
		limits |= set.spreads
	}
	decide = c.paces.deciding(active) | c.pool.deciding(active)&limits
	if set.specific {
		count = decide
	}
	for _, b := range s.Pacing() {
		all := b.Per == 0 && (!set.specific || reason == "") || c.typo
		if all || b.Names(reason) || !set.specific && b.Covers(reason) {
			count.Add(b.Index)
		}
	}
	return decide, count
}
