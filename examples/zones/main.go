// Command zones lets one zone at a time roll, for an autoscaler that has a loop of its own and only wants turns.
//
// disruptkit.Decide does all of this for all pools and reasons. See examples/memory for that.
package main

import (
	"fmt"
	"log"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/topology"
)

const zone = "topology.kubernetes.io/zone"

var (
	drift   = []candidate.Reason{candidate.Drifted}
	options = topology.Options{Reasons: drift, Soak: 10 * time.Minute, Unlabelled: topology.Block}
	shift   = probe.Pause{Key: zone, Domains: []string{"c"}, Until: at(10, 0), By: "alice", Why: "zonal shift"}
)

func main() {
	set, err := budget.Compile([]budget.Budget{{Nodes: "1", TopologyKey: zone, Sequential: true, Reasons: drift}})
	if err != nil {
		log.Fatal(err)
	}
	if _, faults := shift.Enforced(); len(faults) > 0 {
		log.Fatal(faults)
	}
	scope := set.Scopes(candidate.Drifted)[0] // the budget, for one zone
	nodes := []candidate.Node{
		drifted("a1", at(7, 0)), drifted("b1", at(6, 0)), drifted("c1", at(5, 0)), drifted("x1", at(4, 0)),
	}
	nodes[0].Conditions[0].Deadline = at(9, 20) // by then it should be gone
	nodes[3].Labels = nil                       // nobody knows where it is
	var roll topology.Roll

	roll = turn(scope, nodes, roll, at(9, 0)) // c is paused, so that b has the oldest node

	nodes[1] = fresh("b2")
	nodes[1].Phase = candidate.NotReady
	roll = turn(scope, nodes, roll, at(9, 10)) // b1 is gone, and its replacement boots
	nodes[1].Phase, nodes[1].ReadySince = candidate.Running, at(9, 12)
	roll = turn(scope, nodes, roll, at(9, 15)) // b still has to soak

	roll = turn(scope, nodes, roll, at(9, 30))
	nodes[0] = fresh("a2")
	nodes[0].ReadySince = at(9, 33)
	roll = turn(scope, nodes, roll, at(9, 44)) // that a is done is seen only now
	roll = turn(scope, nodes, roll, at(9, 55))
	turn(scope, nodes, roll, at(10, 0))
}

// turn prints whose turn it is, and what that means for each node. It returns what to store for the next call.
func turn(scope budget.Limit, nodes []candidate.Node, roll topology.Roll, now time.Time) topology.Roll {
	census := topology.NewCensus(scope, options, now)
	for i := range nodes {
		if domain, waits := census.Count(&nodes[i]); waits {
			census.Wait(domain, &nodes[i], blockers(&nodes[i], now))
		}
	}
	domains, _ := census.Domains()
	s := topology.SelectActiveZone(scope, domains, roll, options, now)
	if s.Chosen {
		fmt.Printf("%s turn of %s: %s\n", now.Format("15:04"), s.Active, s.Rule)
	} else {
		fmt.Printf("%s nobody's turn before %s\n", now.Format("15:04"), s.NextFree.Format("15:04"))
	}
	for _, d := range s.Domains {
		fmt.Printf("  %s: %s\n", d, state(d, s.Unlabelled))
	}
	taken := map[string]int{}
	for i := range nodes {
		n := &nodes[i]
		name := n.Labels[zone]
		if len(n.Conditions) == 0 || len(blockers(n, now)) > 0 {
			continue
		}
		if b, held := s.Blocker(name, taken[name]); held {
			fmt.Println("  keep ", n.Name, b)
			continue
		}
		taken[name]++
		fmt.Println("  drain", n.Name)
	}
	if !s.NextChange.IsZero() {
		fmt.Println("  the turn may change at", s.NextChange.Format("15:04"))
	}
	if len(taken) > 0 {
		return s.Started
	}
	return s.Kept
}

// blockers returns what blocks a node besides turns: here, itself and a person's pause.
func blockers(n *candidate.Node, now time.Time) []candidate.Blocker {
	var all []candidate.Blocker
	for _, c := range n.Conditions {
		all = append(all, candidate.NodeGate(n, c, candidate.Minimum{}, now)...)
	}
	if holds, _ := shift.State(now); holds && (shift.Includes(n.Labels) || shift.Awaits(n)) {
		all = append(all, shift.Blocker())
	}
	return all
}

// state describes how far a zone is.
func state(d topology.Domain, unlabelled topology.Unlabelled) string {
	switch {
	case d.Name == "" && unlabelled == topology.Block:
		return "stay until somebody labels them"
	case d.ToGo == 0 && d.Unready > 0:
		return fmt.Sprintf("all gone, but %s is not Ready", d.NotReady)
	case d.ToGo == 0 && !d.ReadySince.IsZero():
		return fmt.Sprintf("done, and all nodes Ready since %s", d.ReadySince.Format("15:04"))
	case d.ToGo == 0:
		return "done"
	case d.Paused == d.ToGo:
		return fmt.Sprintf("skipped until %s: %s", d.NextFree.Format("15:04"), d.HeldUp)
	case d.Free == 0:
		return "held up by " + d.HeldUp
	case !d.OverdueBy.IsZero():
		return fmt.Sprintf("next is %s, overdue since %s", d.OldestFree, d.OverdueBy.Format("15:04"))
	}
	return fmt.Sprintf("next is %s, drifted since %s", d.OldestFree, d.FreeSince.Format("15:04"))
}

// fresh returns a node whose zone is the first letter of its name.
func fresh(name string) candidate.Node {
	return candidate.Node{
		Name: name, Pool: "default", Phase: candidate.Running, Labels: map[string]string{zone: name[:1]},
	}
}

// drifted returns one that has to go.
func drifted(name string, since time.Time) candidate.Node {
	n := fresh(name)
	n.Conditions = []candidate.Condition{{Reason: candidate.Drifted, Since: since}}
	return n
}

func at(hour, minute int) time.Time { return time.Date(2026, 11, 23, hour, minute, 0, 0, time.UTC) }
