package disruptkit

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/until"
	"github.com/disruptkit/disruptkit/topology"
)

// told is what was last said to a candidate of a domain, and what it depends on.
type told struct {
	blockers []candidate.Blocker
	taken    int
	waiting  int
}

// blockers returns what holds back the next candidate of a node, and the earliest time at which time alone may change
// that, if it can. Candidates share the answer. Of one that budgets alone hold back, up to a time, it also says what
// will hold it back then.
func (z *zoning) blockers(n *candidate.Node, at time.Time, onlyBudgets bool) (blockers []candidate.Blocker, earliest time.Time) {
	domain, concerned := z.domain(n)
	if !concerned {
		return nil, time.Time{}
	}
	earliest = until.First(z.pool.zonesEnd, z.turn.NextChange)
	if z.turn.Allows(domain, z.taken[domain]) {
		switch {
		case !onlyBudgets:
			return nil, time.Time{}
		case !z.turn.NextChange.IsZero() && !z.turn.NextChange.After(at):
			return []candidate.Blocker{z.pool.turnUnknown()}, earliest
		case !z.turn.Allows(domain, z.taken[domain]+z.waiting[domain]):
			return []candidate.Blocker{z.exhausted(domain)}, earliest
		}
		return nil, time.Time{}
	}
	said := z.said[domain]
	if said.blockers == nil || said.taken != z.taken[domain] || said.waiting != z.waiting[domain] {
		said = told{z.says(domain), z.taken[domain], z.waiting[domain]}
		z.said[domain] = said
	}
	return said.blockers, earliest
}

// says tells what holds back the next candidate of a domain: until when, if time alone lifts it for certain, and whose
// turn comes first once the active domain gives way.
func (z *zoning) says(domain string) []candidate.Blocker {
	b, _ := z.turn.Blocker(domain, z.taken[domain])
	switch {
	case b.ForGood:
	case b.Until.IsZero():
		b.Until = z.pool.unzoned
	case !z.next.Allows(domain, z.taken[domain]+z.waiting[domain]):
		return []candidate.Blocker{b, z.after(domain)}
	}
	return []candidate.Blocker{b}
}

// after tells what holds back the next candidate of a domain once the active one has given way.
func (z *zoning) after(domain string) candidate.Blocker {
	if !z.next.Chosen {
		return z.pool.turnUnknown()
	}
	b, _ := z.next.Blocker(domain, z.taken[domain]+z.waiting[domain])
	b.Message, b.Until = "after that, "+b.Message, z.pool.unzoned
	return b
}

// turnUnknown holds back a candidate after something else has lifted.
func (p *pool) turnUnknown() candidate.Blocker {
	return candidate.Blocker{
		Gate: candidate.GateTopology, Code: candidate.CodeWaitsForDomain, Until: p.unzoned,
		Message: "whose turn it is after that depends on what happens until then",
	}
}

// exhausted holds back a candidate for longer than the budgets of the whole pool.
func (z *zoning) exhausted(domain string) candidate.Blocker {
	return candidate.Blocker{
		Gate: candidate.GateTopology, Code: candidate.CodeExhausted, Until: z.pool.unzoned,
		Message: "nodes in flight and older candidates use up what may go in " + topology.Domain{Name: domain}.Title() + " after that",
	}
}

func (z *zoning) domain(n *candidate.Node) (name string, concerned bool) {
	return z.pool.Topology.Domain(n, z.scope.Key)
}

// take counts a node that may go, for whatever reason, against the limits of its domains.
func (p *pool) take(n *candidate.Node, q *quota) {
	for _, z := range p.zonings {
		if domain, concerned := z.domain(n); concerned {
			z.taken[domain]++
			z.started = z.started || slices.Contains(q.zonings, z)
		}
	}
}

// wait counts a node that time alone will let go.
func (p *pool) wait(n *candidate.Node) {
	for _, z := range p.zonings {
		domain, concerned := z.domain(n)
		before := z.taken[domain] + z.waiting[domain]
		if concerned && (z.turn.Allows(domain, before) || z.next.Allows(domain, before)) {
			z.waiting[domain]++ // one for whom there is no room goes later
		}
	}
}
