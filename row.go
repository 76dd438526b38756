package disruptkit

import (
	"iter"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/memory"
)

// A row is the gates, open on one input, with the requests in line.
type row struct {
	*fleet
	Line      []*request // the requests for the decision's reason, in order
	Disrupted []*request // those that the session disrupts, in order

	gates   []stage
	gone    *nodeGate
	Signals *signalGate
	Waves   *waveGate
	Backoff *backoffGate
	Budgets *book
	layers  []*budgetGate
	Zones   *zoneGate

	said     [][]candidate.Blocker // scratch of Blockers, by gate
	lists    memory.Arena[candidate.Blocker]
	misspelt candidate.Reason // a child that nodes have, one letter from the decision's reason; "": none
}

// A stage is a gate of a row.
//
// Windows, paces and back-offs no longer block an overdue node. So an overdue request also passes a gate if the gate's
// waiver allows it. Each gate of budgets is its own waiver, and the gate of the pools' budgets is that of back-off.
type stage struct {
	gate
	waiver *budgetGate // nil: nothing excuses from the gate
}

// openRow reads the input, puts the requests in line, and opens the gates, in the order in which requests pass them.
func openRow(in Input, reason candidate.Reason) *row {
	f := readFleet(in, reason)
	row := &row{fleet: f}
	node, pods := newNodeGate(f), newPodGate(f)
	row.Zones, row.gone = newZoneGate(f, row.lasting), node
	row.readLine(node, pods)
	row.formUnits()
	row.Signals, row.Waves, row.Backoff = openSignals(f), openWaves(f), openBackoff(f)
	row.gates = []stage{
		{gate: node}, {gate: pods}, {gate: row.Signals}, {gate: row.Waves}, {gate: row.Backoff},
	}
	if len(f.Gates) > 0 {
		row.gates = append(row.gates, stage{gate: openCallers(f)})
	}
	row.Budgets, row.layers = openBudgets(row)
	for _, g := range row.layers {
		row.gates = append(row.gates, stage{g, g})
	}
	row.gates[4].waiver = row.layers[0]
	row.gates = append(row.gates, stage{gate: row.Zones})
	row.Zones.Open() // last: turns depend on all other gates
	row.said = make([][]candidate.Blocker, len(row.gates))
	return row
}

// lasting returns what blocks a request whatever else is disrupted, except for the node itself and its pods. The turns
// of zones depend on that.
func (row *row) lasting(r *request) (blockers []candidate.Blocker) {
	for m := range r.members() {
		blockers = joined(blockers, row.Signals.Lasting(m))
		for _, g := range row.layers {
			blockers = joined(blockers, g.Lasting(m))
		}
	}
	return blockers
}

// Walk yields the requests of the line, in order. It calls read for each shortly before.
func (row *row) Walk(read func(*request) int) iter.Seq[*request] {
	return func(yield func(*request) bool) {
		for _, r := range memory.ReadAhead(row.Line, func(r **request) int { return read(*r) }) {
			if !yield(*r) {
				return
			}
		}
	}
}
