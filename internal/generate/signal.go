package generate

import (
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
)

// Verdicts generates what the probes and breakers of a pool say; mostly nothing.
func Verdicts(now time.Time) *rapid.Generator[[]probe.Verdict] {
	return rapid.Custom(func(t *rapid.T) []probe.Verdict {
		if !seldom.Draw(t, "signals") {
			return nil
		}
		return rapid.SliceOfN(Verdict(now), 1, 3).Draw(t, "verdicts")
	})
}

// Verdict generates verdicts that let all go, nothing, or all but a few reasons and pools; for ever, or until a time that may
// be past.
func Verdict(now time.Time) *rapid.Generator[probe.Verdict] {
	return rapid.Custom(func(t *rapid.T) probe.Verdict {
		soon := func(label string) time.Time {
			if rapid.Bool().Draw(t, label+" never") {
				return time.Time{}
			}
			return now.Add(time.Duration(rapid.IntRange(-1, 10).Draw(t, label)) * 30 * time.Minute)
		}
		v := probe.Verdict{
			Probe:   rapid.SampledFrom([]string{"", "health", "incidents"}).Draw(t, "probe"),
			Allowed: !seldom.Draw(t, "nothing goes"),
			StaleAt: soon("stale"),
		}
		if seldom.Draw(t, "from") {
			v.From = soon("from")
		}
		if !v.Allowed {
			v.Code = rapid.SampledFrom([]string{"", candidate.CodeNoAnswer, candidate.CodeUnhealthy}).Draw(t, "code")
		}
		for range rapid.IntRange(0, 3).Draw(t, "denials") {
			v.Denied = append(v.Denied, probe.Denial{
				Reason: rapid.OneOf(Reason(), rapid.Just(candidate.Reason(""))).Draw(t, "denied"),
				Pools:  rapid.SliceOfN(rapid.SampledFrom([]probe.PoolSelector{"pool-0", "pool-1", "team=search", "search", "gpu"}), 0, 2).Draw(t, "denied to"),
				Until:  soon("denied until"),
			})
		}
		return v
	})
}
