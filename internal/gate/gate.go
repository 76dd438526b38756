// Package gate is what the gates share. A gate says which nodes may go now, and until when that holds.
//
// A node and one reason to disrupt it is a [Request]. Requests stand in line, repair first, then the oldest, and each
// passes the same gates. Package line has the loop, and registers them in this order:
//
//	          ┌──────┐  ┌──────┐  ┌─────────┐  ┌───────┐  ┌──────────┐  ┌─────────┐  ┌───────┐
//	line ───▶ │ node │─▶│ pods │─▶│ signals │─▶│ waves │─▶│ back-off │─▶│ budgets │─▶│ zones │─▶ it goes
//	          └──────┘  └──────┘  └─────────┘  └───────┘  └──────────┘  └─────────┘  └───────┘
//
// Each gate is a folder here. Its now.go judges: it opens on a [Fleet], returns blockers of a request, or none, and is
// told which requests go. Its later.go is its [Clock]: what time will change about those answers. Files of a larger
// gate say in their names to which of the two they belong. Package line reads the gates once, to decide, and knows
// nothing of time; package later reads them a second time, along the same line, and changes no decision.
//
// No gate imports another one. What one has to tell another stands in four fields: [Request.Itself], [Request.Pods],
// [Kind.Lasts] and [Kind.Watched].
//
// There are two kinds of gates, and they are two types:
//
//   - A [Steady] gate counts nothing. Nobody tells it which requests go, so it cannot. Its blockers hold the times when
//     they lift.
//   - A [Counting] gate is told which requests go, and leaves less room for those after them. So when its blockers lift
//     depends on others, and it has a [CountingClock], which has to say so.
//
// Why not one type, with a ready-made clock for gates that count nothing? Such a clock fits any gate, and for one that
// counts it tells times that do not come true.
//
// A new gate is a folder, and a line where package line registers gates. Some gates need more than to judge. What they
// may ask for are the small interfaces of this package: [Watcher], [Reader], [Opener], [Closer], [Lasting], [Waiver],
// [WaiverClock] and [Queue].
package gate

import (
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
)

// A Gate is a stage that every request has to pass.
type Gate interface {
	// Judge returns what holds a request back now. If nothing does, the gate lets the request go. Callers must not
	// change the list, which requests may share.
	Judge(r *Request) []candidate.Blocker
}

// Steady is a gate whose answers do not depend on what goes. Its blockers hold the times when they lift.
type Steady interface {
	Gate
	Clock
}

// Counting is a gate whose answers depend on what goes. Nodes that are in flight already use up what it allows.
type Counting interface {
	Gate
	// Go tells the gate that a request goes, which may leave less room for those that are judged after it.
	Go(r *Request)
	// Return undoes Go. Requests return in reverse order: the last to go is the first to return.
	Return(r *Request)
	// Later begins the second reading of the gate. All requests have returned.
	Later(others Others) CountingClock
}

// A Watcher is a gate whose answers also depend on requests that nobody asks for.
type Watcher interface {
	// Watches reports whether they depend on those of a pool for a reason. The fleet has them among its requests then.
	Watches(p *Pool, reason candidate.Reason) bool
}

// A Reader is a gate that reads each request, before the line is in order. It may keep what it finds in the request.
type Reader interface {
	Read(r *Request)
}

// An Opener is a gate that needs to know all kinds of requests before it can judge. Gates open in their order.
type Opener interface {
	Open()
}

// A Closer is a gate that leaves memory to the next decision when it is no longer needed.
type Closer interface {
	Close()
}

// Lasting is a gate that can say what holds a request back whatever else goes, and for how long it may. The turns of
// zones depend on that. What holds back the node itself and its pods is known without: see [Request.Standing].
type Lasting interface {
	Lasting(r *Request) []candidate.Blocker
}

// Joined returns both lists as one. If one of them is empty, it returns the other itself, not a copy.
func Joined(blockers, more []candidate.Blocker) []candidate.Blocker {
	switch {
	case len(more) == 0:
		return blockers
	case len(blockers) == 0:
		return more
	}
	return append(slices.Clip(blockers), more...)
}
