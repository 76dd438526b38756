package manifest

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
)

// A lifespan is how a NodeClaim ends by itself. (Karpenter: nodeclaim/expiration.Controller.Reconcile.)
type lifespan struct {
	expires time.Time     // zero: never
	grace   time.Duration // of its termination; 0: without limit, or it cannot be read
	pods    time.Time     // when the last of its pods that terminate is gone, at the latest; zero: none terminates
	pod     string        // that one
	launch  bool          // it is in flight, and waits for its replacement: nothing has been deleted
}

// ending returns the lifespan of a machine, which its Pods prolong.
func (s state) ending() (l lifespan) {
	if s.claim == nil {
		return l
	}
	l = s.claim.lifespan
	for _, p := range s.pods {
		if !p.Unevictable { // nobody waits for those
			if p.gone.After(l.pods) {
				l.pods, l.pod = p.gone, p.String()
			}
		}
	}
	deleted := s.claim.deleting || s.claim.terminating || s.node != nil && s.node.deleting
	l.launch = !deleted && s.leaving() == candidate.Draining
	return l
}

// before reports whether a machine expires before another one.
func (l lifespan) before(other lifespan) bool {
	return !l.expires.IsZero() && (other.expires.IsZero() || l.expires.Before(other.expires))
}

// Expires returns when a node expires without asking anybody: its creation plus its NodeClaim's expireAfter. Zero:
// never, or that is not known. It is for package plan.
func (c *Cluster) Expires(n candidate.Node) time.Time { return c.standings[n.Name].expires }

// Grace returns how long the drain of a node may take: its NodeClaim's terminationGracePeriod. 0: without limit, or that
// is not known. It is for package plan.
func (c *Cluster) Grace(n candidate.Node) time.Duration {
	return c.standings[n.Name].grace
}

// PodGrace returns how long a pod, "namespace/name", may take to end: its terminationGracePeriodSeconds. It is for package
// plan.
func (c *Cluster) PodGrace(pod string) time.Duration {
	if grace, other := c.from.podGrace[pod]; other {
		return grace
	}
	return usualGrace
}

// usualGrace is the terminationGracePeriodSeconds of pods that say nothing else.
const usualGrace = 30 * time.Second

// Terminates returns when the last of a node's pods that terminate is gone, at the latest. Zero: none terminates, or
// that is not known. It is for package plan.
func (c *Cluster) Terminates(n candidate.Node) time.Time { return c.standings[n.Name].pods }

// Terminating names the pod of Terminates, "namespace/name".
func (c *Cluster) Terminating(n candidate.Node) string { return c.standings[n.Name].pod }

// PoolGrace returns the terminationGracePeriod that a NodePool gives to new NodeClaims. 0: none, or it cannot be read.
func (c *Cluster) PoolGrace(pool string) time.Duration {
	if p := c.pools[pool]; p != nil {
		return p.grace
	}
	return 0
}

// Begun reports whether the drain of a node in flight has begun, and when, if that is known. Otherwise it waits for its
// replacement. It is for package plan.
func (c *Cluster) Begun(n candidate.Node) (since time.Time, begun bool) {
	s := c.standings[n.Name]
	return s.Deleted, !s.launch
}

// Spares reports whether a PodDisruptionBudget, "namespace/name", allows nothing by its spec, so that Karpenter launches
// nothing for its pods before they are evicted. It is for package plan.
func (c *Cluster) Spares(pdb string) bool { return c.byPDB[pdb].blocks }

// Recovers reports whether a PodDisruptionBudget, "namespace/name", that allows nothing will allow something once all
// its pods are Ready, and whether its status says so. It is for package plan.
func (c *Cluster) Recovers(pdb string) (recovers, known bool) {
	return c.byPDB[pdb].recovers, c.byPDB[pdb].known
}

// Expiring reports whether nodes expire without asking anybody, as they do in Karpenter, with and without the guard. An
// autoscaler that embeds disruptkit asks budgets. Where Nodes, Pods or NodePools were not given, what becomes of a node
// that expires is not known, and none is said to.
func (c *Cluster) Expiring() bool {
	return c.policy.As != engine.Disruptkit && !slices.ContainsFunc(c.Missing(), func(m Missing) bool {
		return !m.Suspected && (m.Kind == "Node" || m.Kind == "Pod" || m.Kind == "NodePool")
	})
}

// AnyExpires reports whether any NodeClaim has an expireAfter.
func (c *Cluster) AnyExpires() bool {
	for _, l := range c.standings {
		if !l.expires.IsZero() {
			return true
		}
	}
	return false
}
