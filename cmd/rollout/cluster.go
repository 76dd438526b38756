package main

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// A cluster is the fleet while it rolls. As in Karpenter, the replacement comes first: it is launched when the disruption
// starts and joins NotReady; once it is Ready, the old node drains, and is gone.
type cluster struct {
	slots  []slot
	outage outage
}

// A slot is a machine's place in the fleet, and what became of it. Times that are not known yet are zero.
type slot struct {
	machine
	started time.Time // its replacement was launched: it is in flight
	ready   time.Time // the replacement became Ready, and the drain began
	gone    time.Time // the drain ended
}

func newCluster(s scenario) *cluster {
	c := &cluster{outage: s.outage}
	for _, m := range s.fleet {
		c.slots = append(c.slots, slot{machine: m})
	}
	return c
}

// start disrupts a node. All that follows from it is known at once.
func (c *cluster) start(node string, now time.Time) {
	if s := c.slot(node); s != nil {
		n := candidate.Node{Name: node}
		s.started = now
		s.ready = now.Add(c.launch(n, now))
		s.gone = s.ready.Add(c.drain(n, s.ready))
	}
}

// launch says how long it takes until the replacement of a node is Ready, and drain, how long its pods take to leave. (plan.Takes)
func (c *cluster) launch(n candidate.Node, at time.Time) time.Duration {
	s := c.slot(n.Name)
	return c.outage.end(s.zone, at, s.boot).Sub(at)
}

func (c *cluster) drain(n candidate.Node, at time.Time) time.Duration {
	s := c.slot(n.Name)
	if s.stuck {
		return gracePeriod
	}
	return min(c.outage.end(s.zone, at, s.drain).Sub(at), gracePeriod)
}

// slot returns the slot of a node that is to go.
func (c *cluster) slot(node string) *slot {
	i := slices.IndexFunc(c.slots, func(s slot) bool { return s.old == node })
	if i < 0 {
		return nil
	}
	return &c.slots[i]
}

// begun reports whether the node was ever started.
func (s slot) begun() bool { return !s.started.IsZero() }

// inFlight reports whether a node is being replaced.
func (s slot) inFlight(now time.Time) bool {
	return s.begun() && !now.Before(s.started) && now.Before(s.gone)
}

// replaced reports whether the old node is gone.
func (s slot) replaced(now time.Time) bool { return s.begun() && !now.Before(s.gone) }

// recovers reports whether the workload's pods are leaving the node, or are not yet Ready elsewhere.
func (s slot) recovers(now time.Time) bool {
	return s.begun() && !now.Before(s.ready) && now.Before(s.gone.Add(s.recovery))
}

// cutOff reports whether only the grace period ended the drain.
func (s slot) cutOff() bool { return s.begun() && s.gone.Equal(s.ready.Add(gracePeriod)) }

// nodes returns what an API server would list.
func (c *cluster) nodes(now time.Time) []candidate.Node {
	spent := map[string]bool{}
	for _, s := range c.slots {
		if s.recovers(now) {
			spent[s.workload] = true
		}
	}
	nodes := make([]candidate.Node, 0, len(c.slots)+limitNodes)
	for _, s := range c.slots {
		if !s.replaced(now) {
			nodes = append(nodes, c.oldNode(s, now, spent[s.workload]))
		}
		if s.inFlight(now) || s.replaced(now) {
			nodes = append(nodes, c.newNode(s, now))
		}
	}
	return nodes
}

func (c *cluster) oldNode(s slot, now time.Time, spent bool) candidate.Node {
	n := candidate.Node{
		Name: s.old, Pool: poolName, Labels: s.labels,
		Conditions:  []candidate.Condition{{Reason: candidate.Drifted, Since: s.drifted}},
		Initialized: true, Ready: !c.outage.hits(s.zone, now),
		DoNotDisrupt: s.doNotDisrupt,
	}
	switch {
	case s.inFlight(now):
		n.Deleting, n.DisruptedFor = true, candidate.Drifted
		n.HasGracePeriod, n.Deadline = true, s.ready.Add(gracePeriod)
	case spent: // this is how a caller tells what it knows of pods
		n.Blockers = []candidate.Blocker{{
			Gate: candidate.GatePod, Code: "pdb", Message: "PDB " + s.workload + " allows no disruption",
		}}
	}
	return n
}

func (c *cluster) newNode(s slot, now time.Time) candidate.Node {
	joined := !now.Before(s.ready)
	n := candidate.Node{
		Name: s.new, Pool: poolName, Labels: s.labels,
		Initialized: joined, Ready: joined && !c.outage.hits(s.zone, now),
	}
	if n.Ready {
		n.ReadySince = s.ready
		if s.zone == c.outage.zone && s.ready.Before(c.outage.to) && !now.Before(c.outage.to) {
			n.ReadySince = c.outage.to
		}
	}
	return n
}

// next returns when something next happens in the cluster, and zero if nothing does.
func (c *cluster) next(now time.Time) time.Time {
	next := firstAfter(now, c.outage.from, c.outage.to)
	for _, s := range c.slots {
		if s.begun() {
			next = firstAfter(now, next, s.ready, s.gone, s.gone.Add(s.recovery))
		}
	}
	return next
}

// firstAfter returns the first of some times that is after now, and zero if none is.
func firstAfter(now time.Time, times ...time.Time) time.Time {
	var first time.Time
	for _, t := range times {
		if t.After(now) && (first.IsZero() || t.Before(first)) {
			first = t
		}
	}
	return first
}

// rolled reports whether every node is replaced that can be.
func (c *cluster) rolled(now time.Time) bool {
	for _, s := range c.slots {
		if !s.replaced(now) && !s.doNotDisrupt {
			return false
		}
	}
	return true
}
