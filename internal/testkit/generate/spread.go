package generate

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// Spread generates small fleets whose pools or groups spread their rolls. The rolls have begun, or begin now.
func Spread(s Source) disruptkit.Input {
	in := oneOf(s, Crowded, Crowded, Crowded, Crowded, Waiting, Tied, GroupedWaiting, SoakedWaiting, WavedWaiting,
		Contended, waitingUnited, Paced)
	for i := range in.Pools {
		if in.Groups == nil || s.Bool() {
			in.Pools[i].Budgets = withSpread(s, in.Pools[i].Budgets)
		}
	}
	for i := range in.Groups {
		in.Groups[i].Budgets = withSpread(s, in.Groups[i].Budgets)
	}
	if s.Bool() {
		in = resting(in)
	}
	if in.Memory == nil {
		in.Memory = map[string]disruptkit.Memory{}
	}
	begun := in
	begun.Now = in.Now.Add(-ago(s))
	memory := disruptkit.Decide(begun, "").Memory // only a decision knows the revision of a group
	for _, key := range slices.Sorted(maps.Keys(memory)) {
		now := in.Memory[key]
		now.Spreads = memory[key].Spreads
		for i := range now.Spreads {
			if s.Bool() {
				now.Spreads[i].Last = in.Now.Add(-ago(s))
			}
			if s(20) == 19 && !strings.HasPrefix(key, "group/") {
				now.Spreads[i].Revision += "0"
			}
		}
		in.Memory[key] = now
	}
	return in
}

func ago(s Source) time.Duration {
	return time.Duration(s.Between(-5, pick(s, 100, 1000, 3000))) * time.Minute
}

// withSpread adds a budget that spreads rolls.
func withSpread(s Source, set budget.Set) budget.Set {
	spec := budget.Spec{MostSpecific: s(10) == 9}
	if s.Bool() { // otherwise nothing else limits
		spec.Budgets = set.Spec().Budgets
	}
	for range 1 + s(8)/7 {
		b := budget.Budget{Nodes: pick(s, "1", "2", "4", "60%"), Spread: pick(s, "1h", "6h", "24h", "168h", "2160h")}
		if s.Bool() {
			b.Reasons = []candidate.Reason{pick(s, candidate.Drifted, candidate.Drifted, candidate.Drifted, urge(s))}
		}
		if s(4) == 3 {
			timed := tight(s)
			b.Schedule, b.Duration = timed.Schedule, timed.Duration
		}
		spec.Budgets = append(spec.Budgets, b)
	}
	set, _ = spec.Compile()
	return set
}
