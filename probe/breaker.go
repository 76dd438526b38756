package probe

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// This file has what both breakers share.

// counts reports whether something happened after the last reset. A reset in the future has no effect yet.
func counts(at, reset, now time.Time) bool {
	return reset.IsZero() || reset.After(now) || at.After(reset)
}

// letsGo returns when a breaker that stops nodes until end lets them go: at end, or earlier if a future event such as a
// reset changes what counts. Coming has the times of these events. Stops evaluates the breaker at a time, with what
// counts at that time. A zero end means never.
func letsGo(end time.Time, coming []time.Time, stops func(at time.Time) (end time.Time, stopped bool)) time.Time {
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
func tripped(v Verdict, code candidate.Code, reasons []candidate.Reason, cause string, end time.Time) Verdict {
	v.Code = code
	if len(reasons) == 0 {
		reasons = []candidate.Reason{""}
	}
	for _, r := range reasons {
		v.Denied = append(v.Denied, Denial{Reason: r, Cause: cause, Until: end})
	}
	return v
}

// opened returns the verdict of a breaker that has not tripped. It refuses everything if there is no time, or if
// something is wrong with the breaker, or with its history, which may be timeless.
func opened(name string, now time.Time, err error, timeless bool) (v Verdict, refuses bool) {
	if w, missing := candidate.NoTime(now); missing {
		return Verdict{Probe: name, Code: w.Code, Cause: w.Message}, true
	}
	if timeless {
		err = errors.Join(err, errNoTime)
	}
	if err != nil {
		cause := "the breaker is broken: " + wording.Sentence(err)
		return Verdict{Probe: name, Code: candidate.CodeInvalidProbe, Cause: cause}, true
	}
	return Verdict{Probe: name, Allowed: true}, false
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
