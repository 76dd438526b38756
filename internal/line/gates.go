package line

import (
	"slices"

	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/gate/backoff"
	"github.com/disruptkit/disruptkit/internal/gate/budgets"
	"github.com/disruptkit/disruptkit/internal/gate/node"
	"github.com/disruptkit/disruptkit/internal/gate/pods"
	"github.com/disruptkit/disruptkit/internal/gate/signals"
	"github.com/disruptkit/disruptkit/internal/gate/waves"
	"github.com/disruptkit/disruptkit/internal/gate/zones"
)

// register puts the gates in a row, in the order in which requests pass them. It is the only place that names all of
// them.
func (row *Row) register(f *gate.Fleet) {
	layers := budgets.New(f)
	row.Signals, row.Backoff, row.Waves = signals.New(f), backoff.New(f), waves.New(f)
	row.Budgets, row.Zones = layers[0].Book, zones.New(f, row.lasting)
	for _, g := range []gate.Gate{node.New(f), pods.New(f), row.Signals, row.Waves, row.Backoff} {
		row.gates = append(row.gates, stage{Gate: g})
	}
	for _, g := range layers {
		row.gates = append(row.gates, stage{Gate: g})
	}
	row.gates = append(row.gates, stage{Gate: row.Zones}) // last: turns depend on what all others say
	row.registerWaivers(layers[0])
}

// registerWaivers says who excuses overdue requests from which gates: each gate of budgets from itself, and that of
// pools also from back-off.
func (row *Row) registerWaivers(pools *budgets.Gate) {
	at := slices.IndexFunc(row.gates, func(s stage) bool { return s.Gate == pools })
	for i := range row.gates {
		s := &row.gates[i]
		switch g := s.Gate.(type) {
		case *budgets.Gate:
			s.waiver, s.waiverAt, s.waivable = g, i, g
		case *backoff.Gate:
			s.waiver, s.waiverAt, s.waivable = pools, at, g
		}
	}
}

// A stage is a gate of a row.
type stage struct {
	gate.Gate
	waivable gate.Waivable // the gate, if requests are excused from it; else nil
	waiver   gate.Waiver   // who excuses them
	waiverAt int           // the position of the gate that is the waiver: this one, or a later one
}
