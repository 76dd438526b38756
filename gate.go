package disruptkit

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// A gate is a stage that every request has to pass. It opens on a [fleet]: nodes in flight already use up its limits.
//
// No gate calls another one. They share three fields: [request.Itself], [request.Pods] and
// [kind.Lasts]. A new gate is a file gate_*.go, and a line in openRow.
type gate interface {
	// Allows reports whether nothing at this gate blocks a request now.
	Allows(r *request) bool
	// Blockers returns what blocks a request now, and when time alone lifts that (candidate.Blocker.Until). Callers
	// must not change the list, which requests may share.
	Blockers(r *request) []candidate.Blocker
	// Until returns a time up to which the gate allows a request that it allows now, if nothing else is disrupted. It
	// may be too early. Zero means for good.
	Until(r *request) time.Time
	// Count counts a request that is disrupted: n is 1, or -1 to undo that, in any order.
	Count(r *request, n int)
	// NextChange returns a time before which time alone changes no answer of the gate, apart from the blockers' own
	// Until. Zero means never.
	NextChange() time.Time
}

// still has the answers of a gate that counts nothing, and that time alone does not change.
type still struct{}

func (still) Count(*request, int)              {}
func (still) Until(*request) (never time.Time) { return never }
func (still) NextChange() (never time.Time)    { return never }

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

// mostChanges is how many changes firstFree follows.
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
