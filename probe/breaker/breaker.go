// Package breaker stops disruption because of what has just happened: new nodes failed to become Ready ([Replacement]),
// or too many nodes went down ([ScaleDown]).
//
// A breaker is a plain value and has no memory. You keep the history and pass it in with the time; the result is a
// [probe.Verdict], which a decision reads like that of a probe:
//
//	launches, downs ──Verdict──▶ probe.Verdict ──▶ disruptkit.Input.Verdicts, Pool.Verdicts or Group.Verdicts
//	your history                 valid at a time
//
//	b := breaker.Replacement{Failures: 3, Of: 5, CoolDown: time.Hour}
//	pool.Verdicts = append(pool.Verdicts, b.Verdict(launches, now))
//
// A breaker is closed, and allows everything, until its history trips it: at least Failures of the last Of launches
// failed, or more than MoreThan nodes went down within a time. Then it blocks all nodes, or those with one of its
// Reasons. It lifts CoolDown after the last failure, or after the last node that went down. With candidate.Forever it
// lifts only once somebody resets it: set ResetAt, and history up to then no longer counts.
//
// After its cool-down a [Replacement] breaker remembers the failures that are still among the last launches. One more
// failure trips it again; successes push the old failures out.
//
// A breaker fails safe. The zero value, a breaker that is invalid, and a history with an entry without a time block
// every node, with the code invalid-probe. Validate reports why.
//
// A breaker looks back only. To limit what a single decision allows, write budgets; repair has a breaker of its own,
// in package repair.
package breaker

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/probe"
)

// The codes of breakers that have tripped. They are stable.
const (
	codeFailedReplacement candidate.Code = "failed-replacement" // too many of the last new nodes failed to become Ready
	codeScaleDown         candidate.Code = "scale-down"         // too many nodes have gone down recently
)

// counts reports whether something happened after the last reset. A reset in the future has no effect yet.
func counts(at, reset, now time.Time) bool {
	return reset.IsZero() || reset.After(now) || at.After(reset)
}

// lifts returns when a breaker that blocks nodes until end allows them: at end, or earlier if a future event such as a
// reset changes what counts. Coming are the times of these events. Stops evaluates the breaker at a time, with what
// counts at that time. A zero end means never.
func lifts(end time.Time, coming []time.Time, stops func(at time.Time) (end time.Time, stopped bool)) time.Time {
	slices.SortFunc(coming, time.Time.Compare)
	for _, at := range slices.CompactFunc(coming, time.Time.Equal) {
		if !end.IsZero() && !at.Before(end) {
			break
		}
		var stopped bool
		if end, stopped = stops(at); !stopped {
			return at
		}
	}
	return end
}

// tripped returns the verdict of a breaker that has tripped.
func tripped(
	v probe.Verdict, code candidate.Code, reasons []candidate.Reason, cause string, end time.Time,
) probe.Verdict {
	v.Code = code
	if len(reasons) == 0 {
		reasons = []candidate.Reason{""}
	}
	for _, r := range reasons {
		v.Denied = append(v.Denied, probe.Denial{Reason: r, Cause: cause, Until: end})
	}
	return v
}

// opened returns the verdict of a breaker that has not tripped. It refuses everything if there is no time, if the
// breaker has an error, or if an entry of its history is timeless.
func opened(name string, now time.Time, err error, timeless bool) (v probe.Verdict, refuses bool) {
	if w, missing := candidate.NoTime(now); missing {
		return probe.Verdict{Probe: name, Code: w.Code, Cause: w.Message}, true
	}
	if timeless {
		err = errors.Join(err, errNoTime)
	}
	if err != nil {
		cause := "the breaker is invalid: " + wording.Sentence(err)
		return probe.Verdict{Probe: name, Code: candidate.CodeInvalidProbe, Cause: cause}, true
	}
	return probe.Verdict{Probe: name, Allowed: true}, false
}

// errNoTime is the error for history without a time, which would count as long past.
var errNoTime = errors.New("an entry of its history has no time: write when it happened")

// checkReasons rejects reasons that do not exist, since they would stop nothing.
func checkReasons(reasons []candidate.Reason) error {
	var errs []error
	for _, r := range reasons {
		if parsed, err := candidate.ParseReason(string(r)); r != "" && err != nil {
			errs = append(errs, fmt.Errorf("reasons: %w", err))
		} else if r != "" && parsed != r {
			errs = append(errs, fmt.Errorf("reasons: %q is another spelling of %[2]s: write %[2]s, "+
				"or what candidate.ParseReason returns", r, parsed))
		}
	}
	return errors.Join(errs...)
}
