package disruptkit

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// The names of events. (Disruption-controls-by-method RFC, "Events".)
const (
	EventEnteringWindow = "EnteringDisruptionWindow" // the budgets let nodes go for a reason, and did not before
	EventExitingWindow  = "ExitingDisruptionWindow"  // they do no longer
	EventBudgetExceeded = "BudgetExceeded"           // more nodes are in flight for a budget's reasons, or not Ready, than it allows
)

// An Event is something that happened to a NodePool between two reports.
type Event struct {
	Name    string
	Pool    string
	Reason  candidate.Reason // whose window it is; "" of EventBudgetExceeded: its message names the budget
	Message string           // for people
}

// events compares pools with what the previous report knows of them.
func (s *summary) events(pools []PoolStatus) []Event {
	var all []Event
	for _, p := range pools {
		last, _ := s.last(p.Pool)
		all = append(all, s.windows(last, p)...)
		all = append(all, s.excesses(last, p)...)
	}
	return all
}

// windows returns the windows of a pool that have opened or closed, for each reason that a decision was about. What was asked for
// all reasons together says nothing of any. That a pool has its first node, or loses its last, opens and closes nothing.
func (s *summary) windows(last, now PoolStatus) []Event {
	var all []Event
	for _, r := range now.Reasons {
		before, known := last.reason(r.Reason)
		switch {
		case r.Reason == "" || !known || r.Closed == before.Closed:
		case r.Closed:
			all = append(all, Event{EventExitingWindow, now.Pool, r.Reason,
				fmt.Sprintf("no node may be disrupted for %s%s", r.Reason, s.until(now.Pool, r.Reason))})
		default:
			all = append(all, Event{EventEnteringWindow, now.Pool, r.Reason,
				fmt.Sprintf("%s of %d nodes may be disrupted at once for %s%s", unlimited(r.Allowed), now.Nodes, r.Reason, s.until(now.Pool, r.Reason))})
		}
	}
	return all
}

// excesses returns the budgets of a pool that are exceeded, and were not before. A budget is exceeded by all that goes for its
// reasons, whichever decisions are reported on.
func (s *summary) excesses(last, now PoolStatus) []Event {
	p := s.pools.of(now.Pool)
	if p.ambiguous {
		return nil
	}
	var all []Event
	for _, b := range s.budgets(p) {
		text := describe(p.Budgets, b)
		if !b.Exceeded() || slices.Contains(last.Exceeded, text) {
			continue
		}
		all = append(all, Event{EventBudgetExceeded, now.Pool, "",
			fmt.Sprintf("%d in flight%s or not Ready, and %d may be at once: %s", b.Own, purpose(b.Reasons), b.Allowed, text)})
	}
	return all
}

// purpose returns " for Drifted, Empty", or nothing for all reasons.
func purpose(reasons []candidate.Reason) string {
	text, separator := "", " for "
	for _, r := range reasons {
		text += separator + string(r)
		separator = ", "
	}
	return text
}

// until says until when the budgets of a pool allow what they do, if that is known.
func (s *summary) until(pool string, reason candidate.Reason) string {
	p := s.pools.of(pool)
	if end := budget.Until(p.Budgets, s.in.Now, p.nodes, reason); !end.IsZero() {
		return ", until " + end.UTC().Format(time.RFC3339)
	}
	return ""
}
