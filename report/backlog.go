package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// backlog returns the two gauges of work that is blocked, as Karpenter's RFC for disruption performance metrics
// defines them:
//
//   - candidates_remaining: "Candidates that become actionable when the named blocker changes."
//   - oldest_backlog_age_seconds: "Oldest blocked work, measured from its relevant condition, expiry, or unhealthy
//     transition."
//
// A candidate counts once for each method: for the reason that holds for longest, under its first present blocker in
// the order of gates. A candidate whose reason holds since an unknown time has no age.
func (s *summary) backlog() (remaining, oldest []Sample) {
	count, age := newSeries("nodepool", "reason", "blocker"), newSeries("nodepool", "reason", "blocker")
	for w, h := range s.heldBack() {
		count.add(1, w.pool, w.method, h.by)
		if !h.since.IsZero() {
			age.most(max(s.in.Now.Sub(h.since), 0).Seconds(), w.pool, w.method, h.by)
		}
	}
	return count.samples(), age.samples()
}

// Work is a node that is to go for a method.
type work struct{ pool, node, method string }

// A holdback is a reason that a node has to go, and what blocks it.
type holdback struct {
	since  time.Time
	reason candidate.Reason
	by     string
}

// compare puts what holds for longest first, and what holds since an unknown time last.
func (h holdback) compare(other holdback) int {
	if h.since.IsZero() != other.since.IsZero() {
		return other.since.Compare(h.since)
	}
	return cmp.Or(h.since.Compare(other.since), cmp.Compare(h.reason, other.reason), cmp.Compare(h.by, other.by))
}

// heldBack returns the nodes that are blocked, in whatever order decisions are.
func (s *summary) heldBack() map[work]holdback {
	goes, all := s.going(), map[work]holdback{}
	for _, d := range s.decisions {
		for _, c := range d.Blocked {
			first := firstBlocker(c.Blockers)
			if first == nil || goes[c.Node] || s.pool(c.Pool) == nil {
				continue
			}
			w := work{c.Pool, c.Node, strings.ToLower(string(c.Reason.Method()))}
			h := holdback{c.Since, c.Reason, upstreamBlocker(*first)}
			if before, known := all[w]; !known || h.compare(before) < 0 {
				all[w] = h
			}
		}
	}
	return all
}

// firstBlocker returns the first blocker, in the order of gates, that blocks a candidate; nil: none does.
func firstBlocker(blockers []candidate.Blocker) *candidate.Blocker {
	var first *candidate.Blocker
	for i := range blockers {
		b := &blockers[i]
		if first == nil || slices.Index(gates, b.Gate) < slices.Index(gates, first.Gate) {
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
