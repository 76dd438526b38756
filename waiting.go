package disruptkit

import (
	"fmt"
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
// that, if it can. Candidates share the answer.
func (z *zoning) blockers(n *candidate.Node) (blockers []candidate.Blocker, earliest time.Time) {
	domain, concerned := z.domain(n)
	if !concerned || z.turn.Allows(domain, z.taken[domain]) && !z.stray {
		return nil, time.Time{}
	}
	said := z.said[domain]
	if said.blockers == nil || said.taken != z.taken[domain] || said.waiting != z.waiting[domain] {
		said = told{z.says(domain), z.taken[domain], z.waiting[domain]}
		z.said[domain] = said
	}
	return said.blockers, until.First(until.First(z.pool.zonesEnd, z.turn.NextChange), z.closes)
}

// says tells what holds back the next candidate of a domain: until when, if time alone lifts it for certain, and whose
// turn comes first once the active domain gives way.
func (z *zoning) says(domain string) []candidate.Blocker {
	b, blocked := z.turn.Blocker(domain, z.taken[domain])
	switch {
	case !blocked:
		return []candidate.Blocker{z.waitsForStray(domain)}
	case b.ForGood:
	case b.Until.IsZero() || z.pool.unzoned.Before(b.Until) && !z.pool.unzoned.IsZero():
		b.Until = z.pool.unzoned
	case !z.next.Allows(domain, z.taken[domain]+z.waiting[domain]):
		return []candidate.Blocker{b, z.after(domain)}
	}
	return []candidate.Blocker{b}
}

// waitsForStray holds back a candidate of the active domain once a node of another is let go whose reason the budget may be
// about: once it is in flight, that domain is rolling, and no other may start.
func (z *zoning) waitsForStray(domain string) candidate.Blocker {
	return candidate.Blocker{
		Gate: candidate.GateTopology, Code: candidate.CodeWaitsForDomain,
		Message: fmt.Sprintf("%s waits for %s, where a node may go now that may be part of the roll",
			topology.Domain{Name: domain}.Title(), topology.Domain{Name: z.astray}.Title()),
	}
}

// after tells what holds back the next candidate of a domain once the active one has given way.
func (z *zoning) after(domain string) candidate.Blocker {
	if !z.next.Chosen {
		return turnUnknown(z.pool.unzoned)
	}
	b, _ := z.next.Blocker(domain, z.taken[domain]+z.waiting[domain])
	b.Message, b.Until, b.Later = "after that, "+b.Message, z.pool.unzoned, true
	return b
}

// turnUnknown holds back a candidate after something else has lifted.
func turnUnknown(until time.Time) candidate.Blocker {
	return candidate.Blocker{
		Gate: candidate.GateTopology, Code: candidate.CodeWaitsForDomain, Until: until,
		Message: "whose turn it is after that depends on what happens until then", Later: true,
	}
}

// later returns what of a zoning holds back the next candidate of a node at a later time, up to which the same budgets
// concern it: another's turn, or older candidates that take the last places in its domain.
func (z *zoning) later(n *candidate.Node, at time.Time) (b candidate.Blocker, blocked bool) {
	domain, concerned := z.domain(n)
	switch {
	case !concerned:
		return b, false
	case z.orders() && reached(z.closes, at) || !z.turn.NextChange.IsZero() && z.changesBy(at):
		return turnUnknown(time.Time{}), true
	case z.turn.Allows(domain, z.taken[domain]) && !z.turn.Allows(domain, z.taken[domain]+z.waiting[domain]):
		return candidate.Blocker{
			Gate: candidate.GateTopology, Code: candidate.CodeExhausted,
			Message: "nodes in flight and older candidates use up what may go in " + topology.Domain{Name: domain}.Title() + " after that",
			Later:   true,
		}, true
	}
	return b, false
}

// waitInDomain counts a node that time alone will let go.
func (p *pool) waitInDomain(n *candidate.Node) {
	for _, z := range p.zonings {
		domain, concerned := z.domain(n)
		before := z.taken[domain] + z.waiting[domain]
		if concerned && (z.turn.Allows(domain, before) || z.next.Allows(domain, before)) {
			z.waiting[domain]++ // one for whom there is no room goes later
		}
	}
}
