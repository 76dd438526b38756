package disruptkit

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// A gate is a stage that every request has to pass. It opens on a [fleet]: nodes in flight already use up its limits.
//
// No gate calls another one. What one has to tell another stands in three fields: [request.Itself], [request.Pods] and
// [kind.Lasts]. Some gates need more than to judge. What they may ask for are the small interfaces of this file, and
// [waiver]. A new gate is a file gate_*.go, and a line in gates.go.
type gate interface {
	// Allows reports whether nothing at this gate blocks a request now.
	Allows(r *request) bool
	// Blockers returns what blocks a request now. Each blocker says when time alone lifts it (candidate.Blocker.Until).
	// Callers must not change the list, which requests may share.
	Blockers(r *request) []candidate.Blocker
	// Until returns a time up to which the gate allows a request that it allows now, if nothing else is disrupted. It
	// may be too early. Zero means for good.
	Until(r *request) time.Time
	// Count counts a request that is disrupted: n is 1, or -1 to take it back. Requests are taken back in any order.
	Count(r *request, n int)
	// NextChange returns a time before which time alone changes no answer of the gate, apart from the blockers' own
	// Until. Zero means never.
	NextChange() time.Time
}

// A watcher is a gate whose answers also depend on requests that nobody asks for.
type watcher interface {
	// Watches reports whether they depend on those of a pool for a reason. The fleet has them among its requests then.
	Watches(p *scope, reason candidate.Reason) bool
}

// A requestReader is a gate that reads each request before the line is in order. It may write what it finds into the
// request.
type requestReader interface {
	Read(r *request)
}

// An opener is a gate that needs to know all kinds of requests before it can judge. Gates open in their order.
type opener interface {
	Open()
}

// lasting is a gate that can say what blocks a request whatever else is disrupted. The turns of zones depend on that.
// What blocks the node itself and its pods is known without: see [request.Standing].
type lasting interface {
	Lasting(r *request) []candidate.Blocker
}

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

// liftingAt returns a copy of blockers that all lift at a time. Zero: time alone does not lift them.
func liftingAt(at time.Time, blockers []candidate.Blocker) []candidate.Blocker {
	blockers = slices.Clone(blockers)
	for i := range blockers {
		blockers[i].Until = at
	}
	return blockers
}

// mostChanges is after how many changes FirstFree gives up.
const mostChanges = 1000

// firstFree returns the first time at or after now at which something does not block, if only time passes. Blocks
// reports whether it blocks at a time, and when that may next change; zero: never. Zero means never, or only after a
// thousand changes.
func firstFree(now time.Time, blocks func(at time.Time) (blocks bool, change time.Time)) (never time.Time) {
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

// reached reports whether an event has happened by a time. The zero event never happens, and nothing happens by zero.
func reached(event, at time.Time) bool { return !event.IsZero() && !event.After(at) }
