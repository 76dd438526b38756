package generate

import (
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

// ZoneBudget generates budgets for single zones or racks, sequential ones more often.
func ZoneBudget() *rapid.Generator[budget.Budget] {
	return rapid.Custom(func(t *rapid.T) budget.Budget {
		b := budget.Budget{
			TopologyKey: rapid.SampledFrom([]string{"zone", "zone", "zone", "rack"}).Draw(t, "key"),
			Sequential:  rapid.IntRange(0, 2).Draw(t, "sequential") > 0,
			Nodes:       rapid.SampledFrom([]string{"1", "2", "50%", "100%", "0"}).Draw(t, "nodes"),
			Reasons: rapid.SampledFrom([][]candidate.Reason{nil, {"Drifted"}, {"Drifted"}, {"Drifted/AMIDrift"},
				{"Empty"}, {"Empty", "Drifted/SubnetDrift"}}).Draw(t, "reasons"),
		}
		if rapid.IntRange(0, 4).Draw(t, "scheduled") == 0 {
			b.Schedule, b.Duration = Cron().Draw(t, "schedule"), "8h"
			b.Outside = rapid.Bool().Draw(t, "outside")
		}
		return b
	})
}

// Options generates a pool's choices: the default ones half of the time.
func Options() *rapid.Generator[topology.Options] {
	return rapid.Custom(func(t *rapid.T) topology.Options {
		if rapid.Bool().Draw(t, "default") {
			return topology.Options{}
		}
		minutes := rapid.SampledFrom([]time.Duration{0, -1, time.Minute, 10 * time.Minute, candidate.Forever})
		return topology.Options{
			Reasons: rapid.SampledFrom([][]candidate.Reason{nil, nil, {"Drifted", "Empty"}, {"Drifted/AMIDrift"}, {""}, {"typo"}}).
				Draw(t, "reasons"),
			Unlabelled: rapid.SampledFrom([]topology.Unlabelled{topology.TakeTurn, topology.Exempt, topology.Block}).Draw(t, "unlabelled"),
			Patience:   minutes.Draw(t, "patience"),
			Soak:       minutes.Draw(t, "soak"),
			Unsettled:  rapid.Bool().Draw(t, "unsettled"),
		}
	})
}

// Roll generates roll values: none, good ones, and some that point at nothing or into the future.
func Roll(now time.Time) *rapid.Generator[topology.Roll] {
	return rapid.Custom(func(t *rapid.T) topology.Roll {
		r := topology.Roll{
			Key:    rapid.SampledFrom([]string{"", "", "zone", "zone", "zone", "rack", "building"}).Draw(t, "key"),
			Domain: rapid.SampledFrom([]string{"a", "b", "c", "", "1", "gone"}).Draw(t, "domain"),
		}
		if r.Key == "" {
			return topology.Roll{}
		}
		if rapid.Bool().Draw(t, "idle") {
			r.IdleSince = now.Add(time.Duration(rapid.IntRange(-20, 5).Draw(t, "idle since")) * time.Minute)
		}
		return r
	})
}
