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
	row.node, row.Signals, row.Backoff = node.New(f), signals.New(f), backoff.New(f)
	layers := budgets.New(f)
	row.Budgets, row.Zones, row.Waves = layers[0].Book, zones.New(f, row.lasting), waves.New(f)
	row.gates = []Stage{
		counting(row.node),
		counting(pods.New(f)),
		steady(row.Signals),
		counting(row.Waves).in(AllLayers).foreseen(),
		steady(row.Backoff).foreseen(),
	}
	for layer, g := range layers {
		row.gates = append(row.gates, counting(g).in(layer).foreseen())
	}
	// Last: turns depend on what all others say.
	row.gates = append(row.gates, counting(row.Zones).in(AllLayers).foreseen())
	row.registerWaivers(layers[0])
	row.excused = make([]bool, len(row.gates))
}

// registerWaivers says who excuses overdue requests from which gates: each gate of budgets from itself, and that of
// pools also from back-off.
func (row *Row) registerWaivers(pools *budgets.Gate) {
	at := slices.IndexFunc(row.gates, func(s Stage) bool { return s.Gate == pools })
	for i := range row.gates {
		s := &row.gates[i]
		switch g := s.Gate.(type) {
		case *budgets.Gate:
			s.Waiver, s.WaiverAt = g, i
		case *backoff.Gate:
			s.Waiver, s.WaiverAt = pools, at
		}
	}
}

// A Stage is a gate of a row. It either counts, or is its own clock.
type Stage struct {
	gate.Gate
	Counting gate.Counting // nil: the gate counts nothing
	Steady   gate.Clock    // nil: the gate counts
	Waiver   gate.Waiver   // who excuses requests from it; nil: nobody
	WaiverAt int           // the position of the gate that is the waiver: this one, or a later one
	Layer    int           // of the scopes in which requests compete at it (gate.Pool.Layer), or AllLayers
	Foreseen bool          // only time and other requests change what it says, so it is known what follows
}

// AllLayers is the layer of a gate at which requests compete in all their scopes.
const AllLayers = -1

func counting(g gate.Counting) Stage { return Stage{Gate: g, Counting: g} }
func steady(g gate.Steady) Stage     { return Stage{Gate: g, Steady: g} }

func (s Stage) in(layer int) Stage {
	s.Layer = layer
	return s
}

func (s Stage) foreseen() Stage {
	s.Foreseen = true
	return s
}
