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
			events = append(events, schedule.Event{Name: enforced.String(), Span: schedule.Span{Start: enforced.From, End: enforced.Until}})
		}
	}
	return events
}

// Paused returns a timeline in which nothing goes during some pauses.
func Paused(timeline []budget.Segment, pauses []schedule.Event) (all []budget.Segment) {
	if len(pauses) == 0 {
		return timeline
	}
	holds := schedule.Events(pauses...)
	for _, s := range timeline {
		for at := s.Start; at.Before(s.End); {
			part := s
			part.Start = at
			closed, until := holds.Until(at)
			if !until.IsZero() && until.Before(part.End) {
				part.End = until.In(s.End.Location())
			}
			if closed && part.Nodes > 0 {
				part.Allowance, part.Paces = budget.Allowance{}, 0
			}
			if last := len(all) - 1; last >= 0 && all[last].Allowance == part.Allowance && all[last].Paces == part.Paces {
				all[last].End = part.End
			} else {
				all = append(all, part)
			}
			at = part.End
		}
	}
	return all
}
