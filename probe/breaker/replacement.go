package breaker

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/probe"
)

// A Replacement stops disruption once too many of the latest new nodes have failed to become Ready, for example because
// of a bad image or a zone without capacity. It lifts when CoolDown has passed since the last failure, or when it is
// reset. If the next replacement fails as well, it trips at once; replacements that succeed push old failures out of
// the latest ones. The zero value is invalid, and blocks every node.
type Replacement struct {
	Name     string             // for messages; by default "replacements"
	Reasons  []candidate.Reason // the reasons that it stops; none: every reason
	Failures int                // it trips if at least so many
	Of       int                // of so many latest launches failed
	CoolDown time.Duration      // how long it stops after the last failure; candidate.Forever: until reset
	// ResetAt is when somebody last reset the breaker: launches up to then do not count. Zero means never.
	ResetAt time.Time
}

// A Launch is a new node that became Ready or failed to. A node that may still become Ready is not a Launch yet.
type Launch struct {
	At     time.Time // when it became Ready or was given up; zero is an error, and stops everything
	Failed bool
}

// Validate returns everything that is wrong with the breaker.
func (b Replacement) Validate() error {
	errs := []error{checkReasons(b.Reasons)}
	if b.Failures < 1 {
		errs = append(errs, fmt.Errorf("failures: %d never stop anything: write 1 or more", b.Failures))
	}
	if b.Of < b.Failures {
		errs = append(errs, fmt.Errorf("of: %d is less than failures: write %d or more", b.Of, b.Failures))
	}
	if b.CoolDown <= 0 {
		errs = append(errs, fmt.Errorf("coolDown: after %s nothing would be stopped: write a time such as 1h, "+
			"or Forever", wording.Duration(b.CoolDown)))
	}
	return errors.Join(errs...)
}

// Verdict returns what the breaker blocks at a time, and when that ends. Launches may be in any order. They must reach
// back by CoolDown and by Of further launches. A failure in the future counts at once; a success in the future counts
// from its time on.
func (b Replacement) Verdict(launches []Launch, now time.Time) probe.Verdict {
	timeless := slices.ContainsFunc(launches, func(l Launch) bool { return l.At.IsZero() })
	v, refuses := opened(cmp.Or(b.Name, "replacements"), now, b.Validate(), timeless)
	if refuses {
		return v
	}
	end, last, failures := b.stops(launches, now)
	if failures == 0 {
		return v
	}
	end = lifts(end, b.coming(launches, now), func(at time.Time) (time.Time, bool) {
		end, _, failures := b.stops(launches, at)
		return end, failures > 0
	})
	cause := fmt.Sprintf("%d of the last %s failed to become Ready", failures, wording.Count(last, "new node"))
	return tripped(v, codeFailedReplacement, b.Reasons, cause, end)
}

// stops evaluates the breaker at a time, with what counts then. If it stops anything, it returns how many of the last
// launches failed, and when it lifts; a zero end means never. Otherwise failures is 0.
func (b Replacement) stops(launches []Launch, at time.Time) (end time.Time, last, failures int) {
	few, failures := b.tooMany(b.since(launches, at))
	if failures > 0 && b.CoolDown != candidate.Forever {
		if end = few[0].At.Add(b.CoolDown); !at.Before(end) {
			return time.Time{}, 0, 0 // earlier failures cooled down before this one
		}
	}
	return end, len(few), failures
}

// coming returns the future times at which what counts changes: those of a reset and of successes.
func (b Replacement) coming(launches []Launch, now time.Time) []time.Time {
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

// tooMany returns the Of launches up to the last failure that trips the breaker, latest first, and how many of them
// failed. Later successes change nothing: only time or a reset lifts it.
func (b Replacement) tooMany(launches []Launch) (last []Launch, failures int) {
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

// since returns the launches since the reset, latest first. Among launches at the same time, failures come first, which
// is the cautious order.
func (b Replacement) since(launches []Launch, now time.Time) []Launch {
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
