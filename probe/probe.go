package probe

import (
	"cmp"
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// A Probe is the part of a probe's configuration that a verdict needs. Package httpget has the whole configuration, and
// performs the requests.
type Probe struct {
	Name   string        // for messages
	MaxAge time.Duration // how long an answer counts
	Needed int           // the number of good answers in a row after which nodes are allowed
	Fault  string        // what is wrong with the configuration; if not "", every node is blocked
}

// An Observation sums up the answers of a probe. Keep one for each probe. The zero Observation means that there has
// been no answer yet, and blocks every node. Start again from it when the probe changes.
type Observation struct {
	At      time.Time      // of the last answer, good or bad
	Healthy bool           // whether nodes are allowed, except for Denied
	Streak  int            // the number of good answers in a row, or, negative, of bad ones
	Code    candidate.Code // the fault of the last bad answer, for programs; "" once Healthy
	Cause   string         // the same for people
	Denied  []Denial       // the denials of good answers, sorted
}

// ProbeVerdict returns the verdict of a probe at a time, given its observation. Every node is blocked if there is no
// observation yet, if it is older than the maximum age, from the future or bad, or if the probe has a fault. Read the
// clock for now after you read the observation; otherwise a new answer may appear to be from the future.
func ProbeVerdict(p Probe, o Observation, now time.Time) Verdict {
	v := Verdict{Probe: p.Name, Denied: o.Denied}
	refuse := func(code candidate.Code, cause string) Verdict {
		v.Code, v.Cause = code, cause
		return v
	}
	if p.Fault != "" {
		return refuse(candidate.CodeInvalidProbe, "the probe is invalid: "+p.Fault)
	}
	if o.At.IsZero() {
		return refuse(candidate.CodeNotObserved, nothingYet)
	}
	if w, missing := candidate.NoTime(now); missing {
		return refuse(w.Code, w.Message)
	}
	v.From, v.StaleAt = o.At, o.At.Add(p.MaxAge)
	switch {
	case v.early(now):
		return refuse(candidate.CodeFromTheFuture, fmt.Sprintf("the last answer is from the future, by %s: "+
			"set the clocks right", wording.Duration(o.At.Sub(now))))
	case v.stale(now):
		return refuse(candidate.CodeStale, fmt.Sprintf("the last answer is %s old, and counts only for %s",
			wording.Duration(now.Sub(o.At).Truncate(time.Second)), wording.Duration(p.MaxAge)))
	case !o.Healthy:
		return refuse(cmp.Or(o.Code, candidate.CodeNotObserved), o.why(p))
	}
	v.Allowed = true
	if len(v.Denied) > 0 {
		v.Code = candidate.CodeDenied
	}
	return v
}

// why describes why an observation is not healthy.
func (o Observation) why(p Probe) string {
	if o.Streak <= 0 {
		return o.Cause
	}
	why := fmt.Sprintf("%d of the %d good answers in a row that it needs", o.Streak, p.Needed)
	if o.Cause != "" {
		why += "; before them, " + o.Cause
	}
	return why
}
