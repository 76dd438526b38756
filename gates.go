package disruptkit

import (
	"slices"
)

// register puts the gates in a row, in the order in which requests pass them. It is the only place that names all of
// them.
func (row *row) register(f *fleet) {
	layers := newBudgetGates(f)
	row.Signals, row.Backoff, row.Waves = newSignalGate(f), newBackoffGate(f), newWaveGate(f)
	row.Budgets, row.Zones = layers[0].book, newZoneGate(f, row.lasting)
	for _, g := range []gate{newNodeGate(f), newPodGate(f), row.Signals, row.Waves, row.Backoff} {
		row.gates = append(row.gates, stage{gate: g})
	}
	if len(f.Gates) > 0 {
		row.gates = append(row.gates, stage{gate: newCallersGate(f)})
	}
	for _, g := range layers {
		row.gates = append(row.gates, stage{gate: g})
	}
	row.gates = append(row.gates, stage{gate: row.Zones}) // last: turns depend on what all others say
	row.registerWaivers(layers[0])
}

// registerWaivers says who excuses overdue requests from which gates: each gate of budgets from itself, and that of
// pools also from back-off.
func (row *row) registerWaivers(pools *budgetGate) {
	at := slices.IndexFunc(row.gates, func(s stage) bool { return s.gate == pools })
	for i := range row.gates {
		s := &row.gates[i]
		switch g := s.gate.(type) {
		case *budgetGate:
			s.waiver, s.waiverAt, s.waivable = g, i, g
		case *backoffGate:
			s.waiver, s.waiverAt, s.waivable = pools, at, g
		}
	}
}

// A stage is a gate of a row.
type stage struct {
	gate
	waivable waivable // the gate, if requests are excused from it; else nil
	waiver   waiver   // who excuses them
	waiverAt int      // the position of the gate that is the waiver: this one, or a later one
}
