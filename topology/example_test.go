package topology_test

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

// One zone at a time, composed by hand for one pool and one reason; disruptkit.Decide does all of it, for all pools.
func ExampleSelectActiveZone() {
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	set, err := budget.Compile([]budget.Budget{
		{Nodes: "1", TopologyKey: "topology.kubernetes.io/zone", Sequential: true, Reasons: []candidate.Reason{candidate.Drifted}},
	})
	if err != nil {
		fmt.Println(err)
	}
	nodes := []candidate.Node{ // in zones a and b; a2 drifted first
		drifted("a2", now.Add(-5*time.Hour)), drifted("b1", now.Add(-3*time.Hour)), drifted("a1", now.Add(-2*time.Hour)),
	}
	var roll topology.Roll // as stored after the last decision
	var o topology.Options

	scope, taken := set.Scopes(candidate.Drifted)[0], map[string]int{}
	census := topology.NewCensus(scope, o, now)
	for i := range nodes {
		if domain, waits := census.Count(&nodes[i]); waits {
			census.Wait(domain, &nodes[i], nil)
		}
	}
	domains, _ := census.Domains()
	s := topology.SelectActiveZone(scope, domains, roll, o, now)
	for _, n := range nodes { // the oldest first
		zone := n.Labels[scope.Key]
		if b, blocked := s.Blocker(zone, taken[zone]); blocked {
			fmt.Println("keep", n.Name, b)
			continue
		}
		taken[zone]++
		fmt.Println("drain", n.Name)
	}
	fmt.Printf("store %+v\n", s.Started) // or Kept, if no node is allowed
	// Output:
	// drain a2
	// keep b1 topology/waits-for-domain: b waits for a (0 in flight, 2 to go)
	// keep a1 topology/exhausted: 1 of 2 nodes of a may be disrupted at once, 1 already allowed: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time (Drifted)
	// store {Key:topology.kubernetes.io/zone Domain:a IdleSince:0001-01-01 00:00:00 +0000 UTC}
}

// drifted returns a node in the zone that its first letter names.
func drifted(name string, since time.Time) candidate.Node {
	return candidate.Node{
		Name: name, Pool: "default", Phase: candidate.Running,
		Labels:     map[string]string{"topology.kubernetes.io/zone": name[:1]},
		Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: since}},
	}
}
