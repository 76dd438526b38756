package main

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
)

// A controller is the loop of an autoscaler: it decides, stores the memory, starts what is allowed, and sleeps until
// something happens, or until the decision says that time alone may change it.
type controller struct {
	pool    disruptkit.Pool
	cluster *cluster
	memory  map[string]disruptkit.Memory // of the last decision
	history *history
}

// tooLong is when a roll that still goes on will not end.
const tooLong = 60 * 24 * time.Hour

// roll runs the loop from a time on until the fleet is rolled.
func (c *controller) roll(start time.Time) error {
	for now := start; now.Sub(start) < tooLong; {
		d := c.decide(now)
		for _, node := range d.Allowed {
			c.cluster.start(node.Node, now)
		}
		if len(d.Allowed) > 0 {
			continue // the next decision says what the others wait for
		}
		c.history.record(d, c.cluster)
		if c.cluster.rolled(now) && len(c.memory) == 0 {
			return nil // with turns, the last zone has settled, too
		}
		next := firstAfter(now, c.cluster.next(now), d.NextChange)
		if next.IsZero() {
			return fmt.Errorf("the roll does not end: on %s nothing is in flight, nothing may start, and nothing will change that", clock(now))
		}
		now = next.In(start.Location()) // sleep
	}
	return fmt.Errorf("the roll does not end within %d days", tooLong/(24*time.Hour))
}

// decide decides, and stores the memory before anything is started.
func (c *controller) decide(now time.Time) disruptkit.Decision {
	d := disruptkit.Decide(disruptkit.Input{
		Now: now, Pools: []disruptkit.Pool{c.pool}, Nodes: c.cluster.nodes(now), Memory: c.memory,
	}, candidate.Drifted)
	c.memory = d.Memory
	return d
}
