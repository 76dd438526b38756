package disruptkit

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// Allows reports whether every gate allows a request now, beside those that are disrupted, or its waiver does in its
// stead. It asks the last gates first, because they are the cheapest to ask.
func (row *row) Allows(r *request) bool {
	for i := len(row.gates) - 1; i >= 0; i-- {
		s := &row.gates[i]
		if !s.Allows(r) && !(s.excuses(r) && s.waiver.Waives(r)) {
			return false
		}
	}
	return true
}

// excuses reports whether the waiver excuses a request from the gate, or would if few nodes were in flight.
func (s *stage) excuses(r *request) bool {
	return s.waivable != nil && r.Kind != nil && r.Kind.Excused
}

// Disrupt counts a request as in flight. Cancel takes it back.
func (row *row) Disrupt(r *request) {
	r.Disrupted = true
	row.Disrupted = append(row.Disrupted, r)
	for i := range row.gates {
		row.gates[i].Count(r, 1)
	}
}

// Cancel undoes Disrupt, whatever was disrupted since.
func (row *row) Cancel(r *request) {
	for i := range row.gates {
		row.gates[i].Count(r, -1)
	}
	r.Disrupted, r.ForAny = false, false
	i := slices.Index(row.Disrupted, r)
	row.Disrupted = slices.Delete(row.Disrupted, i, i+1)
}

// Blockers returns what blocks a request now, with the times when time alone lifts it. Every gate is asked, even if an
// earlier one blocks the request: people want to know all of them.
func (row *row) Blockers(r *request) []candidate.Blocker {
	var only []candidate.Blocker
	several := false
	for i := range row.gates {
		said := row.blockersAt(i, r)
		row.said[i] = said
		several = several || len(only) > 0 && len(said) > 0
		if len(only) == 0 {
			only = said
		}
	}
	if several {
		return row.lists.Keep(row.said...)
	}
	return only
}

// blockersAt returns what blocks a request at a gate, or at the gates from which this one excuses it.
func (row *row) blockersAt(at int, r *request) []candidate.Blocker {
	s := &row.gates[at]
	switch {
	case s.waivable == nil || r.Kind == nil || r.Deadline().IsZero():
		return s.Blockers(r)
	case !r.Kind.Excused:
		return row.untilOverdue(at, r)
	case s.waiverAt != at || s.waiver.Waives(r):
		return nil
	}
	for i := range row.gates { // the gates from which the request is excused
		if c := &row.gates[i]; c.waivable != nil && c.waiverAt == at && !c.Allows(r) {
			return liftingAt(row.allAllowFrom(at, r, row.Now), s.waiver.Refuse(r))
		}
	}
	return nil
}

// untilOverdue returns what blocks a request that is not overdue yet at a gate from which it will be excused then.
func (row *row) untilOverdue(at int, r *request) []candidate.Blocker {
	s := &row.gates[at]
	said := s.Blockers(r)
	if len(said) == 0 {
		return nil
	}
	due, lifts := r.Deadline(), s.waivable.AllowsFrom(r, row.Now)
	switch {
	case !lifts.IsZero() && lifts.Before(due):
	case s.waiverAt != at || s.waiver.Waives(r): // it is excused then, or the waiver speaks for this gate
		lifts = due
	case !lifts.IsZero():
		lifts = row.allAllowFrom(at, r, lifts)
	}
	return liftingAt(lifts, said)
}

// allAllowFrom returns the first time at or after from at which all gates of a waiver allow a request. Zero is never.
func (row *row) allAllowFrom(waiver int, r *request, from time.Time) time.Time {
	return firstFree(from, func(at time.Time) (blocked bool, change time.Time) {
		latest := at
		for i := range row.gates {
			if s := &row.gates[i]; s.waivable != nil && s.waiverAt == waiver {
				next := s.waivable.AllowsFrom(r, at)
				if next.IsZero() {
					return true, next
				}
				latest = schedule.Last(latest, next)
			}
		}
		return latest.After(at), latest
	})
}

// Until returns a time up to which a request that is disrupted would stay allowed. Zero is for good.
func (row *row) Until(r *request) (end time.Time) {
	for i := range row.gates {
		end = schedule.First(end, row.gates[i].Until(r))
	}
	return end
}

// NextChange returns a time before which time alone changes no answer of the gates, apart from their blockers' own
// times.
func (row *row) NextChange() (next time.Time) {
	for i := range row.gates {
		next = schedule.First(next, row.gates[i].NextChange())
	}
	return next
}
