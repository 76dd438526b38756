package gate

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
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
