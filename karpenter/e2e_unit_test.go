package karpenter_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
)

// The real Karpenter starts both nodes of a unit in one pass, and one zone after the other.
func TestUnitsOfAFleetRollAsAWhole(t *testing.T) {
	const rack = "example.com/rack"
	s := tell(t, func(o *world.Options) { o.NodePool.Annotations[karpenter.UnitLabelAnnotation] = rack })
	units, in := map[string]string{}, map[string]int{} // by node; nodes by zone
	for _, n := range s.Nodes() {
		units[n.Name] = fmt.Sprintf("%s-%d", n.Zone, in[n.Zone]/2)
		in[n.Zone]++
		if err := s.AnnotateNode(n.Name, rack, units[n.Name]); err != nil {
			t.Fatal(err)
		}
	}
	s.drift()
	s.always = func() {
		stays := map[string]int{}
		for _, n := range s.Nodes() {
			if unit := units[n.Name]; unit != "" && !n.InFlight {
				stays[unit]++
			}
		}
		for unit, n := range stays {
			if n != 2 {
				t.Errorf("one node of the unit %s is disrupted, and the other is not", unit)
			}
		}
	}
	s.rolls(15 * time.Minute)
	s.inOrder()
	if started := s.started(0); len(started) != 12 {
		t.Errorf("%d nodes were disrupted: %v", len(started), started)
	}
}
