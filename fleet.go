package disruptkit

import (
	"slices"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// A fleet is the input as gates read it: pools with the counts of their nodes, and requests.
type fleet struct {
	Input                      // Nodes have the deadlines of their pools' controls
	Reason    candidate.Reason // of the decision: this reason and its children; "" is all reasons
	Pools     []*scope         // by name, each once
	Groups    []*scope         // the groups that can be enforced, by name
	Scopes    []*scope         // Pools, then Groups, the largest first
	Layers    int              // how many there are: 1 without groups
	Kinds     []*kind
	Requests  []request       // in the order of their nodes in the input, including those that only turns depend on
	Namesakes map[string]bool // names that several nodes share
	Nameless  int             // the number of nodes without a name
	InFlight  []int32         // the positions of nodes in flight
	Owners    []int32         // for each node, the position of its pool in Pools; -1: the pool is not in the input
	Dated     bool            // some request has a deadline
	// Together is whether the requests that are being counted start at the same time as the one that is judged next.
	Together bool

	because    map[*candidate.Condition]string // the nodes of units that have a condition, for those that do not
	firsts     map[*candidate.Condition]string // the node of the unit that is first in line because of a condition
	united     map[int32]bool                  // the positions of nodes in units of several, if they are not in flight
	unitFaults []candidate.Warning

	groupFaults    []candidate.Warning
	deadlineFaults []candidate.Warning // deadlines that are ignored
}

// readFleet counts the nodes of the input. The fleet has no requests yet.
func readFleet(in Input, reason candidate.Reason) *fleet {
	names := make([]string, len(in.Pools))
	for i := range in.Pools {
		names[i] = in.Pools[i].Name
	}
	counts := budget.CountNodes(names, in.Nodes, in.Dialect)
	f := &fleet{
		Input: in, Reason: reason, Namesakes: counts.Namesakes, Nameless: counts.Nameless,
		InFlight: counts.InFlight, Owners: counts.Owners,
	}
	for i, counted := range counts.Pools {
		p := &scope{
			Pool: in.Pools[counted.Index], Index: i, Ambiguous: counted.Ambiguous,
			unknown: counted.Unknown, firstUnknown: counted.FirstUnknown,
			Nodes: counted.Nodes, InUse: counted.Disrupting,
		}
		if missing := counted.Missing(p.Desired); !p.Ambiguous {
			p.InUse.Missing += missing
		}
		p.Within, p.Scopes = []*scope{p}, []*scope{p}
		f.Pools = append(f.Pools, p)
	}
	f.Layers, f.Scopes = 1, slices.Clip(f.Pools)
	if len(in.Groups) > 0 {
		f.readGroups()
	}
	for _, p := range f.Scopes {
		f.kindOf(p, reason)
	}
	f.readDeadlines()
	f.readUnits()
	return f
}

// Pool returns the pool of a node, or nil.
func (f *fleet) Pool(node int) *scope {
	if at := f.Owners[node]; at >= 0 {
		return f.Pools[at]
	}
	return nil
}

// readDeadlines sets the deadline of the pool's controls on conditions without a valid one.
func (f *fleet) readDeadlines() {
	has := func(p *scope) bool { return !p.Ambiguous && p.Budgets.HasDeadlines() }
	if !slices.ContainsFunc(f.Pools, has) {
		return
	}
	f.Nodes = slices.Clone(f.Nodes)
	for i := range f.Nodes {
		n, p := &f.Nodes[i], f.Pool(i)
		if p == nil || !has(p) {
			continue
		}
		n.Conditions = slices.Clone(n.Conditions)
		for j := range n.Conditions {
			c := &n.Conditions[j]
			own := *c
			c.Deadline = p.Budgets.DeadlineOf(own)
			if !own.Deadline.IsZero() && c.Deadline != own.Deadline && f.Reason.Covers(c.Reason) {
				f.warnDeadline(n.Name, own)
			}
		}
	}
}
