package trace

import (
	"fmt"
	"slices"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

// A fleet is a decision, and what it was made on.
type fleet struct {
	in      disruptkit.Input
	d       disruptkit.Decision
	nodes   map[string][]*candidate.Node     // by pool
	blocked map[string][]candidate.Candidate // by pool
	same    map[string]int                   // how many nodes have a name
}

func newFleet(in disruptkit.Input, d disruptkit.Decision) *fleet {
	f := &fleet{in, d, map[string][]*candidate.Node{}, map[string][]candidate.Candidate{}, map[string]int{}}
	for i := range in.Nodes {
		n := &in.Nodes[i]
		f.nodes[n.Pool] = append(f.nodes[n.Pool], n)
		f.same[n.Name]++
	}
	for _, c := range d.Blocked {
		f.blocked[c.Pool] = append(f.blocked[c.Pool], c)
	}
	return f
}

// A scope is a pool, or a group as if it were one pool.
type scope struct {
	*fleet
	key     string // of its memory
	group   string // its name; "": it is a pool
	pools   []string
	budgets budget.Set
	options topology.Options
	nodes   []*candidate.Node
	shares  bool // others order zones of the same nodes as well
	allowed []allowed
}

// An allowed is a node of a scope that may be disrupted.
type allowed struct {
	candidate.Candidate
	is *candidate.Node
	at int // in the decision
}

// scopes returns the pools and groups that can be enforced.
func (f *fleet) scopes() (all []*scope) {
	pools, groups, grouped := map[string]int{}, map[string]int{}, map[string]int{}
	for _, p := range f.in.Pools {
		pools[p.Name]++
	}
	for _, g := range f.in.Groups {
		groups[g.Name]++
		for _, pool := range g.Pools {
			grouped[pool]++
		}
	}
	for _, p := range f.in.Pools {
		if pools[p.Name] == 1 && p.Name != "" {
			all = append(all, &scope{key: p.Name, pools: []string{p.Name}, budgets: p.Budgets, options: p.Topology, shares: grouped[p.Name] > 0})
		}
	}
	for _, g := range f.in.Groups {
		unclear := func(pool string) bool { return pools[pool] != 1 }
		if groups[g.Name] == 1 && !slices.ContainsFunc(g.Pools, unclear) {
			shared := slices.ContainsFunc(g.Pools, func(pool string) bool { return grouped[pool] > 1 })
			names := slices.Compact(slices.Sorted(slices.Values(g.Pools)))
			all = append(all, &scope{key: g.Key(), group: g.Name, pools: names, budgets: g.Budgets, options: g.Topology, shares: shared})
		}
	}
	for _, s := range all {
		s.fleet, s.budgets = f, s.budgets.In(f.in.Dialect)
		s.fill()
	}
	return all
}

// fill finds the nodes of a scope, and those of them that may be disrupted.
func (s *scope) fill() {
	at := map[string]*candidate.Node{}
	for _, pool := range s.pools {
		for _, n := range s.fleet.nodes[pool] {
			s.nodes = append(s.nodes, n)
			at[n.Name] = n
		}
	}
	for i, c := range s.d.Allowed {
		if n := at[c.Node]; n != nil && slices.Contains(s.pools, c.Pool) {
			s.allowed = append(s.allowed, allowed{c, n, i})
		}
	}
}

// fault is that of a node that may be disrupted.
func (a allowed) fault(got, want string) Fault {
	return Fault{fmt.Sprintf("allowed[%d].node", a.at), got, want}
}

// uncounted reports whether no budget counts that a node is disrupted: repair of one that was never initialized.
func (a allowed) uncounted() bool { return candidate.Unhealthy.Covers(a.Reason) && !a.is.Counted() }

// counted returns how many nodes a percentage is of.
func (s *scope) counted() (n int) {
	for _, node := range s.nodes {
		if node.Counted() {
			n++
		}
	}
	return n
}

// limits are LIMITS of the budgets for all nodes.
func (s *scope) limits() (faults []Fault) {
	if len(s.allowed) == 0 || s.budgets.MostSpecific() {
		return nil
	}
	counted, inUse := s.counted(), map[bool]int{}
	classes := map[bool]candidate.Reason{true: candidate.Unhealthy, false: candidate.Drifted}
	for _, n := range s.nodes {
		for repair, reason := range classes {
			if n.Disrupting(reason) {
				inUse[repair]++
			}
		}
	}
	for _, a := range s.allowed {
		if a.uncounted() {
			continue
		}
		going := inUse[candidate.Unhealthy.Covers(a.Reason)]
		if may, _ := budget.AllowedByReason(s.budgets, s.in.Now, counted, a.Reason); going >= may.Nodes && !a.Overdue {
			faults = append(faults, a.fault(fmt.Sprintf("%q, and %d go before it", a.Node, going),
				fmt.Sprintf("none, since %d of %d nodes of %s may be disrupted at once (LIMITS)", may.Nodes, counted, s.key)))
		}
		for repair, reason := range classes {
			if !a.is.Disrupting(reason) { // one that is not Ready counts already
				inUse[repair]++
			}
		}
	}
	return faults
}
