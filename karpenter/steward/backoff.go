package steward

import (
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
)

// A taken node is one that Karpenter replaces for drift or repair. It deletes the NodeClaim once all replacements are there, and takes its
// taint away where it gives up: a replacement could not be launched, or went before it was a node, or has not become one in time. It also
// takes all taints away when it starts. Then nothing has failed, and the replacements still come.
type taken struct {
	pool    string
	since   time.Time
	replace bool // it is known to go for drift or repair: no other replacement makes a pool wait
	givenUp bool // its taint is gone, and a replacement still comes
}

// givesUpAfter is how long Karpenter waits for a replacement, at least. One that comes for longer has failed.
const givesUpAfter = 10 * time.Minute

// An end is how the last replacement of a pool has ended, which its memory is to say.
type end struct{ failed bool }

// settle finds out how replacements have ended that Karpenter has begun, and counts that in the memory of their pools: a pool whose replacements
// fail waits. What it finds is kept until it is stored.
func (s *Steward) settle(shot *Snapshot, seen objects, claims []v1.NodeClaim) {
	there := map[types.UID]bool{}
	now := shot.Input.Now
	s.lose(claims)
	for i := range claims {
		c := &claims[i]
		pool := c.Labels[v1.NodePoolLabelKey]
		n := seen.nodes[c.Status.NodeName]
		if _, takesPart := seen.policies[pool]; !takesPart || n == nil || !c.DeletionTimestamp.IsZero() {
			continue // as if it was gone
		}
		there[c.UID] = true
		t, was := s.taken[c.UID]
		switch is := slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == v1.DisruptedTaintKey }); {
		case is:
			s.taken[c.UID] = t.again(c, seen.pools[pool], now)
		case was && t.replace:
			s.giveUp(c.UID, t, claims, now)
		default:
			delete(s.taken, c.UID)
		}
	}
	for uid, t := range s.taken {
		if there[uid] {
			continue
		}
		delete(s.taken, uid)
		became := func(c v1.NodeClaim) bool { return t.waitsFor(&c) && isNode(&c) } // else it is gone for another reason
		if _, other := s.ends[t.pool]; !other && t.replace && slices.ContainsFunc(claims, became) {
			s.ends[t.pool] = end{}
		}
	}
	for pool, e := range s.ends {
		m, takesPart := shot.Input.Memory[pool]
		switch {
		case !takesPart:
			delete(s.ends, pool)
			continue
		case e.failed:
			m.Backoff = m.Backoff.Fail(now, s.jitter())
		default:
			m.Backoff = disruptkit.Backoff{}
		}
		shot.Input.Memory[pool] = m
	}
}

// again returns what is known of a node that has the taint. Karpenter says since when, whoever saw it first.
func (t taken) again(c *v1.NodeClaim, np *v1.NodePool, now time.Time) taken {
	if t.since.IsZero() || t.givenUp {
		t = taken{pool: c.Labels[v1.NodePoolLabelKey], since: now}
	}
	if is := c.StatusConditions().Get(v1.ConditionTypeDisruptionReason); is.IsTrue() && is.LastTransitionTime.Time.Before(t.since) {
		t.since = is.LastTransitionTime.Time
	}
	switch disruptedFor(c, np) {
	case candidate.Drifted, candidate.Expired, candidate.Requested, candidate.Unhealthy:
		t.replace = true
	}
	return t
}

// waitsFor reports whether a NodeClaim may be the replacement of a taken node.
func (t taken) waitsFor(c *v1.NodeClaim) bool {
	return c.Labels[v1.NodePoolLabelKey] == t.pool && t.before(c.CreationTimestamp.Time)
}

func (t taken) before(created time.Time) bool { return !created.Before(t.since.Add(-Skew)) }

func isNode(c *v1.NodeClaim) bool {
	return c.StatusConditions().Get(v1.ConditionTypeInitialized).IsTrue()
}

// giveUp finds out why a node has the taint no more: its replacement has failed, or Karpenter has begun anew. While a replacement is launched, that is
// open: NodeClaims may be seen later than nodes.
func (s *Steward) giveUp(uid types.UID, t taken, claims []v1.NodeClaim, now time.Time) {
	became, comes := false, false
	for i := range claims {
		if c := &claims[i]; t.waitsFor(c) && c.DeletionTimestamp.IsZero() {
			became = became || isNode(c)
			comes = comes || !isNode(c) && now.Sub(c.CreationTimestamp.Time) < givesUpAfter
		}
	}
	lost := slices.IndexFunc(s.lost[t.pool], t.before)
	switch {
	case lost >= 0:
		s.lost[t.pool] = slices.Delete(s.lost[t.pool], lost, lost+1)
	case comes:
		t.givenUp = true
		s.taken[uid] = t
		return
	}
	if delete(s.taken, uid); lost >= 0 || !became {
		s.ends[t.pool] = end{failed: true}
	}
}

// A coming NodeClaim is not a node yet.
type coming struct {
	pool    string
	created time.Time
}

// lose notes the NodeClaims that have gone, or go, before they were nodes.
func (s *Steward) lose(claims []v1.NodeClaim) {
	come := map[types.UID]coming{}
	for i := range claims {
		c := &claims[i]
		if isNode(c) || c.DeletionTimestamp.IsZero() {
			delete(s.coming, c.UID)
		}
		if !isNode(c) && c.DeletionTimestamp.IsZero() {
			come[c.UID] = coming{c.Labels[v1.NodePoolLabelKey], c.CreationTimestamp.Time}
		}
	}
	waits := map[string]bool{}
	for _, t := range s.taken {
		waits[t.pool] = true
	}
	maps.DeleteFunc(s.lost, func(pool string, _ []time.Time) bool { return !waits[pool] })
	for _, c := range s.coming {
		if waits[c.pool] {
			s.lost[c.pool] = append(s.lost[c.pool], c.created)
		}
	}
	s.coming = come
}

// jitter returns the jitter for Backoff.Fail. Tests set it.
func (s *Steward) jitter() float64 {
	if s.jitters != nil {
		return s.jitters()
	}
	return rand.Float64()
}
