package gate

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// A Waiver excuses requests from some gates. Windows, paces and back-offs no longer block an overdue node: that is what
// the gates budgets and back-off say. Such a node is allowed when they allow it, and also when the waiver does. Each
// gate of budgets is the waiver of its own layer, and that of pools covers the gate back-off as well. Package line says
// so, and its loop asks the waiver of a gate where that gate blocks an excused request ([Kind.Excused]).
//
// What else a deadline changes is no waiver, and stays where it is: the place in line, the turn of a zone, and the pods
// of nodes with a grace period.
type Waiver interface {
	// Waives reports whether an excused request is allowed although gates that the waiver covers block it.
	Waives(r *Request) bool
	// Refuse returns what blocks it in their stead, if it is not.
	Refuse(r *Request) []candidate.Blocker
}

// Waivable is a gate that a [Waiver] covers.
type Waivable interface {
	// AllowsFrom returns the first time at or after from at which the gate allows a request, if only time passes. Zero
	// means never.
	AllowsFrom(r *Request, from time.Time) time.Time
}
