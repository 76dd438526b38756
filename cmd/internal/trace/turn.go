package trace

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

// usualPatience is that of a pool that says none.
const usualPatience = 15 * time.Minute

// order is ORDER: nothing starts elsewhere while a zone holds its turn, and if none does, the oldest node is first.
func (z zoning) order() (faults []Fault) {
	if z.ordering == nil {
		return nil
	}
	started := z.started()
	if len(started) == 0 {
		return nil
	}
	last, why := z.holder()
	first := ""
	if zone := z.zone(started[0]); why == "" && (zone != last || z.in.Memory[z.key].Roll.Key != z.ordering.Key) {
		first = z.older(zone)
	}
	for _, a := range started {
		switch {
		case why != "" && z.zone(a) != last:
			faults = append(faults, a.fault(of(a.Node, z.zone(a)), fmt.Sprintf("one of %q, whose turn it is: %s (ORDER)", last, why)))
		case first != "":
			faults = append(faults, a.fault(of(a.Node, z.zone(a)), "a node of the zone of the oldest one, "+first+" (ORDER)"))
		}
	}
	return faults
}

// holder returns the zone that a decision begins with, and why it keeps its turn; "": it need not.
func (z zoning) holder() (zone, why string) {
	roll := z.in.Memory[z.key].Roll
	if zone = roll.Domain; roll.Key != z.ordering.Key {
		return zone, ""
	}
	for _, n := range z.nodes {
		in, concerned := z.domain(n, roll.Key)
		switch {
		case !concerned || in != zone:
		case z.rolls(n):
			return zone, fmt.Sprintf("%q is in flight", n.Name)
		case n.Leaving == candidate.Staying && !z.drifted(n) && (!n.Ready() || n.Rebooting) && !z.options.Unsettled:
			return zone, fmt.Sprintf("%q is not Ready", n.Name)
		}
	}
	for _, b := range z.waiting(zone) {
		if z.patient(roll) || z.only(b) && z.room(zone) {
			return zone, fmt.Sprintf("%q is still to go", b.Node)
		}
	}
	return zone, ""
}

// drifted reports whether a node has a reason for which zones take turns.
func (z zoning) drifted(n *candidate.Node) bool {
	for _, c := range n.Conditions {
		if z.options.Applies(*z.ordering, c.Reason) {
			return true
		}
	}
	return false
}

// waiting returns the nodes of a zone that are to go, and may not now. A pause takes the turn from a zone, and so do other groups: nothing is
// said of those.
func (z zoning) waiting(zone string) (all []candidate.Candidate) {
	if z.shares {
		return nil
	}
	in := map[string]bool{}
	for _, n := range z.nodes {
		at, concerned := z.domain(n, z.ordering.Key)
		in[n.Name] = concerned && at == zone && !n.InFlight() && z.same[n.Name] == 1
	}
	for _, pool := range z.pools {
		for _, c := range z.blocked[pool] {
			if in[c.Node] && z.options.Applies(*z.ordering, c.Reason) && !stays(c) {
				all = append(all, c)
			}
		}
	}
	return all
}

// stays reports whether no roll waits for a node, since it is blocked for good, or paused.
func stays(c candidate.Candidate) bool {
	for _, b := range c.Blockers {
		if b.ForGood || b.Code == candidate.CodePaused {
			return true
		}
	}
	return false
}

// only reports whether a node waits for another zone, and for nothing else.
func (z zoning) only(c candidate.Candidate) bool {
	for _, b := range c.Blockers {
		ours := b.Source != nil && b.Source.Key == z.ordering.Key && b.Source.Group == z.group
		if !(b.Code == candidate.CodeWaitsForDomain && ours) {
			return false
		}
	}
	return true
}

// room reports whether the budgets by which zones take turns allow a node of a zone.
func (z zoning) room(zone string) bool {
	for _, b := range z.scoped {
		if z.ordered(b) && z.remaining(b)[zone] > 0 {
			return true
		}
	}
	return false
}

// patient reports whether a zone has been idle for less than the patience.
func (z zoning) patient(roll topology.Roll) bool {
	patience := z.options.Patience
	if patience == 0 {
		patience = usualPatience
	}
	since := roll.IdleSince
	if since.IsZero() || since.After(z.in.Now) {
		since = z.in.Now
	}
	return patience == candidate.Forever || z.in.Now.Before(since.Add(patience))
}

// older returns a node that waits for a zone alone, in which all that have drifted are younger; "": there is none.
func (z zoning) older(zone string) string {
	if z.dated || len(z.rolling()) > 0 {
		return ""
	}
	ages, oldest := map[string]time.Time{}, time.Time{}
	zones, here := map[string]bool{}, false
	for _, n := range z.nodes {
		at, concerned := z.domain(n, z.ordering.Key)
		if !concerned || !z.drifted(n) {
			continue
		}
		age := z.since(n)
		ages[n.Name], zones[at] = age, true
		if at == zone && (!here || age.Before(oldest)) {
			oldest, here = age, true
		}
	}
	for other := range zones {
		for _, c := range z.waiting(other) {
			if other != zone && ages[c.Node].Before(oldest) && z.only(c) && z.room(other) {
				return of(c.Node, other)
			}
		}
	}
	return ""
}

// since returns since when a node has had a reason for which zones take turns.
func (z zoning) since(n *candidate.Node) (since time.Time) {
	found := false
	for _, c := range n.Conditions {
		if z.options.Applies(*z.ordering, c.Reason) && (!found || c.Since.Before(since)) {
			since, found = c.Since, true
		}
	}
	return since
}

// memory is MEMORY.
func (z zoning) memory() []Fault {
	was, is := z.in.Memory[z.key].Roll, z.d.Memory[z.key].Roll
	same := was.Key == is.Key && was.Domain == is.Domain
	fault := func(want string) []Fault {
		got := fmt.Sprintf("%q", is.Domain)
		if is.Key == "" {
			got = "absent"
		}
		return []Fault{{"memory." + z.key + ".roll.domain", got, want + " (MEMORY)"}}
	}
	if z.ordering == nil {
		if !same && is.Key != "" {
			return fault(fmt.Sprintf("%q, as it was", was.Domain))
		}
		return nil
	}
	if started := z.started(); len(started) > 0 {
		if zone := z.zone(started[0]); is.Key != z.ordering.Key || is.Domain != zone {
			return fault(fmt.Sprintf("%q, where %q may be disrupted", zone, started[0].Node))
		}
		return nil
	}
	zone, why := z.holder()
	_, rolls := z.rolling()[is.Domain]
	switch {
	case same:
	case why != "":
		return fault(fmt.Sprintf("%q, whose turn it is: %s", zone, why))
	case is.Key != "" && !(is.Key == z.ordering.Key && rolls):
		return fault("a zone where a node starts or is in flight")
	}
	return nil
}
