package report

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/quote"
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
	for _, now := range pools {
		p := s.pool(now.Pool)
		last, _ := s.last(now.Pool)
		all = append(all, p.windows(last, now)...)
		all = append(all, p.excesses(last)...)
	}
	return all
}

// windows returns an event for each reason that a decision was about, and of which the window has opened or closed. What was
// asked for all reasons together says nothing of any. That a pool gets its first node, or loses its last, opens and closes
// nothing.
func (p *pool) windows(last, now PoolStatus) []Event {
	var all []Event
	for _, r := range now.Reasons {
		before, known := last.reason(r.Reason)
		reason := quote.Text(string(r.Reason))
		switch {
		case r.Reason == "" || !known || r.Closed == before.Closed:
		case r.Closed:
			all = append(all, Event{EventExitingWindow, p.Name, r.Reason,
				fmt.Sprintf("no node may be disrupted for %s%s", reason, p.until(r.Reason))})
		default:
			all = append(all, Event{EventEnteringWindow, p.Name, r.Reason,
				fmt.Sprintf("%s of %d nodes may be disrupted at once for %s%s", unlimited(r.Allowed), p.Nodes, reason, p.until(r.Reason))})
		}
	}
	return all
}

// excesses returns an event for each budget that is exceeded, and was not before. A budget is exceeded by all that goes for its
// reasons, whichever decisions the report is on.
func (p *pool) excesses(last PoolStatus) []Event {
	var all []Event
	for _, b := range p.statuses {
		if text := p.describe(b); b.Exceeded() && !slices.Contains(last.Exceeded, text) {
			all = append(all, Event{EventBudgetExceeded, p.Name, "",
				fmt.Sprintf("%d in flight%s, and %d may be at once: %s", b.Own, purpose(b.Reasons), b.Allowed, text)})
		}
	}
	return all
}

// purpose returns what exceeds a budget for some reasons: " for Drifted, Empty or not Ready". Nodes that are not Ready do not use up
// one for Unhealthy alone.
func purpose(reasons []candidate.Reason) string {
	text, separator, others := "", " for ", len(reasons) == 0
	for _, r := range reasons {
		text += separator + string(r)
		separator, others = ", ", others || !candidate.Unhealthy.Covers(r)
	}
	if others {
		text += " or not Ready"
	}
	return text
}

// unlimited returns a number as people read it.
func unlimited(n int) string {
	if n == budget.Unlimited {
		return "any number"
	}
	return strconv.Itoa(n)
}
