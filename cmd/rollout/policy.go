package main

import (
	"strconv"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

// zoneTime is the time of the zones: in it the window is written, and all times are shown.
const zoneTime = "America/Los_Angeles"

// window lets nothing go but on weeknights from 22:00 to 06:00. It can close while nodes are in flight; those go on.
var window = budget.Budget{Nodes: "0", Schedule: "0 22 * * mon-fri", Duration: "8h", TimeZone: zoneTime, Outside: true}

// limitNodes is how many drifted nodes may be in flight at once: in the zone whose turn it is, or without turns, in the pool.
const limitNodes = 4

var limit = budget.Budget{Nodes: strconv.Itoa(limitNodes), Reasons: []candidate.Reason{candidate.Drifted}}

// ceiling stops everything while many nodes are not Ready, whatever the zone.
var ceiling = budget.Budget{Nodes: "5%"}

// turns makes a limit that of one zone after another.
func turns(b budget.Budget) budget.Budget {
	b.TopologyKey, b.Sequential = zoneKey, true
	return b
}

// soak is how long the new nodes of a zone have to have been Ready before the next zone's turn.
const soak = 15 * time.Minute

// newPool compiles the budgets. That is all there is to one zone at a time.
func newPool(sequential bool) (disruptkit.Pool, error) {
	drift := limit
	if sequential {
		drift = turns(limit)
	}
	budgets, err := budget.Compile([]budget.Budget{window, drift, ceiling})
	return disruptkit.Pool{Name: poolName, Budgets: budgets, Topology: topology.Options{Soak: soak}}, err
}
