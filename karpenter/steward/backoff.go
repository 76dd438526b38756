package steward

import (
	"math/rand/v2"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/candidate"
)

// A taken node is one that Karpenter replaces for drift or repair. It deletes the NodeClaim once all replacements are there, and takes its
// taint away where it gives up, since a replacement could not be launched, or has not become a node.
type taken struct {
	pool    string
	since   time.Time
	replace bool // it is known to go for drift or repair: no other replacement makes a pool wait
}

// An end is how the last replacement of a pool has ended, which its memory is to say.
type end struct{ failed bool }

// settle finds out how replacements have ended that Karpenter has begun, and counts that in the memory of their pools: a pool whose replacements
// fail waits. What it finds is kept until it is stored.
func (s *Steward) settle(shot *Snapshot, seen objects, claims []v1.NodeClaim) {
	there := map[types.UID]bool{}
	now := shot.Input.Now
	for i := range claims {
		c := &claims[i]
		pool := c.Labels[v1.NodePoolLabelKey]
		n := seen.nodes[c.Status.NodeName]
		if _, takesPart := seen.policies[pool]; !takesPart || n == nil {
			continue
		}
		t, was := s.taken[c.UID]
		is := slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == v1.DisruptedTaintKey })
		switch {
		case !c.DeletionTimestamp.IsZero():
			continue // as if it was gone
		case is:
			if !was {
				t = taken{pool: pool, since: now}
			}
			reason := disruptedFor(c, seen.pools[pool])
			t.replace = t.replace || reason == candidate.Drifted || reason == candidate.Expired || reason == candidate.Unhealthy
			s.taken[c.UID] = t
		case was && t.replace:
			s.ends[pool] = end{failed: true}
			delete(s.taken, c.UID)
		default:
			delete(s.taken, c.UID)
		}
		there[c.UID] = true
	}
	for uid, t := range s.taken {
		if there[uid] {
			continue
		}
		delete(s.taken, uid)
		if _, other := s.ends[t.pool]; !other && t.replace && replaced(claims, t) {
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
			m.Backoff = m.Backoff.Succeed()
		}
		shot.Input.Memory[pool] = m
	}
}

// replaced reports whether a pool has a node that has come since one was taken. Else that one is gone for another reason.
func replaced(claims []v1.NodeClaim, t taken) bool {
	return slices.ContainsFunc(claims, func(c v1.NodeClaim) bool {
		return c.Labels[v1.NodePoolLabelKey] == t.pool && !c.CreationTimestamp.Time.Before(t.since.Add(-Skew)) &&
			c.StatusConditions().Get(v1.ConditionTypeInitialized).IsTrue()
	})
}

// jitter returns the jitter for Backoff.Fail. Tests set it.
func (s *Steward) jitter() float64 {
	if s.jitters != nil {
		return s.jitters()
	}
	return rand.Float64()
}
