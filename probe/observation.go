package probe

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// An Observation sums up the answers of a probe. Keep one for each probe. The zero Observation means that there has
// been no answer yet, and blocks every node. Start again from it when the probe changes (see [Probe.Key]).
type Observation struct {
	At      time.Time      // of the last answer, good or bad
	Healthy bool           // whether nodes may go, except those in Denied
	Streak  int            // the number of good answers in a row, or, negative, of bad ones
	Code    candidate.Code // the fault of the last bad answer, for programs; "" once Healthy
	Cause   string         // the same for people
	Denied  []Denial       // the denials of good answers, sorted
}

// Observe returns an observation updated with one more answer. It counts good and bad answers in a row, as a readiness
// probe does, and remembers denials. Once the last answer has gone stale, it takes SuccessThreshold good answers again
// until nodes may go. Pass answers in the order of their requests. Bodies are JSON; see [Decoder].
func Observe(p Probe, o Observation, r Response) Observation { return Decoder(nil).Observe(p, o, r) }

// Observe is [Observe] for bodies that the decoder converts to JSON.
func (d Decoder) Observe(p Probe, o Observation, r Response) Observation {
	p = p.WithDefaults()
	if r.At.Sub(o.At) >= p.MaxAge() { // stale: earlier good answers no longer count
		o.Healthy, o.Streak = false, min(o.Streak, 0)
	}
	o.At = r.At.Round(0) // without the monotonic clock, which stands still while a machine sleeps
	denied, code, cause := d.judge(p, r)
	if code == "" {
		o.Streak = max(o.Streak, 0) + 1
		o.Denied = lifted(o.Denied, denied, p.SuccessThreshold)
	} else {
		o.Streak = min(o.Streak, 0) - 1
		o.Code, o.Cause = code, cause
		o.Denied = lifted(o.Denied, o.Denied, p.SuccessThreshold) // as if the answer had repeated them
	}
	switch {
	case o.Streak >= p.SuccessThreshold:
		o.Healthy, o.Code, o.Cause = true, "", ""
	case -o.Streak >= p.FailureThreshold:
		o.Healthy = false
	}
	return o
}

// judge returns what an answer denies, or what is wrong with it.
func (d Decoder) judge(p Probe, r Response) (denied []Denial, code candidate.Code, cause string) {
	switch {
	case r.Err != nil:
		return nil, candidate.CodeNoAnswer, "no answer: " + p.redacted(r.Err)
	case r.Status == 0:
		return nil, candidate.CodeNoAnswer, "no answer"
	case r.Status >= 300 && r.Status < 400:
		return nil, candidate.CodeUnhealthy, fmt.Sprintf("it answered %d, and redirects are not followed: "+
			"probe what it redirects to", r.Status)
	case r.Status < 200 || r.Status > 202:
		return nil, candidate.CodeUnhealthy, fmt.Sprintf("it answered %d, and only 200 to 202 let nodes go", r.Status)
	case p.Mode == StatusMode:
		return nil, "", ""
	}
	denied, err := d.read(p, r.Body)
	if err != nil {
		return nil, candidate.CodeInvalidAnswer, "its answer is not understood: " + p.told(err)
	}
	return denied, "", ""
}

// lifted returns the denials of an answer and those earlier denials that have not been absent for threshold answers.
func lifted(before, now []Denial, threshold int) []Denial {
	var all []Denial
	for _, d := range now {
		d.Absent = 0
		all = append(all, d)
	}
	for _, d := range before {
		if d.Absent++; d.Absent < threshold {
			all = append(all, d)
		}
	}
	return bounded(sorted(all))
}
