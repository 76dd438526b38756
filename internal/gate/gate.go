// Package gate is what the gates share. A gate says what blocks a candidate now, and when time alone lifts that.
//
// A node and one reason to disrupt it is a [Request]. Requests stand in line, repair first, then the oldest, and each
// passes the same gates. Package line has the loop, and registers them in this order:
//
//	          ┌──────┐  ┌──────┐  ┌─────────┐  ┌───────┐  ┌──────────┐  ┌─────────┐  ┌───────┐
//	line ───▶ │ node │─▶│ pods │─▶│ signals │─▶│ waves │─▶│ back-off │─▶│ budgets │─▶│ zones │─▶ allowed
//	          └──────┘  └──────┘  └─────────┘  └───────┘  └──────────┘  └─────────┘  └───────┘
//
// Each gate is a folder here, and all gates are of one type. No gate imports another one. What one has to tell another
// stands in three fields: [Request.Itself], [Request.Pods] and [Kind.Lasts].
//
// A new gate is a folder, and a line where package line registers gates. Some gates need more than to judge. What they
// may ask for are the small interfaces of this package: [Watcher], [Reader], [Opener], [Closer], [Lasting], [Waiver].
package gate

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// A Gate is a stage that every request has to pass. It opens on a [Fleet]: nodes in flight already use up its limits.
type Gate interface {
	// Allows reports whether nothing at this gate blocks a request now.
	Allows(r *Request) bool
	// Blockers returns what blocks a request now. Each blocker says when time alone lifts it (candidate.Blocker.Until).
	// Callers must not change the list, which requests may share.
	Blockers(r *Request) []candidate.Blocker
	// Until returns a time up to which the gate allows a request that it allows now, if nothing else is disrupted. It
	// may be too early. Zero means for good.
	Until(r *Request) time.Time
	// Count counts a request that is disrupted: n is 1, or -1 to take it back. Requests are taken back in any order.
	Count(r *Request, n int)
	// NextChange returns a time before which time alone changes no answer of the gate, apart from the blockers' own
	// Until. Zero means never.
	NextChange() time.Time
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

// Lasting is a gate that can say what blocks a request whatever else is disrupted. The turns of zones depend on that.
// What blocks the node itself and its pods is known without: see [Request.Standing].
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

// LiftingAt returns a copy of blockers that all lift at a time. Zero: time alone does not lift them.
func LiftingAt(at time.Time, blockers []candidate.Blocker) []candidate.Blocker {
	blockers = slices.Clone(blockers)
	for i := range blockers {
		blockers[i].Until = at
	}
	return blockers
}

// mostChanges is after how many changes FirstFree gives up.
const mostChanges = 1000

// FirstFree returns the first time at or after now at which something does not block, if only time passes. Blocks
// reports whether it blocks at a time, and when that may next change; zero: never. Zero means never, or only after a
// thousand changes.
func FirstFree(now time.Time, blocks func(at time.Time) (blocks bool, change time.Time)) (never time.Time) {
	at := now
	for range mostChanges {
		blocked, change := blocks(at)
		if !blocked {
			return at
		}
		if !change.After(at) {
			return never
		}
		at = change
	}
	return never
}

// Reached reports whether an event has happened by a time. The zero event never happens, and nothing happens by zero.
func Reached(event, at time.Time) bool { return !event.IsZero() && !event.After(at) }
