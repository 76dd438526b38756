package disruptkit

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// backoffGate blocks all nodes of a pool while it waits after failed replacements. The waiver excuses overdue requests:
// see [budgetGate].
type backoffGate struct {
	still
	said   [][]candidate.Blocker // by Kind
	waiver *budgetGate           // of the pools
}

func openBackoff(f *fleet) *backoffGate {
	g := &backoffGate{said: make([][]candidate.Blocker, len(f.Kinds))}
	for _, k := range f.Kinds {
		w := f.Memory[k.Pool.MemoryKey()].Backoff.seen(f.Now)
		if k.Pool.Grouped() || !f.Now.Before(w.Until) || !backsOff(k.Pool, k.Reason) {
			continue
		}
		g.said[k.Index] = []candidate.Blocker{{
			Gate: candidate.GateBackoff, Code: candidate.CodeBackedOff, Until: w.Until,
			Message: fmt.Sprintf("replacements of the pool's nodes fail (back-off level %d), "+
				"and the pool waits before it tries again", w.Level),
		}}
	}
	return g
}

// backsOff reports whether failed replacements make the pool wait with a reason, or with one of several ("").
func backsOff(p *scope, reason candidate.Reason) bool {
	switch reason.Method() {
	case "", candidate.Drifted, candidate.Expired, candidate.Requested:
		return true
	}
	return p.RepairBacksOff && candidate.Unhealthy.Covers(reason)
}

func (g *backoffGate) Against(k *kind) []candidate.Blocker { return g.said[k.Index] }

func (g *backoffGate) Allows(r *request) bool {
	return r.Kind == nil || len(g.Against(r.Kind)) == 0 || r.Overdue && g.waiver.quota(r).waives()
}

// Blockers returns what blocks the request while its pool waits, until it is overdue.
func (g *backoffGate) Blockers(r *request) []candidate.Blocker {
	if r.Kind == nil || r.Overdue {
		return nil
	}
	said := g.Against(r.Kind)
	if due := r.Deadline(); len(said) > 0 && !due.IsZero() && !said[0].Until.Before(due) {
		return liftingAt(due, said)
	}
	return said
}

// AllowsFrom returns when the pool no longer waits, but not before from.
func (g *backoffGate) AllowsFrom(r *request, from time.Time) time.Time {
	for _, b := range g.Against(r.Kind) {
		from = schedule.Last(from, b.Until)
	}
	return from
}

// A Backoff makes a pool wait if its replacements fail: its drifted, expired and requested nodes are blocked, so that
// it does not use every attempt of its autoscaler and keep other pools from launching. It is part of the pool's Memory.
// Only the caller knows how replacements end, and reports it:
//
//	m := d.Memory["default"]
//	m.Backoff = m.Backoff.Fail(now, rand.Float64())
//	d.Memory["default"] = m // to be stored
//
// The zero Backoff does not wait: store it once a replacement has succeeded. (Karpenter's per-NodePool drift back-off
// RFC.)
type Backoff struct {
	Level int       `json:"level"` // how many attempts in a row have failed, up to 5
	Until time.Time `json:"until"` // when the wait ends
}

const (
	firstWait   = time.Minute
	longestWait = 10 * time.Minute
	lastLevel   = 5 // the level with the longest wait: 1m, 2m, 4m, 8m, 10m
)

// Fail returns the Backoff after a replacement has failed for good, or could not be launched. Before Until it changes
// nothing: several failures of one attempt count once. From Until on it raises the level, and the pool waits 1m, 2m,
// 4m, 8m, and then 10m each time. Jitter, from 0 to 1, is how much of the second half of the wait to wait, so that
// pools do not all try again at once. A jitter out of range is clamped, and NaN counts as 1. A zero now changes
// nothing.
func (b Backoff) Fail(now time.Time, jitter float64) Backoff {
	if now.IsZero() || now.Before(b.Until) {
		return b
	}
	level := min(max(b.Level, 0), lastLevel-1) + 1
	half := min(firstWait<<(level-1), longestWait) / 2
	if !(jitter <= 1) {
		jitter = 1
	}
	return Backoff{level, now.Add(half + time.Duration(max(jitter, 0)*float64(half)))}
}

// seen corrects a stored Backoff. If it ends later than any wait can, because of a wrong clock, it ends after the
// longest wait. The level is clamped to the levels that Fail returns. A Backoff without a level that is over becomes
// the zero Backoff.
func (b Backoff) seen(now time.Time) Backoff {
	b.Level = min(max(b.Level, 0), lastLevel)
	switch over := b.Until.IsZero() || !now.Before(b.Until); {
	case over && b.Level == 0:
		return Backoff{}
	case !over && !now.IsZero():
		b.Until = schedule.First(b.Until, now.Add(longestWait))
	}
	return b
}
