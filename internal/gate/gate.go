// Package gate decides which nodes may go now.
//
// A node and one reason to disrupt it is a [Request]. Requests stand in line, the oldest first, and each passes the same
// five gates, which the [Row] holds:
//
//	          ┌──────┐   ┌──────┐   ┌─────────┐   ┌─────────┐   ┌───────┐
//	line ───▶ │ node │──▶│ pods │──▶│ signals │──▶│ budgets │──▶│ zones │──▶ it goes
//	          └──────┘   └──────┘   └─────────┘   └─────────┘   └───────┘
//
// All gates have one shape:
//
//   - it opens on an input: what is in flight already uses up its room;
//   - it judges a request: blockers, or none;
//   - it is told which requests go, and counts them.
//
// That is all of "now". Nothing here asks when an answer changes: package later reads the same gates a second time for that.
// (The loop over gates knows none of them, as in kube-scheduler's framework: PreFilter, Filter, Reserve and Unreserve.)
//
// A gate is a file with a type that has the methods of [Gate]. A new one takes that file and a line in [Open]; if time changes
// what it says, a file in package later, too.
package gate

import (
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
)

// A Gate is a stage that every request has to pass.
type Gate interface {
	// Judge returns what holds a request back now. None: the gate lets it go. The list is shared and not to be changed.
	Judge(r *Request) []candidate.Blocker
	// Go tells the gate that a request goes, which may leave less room for those that are judged after it.
	Go(r *Request)
	// Return takes Go back. The last to go is the first to return.
	Return(r *Request)
}

// Blockers are what each gate of a Row says of one request.
type Blockers [5][]candidate.Blocker

// The positions of gates in a Row, and in Blockers.
const (
	AtNode = iota
	AtPods
	AtSignals
	AtBudgets
	AtZones
)

// None reports whether all gates let the request go.
func (b *Blockers) None() bool {
	for _, said := range b {
		if len(said) > 0 {
			return false
		}
	}
	return true
}

// joined returns all blockers: shared, if one of the lists is empty.
func joined(blockers, more []candidate.Blocker) []candidate.Blocker {
	switch {
	case len(more) == 0:
		return blockers
	case len(blockers) == 0:
		return more
	}
	return append(slices.Clip(blockers), more...)
}
