package probe

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Verdict is the answer of a signal. If Allowed, all nodes may go until the verdict is stale, except those in Denied.
// The zero Verdict blocks every node. Callers with signals of their own can build one.
type Verdict struct {
	Probe   string         // the name of the signal
	Allowed bool           // false: every node is blocked
	Code    candidate.Code // why nodes are blocked, for programs: one of candidate's codes
	Cause   string         // why every node is blocked, for people
	Denied  []Denial       // the denials, each until its own Until
	From    time.Time      // nothing may go before this time, when the signal was observed; zero: no such limit
	StaleAt time.Time      // nothing may go from this time on; zero: the verdict does not go stale
}

const nothingYet = "nothing has been observed yet"

// ProbeVerdict returns the verdict of a probe at a time, given its observation. Every node is blocked if there is no
// observation yet, if it is older than the maximum age, from the future or bad, or if the probe is broken. Read the
// clock for now after you read the observation; otherwise a new answer may appear to be from the future.
func ProbeVerdict(p Probe, o Observation, now time.Time) Verdict {
	v := Verdict{Probe: p.String(), Denied: o.Denied}
	refuse := func(code candidate.Code, cause string) Verdict {
		v.Code, v.Cause = code, cause
		return v
	}
	if err := p.Validate(); err != nil {
		return refuse(candidate.CodeInvalidProbe, "the probe is broken: "+wording.Sentence(err))
	}
	if o.At.IsZero() {
		return refuse(candidate.CodeNotObserved, nothingYet)
	}
	if w, missing := candidate.NoTime(now); missing {
		return refuse(w.Code, w.Message)
	}
	v.From, v.StaleAt = o.At, o.At.Add(p.MaxAge())
	switch {
	case v.early(now):
		return refuse(candidate.CodeFromTheFuture, fmt.Sprintf("the last answer is from the future, by %s: "+
			"set the clocks right", wording.Duration(o.At.Sub(now))))
	case v.stale(now):
		return refuse(candidate.CodeStale, fmt.Sprintf("the last answer is %s old, and counts only for %s",
			wording.Duration(now.Sub(o.At).Truncate(time.Second)), wording.Duration(p.MaxAge())))
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
	why := fmt.Sprintf("%d of the %d good answers in a row that it needs", o.Streak, p.WithDefaults().SuccessThreshold)
	if o.Cause != "" {
		why += "; before them, " + o.Cause
	}
	return why
}

// For returns the verdict for one pool, without denials and selectors that do not match the pool. For that pool it says
// the same as v, but answers faster: call it once if you ask about many reasons. Exported for the
// engine, which asks for every pool.
func (v Verdict) For(pool string, labels map[string]string) Verdict {
	if !slices.ContainsFunc(v.Denied, func(d Denial) bool { return len(d.Pools) > 0 }) {
		return v
	}
	selectors := selecting(pool, labels)
	var denied []Denial
	for _, d := range v.Denied {
		var of []PoolSelector
		for _, s := range d.Pools {
			if selectors[s] {
				of = append(of, s)
			}
		}
		if len(of) > 0 || len(d.Pools) == 0 {
			d.Pools = of
			denied = append(denied, d)
		}
	}
	v.Denied = denied
	return v
}

func (v Verdict) early(now time.Time) bool { return !v.From.IsZero() && now.Before(v.From) }

func (v Verdict) stale(now time.Time) bool { return !v.StaleAt.IsZero() && !now.Before(v.StaleAt) }

// Blocker returns the blocker of the nodes of a pool with these labels for a reason at a time, if there is one. The
// reason "" is unknown, so every denial blocks it. Exported for the engine, which asks
// it of every reason of a pool.
func (v Verdict) Blocker(
	reason candidate.Reason, pool string, labels map[string]string, now time.Time,
) (b candidate.Blocker, blocked bool) {
	if b, blocked = v.against(reason, pool, labels, now); blocked {
		b.Source = &candidate.Source{Probe: v.Probe}
	}
	return b, blocked
}

// against is Blocker without its Source.
func (v Verdict) against(
	reason candidate.Reason, pool string, labels map[string]string, now time.Time,
) (b candidate.Blocker, blocked bool) {
	b.Gate = candidate.GateProbe
	switch {
	case !v.Allowed:
		b.Code = cmp.Or(v.Code, candidate.CodeNotObserved)
		b.Message = v.says(cmp.Or(v.Cause, nothingYet))
		return b, true
	case v.early(now):
		b.Code = candidate.CodeFromTheFuture
		b.Message = v.says("the last answer is from the future, from " + v.From.UTC().Format(time.RFC3339Nano))
		return b, true
	case v.stale(now):
		b.Code = candidate.CodeStale
		b.Message = v.says("the last answer has been too old since " + v.StaleAt.UTC().Format(time.RFC3339))
		return b, true
	case now.IsZero():
		w, _ := candidate.NoTime(now)
		b.Code, b.Message = w.Code, v.says(w.Message)
		return b, true
	case len(v.Denied) == 0:
		return candidate.Blocker{}, false
	}
	selectors, held := selecting(pool, labels), 0
	var shown []Denial
	for _, d := range v.Denied {
		if !d.holds(now) || !d.holdsBack(reason) || !d.isAbout(selectors) {
			continue
		}
		if held++; held <= few {
			shown = append(shown, d)
		}
		if held == 1 {
			b.Until = d.Until
		} else if d.Until.IsZero() || b.Until.IsZero() {
			b.Until = time.Time{}
		} else {
			b.Until = schedule.Last(b.Until, d.Until)
		}
	}
	if held == 0 {
		return candidate.Blocker{}, false
	}
	b.Code = cmp.Or(v.Code, candidate.CodeDenied)
	b.Message = v.says("it denies " + first(shown, held, "; "))
	return b, true
}

func (d Denial) holds(now time.Time) bool { return d.Until.IsZero() || now.Before(d.Until) }

func (v Verdict) says(what string) string {
	return wording.Quote(cmp.Or(v.Probe, "a probe")) + ": " + what
}

// Same reports whether two verdicts say the same, apart from From, StaleAt and the age in the message of a verdict that
// is stale or from the future. These change with every answer, or with time. Use it to detect changes.
func (v Verdict) Same(other Verdict) bool {
	aged := v.Code == candidate.CodeStale || v.Code == candidate.CodeFromTheFuture
	return v.Probe == other.Probe && v.Allowed == other.Allowed && v.Code == other.Code &&
		(v.Cause == other.Cause || aged) &&
		slices.EqualFunc(v.Denied, other.Denied, Denial.same)
}

// NextChange returns when time alone may next change the answers of the verdict. Zero means never. Exported for the
// engine, which says until when a decision holds.
func (v Verdict) NextChange(now time.Time) time.Time {
	switch {
	case v.early(now):
		return v.From // a new verdict may allow more then, even if this one does not
	case !v.Allowed || v.stale(now):
		return time.Time{}
	}
	next := v.StaleAt
	for _, d := range v.Denied {
		if !d.Until.IsZero() && d.holds(now) {
			next = schedule.First(next, d.Until)
		}
	}
	return next
}

// String returns "health: all may go, until 2026-11-20T17:00:30Z", or what may not go.
func (v Verdict) String() string {
	switch {
	case !v.Allowed:
		return v.says(cmp.Or(v.Cause, nothingYet))
	case len(v.Denied) > 0:
		return v.says("it denies " + first(v.Denied, len(v.Denied), "; "))
	case v.StaleAt.IsZero():
		return v.says("all may go")
	}
	return v.says("all may go, until " + v.StaleAt.UTC().Format(time.RFC3339))
}
