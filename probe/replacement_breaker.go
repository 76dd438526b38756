package probe

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/duration"
)

// A ReplacementBreaker stops disruption once too many of the last new nodes have failed to become Ready: a bad image, or a
// zone without capacity. It lets go again when the last failure has cooled down, or when it is reset. If the next replacement
// fails, too, it stops at once; each that succeeds pushes a failure out of the last few. Its zero value is broken, and lets
// nothing go.
type ReplacementBreaker struct {
	Name     string             // for messages; by default "replacements"
	Reasons  []candidate.Reason // what it stops; none: everything
	Failures int                // how many, at least
	Of       int                // of how many of the last launches
	CoolDown time.Duration      // for how long after the last failure; candidate.Forever: until it is reset
	// ResetAt is when somebody last said that all is well again: what was launched up to then is forgotten. Zero is never.
	ResetAt time.Time
}

// A Launch is a new node that became Ready, or failed to. Those that may still become Ready are none yet.
type Launch struct {
	At     time.Time // when it became Ready, or was given up; zero is an error, and stops everything
	Failed bool
}

// Validate returns everything that is wrong with the breaker.
func (b ReplacementBreaker) Validate() error {
	errs := []error{checkReasons(b.Reasons)}
	if b.Failures < 1 {
		errs = append(errs, fmt.Errorf("failures: %d never stop anything: write 1 or more", b.Failures))
	}
	if b.Of < b.Failures {
		errs = append(errs, fmt.Errorf("of: %d launches cannot have %d failures: write %d or more", b.Of, b.Failures, b.Failures))
	}
	if b.CoolDown <= 0 {
		errs = append(errs, fmt.Errorf("coolDown: after %s nothing would be stopped: write a time such as 1h, or Forever", duration.Text(b.CoolDown)))
	}
	return errors.Join(errs...)
}

// Verdict says what the breaker stops at a time, and until when. The launches may be in any order, and have to reach back as
// far as CoolDown does, and Of launches further. A failure from the future counts already; a success from the future counts once
// its time has come.
func (b ReplacementBreaker) Verdict(launches []Launch, now time.Time) Verdict {
	v := Verdict{Probe: cmp.Or(b.Name, "replacements"), Allowed: true}
	if w, missing := candidate.NoTime(now); missing {
		return Verdict{Probe: v.Probe, Code: w.Code, Cause: w.Message}
	}
	err := b.Validate()
	if slices.ContainsFunc(launches, func(l Launch) bool { return l.At.IsZero() }) {
		err = errors.Join(err, errNoTime)
	}
	if err != nil {
		return broken(v, err)
	}
	end, last, failures := b.stops(launches, now)
	if failures == 0 {
		return v
	}
	end = letsGo(end, b.coming(launches, now), func(at time.Time) (time.Time, bool) {
		end, _, failures := b.stops(launches, at)
		return end, failures > 0
	})
	cause := fmt.Sprintf("%d of the last %d new nodes failed to become Ready", failures, last)
	return tripped(v, candidate.CodeFailedReplacement, b.Reasons, cause, end)
}

// stops returns how many of the last launches failed, if that stops anything at a time, and until when, of what counts then. A
// zero end is never.
func (b ReplacementBreaker) stops(launches []Launch, at time.Time) (end time.Time, last, failures int) {
	few, failures := b.tooMany(b.since(launches, at))
	if failures > 0 && b.CoolDown != candidate.Forever {
		if end = few[0].At.Add(b.CoolDown); !at.Before(end) {
			return time.Time{}, 0, 0 // and so it was after the failures before
		}
	}
	return end, len(few), failures
}

// coming returns when the passing of time changes what counts: at a reset, and when the time of a success from the future has come.
func (b ReplacementBreaker) coming(launches []Launch, now time.Time) []time.Time {
	var coming []time.Time
	if b.ResetAt.After(now) {
		coming = append(coming, b.ResetAt)
	}
	for _, l := range launches {
		if !l.Failed && l.At.After(now) {
			coming = append(coming, l.At)
		}
	}
	return coming
}

// tooMany returns the last launches up to the last failure that was one too many, the latest first, and how many of them
// failed. Successes since then change nothing: it is time, or a reset, that lets go again.
func (b ReplacementBreaker) tooMany(launches []Launch) (last []Launch, failures int) {
	last = launches[:min(b.Of, len(launches))]
	for _, l := range last {
		if l.Failed {
			failures++
		}
	}
	for len(last) > 0 && (!last[0].Failed || failures < b.Failures) {
		if last[0].Failed {
			failures--
		}
		launches = launches[1:]
		last = launches[:min(b.Of, len(launches))]
		if len(last) == b.Of && last[b.Of-1].Failed {
			failures++
		}
	}
	return last, failures
}

// since returns the launches since the reset, the latest first; of the same time failures, since that is cautious.
func (b ReplacementBreaker) since(launches []Launch, now time.Time) []Launch {
	var since []Launch
	for _, l := range launches {
		if (l.Failed || !l.At.After(now)) && counts(l.At, b.ResetAt, now) {
			since = append(since, l)
		}
	}
	slices.SortFunc(since, func(a, b Launch) int {
		if c := b.At.Compare(a.At); c != 0 || a.Failed == b.Failed {
			return c
		}
		return map[bool]int{true: -1, false: 1}[a.Failed]
	})
	return since
}
