package disruptkit_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
)

// Once all that a decision allows is in flight, at most one zone is rolling: all nodes in flight that are, or may be,
// of a reason that zones take turns for are in one zone. If nodes are in flight in several zones already, no more go.
// This holds whoever is the oldest.
func TestOneDecisionLetsOneZoneRoll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Turning).Draw(t, "input")
		var ages []time.Time
		for _, n := range in.Nodes {
			ages = append(ages, n.Conditions[0].Since)
		}
		for i, since := range rapid.Permutation(ages).Draw(t, "ages") {
			in.Nodes[i].Conditions[0].Since = since
		}
		d := disruptkit.Decide(in, candidate.Drifted)
		goes := slices.ContainsFunc(d.Allowed, func(c candidate.Candidate) bool { return takesTurns(in, c.Reason) })
		if zones := rolling(in.Apply(d)); goes && len(zones) > 1 {
			t.Fatalf("these zones roll at once: %q\n%s", zones, fixture.Story(d))
		}
	})
}

// rolling returns the zones with nodes in flight that are, or may be, of a reason that zones take turns for.
func rolling(in disruptkit.Input) (zones []string) {
	for _, n := range in.Nodes {
		if n.Leaving == candidate.Draining && takesTurns(in, n.DisruptedFor) {
			zones = append(zones, n.Labels["zone"])
		}
	}
	slices.Sort(zones)
	return slices.Compact(zones)
}

// takesTurns reports whether a reason is, or may be, one of those that the sequential budgets of the only pool are for.
func takesTurns(in disruptkit.Input, reason candidate.Reason) bool {
	if reason == "" {
		return true
	}
	for _, b := range in.Pools[0].Budgets.Budgets() {
		if b.Sequential && len(b.Reasons) == 0 && strings.HasPrefix(string(reason), "Drifted") {
			return true
		}
		for _, r := range b.Reasons {
			ofAChild := r == "Drifted" && strings.HasPrefix(string(reason), "Drifted/")
			if b.Sequential && (r == reason || ofAChild || reason == "Drifted") {
				return true
			}
		}
	}
	return false
}

// Whatever starts of what may be disrupted, and whenever it arrives: as long as drifted nodes are left, some may be disrupted, or are in
// flight. So no two nodes block each other for ever.
func TestTurnsAllowEveryNodeInTheEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Turning).Draw(t, "input")
		for i := range in.Nodes {
			in.Nodes[i].NominatedUntil = in.Now
		}
		for i := range in.Pools { // in a small pool, no node may have the label
			in.Pools[i].Topology.LabelOptional = true
		}
		for i := range in.Groups {
			in.Groups[i].Topology.LabelOptional = true
		}
		for range 4 * len(in.Nodes) {
			d := disruptkit.Decide(in, candidate.Drifted)
			inFlight := slices.ContainsFunc(in.Nodes, func(n candidate.Node) bool { return n.Leaving == candidate.Draining })
			switch {
			case len(d.Allowed)+len(d.Blocked) == 0:
				return
			case len(d.Allowed) == 0 && !inFlight:
				t.Fatalf("nothing may be disrupted:\n%s", fixture.Story(d))
			}
			d.Allowed = d.Allowed[:rapid.IntRange(min(1, len(d.Allowed)), len(d.Allowed)).Draw(t, "starts")]
			in = in.Apply(d)
			arrives := func(n candidate.Node) bool {
				return n.Leaving == candidate.Draining && (len(d.Allowed) == 0 || rapid.Bool().Draw(t, "arrives"))
			}
			for i := range in.Nodes {
				if n := &in.Nodes[i]; arrives(*n) {
					n.Leaving, n.DisruptedFor, n.Conditions = candidate.Staying, "", nil
				}
			}
		}
		if d := disruptkit.Decide(in, candidate.Drifted); len(d.Allowed)+len(d.Blocked) > 0 {
			t.Fatalf("nodes are left:\n%s", fixture.Story(d))
		}
	})
}

// A sequential budget that limits a reason alone does so beside others: later ones, or any if it is for a child of the reason. Otherwise one
// more budget could raise a limit. (It may still give the turn to another zone, with more nodes.)
func TestWhichSequentialBudgetLimitsAReasonDoesNotDependOnWhetherItIsAlone(t *testing.T) {
	limiting := func(in disruptkit.Input, list []budget.Budget) map[candidate.Reason][]string {
		in.Pools = slices.Clone(in.Pools)
		in.Pools[0].Budgets, _ = budget.Compile(list)
		all := map[candidate.Reason][]string{}
		for _, p := range disruptkit.Decide(in, candidate.Drifted).Pools {
			for _, s := range p.Topology {
				all[p.Reason] = append(all[p.Reason], list[s.Budget].String())
			}
		}
		return all
	}
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Turning).Draw(t, "input")
		list := in.Pools[0].Budgets.Budgets()
		before := rapid.IntRange(0, len(list)-1).Draw(t, "before")
		together, alone := limiting(in, list), limiting(in, list[before:before+1])
		first := limiting(in, list[:before+1])
		for reason, one := range alone {
			names := len(list[before].Reasons) == 0 || slices.ContainsFunc(list[before].Reasons, func(r candidate.Reason) bool { return r.Covers(reason) })
			if names && !slices.Contains(first[reason], one[0]) {
				continue // an earlier one names the reason
			}
			if !slices.Contains(together[reason], one[0]) {
				t.Fatalf("%s limits %s alone, and beside others only %q do", one, reason, together[reason])
			}
		}
	})
}

// In a list of budgets the order counts only between sequential ones: those on different keys, since the first orders
// the pool, and those that name the same reason, since the first limits it.
func TestTheOrderOfBudgetsCountsOnlyBetweenSequentialOnesForTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		generator := generate.Turning
		if rapid.Bool().Draw(t, "of any kind") {
			generator = generate.Input
		}
		in := testkit.Arbitrary(generator).Draw(t, "input")
		asked := rapid.SampledFrom([]candidate.Reason{"Drifted", "Drifted/AMIDrift", ""}).Draw(t, "asked")
		drifts := []candidate.Reason{"", "Drifted/NodePoolDrifted", "Drifted/SubnetDrift", "Drifted"}
		alike := rapid.SampledFrom(drifts).Draw(t, "all for one reason")
		var reasons []candidate.Reason // for which nodes may be disrupted
		for i := range in.Nodes {
			for j := range in.Nodes[i].Conditions {
				c := &in.Nodes[i].Conditions[j]
				if alike != "" { // then the order of most lists does not count
					c.Reason = alike
				}
				reasons = append(reasons, c.Reason)
			}
		}
		swapped := in
		swapped.Pools = slices.Clone(in.Pools)
		for i := range in.Pools {
			list, most := in.Pools[i].Budgets.Budgets(), in.Pools[i].Budgets.MostSpecific()
			compile := func() (set budget.Set) {
				set, _ = budget.Spec{Budgets: slices.Clone(list), MostSpecific: most}.Compile()
				return set
			}
			in.Pools[i].Budgets = compile()
			for range 3 * len(list) {
				at := rapid.IntRange(0, max(0, len(list)-2)).Draw(t, "swap")
				if len(list) > 1 && !ordered(reasons, list[at], list[at+1]) {
					list[at], list[at+1] = list[at+1], list[at]
				}
			}
			swapped.Pools[i].Budgets = compile()
		}
		want, got := disruptkit.Decide(in, asked), disruptkit.Decide(swapped, asked)
		if diff := cmp.Diff(keys(want.Allowed), keys(got.Allowed)); diff != "" {
			t.Fatalf("%v\n%s", swapped.Pools, diff)
		}
		if diff := cmp.Diff(want.Memory, got.Memory); diff != "" {
			t.Fatalf("%v\n%s", swapped.Pools, diff)
		}
	})
}

// ordered reports whether it matters which of two budgets comes first.
func ordered(reasons []candidate.Reason, a, b budget.Budget) bool {
	if !a.Sequential || !b.Sequential {
		return false
	}
	if a.TopologyKey != b.TopologyKey {
		return true
	}
	for _, r := range reasons {
		covers := func(n candidate.Reason) bool { return n.Covers(r) }
		names := func(b budget.Budget) bool { return len(b.Reasons) == 0 || slices.ContainsFunc(b.Reasons, covers) }
		if names(a) && names(b) {
			return true
		}
	}
	return false
}

func keys(all []candidate.Candidate) (keys []string) {
	for _, c := range all {
		keys = append(keys, fixture.Key(c))
	}
	return keys
}
