package manifest

import (
	"time"

	"github.com/disruptkit/disruptkit/schedule"
)

// Newest returns the newest of the times that decisions depend on, and that are over when the objects are printed: a few minutes
// before that, at most, since nodes have heartbeats. Zero: none has; other objects may be much older than what was printed.
func (c *Cluster) Newest() (newest time.Time) {
	for _, s := range c.states {
		if s.node != nil {
			beat, _ := time.Parse(time.RFC3339, s.node.heartbeat) // another text is none
			newest = schedule.Last(newest, beat)
		}
	}
	if newest.IsZero() {
		return newest
	}
	for i, s := range c.states {
		n := c.Nodes[i]
		newest = schedule.Last(newest, schedule.Last(n.Created, n.ReadySince))
		for _, condition := range n.Conditions {
			newest = schedule.Last(newest, condition.Since)
		}
		for _, p := range s.pods {
			newest = schedule.Last(newest, p.Started)
		}
	}
	return newest
}
