// Package trace follows recorded decisions through the model of topology. It has what must hold of a decision whatever made it, told by the
// input and the answer alone: a program that decides wrongly makes the same decision again, and is found here all the same.
//
//   - TURNS: of a sequential budget, nodes of one zone may be disrupted, and only while none is in flight in another one. What such decisions allow is
//     never in flight in two zones.
//   - LIMITS: what is in flight, and what may be disrupted, is no more than a budget allows, of a zone or of all.
//   - ORDER: no other zone has its turn while one holds it. If none does, that of the oldest node does.
//   - MEMORY: the turn that is remembered is that of the zone where nodes start, or are in flight; it does not leave a zone that holds it.
//
// What a budget is for, and how many nodes it allows, is taken from packages budget and topology, as the proof takes it (topology/proof). Where
// the model does not know enough, it says nothing: of whose turn it is where budgets that are not active may order overdue nodes, or where
// groups order zones of the same pools; and of budgets where the most specific one decides.
package trace

import (
	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/dialect"
)

// A Fault is a value of a decision that the model does not let be.
type Fault struct {
	Where string // such as allowed[1].node
	Got   string
	Want  string
}

// A Trace is what is known from the decisions before. The zero Trace is that of none.
type Trace struct {
	going map[string]going // by the key of a pool's or a group's memory
}

// A going is what decisions have allowed by the turns of a topology key: whether it has been in flight since, by node.
type going struct {
	key   string
	nodes map[string]bool
}

// Follow follows one decision, and returns what is wrong with it, and with what has happened since the last one.
func (t *Trace) Follow(in disruptkit.Input, d disruptkit.Decision) (faults []Fault) {
	if in.Dialect == dialect.Karpenter || in.Now.IsZero() {
		return nil
	}
	f := newFleet(in, d)
	for _, s := range f.scopes() {
		faults = append(faults, s.limits()...)
		z := s.zoning()
		faults = append(faults, z.limits()...)
		faults = append(faults, z.turns()...)
		if !z.lent {
			faults = append(faults, z.order()...)
			faults = append(faults, z.memory()...)
		}
		faults = append(faults, t.step(z)...)
	}
	return faults
}

// step follows what has happened since the last decision: TURNS, of what the decisions of this recording have allowed.
func (t *Trace) step(z zoning) (faults []Fault) {
	last := t.going[z.key]
	if z.ordering == nil || z.lent || last.key != z.ordering.Key {
		last.nodes = nil
	}
	now, flying, begins := map[string]bool{}, map[string]string{}, false
	for _, n := range z.nodes {
		flew, ours := last.nodes[n.Name]
		if !ours || flew && !n.InFlight() {
			continue
		}
		now[n.Name] = flew
		if zone, concerned := z.domain(n, z.ordering.Key); concerned && n.DisruptedFor != "" && z.rolls(n) {
			now[n.Name], begins = true, begins || !flew
			flying[zone] = n.Name
		}
	}
	if len(flying) > 1 && begins {
		faults = append(faults, Fault{"input.nodes", named(flying) + " in flight", "those of one zone alone, of what was allowed (TURNS)"})
	}
	if z.ordering != nil && !z.lent {
		for _, a := range z.started() {
			if _, there := now[a.Node]; !there {
				now[a.Node] = false
			}
		}
		if t.going == nil {
			t.going = map[string]going{}
		}
		t.going[z.key] = going{z.ordering.Key, now}
	} else {
		delete(t.going, z.key)
	}
	return faults
}
