package planner

import (
	"cmp"
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/cmd/engine"
)

// idleSince returns since when nothing of a pool has moved, if that is longer than --stuck-after, and nodes may be disrupted. Zero: something
// has, or no node may, or that is unknown.
func (c *census) idleSince(r standing) (never time.Time) {
	since, mayStart := c.moved[r.Name], !r.Next.At.IsZero() && r.Next.At.Sub(c.in.Now) < time.Minute
	if !mayStart || r.InProgress > 0 || !c.long(since) || !c.couldStart(r.Name) {
		return never
	}
	return since.In(c.in.Now.Location())
}

// couldStart reports whether a node of a pool might have been disrupted --stuck-after ago, if all but the time was as it is now.
func (c *census) couldStart(pool string) bool {
	if c.could == nil {
		c.could = map[string]bool{}
		in := c.in
		in.Now = in.Now.Add(-c.stuckAfter)
		for _, reason := range c.model.Reasons {
			for _, a := range c.cluster.Decide(in, reason).Allowed {
				c.could[a.Pool] = c.could[a.Pool] || !a.Since.After(in.Now)
			}
		}
	}
	return c.could[pool]
}

// idleText describes that nothing of a pool moves; "": something does. What to look at is a guess.
func (o overview) idleText(r standing) string {
	if r.Idle.IsZero() {
		return ""
	}
	who := map[engine.Engine]string{engine.Steward: "the steward and Karpenter run", engine.Disruptkit: "the autoscaler runs"}[o.As]
	return fmt.Sprintf("nothing has moved since %s, although nodes may be disrupted: unless what blocked them was lifted only now, see in events and "+
		"logs whether %s, and can replace them", day(r.Idle), cmp.Or(who, "Karpenter runs"))
}
