package probe

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/sentence"
)

// What both breakers do.

// counts reports whether something has happened since a reset. One in the future has not been yet.
func counts(at, reset, now time.Time) bool {
	return reset.IsZero() || reset.After(now) || at.After(reset)
}

// letsGo returns when a breaker that stops nodes until end lets them go: at end, or earlier, where something that is still to
// come changes what the breaker goes by, such as a reset. Stops says whether the breaker stops nodes at a time, and until when by
// what counts at that time. A zero end is never.
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

// tripped returns the verdict of a breaker that stops some reasons.
func tripped(v Verdict, code string, reasons []candidate.Reason, cause string, end time.Time) Verdict {
	v.Code = code
	if len(reasons) == 0 {
		reasons = []candidate.Reason{""}
	}
	for _, r := range reasons {
		v.Denied = append(v.Denied, Denial{Reason: r, Cause: cause, Until: end})
	}
	return v
}

// broken returns the verdict of a breaker that is wrong.
func broken(v Verdict, err error) Verdict {
	return Verdict{Probe: v.Probe, Code: candidate.CodeInvalidProbe, Cause: "the breaker is broken: " + sentence.Of(err)}
}

// errNoTime refuses history that nobody can place: it would count as long past.
var errNoTime = errors.New("an entry of its history has no time: write when it happened")

// checkReasons refuses what nobody is disrupted for: it would stop nothing.
func checkReasons(reasons []candidate.Reason) error {
	var errs []error
	for _, r := range reasons {
		if parsed, err := candidate.ParseReason(string(r)); r != "" && err != nil {
			errs = append(errs, fmt.Errorf("reasons: %w", err))
		} else if r != "" && parsed != r {
			errs = append(errs, fmt.Errorf("reasons: %q is another spelling of %[2]s: write %[2]s, or what candidate.ParseReason returns", r, parsed))
		}
	}
	return errors.Join(errs...)
}
