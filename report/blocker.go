package report

import (
	"github.com/disruptkit/disruptkit/candidate"
)

// gates is the order of blockers in messages.
var gates = []candidate.Gate{
	candidate.GateNode, candidate.GatePod, candidate.GateProbe, candidate.GateWave, candidate.GateBackoff,
	candidate.GateBudget, candidate.GateTopology,
}

// ofBudget reports whether a blocker comes from a budget of the pool or of a zone.
func ofBudget(b candidate.Blocker) bool {
	zone := b.Gate == candidate.GateTopology &&
		(b.Code == candidate.CodeExhausted || b.Code == candidate.CodeAllowsNone)
	return b.Gate == candidate.GateBudget || zone
}

// saysInFlight reports whether a blocker is that of a node in flight.
func saysInFlight(b candidate.Blocker) bool {
	return b.Code == candidate.CodeDeleting || b.Code == candidate.CodeRebooting
}
