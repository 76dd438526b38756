package disruptkit

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// A waiver excuses requests from some gates. Windows, paces and back-offs no longer block an overdue node: that is what
// the gates budgets and back-off say. Such a node is allowed when they allow it, and also when the waiver does. Each
// gate of budgets is the waiver of its own layer, and that of pools covers the gate back-off as well. Package line says
// so, and its loop asks the waiver of a gate where that gate blocks an excused request ([kind.Excused]).
//
// What else a deadline changes is no waiver, and stays where it is: the place in line, the turn of a zone, and the pods
// of nodes with a grace period.
type waiver interface {
	// Waives reports whether an excused request is allowed although gates that the waiver covers block it.
	Waives(r *request) bool
	// Refuse returns what blocks it in their stead, if it is not.
	Refuse(r *request) []candidate.Blocker
}

// waivable is a gate that a [waiver] covers.
type waivable interface {
	// AllowsFrom returns the first time at or after from at which the gate allows a request, if only time passes. Zero
	// means never.
	AllowsFrom(r *request, from time.Time) time.Time
}
