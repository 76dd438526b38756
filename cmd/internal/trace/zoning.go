package trace

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

// A zoning is a scope with its active budgets for single zones.
type zoning struct {
	*scope
	scoped   []budget.Limit
	ordering *budget.Limit // the first that is sequential, with the reasons of all that share its key; nil: zones take no turns
	dated    bool          // nodes may be overdue
	lent     bool          // a budget that is not active may order overdue nodes
}

func (s *scope) zoning() zoning {
	z := zoning{scope: s}
	scopes := s.budgets.Scopes("")
	if len(scopes) == 0 {
		return z
	}
	unknown := func(r candidate.Reason) bool { return r != "" && !scopes[0].Knows(r) }
	if slices.ContainsFunc(s.options.Reasons, unknown) {
		s.options.Reasons = []candidate.Reason{""} // all reasons take turns
	}
	z.dated = s.hasDeadlines()
	for _, b := range scopes {
		active, _ := b.Window.Until(s.in.Now)
		switch {
		case !s.hasEffect(b):
		case !active:
			z.lent = z.lent || b.Sequential && z.dated
		default:
			z.add(b)
		}
	}
	return z
}

// hasEffect reports whether a budget applies to any reason.
func (s *scope) hasEffect(b budget.Limit) bool {
	return len(b.Reasons) == 0 ||
		slices.ContainsFunc(b.Reasons, func(r candidate.Reason) bool { return s.options.Applies(b, r) })
}

// domain returns the domain of a node, and whether budgets with a topology key concern the node at all.
func (s *scope) domain(n *candidate.Node, key string) (name string, concerned bool) {
	name = n.Labels[key]
	return name, name != "" || s.options.Unlabelled != topology.Exempt
}

func (z *zoning) add(b budget.Limit) {
	z.scoped = append(z.scoped, b)
	switch {
	case !b.Sequential:
	case z.ordering == nil:
		z.ordering = &b
	case z.ordering.Key != b.Key:
	case len(b.Reasons) == 0 || len(z.ordering.Reasons) == 0:
		z.ordering.Reasons = nil
	default:
		z.ordering.Reasons = slices.Concat(z.ordering.Reasons, b.Reasons)
	}
}

// hasDeadlines reports whether a node of a scope has a deadline for a reason.
func (s *scope) hasDeadlines() bool {
	for _, p := range s.in.Pools {
		if !slices.Contains(s.pools, p.Name) {
			continue
		}
		for _, n := range s.fleet.nodes[p.Name] {
			for _, c := range n.Conditions {
				if !c.Deadline.IsZero() || p.Budgets.Deadline(c.Reason) != candidate.Forever {
					return true
				}
			}
		}
	}
	return false
}

// ordered reports whether a budget is one of those by which zones take turns.
func (z zoning) ordered(b budget.Limit) bool {
	return b.Sequential && z.ordering != nil && z.ordering.Key == b.Key
}

// limiting reports whether a budget limits nodes that are disrupted for a reason. Of those by which zones take turns, the first that names the reason
// does, and each that is for a child of the reason.
func (z zoning) limiting(b budget.Limit, reason candidate.Reason) bool {
	if !z.options.Applies(b, reason) {
		return false
	}
	for _, other := range z.scoped {
		names := z.options.Applies(other, reason) && other.Covers(reason)
		if z.ordered(b) && z.ordered(other) && other.Index < b.Index && names && b.Covers(reason) {
			return false
		}
	}
	return true
}

// remaining returns how many more nodes of each zone a budget allows.
func (z zoning) remaining(b budget.Limit) map[string]int {
	counted, left := map[string]int{}, map[string]int{}
	for _, n := range z.nodes {
		zone, concerned := z.domain(n, b.Key)
		going := n.Disrupting(candidate.Unhealthy) // it is in flight, or may be
		switch {
		case !concerned || !n.Counted():
			continue
		case going:
			left[zone]--
		}
		counted[zone]++
	}
	for zone, nodes := range counted {
		left[zone] = max(0, left[zone]+b.Of(nodes))
	}
	return left
}

// limits are LIMITS of each zone.
func (z zoning) limits() (faults []Fault) {
	if len(z.allowed) == 0 {
		return nil
	}
	for _, b := range z.scoped {
		if z.ordered(b) && z.lent {
			continue
		}
		left := z.remaining(b)
		for _, a := range z.allowed {
			zone, concerned := z.domain(a.is, b.Key)
			if !concerned || a.uncounted() && !z.ordered(b) {
				continue
			}
			if z.limiting(b, a.Reason) && left[zone] <= 0 {
				faults = append(faults, a.fault(of(a.Node, zone), "none, since no more of that zone may be disrupted at once (LIMITS)"))
			}
			left[zone]--
		}
	}
	return faults
}

// started returns the nodes that may be disrupted by the turns of their zones.
func (z zoning) started() (all []allowed) {
	for _, a := range z.allowed {
		if _, concerned := z.domain(a.is, z.ordering.Key); concerned && z.options.Applies(*z.ordering, a.Reason) {
			all = append(all, a)
		}
	}
	return all
}

func (z zoning) zone(a allowed) string { return a.is.Labels[z.ordering.Key] }

// rolls reports whether a node is in flight, and not certainly for a reason that takes no turns.
func (z zoning) rolls(n *candidate.Node) bool {
	return (n.InFlight() || !n.Phase.Known()) && z.options.MayApply(*z.ordering, n.InFlightFor())
}

// rolling returns such a node of each zone that has one.
func (z zoning) rolling() map[string]string {
	rolling := map[string]string{}
	for _, n := range z.nodes {
		if zone, concerned := z.domain(n, z.ordering.Key); concerned && z.rolls(n) {
			rolling[zone] = n.Name
		}
	}
	return rolling
}

// turns are TURNS of a decision.
func (z zoning) turns() (faults []Fault) {
	if z.ordering == nil {
		return nil
	}
	started := z.started()
	if len(started) == 0 {
		return nil
	}
	going := z.rolling()
	for _, a := range started {
		delete(going, z.zone(a))
		if len(going) > 0 {
			faults = append(faults, a.fault(of(a.Node, z.zone(a)), "none of that zone beside "+named(going)+" (TURNS)"))
		}
		going[z.zone(a)] = a.Node
	}
	return faults
}

// of describes a node by its zone.
func of(node, zone string) string { return fmt.Sprintf("%q of %q", node, zone) }

// named describes nodes by their zones.
func named(nodes map[string]string) string {
	var all []string
	for _, zone := range slices.Sorted(maps.Keys(nodes)) {
		all = append(all, of(nodes[zone], zone))
	}
	return strings.Join(all, " and ")
}
