package karpenter

import (
	"math/rand/v2"
	"slices"

	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/karpenter/pkg/controllers/state"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
)

// A launch is a command that replaces nodes for drift, by age, on request or for repair and whose outcome is not known yet.
type launch struct {
	pool         string
	claims       []string                  // the NodeClaims of the nodes that it replaces
	replacements []*disruption.Replacement // they have names once Karpenter has created them
}

// launched records the commands that are about to start.
func (g *guard) launched(commands []disruption.Command) {
	replace := []candidate.Reason{candidate.Drifted, candidate.Expired, candidate.Requested, candidate.Unhealthy}
	if !slices.Contains(replace, g.reason.Method()) {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, command := range commands {
		if len(command.Replacements) == 0 || len(command.Candidates) == 0 {
			continue
		}
		l := launch{pool: command.Candidates[0].NodePool.Name, replacements: command.Replacements}
		for _, c := range command.Candidates {
			l.claims = append(l.claims, c.NodeClaim.Name)
		}
		g.launches = append(g.launches, &l)
	}
}

// settle finds out how launches have ended, and updates the memory of their pools: a pool whose replacements fail waits
// (see [disruptkit.Backoff]). Pools without annotations do not wait.
func (c *Cluster) settle(s *snapshot, nodes map[string]*state.StateNode) {
	for _, l := range c.launches {
		end := l.end(nodes)
		if end == pending {
			continue
		}
		s.settled = append(s.settled, l)
		m, there := s.Memory[l.pool]
		if !there || !s.annotated[l.pool] {
			continue
		}
		switch end {
		case failed:
			m.Backoff = m.Backoff.Fail(s.Now, c.jitter())
		case succeeded:
			m.Backoff = disruptkit.Backoff{}
		}
		s.Memory[l.pool] = m
	}
}

type end int

const (
	pending end = iota
	succeeded
	failed
	gone // its nodes are gone for another reason
)

// end describes how a launch has ended, given the nodes in Karpenter's state. It has succeeded once all replacements are
// initialized. It has failed if a node to be replaced is not marked for deletion: Karpenter does not mark the nodes of
// a command that it cannot launch, and unmarks those of a command that it gives up.
func (l *launch) end(nodes map[string]*state.StateNode) end {
	up := func(r *disruption.Replacement) bool {
		n := nodes[r.Name]
		return r.Name != "" && n != nil && n.Initialized()
	}
	if !slices.ContainsFunc(l.replacements, func(r *disruption.Replacement) bool { return !up(r) }) {
		return succeeded
	}
	there := false
	for _, name := range l.claims {
		if n := nodes[name]; n != nil {
			if there = true; !n.MarkedForDeletion() {
				return failed
			}
		}
	}
	if !there {
		return gone
	}
	return pending
}

// forgetLaunches forgets the launches that have ended, if the memory of their pool is stored.
func (c *Cluster) forgetLaunches(ended []*launch, stored map[string]disruptkit.Memory, failed map[string]bool) {
	c.launches = slices.DeleteFunc(c.launches, func(l *launch) bool {
		_, is := stored[l.pool]
		return is && !failed[l.pool] && slices.Contains(ended, l)
	})
}

// jitter returns the jitter for Backoff.Fail. Tests set it.
func (c *Cluster) jitter() float64 {
	if c.jitters != nil {
		return c.jitters()
	}
	return rand.Float64()
}
