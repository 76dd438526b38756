package probe

import (
	"errors"
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/sentence"
)

// What both breakers do.

// counts reports whether something has happened since a reset. One in the future has not been yet.
func counts(at, reset, now time.Time) bool {
	return reset.IsZero() || reset.After(now) || at.After(reset)
}

// comingReset returns when a reset that is still to come makes that forgotten which last happened, if it does.
func comingReset(reset, last, now time.Time) time.Time {
	if !reset.After(now) || last.After(reset) {
		return time.Time{}
	}
	return reset
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
var errNoTime = errors.New("something in its history has no time: write when it happened")

// checkReasons refuses what nobody is disrupted for: it would stop nothing.
func checkReasons(reasons []candidate.Reason) error {
	var errs []error
	for _, r := range reasons {
		if parsed, err := candidate.ParseReason(string(r)); r != "" && err != nil {
			errs = append(errs, fmt.Errorf("reasons: %w", err))
		} else if r != "" && parsed != r {
			errs = append(errs, fmt.Errorf("reasons: %q is a spelling of %[2]s: write %[2]s, or what candidate.ParseReason returns", r, parsed))
		}
	}
	return errors.Join(errs...)
}
