package generate

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

// Verdicts generates what the probes and breakers of a pool say; mostly nothing.
func Verdicts(now time.Time) func(Source) []probe.Verdict {
	return func(s Source) []probe.Verdict {
		if !s.seldom() {
			return nil
		}
		return several(s, 1, 3, Verdict(now))
	}
}

// Verdict generates verdicts that allow all, nothing, or all but a few reasons and pools; for ever, or until a time
// that may be past.
func Verdict(now time.Time) func(Source) probe.Verdict {
	soon := func(s Source) time.Time {
		if !s.Bool() {
			return time.Time{}
		}
		return now.Add(time.Duration(s.Between(-1, 10)) * 30 * time.Minute)
	}
	denial := func(s Source) probe.Denial {
		return probe.Denial{
			Reason: reasonOrAll(s),
			Pools: several(s, 0, 2, func(s Source) probe.PoolSelector {
				return pick[probe.PoolSelector](s, "pool-0", "pool-1", "team=search", "search", "gpu")
			}),
			Until: soon(s),
		}
	}
	return func(s Source) probe.Verdict {
		v := probe.Verdict{
			Probe:   pick(s, "", "health", "incidents"),
			Allowed: !s.seldom(),
			StaleAt: soon(s),
		}
		if s.seldom() {
			v.From = soon(s)
		}
		if !v.Allowed {
			v.Code = pick(s, candidate.Code(""), "no-answer", "unhealthy")
		}
		v.Denied = several(s, 0, 3, denial)
		return v
	}
}

// Observation generates what is known of a probe after a few answers, or after none. The last answer is from about now.
func Observation(p httpget.Spec, now time.Time) func(Source) probe.Observation {
	return func(s Source) probe.Observation {
		if s.seldom() {
			return probe.Observation{}
		}
		age := pick(s, -time.Nanosecond, 0, time.Second, p.MaxAge()-1, p.MaxAge(), time.Hour)
		o := probe.Observation{At: now.Add(-age), Healthy: !s.seldom(), Streak: 1}
		full := p.WithDefaults()
		switch {
		case o.Healthy && s.seldom(): // fewer bad answers in a row than it takes
			o.Streak = min(1-full.FailureThreshold, -1)
		case !o.Healthy && s.Bool():
			o.Streak = -full.FailureThreshold
		case !o.Healthy: // fewer good answers in a row than it takes
			o.Streak = full.SuccessThreshold - 1
		}
		if !o.Healthy || o.Streak < 0 {
			o.Code = pick(s, candidate.Code("unhealthy"), "no-answer", "invalid-answer")
			o.Cause = "it answered 503"
		}
		o.Denied = several(s, 0, 3, func(s Source) probe.Denial {
			return probe.Denial{
				Reason: reasonOrAll(s), Pools: several(s, 0, 2, PoolSelector), Absent: s(full.SuccessThreshold),
			}
		})
		return o
	}
}

// reasonOrAll generates reasons, and "" for all of them.
func reasonOrAll(s Source) candidate.Reason {
	if s.Bool() {
		return ""
	}
	return Reason(s)
}

// Pauses generates pauses of everything or of some pools, reasons and zones: that hold, that are to come, or that are
// over. Some are broken. Mostly there are none.
func Pauses(now time.Time) func(Source) []probe.Pause {
	return func(s Source) []probe.Pause {
		if !s.seldom() {
			return nil
		}
		return several(s, 1, 3, Pause(now))
	}
}

// Pause generates one of them.
func Pause(now time.Time) func(Source) probe.Pause {
	soon := func(s Source) time.Time { return now.Add(time.Duration(s.Between(-3, 10)) * 30 * time.Minute) }
	return func(s Source) probe.Pause {
		p := probe.Pause{
			Pools: pick(s, nil, nil, []probe.PoolSelector{"pool-0"}, []probe.PoolSelector{"team=search", "gpu"}),
			Reasons: pick(s, nil, nil, nil, []candidate.Reason{"Drift"},
				[]candidate.Reason{"Drifted/AMIDrift", "Empty"}, []candidate.Reason{"typo"}),
			By:  pick(s, "", "alice"),
			Why: pick(s, "", "INC-1", "INC-2"),
		}
		if s(3) > 0 {
			p.Key = pick(s, "zone", "zone", "zone", "rack", "")
			p.Domains = pick(s, []string{"a"}, []string{"b"}, []string{"1"}, []string{""}, []string{"a", "c"}, nil)
		}
		if s.Bool() {
			p.From = soon(s)
		}
		if s.Bool() {
			p.Until = soon(s)
		}
		return p
	}
}
