package main

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/until"
	"github.com/disruptkit/disruptkit/plan"
)

// A controller rolls the cluster as package plan does: it decides, starts what is allowed, and sleeps until something happens, or until the
// decision says that time alone may change it. What happens in this cluster is more than a plan foresees: a zone fails, and
// PodDisruptionBudgets are those of the story. So the controller sees the cluster itself, and tells the plan when to look again.
type controller struct {
	pool    disruptkit.Pool
	cluster *cluster
	history *history
	now     time.Time // of the last decision
	started bool      // something did then
}

// tooLong is when a roll that still goes on will not end.
const tooLong = 60 * 24 * time.Hour

// roll rolls the cluster from a time on.
func (c *controller) roll(start time.Time) error {
	p := plan.Run(disruptkit.Input{Now: start, Pools: []disruptkit.Pool{c.pool}, Nodes: c.cluster.nodes(start)}, plan.Options{
		Model:   plan.Model{Every: pause, Launch: c.cluster.launch, Drain: c.cluster.drain, Reasons: []candidate.Reason{candidate.Drifted}},
		Horizon: tooLong, Decide: c.decide,
	})
	switch {
	case p.Count(p.Horizon).ToGo > 0:
		return fmt.Errorf("the roll does not end within %d days", tooLong/(24*time.Hour))
	case !c.cluster.rolled(until.Latest(p.Finish, c.now)):
		return fmt.Errorf("the roll does not end: on %s nothing is in flight, nothing may start, and nothing will change that", clock(c.now))
	}
	return nil
}

// pause is the shortest time between two decisions.
const pause = 10 * time.Second

// decide decides on the cluster as it is, until nothing more may start, and records what the others wait for.
func (c *controller) decide(in disruptkit.Input, reason candidate.Reason) disruptkit.Decision {
	echo := c.started && in.Now.Equal(c.now.Add(pause)) // nothing has happened since
	in.Now = in.Now.In(c.history.start.Location())
	c.now, c.started = in.Now, false
	var allowed []candidate.Candidate
	for {
		in.Nodes = c.cluster.nodes(in.Now)
		d := disruptkit.Decide(in, reason)
		for _, node := range d.Allowed {
			c.cluster.start(node.Node, in.Now)
			c.started = true
		}
		in.Memory, allowed = d.Memory, append(allowed, d.Allowed...)
		if len(d.Allowed) > 0 {
			continue // the next decision says what the others wait for
		}
		if !echo {
			c.history.record(d, c.cluster)
		}
		d.Allowed, d.NextChange = allowed, firstAfter(in.Now, c.cluster.next(in.Now), d.NextChange)
		return d
	}
}
