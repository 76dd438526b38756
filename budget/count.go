package budget

import (
	"cmp"
	"hash/maphash"
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/memory"
)

// Counts are what CountNodes counted. They must not be modified.
type Counts struct {
	Pools     []PoolCount     // sorted by name, each name once
	Owners    []int32         // for each node, the position of its pool in Pools; -1: no pool has that name
	Namesakes map[string]bool // names that several nodes share
	Nameless  int             // the number of nodes without a name
	InFlight  []int32         // the positions of nodes in flight, in whatever pool
}

// A PoolCount is the count of one pool's nodes.
type PoolCount struct {
	Name       string
	Index      int   // the position of the first pool of this name in the list given to CountNodes
	Ambiguous  bool  // several pools have this name, so it is unclear whose budgets apply
	Nodes      int   // the number of nodes that percentages refer to
	Disrupting Usage // the nodes that use up budgets: in flight, not Ready, or in an unknown phase

	joining int // the number of nodes that have not joined completely, and do not terminate
	alike   int // the number of nodes that would count in Nodes if they did not share their names

	Unknown      int    // the number of nodes in an unknown phase
	FirstUnknown string // the first of them by name
}

// CountNodes counts the nodes of pools (candidate.Node.Counted). Nodes that share a name do not count in Nodes, but use
// up budgets: both are the safe choice. In Karpenter's dialect they count like others, because Karpenter identifies
// nodes by provider ID. (Karpenter: NodePoolStatsFromNodes.)
func CountNodes(pools []string, nodes []candidate.Node, d dialect.Dialect) Counts {
	c := Counts{Pools: uniquePools(pools), Owners: make([]int32, len(nodes))}
	byName := make(map[string]int32, len(c.Pools))
	for i, p := range c.Pools {
		byName[p.Name] = int32(i)
	}
	seed, hashes := maphash.MakeSeed(), make([]uint64, len(nodes)) // of names
	size := func(n *candidate.Node) int { return memory.Touch(n.Name) + memory.Touch(n.Pool) }
	for i, n := range memory.ReadAhead(nodes, size) {
		hashes[i] = maphash.String(seed, n.Name)
		if n.Name == "" {
			c.Nameless++
		}
		at, found := byName[n.Pool]
		if !found {
			at = -1
		}
		c.Owners[i] = at
		switch {
		case !found:
		case n.Counted():
			c.Pools[at].count(n)
		case n.Phase.Joining() && n.Leaving != candidate.Terminating:
			c.Pools[at].joining += max(1, n.StandsFor)
		}
		if n.InFlight() {
			c.InFlight = append(c.InFlight, int32(i))
		}
	}
	if d != dialect.Karpenter {
		c.Namesakes = shared(nodes, hashes)
	}
	if len(c.Namesakes) == 0 {
		return c
	}
	for i := range nodes {
		if n := &nodes[i]; c.Owners[i] >= 0 && n.Counted() && c.Namesakes[n.Name] {
			c.Pools[c.Owners[i]].Nodes--
			c.Pools[c.Owners[i]].alike++
		}
	}
	return c
}

// count counts one more node, with those that it stands for.
func (p *PoolCount) count(n *candidate.Node) {
	many := max(1, n.StandsFor)
	p.Nodes += many
	switch {
	case !n.Disrupting(candidate.Unhealthy): // not in flight
		if !n.Ready() {
			p.Disrupting.NotReady += many
		}
	case n.Ready() && !n.Rebooting:
		p.Disrupting.Add(n.DisruptedFor, many)
	default: // it counts for every reason
		p.Disrupting.Add("", many)
	}
	if !n.Phase.Known() {
		if p.Unknown == 0 || n.Name < p.FirstUnknown {
			p.FirstUnknown = n.Name
		}
		p.Unknown++
	}
}

// Missing returns how many of the nodes that the pool should have neither exist nor join. If wanted is 0, that number
// is unknown, and none is missing.
func (p *PoolCount) Missing(wanted int) int { return max(0, wanted-p.Nodes-p.alike-p.joining) }

// uniquePools returns a pool for each name, sorted by name.
func uniquePools(names []string) []PoolCount {
	all := make([]PoolCount, len(names))
	for i, name := range names {
		all[i] = PoolCount{Name: name, Index: i}
	}
	slices.SortStableFunc(all, func(a, b PoolCount) int { return cmp.Compare(a.Name, b.Name) })
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
