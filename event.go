package disruptkit

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// The names of events. (Disruption-controls-by-method RFC, "Events".)
const (
	EventEnteringWindow = "EnteringDisruptionWindow" // what budgets allow for a reason rises from 0
	EventExitingWindow  = "ExitingDisruptionWindow"  // it falls to 0
	EventBudgetExceeded = "BudgetExceeded"           // more nodes are being disrupted for the reason than that
)

// An Event is something that happened to a NodePool between two reports.
type Event struct {
	Name    string
	Pool    string
	Reason  candidate.Reason
	Message string // for people
}

// events compares each reason that a decision was about with what the previous report knows of it. What was asked for
// all reasons together says nothing of any.
func (s *summary) events(pools []PoolStatus) []Event {
	var all []Event
	for _, p := range pools {
		last, _ := s.last(p.Pool)
		for _, now := range p.Reasons {
			if now.Reason == "" {
				continue
			}
			before, known := last.reason(now.Reason)
			add := func(name, format string, args ...any) {
				all = append(all, Event{name, p.Pool, now.Reason, fmt.Sprintf(format, args...)})
			}
			switch {
			case known && before.Allowed == 0 && now.Allowed > 0:
				add(EventEnteringWindow, "%s of %d nodes may be disrupted at once for %s%s",
					unlimited(now.Allowed), p.Nodes, now.Reason, s.until(p.Pool, now.Reason))
			case known && before.Allowed > 0 && now.Allowed == 0:
				add(EventExitingWindow, "no node may be disrupted for %s%s", now.Reason, s.until(p.Pool, now.Reason))
			}
			if now.exceeded() && !(known && before.exceeded()) {
				add(EventBudgetExceeded, "%d in flight for %s or not Ready, and %d may be at once", now.Own, now.Reason, now.Allowed)
			}
		}
	}
	return all
}

// until says until when the budgets of a pool allow what they do, if that is known.
func (s *summary) until(pool string, reason candidate.Reason) string {
	p := s.pools.of(pool)
	if end := budget.Until(p.Budgets, s.in.Now, p.nodes, reason); !end.IsZero() {
		return ", until " + end.UTC().Format(time.RFC3339)
	}
	return ""
}
