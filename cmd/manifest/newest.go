package manifest

import "time"

// Newest returns the newest of the times that decisions depend on, and that are over when the objects are printed: a few minutes
// before that, at most, since nodes have heartbeats. Zero: none has; other objects may be much older than what was printed.
func (c *Cluster) Newest() (newest time.Time) {
	later := func(times ...time.Time) {
		for _, t := range times {
			if t.After(newest) {
				newest = t
			}
		}
	}
	for _, s := range c.states {
		if s.node != nil {
			beat, _ := time.Parse(time.RFC3339, s.node.heartbeat) // another text is none
			later(beat)
		}
	}
	if newest.IsZero() {
		return newest
	}
	for i, s := range c.states {
		n := c.Nodes[i]
		later(n.Created, n.ReadySince)
		for _, condition := range n.Conditions {
			later(condition.Since)
		}
		for _, p := range s.pods {
			later(p.Started)
		}
	}
	return newest
}
