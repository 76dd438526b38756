package wire

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// An Allowed is a node that may be disrupted.
type Allowed struct {
	Node   string           `json:"node"`
	Pool   string           `json:"pool"`
	Reason candidate.Reason `json:"reason"`
	Since  *time.Time       `json:"since"`
	Until  *time.Time       `json:"until"`
	deadline
	Unit
}

// NewAllowed returns the JSON of a candidate that may be disrupted.
func NewAllowed(c candidate.Candidate) Allowed {
	return Allowed{c.Node, c.Pool, c.Reason, Time(c.Since), Time(c.Until), newDeadline(c), NewUnit(c)}
}

// A Blocked is a node that is blocked.
type Blocked struct {
	Node     string           `json:"node"`
	Pool     string           `json:"pool"`
	Reason   candidate.Reason `json:"reason"`
	Since    *time.Time       `json:"since"`
	Blockers []Blocker        `json:"blockers"`
	deadline
	Unit
}

// NewBlocked returns the JSON of a candidate that is blocked.
func NewBlocked(c candidate.Candidate) Blocked {
	return Blocked{c.Node, c.Pool, c.Reason, Time(c.Since), Each(c.Blockers, NewBlocker), newDeadline(c), NewUnit(c)}
}

// A deadline is when a candidate becomes overdue, and whether it is.
type deadline struct {
	Deadline *time.Time `json:"deadline,omitempty"` // from when on it is overdue
	Overdue  bool       `json:"overdue,omitempty"`  // the deadline has come: windows, paces and back-offs no longer block the node
}

func newDeadline(c candidate.Candidate) deadline { return deadline{Time(c.Deadline), c.Overdue} }

// A Unit is the nodes with which a candidate is disrupted.
type Unit struct {
	Unit    string `json:"unit,omitempty"`
	Because string `json:"because,omitempty"` // the node of the unit that has the reason
}

// NewUnit returns the JSON of a candidate's Unit.
func NewUnit(c candidate.Candidate) Unit { return Unit{c.Unit, c.Because} }

// A Warning is a fault in the configuration.
type Warning struct {
	Code    candidate.Code `json:"code"`
	Object  string         `json:"object"`
	Field   string         `json:"field"`
	Value   string         `json:"value"`
	Message string         `json:"message"`
}

// NewWarning returns the JSON of a Warning.
func NewWarning(w candidate.Warning) Warning { return Warning(w) }
