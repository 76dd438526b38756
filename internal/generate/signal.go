package generate

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
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

// Verdict generates verdicts that let all go, nothing, or all but a few reasons and pools; for ever, or until a time that may
// be past.
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
			v.Code = pick(s, "", candidate.CodeNoAnswer, candidate.CodeUnhealthy)
		}
		v.Denied = several(s, 0, 3, denial)
		return v
	}
}

// reasonOrAll generates reasons, and "" for all of them.
func reasonOrAll(s Source) candidate.Reason {
	if s.Bool() {
		return ""
	}
	return Reason(s)
}
