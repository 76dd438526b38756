package main

import (
	"fmt"
	"time"
	_ "time/tzdata" // every host has the zones' time

	"github.com/disruptkit/disruptkit"
)

// A scenario is what happens to the fleet, whoever decides: it is the same with and without the zones' turns.
type scenario struct {
	seed   uint64
	start  time.Time
	fleet  []machine
	outage outage
}

// newScenario begins on a Monday evening, before the first window. In the second night a zone fails.
func newScenario(seed uint64) (scenario, error) {
	local, err := time.LoadLocation(zoneTime)
	if err != nil {
		return scenario{}, err
	}
	s := scenario{seed: seed, start: time.Date(2026, 11, 16, 21, 30, 0, 0, local)}
	s.fleet = newFleet(seed, time.Date(2026, 11, 16, 9, 0, 0, 0, local))
	failure := time.Date(2026, 11, 18, 3, 30, 0, 0, local)
	s.outage = outage{zone: "us-west-2b", from: failure, to: failure.Add(65 * time.Minute)}
	return s, nil
}

// roll simulates a roll of the fleet, one zone at a time or without turns.
func (s scenario) roll(sequential bool) (*history, error) {
	pool, err := newPool(sequential)
	if err != nil {
		return nil, fmt.Errorf("the pool's budgets: %w", err)
	}
	return s.rollWith(pool, sequential)
}

// rollWith simulates a roll with a policy.
func (s scenario) rollWith(pool disruptkit.Pool, sequential bool) (*history, error) {
	h := &history{scenario: s, sequential: sequential, budgets: pool.Budgets.Budgets(), stays: map[string]string{}}
	c := controller{pool: pool, cluster: newCluster(s), history: h}
	if err := c.roll(s.start); err != nil {
		return nil, err
	}
	h.slots = c.cluster.slots
	return h, nil
}
