package karpenter_test

import (
	"testing"
	"time"

	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
)

// soaking allows one node at a time. Its slot is free again a minute after the node is gone.
const soaking = `budgets: [{nodes: "1", soak: 1m}]`

// idle returns for how long no node had been in flight when each of the nodes was disrupted that were since a row; for the first
// one, since a time.
func (s *story) idle(from int, begin time.Time) (all []time.Duration) {
	gone, calls := begin, s.calls(from)
	for _, row := range s.Timeline()[from:] {
		for len(calls) > 0 && !calls[0].After(row.At) {
			all, calls = append(all, calls[0].Sub(gone)), calls[1:]
		}
		for _, zone := range row.Zones {
			if zone.InFlight > 0 {
				gone = row.At
			}
		}
	}
	return all
}

// soaked fails unless three nodes went since a row, each a minute or more after the one before was gone.
func (s *story) soaked(from int, begin time.Time) {
	s.t.Helper()
	all := s.idle(from, begin)
	if len(all) != 3 {
		s.t.Fatalf("%d nodes were disrupted, want 3", len(all))
	}
	for i, d := range all[1:] {
		if d < 59*time.Second { // what this test sees, it sees a little later
			s.t.Errorf("node %d was disrupted %s after the one before was gone, want a minute", i+2, d)
		}
	}
	s.t.Logf("nothing was in flight for %v before each node", all)
}

// Karpenter is restarted while the first place soaks.
func TestServerSoaks(t *testing.T) {
	s := tellOnServer(t, func(o *world.Options) {
		o.NodesPerZone = 1
		o.NodePool = world.NewPool("default", v1.Budget{Nodes: "100%"})
		o.NodePool.Annotations = map[string]string{karpenter.DisruptionAnnotation: soaking}
	})
	s.always = nil // zones take no turns
	row, begin := len(s.Timeline()), s.Clock.Now()
	s.drift()
	s.until(patience, "a node is new", func() bool { return len(s.started(row)) == 1 && len(s.InFlight()) == 0 })
	if err := s.Restart(); err != nil {
		t.Fatal(err)
	}
	s.rolls(2 * patience)
	s.soaked(row, begin)
}

// Karpenter runs unchanged. The steward dies while the first place soaks, and the next one goes on.
func TestServerStewardSoaks(t *testing.T) {
	s := tellWithSteward(t, limits{1, 1}, soaking, func(o *world.Options) { o.NodesPerZone = 1 })
	row, begin := len(s.Timeline()), s.Clock.Now()
	s.drift()
	s.until(patience, "a node is new", func() bool { return len(s.started(row)) == 1 && len(s.InFlight()) == 0 })
	s.stop()
	s.lead()
	s.rolls(2 * patience)
	s.soaked(row, begin)
	s.quiet()
}
