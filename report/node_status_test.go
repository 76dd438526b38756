package report_test

import (
	"fmt"
	"testing"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/report"
)

// "DisruptionDetails represents the method and reason for the disruption in the format of method:reason" (RFC).
func TestTheDetailsOfANodeInFlightAreItsMethodAndItsReason(t *testing.T) {
	in := disruptkit.Input{Now: friday, Pools: []disruptkit.Pool{pool(t)}, Nodes: frame("e=Drifted/AMIDrift d=Drifted c=? zoo/b=repair a")}
	in.Nodes[4].DisruptedFor = "Drifted" // stale: it is not in flight
	drained := candidate.Node{Name: "f", Pool: "default", Leaving: candidate.Terminating, DisruptedFor: "Empty"}
	in.Nodes = append(in.Nodes, drained, candidate.Node{Name: "g", Pool: "default", Conditions: []candidate.Condition{{Reason: "Empty"}}, DisruptedFor: "Empty"})
	in.Nodes = append(in.Nodes, candidate.Node{Name: "h", Pool: "default", Rebooting: true}) // which is repair, whoever forgot to say so
	in.Nodes = append(in.Nodes, candidate.Node{Name: "i", Pool: "default", Rebooting: true, Leaving: candidate.Draining, DisruptedFor: "Drifted"})
	var got []string
	for _, n := range summarized(report.Report{}, in, "").Nodes {
		got = append(got, fmt.Sprintf("%s %s %v %q %d", n.Node, n.Pool, n.InFlight, n.Details, len(n.Conditions)))
	}
	wantLines(t, "nodes", got,
		`b zoo true "repair" 0`, `c default true "" 0`, `d default true "Drifted" 0`, `e default true "Drifted:AMIDrift" 0`,
		`f default true "Empty" 0`, `g default false "" 2`, `h default true "Unhealthy" 0`, `i default true "Drifted" 0`)
}

// Of two nodes of a name, one reboots and one is replaced: both are in flight for repair, and the order of the input must not show.
func TestNodesOfANameAreReportedInOneOrder(t *testing.T) {
	machine := candidate.Node{Name: "a", Pool: "default", Phase: candidate.NotReady, Conditions: []candidate.Condition{{Reason: "Unhealthy"}}}
	reboots, replaced := machine, machine
	reboots.Rebooting, replaced.Leaving, replaced.DisruptedFor = true, candidate.Draining, "Unhealthy"
	for _, nodes := range [][]candidate.Node{{reboots, replaced}, {replaced, reboots}} {
		in := disruptkit.Input{Now: friday, Pools: []disruptkit.Pool{pool(t)}, Nodes: nodes}
		var got []string
		for _, n := range summarized(report.Report{}, in, "").Nodes {
			got = append(got, fmt.Sprintf("%s %s", n.Details, n.Conditions[1].Reason))
		}
		wantLines(t, "nodes", got, "Unhealthy Deleting", "Unhealthy Rebooting")
	}
}
