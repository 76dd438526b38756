// Command gate adds a limit of its own to a decision: by day, at most two nodes of a rack row may be in flight at once.
package main

import (
	"fmt"
	"log"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// rows is the gate, open for one session.
type rows struct {
	inFlight map[string]int // by row
	evening  time.Time      // from when on there is no limit; zero: it is evening
}

func openRows(in disruptkit.Input) disruptkit.Gate {
	g := &rows{inFlight: map[string]int{}}
	if now := in.Now; now.Hour() < 18 {
		g.evening = time.Date(now.Year(), now.Month(), now.Day(), 18, 0, 0, 0, now.Location())
	}
	for i := range in.Nodes {
		if n := &in.Nodes[i]; n.InFlight() {
			g.inFlight[n.Labels["row"]]++
		}
	}
	return g
}

func (g *rows) Blockers(_ candidate.Candidate, n *candidate.Node) []candidate.Blocker {
	row := n.Labels["row"]
	if g.evening.IsZero() || g.inFlight[row] < 2 {
		return nil
	}
	return []candidate.Blocker{{
		Gate: "rows", Code: "row-full", Until: g.evening, // when time alone lifts it
		Message: fmt.Sprintf("2 of row %s may be disrupted at once by day", row),
	}}
}

func (g *rows) Count(_ candidate.Candidate, n *candidate.Node, by int) {
	g.inFlight[n.Labels["row"]] += by
}

func (g *rows) NextChange() time.Time { return g.evening }

func main() {
	budgets, err := budget.Compile([]budget.Budget{{Nodes: "10"}})
	if err != nil {
		log.Println(err) // an invalid budget allows no disruption
	}
	in := disruptkit.Input{
		Now:   time.Date(2026, 11, 23, 16, 30, 0, 0, time.UTC),
		Pools: []disruptkit.Pool{{Name: "gpu", Budgets: budgets}},
		Gates: []func(disruptkit.Input) disruptkit.Gate{openRows},
	}
	for i, row := range []string{"a", "a", "a", "b"} {
		in.Nodes = append(in.Nodes, candidate.Node{
			Name: fmt.Sprint("gpu-", i), Pool: "gpu", Phase: candidate.Running, Labels: map[string]string{"row": row},
			Conditions: []candidate.Condition{{Reason: candidate.Drifted}},
		})
	}
	d := disruptkit.Decide(in, candidate.Drifted)
	for _, c := range d.Allowed {
		fmt.Println("disrupt", c.Node)
	}
	for _, c := range d.Blocked {
		fmt.Println("keep", c.Node, c.Blockers)
	}
	fmt.Println("sleep for", d.Wait(in.Now, 24*time.Hour))
}
