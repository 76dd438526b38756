package main

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

// A controller is the loop of an autoscaler: it decides, stores the roll, starts what is allowed, and sleeps until
// something happens, or until the decision says that time alone may change it.
type controller struct {
	pool    disruptkit.Pool
	cluster *cluster
	rolls   map[string]topology.Roll // its memory
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
		if c.cluster.rolled(now) && len(c.rolls) == 0 {
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

// decide decides, and stores the roll before anything is started.
func (c *controller) decide(now time.Time) disruptkit.Decision {
	d := disruptkit.Decide(disruptkit.Input{
		Now: now, Pools: []disruptkit.Pool{c.pool}, Nodes: c.cluster.nodes(now), Rolls: c.rolls,
	}, candidate.Drifted)
	c.rolls = d.Rolls
	return d
}
