package gate

import (
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/topology"
)

// Input is what the gates open on.
type Input struct {
	Now      time.Time
	Reason   candidate.Reason // what the caller asks for: this reason and its children; "" is all reasons
	Policies []Policy         // of the pools
	Groups   []Group
	Nodes    []candidate.Node
	Rules    candidate.Rules
	Verdicts []probe.Verdict // of the whole cluster
	Pauses   []probe.Pause
	Rolls    map[string]topology.Roll     // where rolls stood after the last decision, by Pool.MemoryKey
	Starts   map[string]Starts            // after the last decision, by Pool.MemoryKey
	Waits    map[string]Wait              // of the gate Backoff, by pool
	Waves    map[string][]budget.Progress // after the last decision, by Pool.MemoryKey
	Soaks    map[string]budget.Soaking    // after the last decision, by Pool.MemoryKey
	Dialect  dialect.Dialect
}

// A Wait is what the memory of a pool says of its replacements: disruptkit.Backoff.
type Wait struct {
	Level int
	Until time.Time
}

// Starts are the starts of a pool's nodes, with the paces for whose sake they are remembered.
type Starts struct {
	Known []budget.Start
	Paces []budget.Pace
}
