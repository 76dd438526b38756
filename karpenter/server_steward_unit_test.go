package karpenter_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
)

// Six units of four nodes in three zones roll one unit after the other, and one zone after the other. Karpenter takes one drifted node a pass, so
// the nodes of a unit start one after the other, and those of no other unit meanwhile.
func TestServerStewardRollsUnits(t *testing.T) {
	const policy = `budgets: [{nodes: "4"}, {nodes: "4", topologyKey: topology.kubernetes.io/zone, sequential: true}]`
	s := tellWithSteward(t, ofOneZone(4), policy, func(o *world.Options) { o.NodesPerZone = 8 })
	unitOf := s.inUnits(4)
	row := len(s.Timeline())
	s.drift()
	s.rolls(4 * patience)
	units := map[string]bool{}
	started := s.started(row)
	for four := range slices.Chunk(started, 4) {
		unit := unitOf[four[0]]
		if units[unit] {
			t.Errorf("the unit %s was begun twice: %v", unit, started)
		}
		units[unit] = true
		for _, name := range four {
			if unitOf[name] != unit {
				t.Errorf("%s of unit %s started among the nodes of %s: %v", name, unitOf[name], unit, started)
			}
		}
	}
	if got := strings.Fields(zones(started)); len(units) != 6 || len(got) != 3 {
		t.Errorf("%d units went, and the zones took turns so: %s", len(units), got)
	}
	s.quiet()
}

// inUnits makes units of so many nodes in each zone, and returns the unit of each node.
func (s *stewarded) inUnits(size int) (unitOf map[string]string) {
	s.t.Helper()
	const rack = "example.com/rack"
	s.annotatePool(annotation.UnitLabel, rack)
	unitOf, in := map[string]string{}, map[string]int{}
	for _, n := range s.Nodes() {
		unitOf[n.Name] = fmt.Sprintf("%s-%d", n.Zone, in[n.Zone]/size)
		in[n.Zone]++
		if err := s.AnnotateNode(n.Name, rack, unitOf[n.Name]); err != nil {
			s.t.Fatal(err)
		}
	}
	return unitOf
}

// One node is replaced because somebody asks for it, while no node has drifted. It is the only one.
func TestServerStewardReplacesANodeOnRequest(t *testing.T) {
	s := tellWithSteward(t, limits{1, 1}, `budgets: [{nodes: "1"}]`, func(o *world.Options) { o.NodesPerZone = 2 })
	row, asked := len(s.Timeline()), s.Nodes()[1].Name
	if err := s.AnnotateNode(asked, annotation.Replace, "INC-1234"); err != nil {
		t.Fatal(err)
	}
	s.until(2*patience, "the node is gone", func() bool {
		return s.names(func(n world.Node) bool { return n.Name == asked }) == ""
	})
	s.stays(20 * time.Second)
	if got := s.started(row); !slices.Equal(got, []string{asked}) {
		t.Errorf("%v were disrupted, want only %s", got, asked)
	}
	s.quiet()
}
