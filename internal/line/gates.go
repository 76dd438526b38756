package line

import (
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/gate/backoff"
	"github.com/disruptkit/disruptkit/internal/gate/budgets"
	"github.com/disruptkit/disruptkit/internal/gate/node"
	"github.com/disruptkit/disruptkit/internal/gate/pods"
	"github.com/disruptkit/disruptkit/internal/gate/signals"
	"github.com/disruptkit/disruptkit/internal/gate/zones"
)

// register puts the gates in a row, in the order in which requests pass them. It is the only place that names all of
// them.
func (row *Row) register(f *gate.Fleet) {
	row.node, row.Signals, row.Backoff = node.New(f), signals.New(f), backoff.New(f)
	row.Budgets, row.Zones = budgets.New(f), zones.New(f)
	row.gates = []Stage{
		counting(row.node),
		counting(pods.New(f)),
		steady(row.Signals),
		steady(row.Backoff).waivable().foreseen(),
		counting(row.Budgets).waivable().foreseen(),
		counting(row.Zones).foreseen(), // last: what is said of turns depends on all others
	}
}

// A Stage is a gate of a row. It either counts, or is its own clock.
type Stage struct {
	gate.Gate
	Counting gate.Counting // nil: the gate counts nothing
	Steady   gate.Clock    // nil: the gate counts
	Waivable bool          // the waiver excuses requests from it
	Foreseen bool          // only time and other requests change what it says, so it is known what follows
}

func counting(g gate.Counting) Stage { return Stage{Gate: g, Counting: g} }
func steady(g gate.Steady) Stage     { return Stage{Gate: g, Steady: g} }

func (s Stage) waivable() Stage {
	s.Waivable = true
	return s
}

func (s Stage) foreseen() Stage {
	s.Foreseen = true
	return s
}
