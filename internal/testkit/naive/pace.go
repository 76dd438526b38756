package naive

import (
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// started returns the known starts of a pool's nodes before a decision. No start counts for longer than some time.
func started(in disruptkit.Input, p scope, longest time.Duration) (starts []disruptkit.Start) {
	known := map[string]bool{}
	for _, s := range in.Memory[p.key].Starts {
		there, inFlight := false, false
		for _, n := range in.Nodes {
			if n.Name == s.Node && p.has(n) {
				there, inFlight = true, inFlight || n.InFlight()
			}
		}
		if there && !inFlight && !s.Seen && older(in, p, s) {
			continue // it was allowed but not started
		}
		if !s.At.IsZero() && !inFlight && !s.At.Add(longest).After(in.Now) {
			continue // its start is not in the memory
		}
		known[s.Node] = known[s.Node] || !s.Over
		if s.At.IsZero() {
			s.At = in.Now
		}
		starts = append(starts, s)
	}
	for _, n := range in.Nodes {
		if flies := n.InFlight(); p.has(n) && flies && (!n.Phase.Joining() || n.Rebooting) && !known[n.Name] {
			known[n.Name] = true
			reason := n.DisruptedFor
			if n.Leaving == candidate.Staying {
				reason = candidate.Unhealthy
			}
			starts = append(starts, disruptkit.Start{Node: n.Name, Reason: reason, At: in.Now})
		}
	}
	return starts
}

// longestPace returns the longest pace of a pool.
func longestPace(p scope) (longest time.Duration) {
	for _, b := range p.Budgets.Pacing() {
		longest = max(longest, b.Per)
	}
	return longest
}

// older reports whether a node was there before a start.
func older(in disruptkit.Input, p scope, s disruptkit.Start) bool {
	for _, n := range in.Nodes {
		if n.Name != s.Node || !p.has(n) {
			continue
		}
		times := []time.Time{n.ReadySince}
		for _, c := range n.Conditions {
			times = append(times, c.Since)
		}
		for _, at := range times {
			if !at.IsZero() && (s.At.IsZero() || !at.After(s.At)) {
				return true
			}
		}
	}
	return false
}

// paced reports whether paces block one more node of a pool, after some starts before the decision, and some in it. Own
// are the reasons of those of its unit.
func paced(
	p scope, now time.Time, nodes int, reason candidate.Reason, starts []disruptkit.Start, own []candidate.Reason,
) bool {
	set := p.Budgets
	decides := func(i int, reason candidate.Reason) bool {
		if set.MostSpecific() {
			return decidingOf(set, now, reason, true)[i]
		}
		return isFor(set, i, reason, now)
	}
	for i, b := range set.Budgets() {
		if b.Per == "" || set.Broken().Has(i) || !decides(i, reason) {
			continue
		}
		per, err := time.ParseDuration(b.Per)
		if err != nil {
			panic(err)
		}
		counts := func(started candidate.Reason) bool { return uses(b, started, decides(i, started)) }
		count := 0
		for _, s := range starts {
			if now.Before(s.At.Add(per)) && counts(s.Reason) {
				count++
			}
		}
		count = alone(p, count, number(own, counts))
		limit, _ := budget.Compile([]budget.Budget{{Nodes: b.Nodes}})
		if alone, _ := budget.AllowedByReason(limit, now, nodes, ""); count >= alone.Nodes {
			return true
		}
	}
	return false
}
