package engine

import (
	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/schedule"
)

// Pauses returns when people pause the whole of a pool for a reason: "paused by alice: INC-1234". It needs the pool's name, labels and budgets.
func Pauses(pauses []probe.Pause, pool disruptkit.Pool, reason candidate.Reason) (events []schedule.Event) {
	for _, pause := range pauses {
		enforced, _ := pause.Enforced(pool.Budgets.Methods()...)
		if len(enforced.Domains) == 0 && enforced.Concerns(reason, pool.Name, pool.Labels) {
			events = append(events, schedule.Event{Name: enforced.Blocker().Message, Span: schedule.Span{Start: enforced.From, End: enforced.Until}})
		}
	}
	return events
}

// Paused returns a timeline in which no node is allowed during some pauses.
func Paused(timeline []budget.Segment, pauses []schedule.Event) []budget.Segment {
	if len(pauses) == 0 || len(timeline) == 0 {
		return timeline
	}
	holds, end := schedule.Events(pauses...), timeline[len(timeline)-1].End
	var open []budget.Segment // without any budget
	for at := timeline[0].Start; at.Before(end); at = open[len(open)-1].End {
		s := budget.Segment{Span: schedule.Span{Start: at, End: end}, Allowance: budget.Allowance{Nodes: budget.Unlimited}}
		closed, until := holds.Until(at)
		if closed {
			s.Nodes = 0
		}
		if !until.IsZero() && until.Before(end) {
			s.End = until.In(end.Location())
		}
		open = append(open, s)
	}
	return Tighter(timeline, open)
}
