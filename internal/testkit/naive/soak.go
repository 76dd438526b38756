package naive

import (
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// gone returns the places of nodes that were in flight and no longer use up a pool's budgets, and since when all of
// them are known.
func gone(in disruptkit.Input, p scope) (places []disruptkit.Slot, known time.Time) {
	m := in.Memory[p.key].Soak
	known = m.Since
	if kept, err := time.ParseDuration(m.For); err != nil || kept <= 0 || known.IsZero() || known.After(in.Now) {
		known = in.Now
	} else if longest(p) > kept && known.Before(in.Now.Add(-kept)) {
		known = in.Now.Add(-kept)
	}
	all := slices.Clone(m.Slots)
	remembered := func(name string) bool {
		return slices.ContainsFunc(all, func(one disruptkit.Slot) bool { return one.Node == name })
	}
	open := func(name string) bool {
		return slices.ContainsFunc(all, func(one disruptkit.Slot) bool {
			return one.Node == name && (!one.Seen || one.Since.IsZero())
		})
	}
	for _, n := range in.Nodes {
		if !open(n.Name) && p.has(n) && n.InFlight() && (!n.Phase.Joining() || n.Rebooting) {
			reason := n.DisruptedFor
			if n.Leaving == candidate.Staying {
				reason = candidate.Unhealthy
			}
			all = append(all, disruptkit.Slot{Node: n.Name, Reason: reason})
		}
	}
	for _, n := range in.Nodes {
		there := slices.ContainsFunc(in.Nodes, func(o candidate.Node) bool { return o.Name == n.Replaces })
		if !remembered(n.Replaces) && p.has(n) && n.Replaces != "" && !n.Ready() && !there {
			all = append(all, disruptkit.Slot{Node: n.Replaces, Seen: true}) // nobody remembers it
		}
	}
	slices.SortStableFunc(all, func(a, b disruptkit.Slot) int {
		return strings.Compare(string(a.Reason), string(b.Reason))
	})
	for _, one := range all {
		one, taken := placeOf(in, p, one)
		same := func(o disruptkit.Slot) bool { return o.Node == one.Node && o.Since.IsZero() && one.Since.IsZero() }
		if taken && !slices.ContainsFunc(places, same) {
			places = append(places, one)
		}
	}
	return places, known
}

// placeOf returns the place of a node as it is now, unless it is free, or in use as that of a node in flight.
func placeOf(in disruptkit.Input, p scope, one disruptkit.Slot) (_ disruptkit.Slot, taken bool) {
	there, inFlight, counted, passed, waits, since := false, false, false, false, false, time.Time{}
	for _, n := range in.Nodes {
		own := n.Name == one.Node && p.has(n)
		there = there || own
		if own && n.InFlight() {
			inFlight, counted = true, counted || n.Counted()
		} else if own || n.Replaces == one.Node && n.Replaces != "" && n.Name != one.Node {
			passed = passed || !own && p.has(n) && n.Disrupting("") // it is in use as that of what replaces it
			waits = waits || !n.Ready()
			if n.ReadySince.After(since) {
				since = n.ReadySince
			}
		}
	}
	start := disruptkit.Start{Node: one.Node, At: one.Since}
	switch {
	case there && !inFlight && !one.Seen && older(in, p, start): // it was allowed but not started
		return one, false
	case inFlight && one.Seen && !one.Since.IsZero() && !one.Since.After(in.Now): // it was back, and soaks
	case counted:
		return one, false
	case inFlight || waits:
		one.Since = time.Time{}
		return one, inFlight || !passed
	case !one.Seen || one.Since.IsZero() || one.Since.After(in.Now):
		one.Since = in.Now
	case since.After(one.Since) && !since.After(in.Now):
		one.Since = since
	}
	return one, true
}

// longest returns the longest soak of a pool's budgets.
func longest(p scope) (longest time.Duration) {
	for i, b := range p.Budgets.Budgets() {
		if d, err := time.ParseDuration(b.Soak); err == nil && !p.Budgets.Broken().Has(i) {
			longest = max(longest, d)
		}
	}
	return longest
}

// soaks reports whether a budget that soaks blocks one more node of a pool. Own are the reasons of those of its unit.
func soaks(in disruptkit.Input, p scope, nodes int, reason candidate.Reason, users, own []candidate.Reason) bool {
	if longest(p) == 0 || in.Dialect == dialect.Karpenter {
		return false
	}
	places, known := gone(in, p)
	for i, b := range p.Budgets.Budgets() {
		soak, err := time.ParseDuration(b.Soak)
		if err != nil || p.Budgets.Broken().Has(i) || !isFor(p.Budgets, i, reason, in.Now) {
			continue
		}
		takers := slices.Clone(users)
		for _, one := range places {
			if one.Since.IsZero() || in.Now.Before(one.Since.Add(soak)) {
				takers = append(takers, one.Reason)
			}
		}
		counts := func(user candidate.Reason) bool {
			return !p.Budgets.MostSpecific() || uses(b, user, deciding(p.Budgets, in.Now, user)[i])
		}
		using := alone(p, number(takers, counts), number(own, counts))
		limit, _ := budget.Compile([]budget.Budget{{Nodes: b.Nodes}})
		alone, _ := budget.AllowedByReason(limit, in.Now, nodes, "")
		if using >= alone.Nodes || in.Now.Before(known.Add(soak)) {
			return true
		}
	}
	return false
}

// isFor reports whether a budget decides for a reason.
func isFor(set budget.Set, i int, reason candidate.Reason, now time.Time) bool {
	b := set.Budgets()[i]
	if set.MostSpecific() {
		return deciding(set, now, reason)[i]
	}
	covers := len(b.Reasons) == 0
	for _, r := range b.Reasons {
		r, _ = candidate.ParseReason(string(r))
		covers = covers || r == reason || strings.HasPrefix(string(reason), string(r)+"/")
	}
	return covers && active(b, now)
}
