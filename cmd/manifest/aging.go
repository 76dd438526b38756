package manifest

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/engine"
)

// An aging node of Cluster.Nodes expires from a time on, unless it is disrupted for drift alone. Then it is only overdue by its age.
type aging struct {
	at      int
	expires candidate.Condition
	drifts  bool
}

// noteAge takes off a node the drift that the steward has made, and notes when it has the reason Expired. What has drifted by itself goes for that,
// and so does all that the guard replaces of a static NodePool.
func (c *Cluster) noteAge(n *candidate.Node, s state) {
	p := c.pools[n.Pool]
	if p == nil || s.claim == nil {
		return
	}
	was, made, comparable := p.drifts(s.claim)
	guard := c.policy.As == engine.Guard
	if guard { // it makes nothing drift
		made, comparable = "", true
	}
	if comparable && made != "" && was == p.revision.Hash {
		n.Conditions = slices.DeleteFunc(n.Conditions, func(c candidate.Condition) bool { return c.Reason == "Drifted/NodePoolDrifted" })
		if n.DisruptedFor == candidate.Drifted { // which it is for its unit, if it was made to drift for Drifted
			n.DisruptedFor = made
		}
	}
	drifted := slices.ContainsFunc(n.Conditions, func(c candidate.Condition) bool { return candidate.Drifted.Covers(c.Reason) })
	if expires, there := p.Expires.Condition(n.Created); there && comparable {
		c.aging = append(c.aging, aging{len(c.Nodes), expires, drifted && made == "" || guard && p.Static})
	}
}

// drifts returns the hash that a NodeClaim has or had, and for which reason the steward has made it drift; and whether Karpenter compares the hash with
// that of the NodePool, without which nothing can be made to drift.
func (p *nodePool) drifts(c *nodeClaim) (was string, made candidate.Reason, comparable bool) {
	was, made = annotation.MadeToDrift(c.annotations[annotation.Hash])
	return was, made, annotation.Comparable(p.annotations, c.annotations)
}

// age adds the reasons that nodes have by their age at a time. Once a node is overdue by its age, it is for all its reasons.
func (c *Cluster) age(nodes []candidate.Node, now time.Time) {
	for _, a := range c.aging {
		n := &nodes[a.at]
		if a.expires.Since.After(now) {
			continue
		}
		if n.Conditions = slices.Clone(n.Conditions); !a.drifts {
			n.Conditions = append(n.Conditions, a.expires)
		}
		if !a.expires.Deadline.IsZero() {
			annotation.DueByAge(n.Conditions, a.expires, c.pools[n.Pool].Budgets)
		}
	}
}
