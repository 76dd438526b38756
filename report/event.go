package report

import (
	"fmt"
	"maps"
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

// A poolStatus is what is remembered of a pool for the events of the next report.
type poolStatus struct {
	// closed reports, for the reasons that decisions were about, whether budgets would allow no node, however many
	// nodes the pool had. (10% of 0 nodes is 0, but not closed.)
	closed   map[candidate.Reason]bool
	exceeded []string // active budgets that are exceeded: "budgets[0] is 1 (Drifted)"
}

// events compares pools with the previous report, and returns their status.
func (s *summary) events() (all []Event, pools map[string]poolStatus) {
	pools = map[string]poolStatus{}
	for i := range s.pools {
		p := &s.pools[i]
		if p.Ambiguous { // it is unclear which pool is meant
			continue
		}
		last, allowed := s.previous.pools[p.Name], map[candidate.Reason]int{}
		for _, d := range s.decisions {
			for _, decided := range d.Pools {
				if decided.Pool == p.Name {
					allowed[decided.Reason] = decided.Allowance.Nodes
				}
			}
		}
		now := poolStatus{closed: map[candidate.Reason]bool{}}
		maps.Copy(now.closed, last.closed) // reasons without a decision stay as they were
		for _, reason := range slices.Sorted(maps.Keys(allowed)) {
			now.closed[reason] = p.closed(reason)
			if before, known := last.closed[reason]; known && before != now.closed[reason] {
				all = append(all, p.window(reason, allowed[reason], before)...)
			}
		}
		for _, b := range p.statuses {
			if !b.exceeded() {
				continue
			}
			text := p.describe(b)
			if now.exceeded = append(now.exceeded, text); slices.Contains(last.exceeded, text) {
				continue
			}
			all = append(all, Event{EventBudgetExceeded, p.Name, "", fmt.Sprintf(
				"%d in flight%s, and %d may be at once: %s", b.own, p.purpose(b.Reasons), b.allowed, text)})
		}
		pools[p.Name] = now
	}
	return all, pools
}

// window returns the event of a window that has opened or closed for a decided reason. A decision on all reasons
// together says nothing about any of them.
func (p *pool) window(reason candidate.Reason, allowed int, opens bool) []Event {
	name := wording.Quote(string(reason))
	switch {
	case reason == "":
		return nil
	case opens:
		return []Event{{EventEnteringWindow, p.Name, reason, fmt.Sprintf("%s of %s may be disrupted at once for %s%s",
			unlimited(allowed), wording.Count(p.Nodes, "node"), name, p.until(reason))}}
	}
	return []Event{{EventExitingWindow, p.Name, reason,
		fmt.Sprintf("no node may be disrupted for %s%s", name, p.until(reason))}}
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
