package gate

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/census"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/topology"
)

// Input is what the gates open on.
type Input struct {
	Now      time.Time
	Reason   candidate.Reason // the one asked for, with its children; "" is all
	Pools    []Policy
	Nodes    []candidate.Node
	Rules    candidate.Rules
	Verdicts []probe.Verdict          // of the whole cluster
	Rolls    map[string]topology.Roll // of the last decision, by pool
}

// A Row is the gates, open on one input, with the requests that stand before them.
type Row struct {
	Now       time.Time
	Pools     []*Pool // by name, each once
	Kinds     []*Kind
	Requests  []Request       // the line, and those that only turns depend on
	Line      []Request       // those asked for, the oldest first
	Namesakes map[string]bool // the names that several nodes have

	nodes  []candidate.Node
	owners []int   // of each node, the position of its pool; -1: nobody knows the pool
	last   []int32 // of each node, the last of its Requests, 1 for the first; 0 is none

	Node    *Node
	Pods    *Pods
	Signals *Signals
	Budgets *Budgets
	Zones   *Zones
	gates   [5]Gate
}

// Open reads the input, puts the requests in line, and opens the gates.
func Open(in Input) *Row {
	names := make([]string, len(in.Pools))
	for i := range in.Pools {
		names[i] = in.Pools[i].Name
	}
	counts := census.Take(names, in.Nodes)
	row := &Row{Now: in.Now, Namesakes: counts.Namesakes, nodes: in.Nodes, owners: counts.Owners}
	c := &crowd{Row: row, in: in, counts: counts}
	c.readPools()
	row.Pods = openPods(in)
	row.Zones = openZones(row.Pools, in)
	c.readNodes()
	row.Node = openNode()
	row.Signals = openSignals(row.Pools, row.Kinds, in)
	row.Budgets = openBudgets(row.Pools, row.Kinds, in.Now)
	row.Zones.choose(row)
	row.gates = [...]Gate{AtNode: row.Node, AtPods: row.Pods, AtSignals: row.Signals, AtBudgets: row.Budgets, AtZones: row.Zones}
	return row
}

// Warnings returns what is wrong with a pool.
func (row *Row) Warnings(p *Pool) []candidate.Warning {
	if p.Ambiguous {
		return []candidate.Warning{{
			Code: candidate.CodeUnknownPool, Object: "NodePool/" + p.Name, Field: "name", Value: p.Name,
			Message: fmt.Sprintf("several pools are called %q, and nobody knows whose budgets hold: write each pool once", p.Name),
		}}
	}
	all := slices.Concat(p.Budgets.Warnings(), row.Zones.Warnings(p), row.Budgets.Quota(p.kinds[0]).Warnings())
	for i := range all {
		all[i].Object = "NodePool/" + p.Name
	}
	return all
}

// pool returns the pool of a node, or nil.
func (row *Row) pool(node int) *Pool {
	if at := row.owners[node]; at >= 0 {
		return row.Pools[at]
	}
	return nil
}
