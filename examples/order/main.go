// Command order allows canaries first: it computes a rank of each node, and asks for the lowest first.
package main

import (
	"fmt"
	"log"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

func main() {
	budgets, err := budget.Spec{Budgets: []budget.Budget{{Nodes: "2"}}, Order: "rank"}.Compile()
	if err != nil {
		log.Println(err) // no node may be disrupted, if nobody knows which order was meant
	}
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	var nodes []candidate.Node
	for i, tier := range []string{"payments", "search", "canary", "batch"} {
		nodes = append(nodes, candidate.Node{
			Name: "node-" + tier, Pool: "default", Phase: candidate.Running, Rank: rank(tier),
			Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: now.Add(time.Duration(i) * time.Minute)}},
		})
	}
	for round := 1; len(nodes) > 0; round++ {
		pools := []disruptkit.Pool{{Name: "default", Budgets: budgets}}
		d := disruptkit.Decide(disruptkit.Input{Now: now.Add(time.Hour), Pools: pools, Nodes: nodes}, candidate.Drifted)
		fmt.Println("round", round)
		for _, c := range d.Allowed {
			fmt.Println("  replace", c.Node)
		}
		nodes = without(nodes, d.Allowed)
	}
}

// rank is lower, the less it costs if the new image does not work.
func rank(tier string) int {
	switch tier {
	case "canary":
		return 0
	case "batch":
		return 1
	}
	return 2 // of these, the node that has drifted for the longest goes first
}

func without(nodes []candidate.Node, gone []candidate.Candidate) (left []candidate.Node) {
	for _, n := range nodes {
		stays := true
		for _, c := range gone {
			stays = stays && c.Node != n.Name
		}
		if stays {
			left = append(left, n)
		}
	}
	return left
}
