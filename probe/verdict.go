package probe

import (
	"cmp"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Verdict is the answer of a signal. If Allowed, all nodes are allowed until the verdict is stale, except for Denied.
// The zero Verdict blocks every node. Callers with signals of their own can build one.
type Verdict struct {
	Probe   string         // the name of the signal
	Allowed bool           // false: every node is blocked
	Code    candidate.Code // why nodes are blocked, for programs: one of candidate's codes
	Cause   string         // why every node is blocked, for people
	Denied  []Denial       // the denials, each until its own Until
	From    time.Time      // when the signal was observed: nothing is allowed before; zero: no such limit
	StaleAt time.Time      // from then on nothing is allowed; zero: the verdict does not become stale
}

const nothingYet = "nothing has been observed yet"

func (v Verdict) early(now time.Time) bool { return !v.From.IsZero() && now.Before(v.From) }

func (v Verdict) stale(now time.Time) bool { return !v.StaleAt.IsZero() && !now.Before(v.StaleAt) }

// Blocker returns the blocker of the nodes of a pool with these labels for a reason at a time, if there is one. The
// reason "" is unknown, so every denial blocks it. The message names only selectors that match the pool.
func (v Verdict) Blocker(
	reason candidate.Reason, pool string, labels map[string]string, now time.Time,
) (b candidate.Blocker, blocked bool) {
	b = candidate.Blocker{Gate: candidate.GateProbe, Source: &candidate.Source{Probe: v.Probe}}
	switch denied := v.against(reason, pool, labels, now); {
	case !v.Allowed:
		b.Code = cmp.Or(v.Code, candidate.CodeNotObserved)
		b.Message = v.says(cmp.Or(v.Cause, nothingYet))
	case v.early(now):
		b.Code = candidate.CodeFromTheFuture
		b.Message = v.says("the last answer is from the future, from " + v.From.UTC().Format(time.RFC3339Nano))
	case v.stale(now):
		b.Code = candidate.CodeStale
		b.Message = v.says("the last answer has been too old since " + v.StaleAt.UTC().Format(time.RFC3339))
	case now.IsZero():
		w, _ := candidate.NoTime(now)
		b.Code, b.Message = w.Code, v.says(w.Message)
	case len(denied) == 0:
		return candidate.Blocker{}, false
	default:
		b.Code = cmp.Or(v.Code, candidate.CodeDenied)
		b.Message = v.says("it denies " + first(denied, "; ", Denial.String))
		for _, d := range denied {
			if d.Until.IsZero() {
				b.Until = time.Time{}
				break
			}
			b.Until = schedule.Last(b.Until, d.Until)
		}
	}
	return b, true
}

// against returns the denials that block a pool for a reason at a time, each with the selectors that match the pool.
func (v Verdict) against(
	reason candidate.Reason, pool string, labels map[string]string, now time.Time,
) (denied []Denial) {
	for _, d := range v.Denied {
		if pools, about := selecting(d.Pools, pool, labels); about && d.holds(now) && d.blocks(reason) {
			d.Pools = pools
			denied = append(denied, d)
		}
	}
	return denied
}

func (d Denial) holds(now time.Time) bool { return d.Until.IsZero() || now.Before(d.Until) }

func (v Verdict) says(what string) string {
	return wording.Quote(cmp.Or(v.Probe, "a probe")) + ": " + what
}

// NextChange returns when time alone may next change the answers of the verdict. Zero means never.
func (v Verdict) NextChange(now time.Time) time.Time {
	switch {
	case v.early(now):
		return v.From // a new verdict may allow more then, even if this one does not
	case !v.Allowed || v.stale(now):
		return time.Time{}
	}
	next := v.StaleAt
	for _, d := range v.Denied {
		if !d.Until.IsZero() && d.holds(now) {
			next = schedule.First(next, d.Until)
		}
	}
	return next
}

// String returns "health: all nodes are allowed, until 2026-11-20T17:00:30Z", or what is denied.
func (v Verdict) String() string {
	switch {
	case !v.Allowed:
		return v.says(cmp.Or(v.Cause, nothingYet))
	case len(v.Denied) > 0:
		return v.says("it denies " + first(v.Denied, "; ", Denial.String))
	case v.StaleAt.IsZero():
		return v.says("all nodes are allowed")
	}
	return v.says("all nodes are allowed, until " + v.StaleAt.UTC().Format(time.RFC3339))
}
