// Package gate decides which nodes may go now.
//
// A node and one reason to disrupt it is a [Request]. Requests stand in line, repair first, then the oldest, and each passes the same
// six gates, which the [Row] holds:
//
//	          ┌──────┐   ┌──────┐   ┌─────────┐   ┌──────────┐   ┌─────────┐   ┌───────┐
//	line ───▶ │ node │──▶│ pods │──▶│ signals │──▶│ back-off │──▶│ budgets │──▶│ zones │──▶ it goes
//	          └──────┘   └──────┘   └─────────┘   └──────────┘   └─────────┘   └───────┘
//
// All gates have one shape:
//
//   - A gate opens on an input. Nodes that are in flight already use up what the gate allows.
//   - A gate judges a request. It returns blockers, or none.
//   - A gate is told which requests go, and counts them.
//
// Nothing here asks when an answer changes. Package later reads the same gates a second time to find that out.
// (The loop over gates knows none of them, as in kube-scheduler's framework: PreFilter, Filter, Reserve and Unreserve.)
//
// Each gate is a file, with a type that has the methods of [Gate]. A new gate needs such a file and a line in [Open]. If time
// changes what the gate says, it also needs a file in package later.
package gate

import (
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
)

// A Gate is a stage that every request has to pass.
type Gate interface {
	// Judge returns what holds a request back now. If nothing does, the gate lets the request go. Callers must not change the
	// list, which requests may share.
	Judge(r *Request) []candidate.Blocker
	// Go tells the gate that a request goes, which may leave less room for those that are judged after it.
	Go(r *Request)
	// Return undoes Go. Requests return in reverse order: the last to go is the first to return.
	Return(r *Request)
}

// The positions of gates in a Row, and how many there are.
const (
	AtNode = iota
	AtPods
	AtSignals
	AtBackoff
	AtBudgets
	AtZones
	Count
)

// Blockers are what each gate of a Row says of one request.
type Blockers [Count][]candidate.Blocker

// joined returns both lists as one. If one of them is empty, it returns the other itself, not a copy.
func joined(blockers, more []candidate.Blocker) []candidate.Blocker {
	switch {
	case len(more) == 0:
		return blockers
	case len(blockers) == 0:
		return more
	}
	return append(slices.Clip(blockers), more...)
}
