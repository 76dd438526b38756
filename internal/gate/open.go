package gate

import "github.com/disruptkit/disruptkit/internal/census"

// Open reads the input, puts the requests in line, and opens the gates.
func Open(in Input) *Row {
	names := make([]string, len(in.Pools))
	for i := range in.Pools {
		names[i] = in.Pools[i].Name
	}
	counts := census.Take(names, in.Nodes, in.Dialect)
	row := &Row{Now: in.Now, Namesakes: counts.Namesakes, nodes: in.Nodes, owners: counts.Owners}
	c := &crowd{Row: row, in: in, counts: counts}
	c.readPools()
	c.readDeadlines()
	row.Pods = openPods(in, counts.InFlight)
	row.Zones = openZones(row.Pools, in, c.due())
	c.readNodes()
	row.Node = openNode()
	row.Signals = openSignals(row.Pools, row.Kinds, in)
	row.Backoff = openBackoff(row.Kinds, in)
	row.Budgets = openBudgets(row, in)
	row.chooseTurns()
	row.gates = [...]Gate{
		AtNode: row.Node, AtPods: row.Pods, AtSignals: row.Signals, AtBackoff: row.Backoff, AtBudgets: row.Budgets, AtZones: row.Zones,
	}
	return row
}
