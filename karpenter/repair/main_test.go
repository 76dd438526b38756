package main

import (
	"testing"

	"github.com/disruptkit/disruptkit/karpenter/internal/sidebyside"
	"github.com/disruptkit/disruptkit/karpenter/internal/sidebyside/sidebysidetest"
	"github.com/disruptkit/disruptkit/karpenter/internal/world"
)

func TestRepair(t *testing.T) { sidebysidetest.Check(t, command, 120) }

// What the picture shows, said in words.
func TestTheStory(t *testing.T) {
	s, err := tell(true)
	if err != nil {
		t.Fatal(err)
	}
	if zones, _ := s.atOnce(drift); zones != 1 {
		t.Errorf("drift had nodes of %d zones in flight at once: zones take turns", zones)
	}
	if _, nodes := s.atOnce(unhealthy); nodes != 1 {
		t.Errorf("repair had %d nodes in flight at once: its budget is %s", nodes, repairing)
	}
	reboots, both := map[string]int{}, false
	was := map[string]world.Node{}
	for _, f := range s.frames {
		drifts, repairs, uses, begins := 0, 0, 0, ""
		for _, n := range f.nodes {
			before := was[n.Name]
			was[n.Name] = n
			if n.Rebooting && !before.Rebooting {
				reboots[n.Name]++
			}
			if inFlightFor(n, drift) {
				drifts++
				if !inFlightFor(before, drift) {
					begins = n.Name
				}
			}
			if inFlightFor(n, unhealthy) {
				repairs++
			}
			if n.InFlight || n.Rebooting || n.Why == hung {
				uses++
			}
			if n.Name == "c4" && inFlightFor(n, unhealthy) {
				t.Errorf("%s: c4 is repaired, against do-not-repair", sidebyside.Clock(f.after))
			}
		}
		if begins != "" && uses > 3 {
			t.Errorf("%s: drift begins with %s, and %d nodes are in flight or broken: its budget is %s", sidebyside.Clock(f.after), begins, uses, drifting)
		}
		both = both || drifts > 0 && repairs > 0
		if f.after > calm && drifts+repairs > 0 {
			t.Errorf("%s: %d nodes are in flight while half of the fleet is broken", sidebyside.Clock(f.after), drifts+repairs)
		}
	}
	if !both || reboots["b4"] != 1 || reboots["b3"] != 1 || reboots["c3"] != 2 {
		t.Errorf("drift and repair at once: %t; reboots: %v, want one of b4 and b3, and two of c3", both, reboots)
	}
	if got := s.replaced(unhealthy); got != "c3" {
		t.Errorf("repair replaced %q, want c3, which two reboots did not help", got)
	}
	if got := s.replaced(drift); got != "c4" {
		t.Errorf("drift replaced %q of the broken nodes, want c4", got)
	}
}
