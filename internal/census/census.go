// Package census counts the nodes of pools as Karpenter counts them for its budgets, for decisions and for the reports on
// them.
package census

import (
	"cmp"
	"slices"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// A Census is what Take counted. It is only read.
type Census struct {
	Pools     []Pool          // by name, one of each
	Owners    []int           // for each node, the position in Pools of its pool; -1: nobody knows the pool
	Namesakes map[string]bool // the names that several nodes have: nobody could say which of them was meant
}

// A Pool is what was counted of a pool.
type Pool struct {
	Name       string
	Index      int          // the position in the list of the first pool of the name
	Ambiguous  bool         // several pools have the name: nobody knows whose budgets hold
	Nodes      int          // that percentages are of
	Disrupting budget.Usage // those that use up budgets: in flight or not Ready
}

// Take counts the nodes of pools (candidate.Node.Counted). Namesakes are no part of Nodes, but use up budgets. (Karpenter:
// BuildDisruptionBudgetMapping, which does not tell namesakes apart.)
func Take(pools []string, nodes []candidate.Node) Census {
	c := Census{Pools: unique(pools), Owners: make([]int, len(nodes)), Namesakes: namesakes(nodes)}
	byName := make(map[string]int, len(c.Pools))
	for i, p := range c.Pools {
		byName[p.Name] = i
	}
	for i := range nodes {
		at, found := byName[nodes[i].Pool]
		if !found {
			at = -1
		}
		c.Owners[i] = at
	}
	for i, at := range c.Owners {
		if n := &nodes[i]; at >= 0 && n.Counted() {
			c.Pools[at].count(n, c.Namesakes[n.Name])
		}
	}
	return c
}

// count counts one more node.
func (p *Pool) count(n *candidate.Node, namesake bool) {
	if !namesake {
		p.Nodes++
	}
	switch {
	case !n.Disrupting():
	case n.Ready:
		p.Disrupting.Add(n.DisruptedFor, 1)
	default: // it is missing, whatever it goes for
		p.Disrupting.Add("", 1)
	}
}

// unique returns pools by name, one of each.
func unique(names []string) []Pool {
	all := make([]Pool, len(names))
	for i, name := range names {
		all[i] = Pool{Name: name, Index: i}
	}
	slices.SortStableFunc(all, func(a, b Pool) int { return cmp.Compare(a.Name, b.Name) })
	kept := all[:0]
	for _, p := range all {
		if last := len(kept) - 1; last >= 0 && kept[last].Name == p.Name {
			kept[last].Ambiguous = true
			continue
		}
		kept = append(kept, p)
	}
	return kept
}
