package report

import (
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
)

// backlog returns the two gauges of work that is held back, as Karpenter's RFC for disruption performance metrics
// defines them:
//
//   - candidates_remaining: "Candidates that become actionable when the named blocker changes."
//   - oldest_backlog_age_seconds: "Oldest blocked work, measured from its relevant condition, expiry, or unhealthy
//     transition."
//
// A candidate counts once for each method, under its first present blocker in the order of gates. A candidate whose
// reason holds since an unknown time has no age.
func (s *summary) backlog() (remaining, oldest []Sample) {
	type work struct{ pool, node, method string }
	goes, seen := s.going(), map[work]bool{}
	count, age := newSeries("nodepool", "reason", "blocker"), newSeries("nodepool", "reason", "blocker")
	for _, d := range s.decisions {
		for _, c := range d.Blocked {
			w := work{c.Pool, c.Node, strings.ToLower(string(c.Reason.Method()))}
			first := firstPresent(c.Blockers)
			if first == nil || goes[c.Node] || seen[w] || s.pool(c.Pool) == nil {
				continue
			}
			seen[w] = true
			by := upstreamBlocker(*first)
			count.add(1, w.pool, w.method, by)
			if !c.Since.IsZero() {
				age.most(max(s.in.Now.Sub(c.Since), 0).Seconds(), w.pool, w.method, by)
			}
		}
	}
	return count.samples(), age.samples()
}

// firstPresent returns the first blocker, in the order of gates, that holds back a candidate now; nil: none does.
func firstPresent(blockers []candidate.Blocker) *candidate.Blocker {
	var first *candidate.Blocker
	for i := range blockers {
		b := &blockers[i]
		if !b.Later && (first == nil || slices.Index(gates, b.Gate) < slices.Index(gates, first.Gate)) {
			first = b
		}
	}
	return first
}

// upstreamBlocker returns the value of the label blocker. Three are words of the RFC's list. It has none for the other
// gates of disruptkit: their codes are written as it writes words, such as do_not_disrupt.
func upstreamBlocker(b candidate.Blocker) string {
	switch {
	case ofBudget(b):
		return "budget"
	case b.Code == candidate.CodeTooManyUnhealthy:
		return "nodepool_health_gate"
	case b.Gate == candidate.GatePod && (b.Code == candidate.CodeAllowsNone || b.Code == candidate.CodeExhausted):
		return "pdb"
	}
	return strings.ReplaceAll(string(b.Code), "-", "_") // nominated is the RFC's third
}
