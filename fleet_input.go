package disruptkit

import (
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/topology"
)

// gateInput is what the gates open on.
type gateInput struct {
	Now      time.Time
	Reason   candidate.Reason // what the caller asks for: this reason and its children; "" is all reasons
	Policies []policy         // of the pools
	Groups   []gateGroup
	Nodes    []candidate.Node
	Rules    candidate.Rules
	Verdicts []probe.Verdict // of the whole cluster
	Pauses   []probe.Pause
	Rolls    map[string]topology.Roll     // where rolls stood after the last decision, by Pool.MemoryKey
	Starts   map[string]knownStarts       // after the last decision, by Pool.MemoryKey
	Waits    map[string]wait              // of the gate Backoff, by pool
	Waves    map[string][]budget.Progress // after the last decision, by Pool.MemoryKey
	Soaks    map[string]budget.Soaking    // after the last decision, by Pool.MemoryKey
	Dialect  dialect.Dialect
}

// A wait is what the memory of a pool says of its replacements: disruptkit.Backoff.
type wait struct {
	Level int
	Until time.Time
}

// knownStarts are the starts of a pool's nodes, with the paces for whose sake they are remembered.
type knownStarts struct {
	Known []budget.Start
	Paces []budget.Pace
}
