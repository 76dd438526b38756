package forecast

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// overdue says from when on a node no longer waits for the times of a timeline, and how many go at once then.
func (p *pool) overdue(reason candidate.Reason) string {
	why, dated := p.overdues[reason]
	if !dated {
		return ""
	}
	when := "after " + short(p.budgets.Deadline(reason))
	if p.byAge(reason) {
		when = "at the age of " + short(p.Expires.Deadline)
	}
	if why != "" {
		return fmt.Sprintf("; overdue %s, and blocked even then, since %s", when, why)
	}
	text := fmt.Sprintf("; overdue %s: from then on nothing waits for these times or for paces, and %s may be disrupted at once", when,
		wording.Count(p.budgets.Overdue(p.nodes, reason).Nodes, "node"))
	if p.As.Annotated() {
		text += ", as far as Karpenter's own budgets let them"
	}
	if len(p.whoPaused(reason, p.span(reason))) > 0 {
		text += ", and not during a pause"
	}
	return text
}

// goesOverdue reports whether nodes may be disrupted for a reason once they are overdue.
func (p *pool) goesOverdue(reason candidate.Reason) bool {
	why, dated := p.overdues[reason]
	return dated && why == ""
}

// blocksOverdue reports why no overdue node is disrupted for a reason between two times, or nothing. A deadline excuses nodes from the times and paces of our
// budgets, and from nothing else.
func (p *pool) blocksOverdue(from, to time.Time, reason candidate.Reason) (why string, err error) {
	none := func(timeline []budget.Segment) bool {
		return !slices.ContainsFunc(timeline, func(s budget.Segment) bool { return s.Nodes > 0 })
	}
	timeline := []budget.Segment{{Span: schedule.Span{Start: from, End: to}, Allowance: p.budgets.Overdue(p.nodes, reason)}}
	if none(timeline) {
		return "a budget is invalid", nil
	}
	if p.As.Annotated() {
		if timeline, err = p.As.Within(p.theirs, timeline, p.nodes, reason); err != nil {
			return "", err
		}
	}
	if none(timeline) {
		return "Karpenter's own budgets allow none", nil
	}
	if none(engine.Paused(timeline, p.pausesOf(reason))) {
		return "the pool is paused", nil
	}
	return "", nil
}

// span returns the span of a reason's timeline.
func (p *pool) span(reason candidate.Reason) schedule.Span {
	timeline := p.timelines[reason]
	return schedule.Span{Start: timeline[0].Start, End: timeline[len(timeline)-1].End}
}

// hasDeadline reports whether a node is ever overdue for a reason.
func (p *pool) hasDeadline(reason candidate.Reason) bool {
	return p.byAge(reason) || p.budgets.Deadline(reason) != candidate.Forever && !p.unasked(reason)
}

// byAge reports whether the age of a node says when it is overdue for a reason.
func (p *pool) byAge(reason candidate.Reason) bool {
	return candidate.Expired.Covers(reason) && p.Expires.Deadline > 0
}
