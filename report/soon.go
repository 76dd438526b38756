package report

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
)

// Soon returns the candidates of a decision that may be disrupted within a time, in line: those that are allowed now,
// and those whose blockers may all lift by then. A caller can keep new pods away from these nodes, so that fewer pods
// move twice. It is a guess: a candidate that waits only for other nodes is included, however long the line is. Of a
// roll that a budget spreads, only the next one is. For the times that can be expected, use a plan.
func Soon(d disruptkit.Decision, within time.Duration) (soon []candidate.Candidate) {
	next := map[string]bool{} // pools whose next start of a spread is included
	for _, c := range slices.Concat(d.Allowed, d.Free, d.Blocked) {
		spread := false
		if slices.ContainsFunc(c.Blockers, func(b candidate.Blocker) bool {
			spread = spread || b.Code == candidate.CodeSpread
			if b.Until.IsZero() {
				return !slices.Contains(waitsForOthers, b.Code)
			}
			return b.Until.After(d.Now.Add(within))
		}) || spread && next[c.Pool] {
			continue
		}
		next[c.Pool] = next[c.Pool] || spread
		soon = append(soon, c)
	}
	return soon
}

// waitsForOthers are the codes of blockers that other nodes lift.
var waitsForOthers = []candidate.Code{
	candidate.CodeExhausted, candidate.CodeReserved, candidate.CodeWaitsForDomain, candidate.CodeWaveFull,
	candidate.CodeBakes, candidate.CodeSoaks,
}
