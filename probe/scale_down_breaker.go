package probe

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/duration"
	"github.com/disruptkit/disruptkit/internal/until"
)

// A ScaleDownBreaker stops disruption once too many nodes go down within a short time, whatever the reason: the RFC's "too
// many nodes scaling down in a short period", which would have stopped a runaway that took all capacity. It looks back, and
// does not limit what a single decision lets go: budgets do. Its zero value is broken, and lets nothing go.
type ScaleDownBreaker struct {
	Name     string             // for messages; by default "scale-down"
	Reasons  []candidate.Reason // what it stops; none: everything
	MoreThan int                // so many nodes may go down, 0 or more, but no more
	Within   time.Duration      // of each other
	// CoolDown is for how long after the last node too many nothing goes. Where it is less than what the oldest of them takes
	// to be Within ago, such as 0, the breaker lets go then. candidate.Forever: until it is reset.
	CoolDown time.Duration
	// ResetAt is when somebody last said that all is well again: what went down up to then is forgotten. Zero is never.
	ResetAt time.Time
}

// Validate returns everything that is wrong with the breaker.
func (b ScaleDownBreaker) Validate() error {
	errs := []error{checkReasons(b.Reasons)}
	if b.MoreThan < 0 {
		errs = append(errs, fmt.Errorf("moreThan: %d is not a number of nodes: write 0 or more", b.MoreThan))
	}
	if b.Within <= 0 {
		errs = append(errs, fmt.Errorf("within: nothing can happen within %s: write a time such as 10m", duration.Text(b.Within)))
	}
	if b.CoolDown < 0 {
		errs = append(errs, fmt.Errorf("coolDown: %s is negative: write a time such as 1h, or 0 for none", duration.Text(b.CoolDown)))
	}
	return errors.Join(errs...)
}

// Verdict says what the breaker stops at a time, and until when. down is when nodes began to go down, in any order, for
// as long ago as Within and CoolDown reach; a time that is in the future counts, too, and a zero one is an error, which stops
// everything.
func (b ScaleDownBreaker) Verdict(down []time.Time, now time.Time) Verdict {
	v := Verdict{Probe: cmp.Or(b.Name, "scale-down"), Allowed: true}
	if w, missing := candidate.NoTime(now); missing {
		return Verdict{Probe: v.Probe, Code: w.Code, Cause: w.Message}
	}
	err := b.Validate()
	if slices.ContainsFunc(down, time.Time.IsZero) {
		err = errors.Join(err, errNoTime)
	}
	if err != nil {
		return broken(v, err)
	}
	end, nodes := b.stops(down, now)
	if nodes == 0 {
		return v
	}
	if b.ResetAt.After(now) {
		end = letsGo(end, []time.Time{b.ResetAt}, func(at time.Time) (time.Time, bool) {
			end, nodes := b.stops(down, at)
			return end, nodes > 0
		})
	}
	cause := fmt.Sprintf("%d nodes went down within %s, and %d may", nodes, duration.Text(b.Within), b.MoreThan)
	return tripped(v, candidate.CodeScaleDown, b.Reasons, cause, end)
}

// stops returns how many nodes went down together, if that stops anything at a time, and until when, of what counts then. A
// zero end is never.
func (b ScaleDownBreaker) stops(down []time.Time, at time.Time) (end time.Time, nodes int) {
	first, last, nodes := b.tooMany(down, at)
	if b.CoolDown == candidate.Forever {
		return time.Time{}, nodes
	}
	if end = until.Latest(first.Add(b.Within), last.Add(b.CoolDown)); !at.Before(end) {
		return time.Time{}, 0
	}
	return end, nodes
}

// tooMany returns the last node too many, how many nodes went down with it, and the one of them that keeps them too many for
// the longest. No nodes: there never were too many.
func (b ScaleDownBreaker) tooMany(down []time.Time, now time.Time) (first, last time.Time, nodes int) {
	var since []time.Time
	for _, t := range down {
		if counts(t, b.ResetAt, now) {
			since = append(since, t)
		}
	}
	slices.SortFunc(since, time.Time.Compare)
	for i := len(since) - 1; i >= b.MoreThan; i-- {
		if first, last = since[i-b.MoreThan], since[i]; last.Sub(first) >= b.Within {
			continue
		}
		for nodes = b.MoreThan + 1; i-nodes >= 0 && last.Sub(since[i-nodes]) < b.Within; nodes++ {
		}
		return first, last, nodes
	}
	return time.Time{}, time.Time{}, 0
}
