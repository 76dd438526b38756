package generate

import (
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// Shared generates small fleets in which reasons have guaranteed nodes, of pools or of groups.
func Shared(s Source) disruptkit.Input {
	in := oneOf(s, Crowded, Crowded, Crowded, Crowded, Waiting, Tied, GroupedWaiting, SoakedWaiting, WavedWaiting,
		Contended, waitingUnited)
	for i := range in.Pools {
		if in.Groups == nil || s.Bool() {
			in.Pools[i].Budgets = withShares(s, in.Pools[i].Budgets)
		}
	}
	for i := range in.Groups {
		in.Groups[i].Budgets = withShares(s, in.Groups[i].Budgets)
	}
	if s.Bool() {
		return resting(in)
	}
	return in
}

// resting returns the input without what other gates block, so that only budgets change.
func resting(in disruptkit.Input) disruptkit.Input {
	in.Pauses, in.Verdicts = nil, nil
	for i := range in.Nodes {
		n := &in.Nodes[i]
		n.Pods, n.Blockers, n.NominatedUntil = nil, nil, time.Time{}
	}
	for key, m := range in.Memory {
		m.Backoff = disruptkit.Backoff{}
		in.Memory[key] = m
	}
	return in
}

func waitingUnited(s Source) disruptkit.Input { return united(s, Waiting(s)) }

// withShares adds a cap and up to three shares, which may exceed it, or be invalid.
func withShares(s Source, set budget.Set) budget.Set {
	spec := budget.Spec{MostSpecific: s(20) == 19}
	if s(3) == 2 { // otherwise nothing else limits
		spec.Budgets = set.Spec().Budgets
	}
	spec.Budgets = append(spec.Budgets, budget.Budget{Nodes: pick(s, "2", "3", "4", "60%")})
	for range 1 + s(3) {
		b := budget.Budget{Guaranteed: true, Nodes: pick(s, "1", "1", "2", "3", "30%")}
		b.Reasons = []candidate.Reason{urge(s)}
		if s(4) == 3 {
			b.Reasons = append(b.Reasons, pick(s, candidate.Expired, candidate.Unhealthy))
		}
		if s(3) == 2 {
			timed := tight(s)
			b.Schedule, b.Duration = timed.Schedule, timed.Duration
		}
		named := false
		for _, o := range spec.Budgets {
			for _, r := range b.Reasons {
				named = named || o.Guaranteed && (o.Reasons[0].Covers(r) || r.Covers(o.Reasons[0]))
			}
		}
		if !named || s(20) == 19 {
			spec.Budgets = append(spec.Budgets, b)
		}
	}
	set, _ = spec.Compile()
	return set
}
