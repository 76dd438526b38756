package httpget

import (
	"fmt"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
)

// Observe returns an observation updated with one more answer. It counts good and bad answers in a row, as a readiness
// probe does, and remembers denials. Once the last answer is stale, nodes are allowed only after SuccessThreshold good
// answers. Pass answers in the order of their requests. Bodies are JSON; see [Decoder].
func Observe(p Spec, o probe.Observation, r Response) probe.Observation {
	return Decoder(nil).Observe(p, o, r)
}

// Observe is [Observe] for bodies that the decoder converts to JSON.
func (d Decoder) Observe(p Spec, o probe.Observation, r Response) probe.Observation {
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

// The codes of answers that block every node. They are stable.
const (
	codeNoAnswer      candidate.Code = "no-answer"      // the probe was not answered
	codeUnhealthy     candidate.Code = "unhealthy"      // it was answered, but not by 200 to 202
	codeInvalidAnswer candidate.Code = "invalid-answer" // the answer is invalid
)

// judge returns what an answer denies, or what is wrong with it.
func (d Decoder) judge(p Spec, r Response) (denied []probe.Denial, code candidate.Code, cause string) {
	switch {
	case r.Err != nil:
		return nil, codeNoAnswer, "no answer: " + redacted(p, r.Err)
	case r.Status == 0:
		return nil, codeNoAnswer, "no answer"
	case r.Status >= 300 && r.Status < 400:
		return nil, codeUnhealthy, fmt.Sprintf("it answered %d, and redirects are not followed: "+
			"probe what it redirects to", r.Status)
	case r.Status < 200 || r.Status > 202:
		return nil, codeUnhealthy, fmt.Sprintf("it answered %d, and only 200 to 202 allow disruption", r.Status)
	case p.Mode == StatusMode:
		return nil, "", ""
	}
	denied, err := d.read(p, r.Body)
	if err != nil {
		return nil, codeInvalidAnswer, "its answer is not understood: " + told(p, err)
	}
	return denied, "", ""
}

// lifted returns the denials of an answer and those earlier denials that have not been absent for threshold answers.
func lifted(before, now []probe.Denial, threshold int) []probe.Denial {
	var all []probe.Denial
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
