package generate

import (
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

// ZoneBudget generates budgets for single zones or racks, sequential ones more often.
func ZoneBudget(s Source) budget.Budget {
	b := budget.Budget{
		TopologyKey: pick(s, "zone", "zone", "zone", "rack"),
		Sequential:  s(3) > 0,
		Nodes:       pick(s, "1", "2", "50%", "100%", "0"),
		Reasons: pick(s, nil, []candidate.Reason{"Drifted"}, []candidate.Reason{"Drifted"},
			[]candidate.Reason{"Drifted/AMIDrift"}, []candidate.Reason{"Empty"},
			[]candidate.Reason{"Empty", "Drifted/SubnetDrift"}, []candidate.Reason{"Unhealthy"},
			[]candidate.Reason{"Drifted", "Unhealthy/Ready"}),
	}
	if s(4) == 3 {
		b.Schedule, b.Duration = Cron(s), "8h"
		b.Outside = s.Bool()
	}
	return b
}

// Options generates a pool's topology options, half of the time the defaults.
func Options(s Source) topology.Options {
	if !s.Bool() {
		return topology.Options{}
	}
	return topology.Options{
		Reasons: pick(s, nil, nil, []candidate.Reason{"Drifted", "Empty"}, []candidate.Reason{"Drifted/AMIDrift"},
			[]candidate.Reason{""}, []candidate.Reason{"typo"},
			[]candidate.Reason{"Drifted", "Unhealthy"}, []candidate.Reason{"Unhealthy/Ready"}),
		Unlabelled: pick(s, topology.TakeTurn, topology.Exempt, topology.Block),
		Patience:   pick(s, 0, topology.NoPatience, time.Minute, 10*time.Minute, candidate.Forever),
		Soak:       pick(s, 0, 0, time.Minute, 10*time.Minute, candidate.Forever),
		Unsettled:  s.Bool(),
	}
}

// Roll generates Rolls: zero ones, valid ones, and some with an unknown domain or a time in the future.
func Roll(now time.Time) func(Source) topology.Roll {
	return func(s Source) topology.Roll {
		r := topology.Roll{
			Key:    pick(s, "", "", "zone", "zone", "zone", "rack", "building"),
			Domain: pick(s, "a", "b", "c", "", "1", "gone"),
		}
		if r.Key == "" {
			return topology.Roll{}
		}
		if s.Bool() {
			r.IdleSince = now.Add(time.Duration(s.Between(-20, 5)) * time.Minute)
		}
		return r
	}
}
