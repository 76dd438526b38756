package planner

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit"
)

// idleSince returns since when nothing of a pool has moved, if that is longer than --stuck-after, and nodes may be disrupted. Zero: something
// has, or no node may, or that is unknown.
func (c *census) idleSince(r standing) (never time.Time) {
	since, mayStart := c.moved[r.name], !r.next.at.IsZero() && r.next.at.Sub(c.in.Now) < time.Minute
	if !mayStart || r.InProgress > 0 || c.moves[r.name] || !c.long(since) || !c.couldStart(r.name) {
		return never
	}
	return since.In(c.in.Now.Location())
}

// couldStart reports whether a node of a pool might have been disrupted --stuck-after ago, if all but the time was as it is now.
func (c *census) couldStart(pool string) bool {
	if c.could == nil {
		c.could = map[string]bool{}
		in, decide := c.in, c.snapshot.options.Decide
		if decide == nil {
			decide = disruptkit.Decide
		}
		in.Now = in.Now.Add(-c.stuckAfter)
		for _, reason := range c.model.Reasons {
			for _, a := range decide(in, reason).Allowed {
				c.could[a.Pool] = c.could[a.Pool] || !a.Since.After(in.Now)
			}
		}
	}
	return c.could[pool]
}

// idleText describes that nothing of a pool moves; "": something does. Why is a guess.
func (r standing) idleText() string {
	if r.idle.IsZero() {
		return ""
	}
	return fmt.Sprintf("nothing has moved since %s, although nodes may be disrupted: does Karpenter run, and can it replace them? Its events and "+
		"its log say so", day(r.idle))
}
