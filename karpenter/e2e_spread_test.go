package karpenter_test

import (
	"testing"
	"time"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
)

// spreading allows all three nodes at once, and spreads their starts over ten minutes.
const spreading = `budgets: [{nodes: "3", spread: 10m}]`

// spread fails unless three nodes were disrupted since a row, a quarter of ten minutes after one another.
func (s *story) spread(from int, begin time.Time) {
	s.t.Helper()
	calls := s.calls(from)
	if len(calls) != 3 {
		s.t.Fatalf("%d nodes were disrupted, want 3", len(calls))
	}
	for i, at := range calls {
		due := time.Duration(i+1) * 150 * time.Second
		if after := at.Sub(begin); after < due-5*time.Second || after > due+time.Minute {
			s.t.Errorf("node %d was disrupted after %s, want %s", i+1, after, due)
		}
	}
}

func unzoned(o *world.Options) {
	o.NodesPerZone = 1
	o.NodePool = world.NewPool("default", v1.Budget{Nodes: "100%"})
	o.NodePool.Annotations = map[string]string{karpenter.DisruptionAnnotation: spreading}
}

// The guard is restarted after the first node, and goes on from what it has stored.
func TestASpreadOverTenMinutes(t *testing.T) {
	s := tell(t, unzoned)
	row, begin := len(s.Timeline()), s.Clock.Now()
	s.drift()
	s.until(5*time.Minute, "a node is new", func() bool { return len(s.started(row)) == 1 && len(s.InFlight()) == 0 })
	if err := s.Restart(); err != nil {
		t.Fatal(err)
	}
	s.rolls(time.Hour)
	s.spread(row, begin)
}

func TestServerSpreads(t *testing.T) {
	s := tellOnServer(t, unzoned)
	s.always = nil // zones take no turns
	row, begin := len(s.Timeline()), s.Clock.Now()
	s.drift()
	s.until(patience, "a node is new", func() bool { return len(s.started(row)) == 1 && len(s.InFlight()) == 0 })
	if err := s.Restart(); err != nil {
		t.Fatal(err)
	}
	s.rolls(5 * patience)
	s.spread(row, begin)
}

// Karpenter runs unchanged. The steward dies after the first node, and the next one goes on.
func TestServerStewardSpreads(t *testing.T) {
	s := tellWithSteward(t, limits{3, 3}, spreading, func(o *world.Options) { o.NodesPerZone = 1 })
	row, begin := len(s.Timeline()), s.Clock.Now()
	s.drift()
	s.until(patience, "a node is new", func() bool { return len(s.started(row)) == 1 && len(s.InFlight()) == 0 })
	s.stop()
	s.lead()
	s.rolls(5 * patience)
	s.spread(row, begin)
	s.quiet()
}
