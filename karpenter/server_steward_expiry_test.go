package karpenter_test

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
	"github.com/disruptkit/disruptkit/karpenter/steward"
)

// Twenty nodes of the same age expire two at a time, by drift, while nothing may drift by itself. Then they expire no more: what was made to
// drift is restored.
func TestServerStewardExpiryUnderBudgets(t *testing.T) {
	const policy = `budgets: [{nodes: "2", reasons: [Expired]}, {nodes: "0", reasons: [Drifted]}]`
	s := tellWithSteward(t, limits{2, 3}, policy, func(o *world.Options) { o.Zones, o.NodesPerZone = 2, 10 })
	peak := 0
	s.always = func() {
		taken := s.taken()
		if peak = max(peak, taken); taken > 2 {
			s.t.Errorf("%d nodes are in flight that have expired, and two may be", taken)
			s.always = nil // once is enough
		}
	}
	before := s.uids()
	if len(before) != 20 {
		t.Fatalf("there are %d nodes, want 20", len(before))
	}
	began := time.Now()
	s.annotatePool(annotation.Expire, `{after: 30s, deadline: 1h}`)
	s.until(5*patience, "all nodes are new", func() bool {
		return !slices.ContainsFunc(s.uids(), func(uid types.UID) bool { return slices.Contains(before, uid) })
	})
	t.Logf("20 nodes expired in %s, at most %d at once", time.Since(began).Round(time.Second), peak)
	if peak != 2 {
		t.Errorf("at most %d nodes were in flight at once: the budget of 2 was not used", peak)
	}
	s.annotatePool(annotation.Expire, "")
	s.until(patience, "nothing drifts any more that was made to", func() bool { return s.taken() == 0 && s.madeToDrift() == 0 })
	s.stays(20 * time.Second)
	s.quiet()
}

// uids returns those of all nodes.
func (s *stewarded) uids() (uids []types.UID) {
	s.t.Helper()
	var nodes corev1.NodeList
	if err := s.Client.List(s.t.Context(), &nodes); err != nil {
		s.t.Fatal(err)
	}
	for i := range nodes.Items {
		uids = append(uids, nodes.Items[i].UID)
	}
	return uids
}

// taken returns how many nodes Karpenter has begun to disrupt, whose instances do not terminate yet.
func (s *stewarded) taken() (count int) {
	s.t.Helper()
	var nodes corev1.NodeList
	var claims v1.NodeClaimList
	if err := s.Client.List(s.t.Context(), &nodes); err != nil {
		s.t.Fatal(err)
	}
	if err := s.Client.List(s.t.Context(), &claims); err != nil {
		s.t.Fatal(err)
	}
	counts := map[string]bool{}
	for i := range claims.Items {
		c := &claims.Items[i]
		counts[c.Status.ProviderID] = !c.StatusConditions().Get(v1.ConditionTypeInstanceTerminating).IsTrue()
	}
	for i := range nodes.Items {
		n := &nodes.Items[i]
		if counts[n.Spec.ProviderID] && slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == v1.DisruptedTaintKey }) {
			count++
		}
	}
	return count
}

// madeToDrift returns how many NodeClaims the steward has made to drift, or Karpenter still says have drifted.
func (s *stewarded) madeToDrift() (count int) {
	s.t.Helper()
	var claims v1.NodeClaimList
	if err := s.Client.List(s.t.Context(), &claims); err != nil {
		s.t.Fatal(err)
	}
	for i := range claims.Items {
		if _, made := steward.MadeToDrift(&claims.Items[i]); made != "" || claims.Items[i].StatusConditions().Get(v1.ConditionTypeDrifted).IsTrue() {
			count++
		}
	}
	return count
}
