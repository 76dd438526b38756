package report

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// Names of events. (Disruption-controls-by-method RFC, "Events".)
const (
	EventEnteringWindow = "EnteringDisruptionWindow" // budgets now allow nodes for a reason
	EventExitingWindow  = "ExitingDisruptionWindow"  // budgets no longer allow nodes for a reason
	// EventBudgetExceeded: more nodes than a budget allows are in flight, not Ready or missing.
	EventBudgetExceeded = "BudgetExceeded"
)

// An Event is something that happened to a NodePool between two reports.
type Event struct {
	Name    string
	Pool    string
	Reason  candidate.Reason // of the window; "" for EventBudgetExceeded, whose message names the budget
	Message string           // for people
}

// events compares pools with the previous report.
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

// windows returns an event for each decided reason whose window has opened or closed. A decision on all reasons
// together says nothing about any of them. A pool that gets its first node or loses its last one causes no event.
func (p *pool) windows(last, now PoolStatus) []Event {
	var all []Event
	for _, r := range now.Reasons {
		before, known := last.reason(r.Reason)
		reason := wording.Quote(string(r.Reason))
		switch {
		case r.Reason == "" || !known || r.Closed == before.Closed:
		case r.Closed:
			all = append(all, Event{EventExitingWindow, p.Name, r.Reason,
				fmt.Sprintf("no node may be disrupted for %s%s", reason, p.until(r.Reason))})
		default:
			all = append(all, Event{EventEnteringWindow, p.Name, r.Reason,
				fmt.Sprintf("%s of %s may be disrupted at once for %s%s",
					unlimited(r.Allowed), wording.Count(p.Nodes, "node"), reason, p.until(r.Reason))})
		}
	}
	return all
}

// excesses returns an event for each budget that is newly exceeded. All nodes in flight for a budget's reasons count,
// whatever the decisions of the report are about.
func (p *pool) excesses(last PoolStatus) []Event {
	var all []Event
	for _, b := range p.statuses {
		if text := p.describe(b); b.exceeded() && !slices.Contains(last.Exceeded, text) {
			all = append(all, Event{EventBudgetExceeded, p.Name, "",
				fmt.Sprintf("%d in flight%s, and %d may be at once: %s", b.own, p.purpose(b.Reasons), b.allowed, text)})
		}
	}
	return all
}

// purpose describes the nodes that exceed a budget for some reasons: " for Drifted, Empty or not Ready". Nodes that are
// not Ready, or missing, do not count against a budget for Unhealthy alone.
func (p *pool) purpose(reasons []candidate.Reason) string {
	text, separator, others := "", " for ", len(reasons) == 0
	for _, r := range reasons {
		text += separator + string(r)
		separator, others = ", ", others || !candidate.Unhealthy.Covers(r)
	}
	switch {
	case !others:
		return text
	case p.Disrupting.Missing > 0:
		return text + ", not Ready or missing"
	}
	return text + " or not Ready"
}

// unlimited returns a number for people: "any number" for budget.Unlimited.
func unlimited(n int) string {
	if n == budget.Unlimited {
		return "any number"
	}
	return strconv.Itoa(n)
}
