package karpenter_test

import (
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
)

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

// What guards have not seen for one soak may soak. A restart in a soak changes nothing.
func TestOneNodeAtATimeAndTenMinutesBetween(t *testing.T) {
	t.Parallel()
	for rule, c := range map[string]struct{ annotation, policy string }{
		"of a NodePool": {annotation: `budgets: [{nodes: "1", soak: 10m}]`},
		"of a policy":   {policy: `{all: true, budgets: [{nodes: "1", soak: 10m}]}`},
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			s := tell(t, func(o *world.Options) {
				o.Zones, o.NodesPerZone = 1, 4
				o.NodePool = world.NewPool("default", v1.Budget{Nodes: "100%"})
				if c.annotation != "" {
					o.NodePool.Annotations = map[string]string{karpenter.DisruptionAnnotation: c.annotation}
				} else {
					o.Objects = []client.Object{policyObject("slowly", c.policy)}
				}
			})
			row := len(s.Timeline())
			begin := s.Clock.Now()
			s.drift()
			s.until(time.Hour, "two nodes are new", func() bool { return len(s.started(row)) == 2 && len(s.InFlight()) == 0 })
			s.lasts(5 * time.Minute)
			if err := s.Restart(); err != nil {
				t.Fatal(err)
			}
			s.rolls(2 * time.Hour)
			idle := s.idle(row, begin)
			for i, d := range idle {
				if d < 10*time.Minute || d > 11*time.Minute {
					t.Errorf("node %d was disrupted %s after the one before was gone, want ten minutes", i+1, d)
				}
			}
			if len(idle) != 4 {
				t.Errorf("%d nodes were disrupted, want 4", len(idle))
			}
		})
	}
}
