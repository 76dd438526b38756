package plan

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
)

// An Expectation is when a node is expected to start. It does not include what happens after that.
type Expectation struct {
	Node          // the run in the middle, up to its start
	Starts Spread // Node.Start in all runs
	Runs   int    // how often it was planned: once if nothing depends on chance, or if more would take too long
	// Stopped is whether the plan would take too long. Then nothing is known of the node.
	Stopped bool
}

// expectEffort is how much effort an Expectation may take: about a second. It is a variable for tests.
var expectEffort = 1_000_000

// Expect plans when one node starts. It plans only the pools on which that depends, and only until then, and gives up
// if that is too much work (Expectation.Stopped). It reports false if the node is not to go. It does not use
// Options.Decisions.
func Expect(in disruptkit.Input, o Options, pool, node string) (e Expectation, found bool) {
	varies := false
	o.only, o.Model = &named{pool, node}, o.Model.watched(&varies)
	o.Decisions, o.work = expectEffort/aDecision+1, expectEffort
	var all []Node
	for runs := 1; len(all) < runs; o.Model.Seed++ {
		p, work := run(in, o)
		i := slices.IndexFunc(p.Nodes, func(n Node) bool { return n.Name == node && n.Pool == pool })
		if i < 0 {
			return e, false
		}
		n := p.Nodes[i]
		if e.Stopped = n.Outcome == Open && p.Stopped; e.Stopped && len(all) == 0 {
			e.Node, e.Runs = n, 1
			return e, true
		}
		all = append(all, n)
		possible := min(expectEffort/max(work+aDecision*p.Decisions, 1), mostDraws)
		if len(all) == 1 && varies && possible >= leastDraws {
			runs = possible
		}
	}
	slices.SortStableFunc(all, func(a, b Node) int { return inOrder(a.Start, b.Start) })
	starts := make([]time.Time, len(all))
	for i := range all {
		starts[i] = all[i].Start
	}
	return Expectation{Node: all[tenths(len(all), 5)], Starts: spread(starts), Runs: len(all)}, true
}

// arrived reports whether the one node that a plan is for has started, or is not in it.
func (s *simulation) arrived() bool {
	return s.only != nil && !slices.ContainsFunc(s.places[s.only.name], func(i int) bool {
		return s.slots[i].Pool == s.only.pool && s.slots[i].phase == waits
	})
}

// in reports whether a node is among some.
func (w named) in(nodes []candidate.Node) bool {
	return slices.ContainsFunc(nodes, func(n candidate.Node) bool { return n.Name == w.name && n.Pool == w.pool })
}
