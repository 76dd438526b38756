package disruptkit

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// Allows reports whether every gate allows a request and the rest of its unit now, beside those that are disrupted.
func (row *row) Allows(r *request) bool {
	if r.unit != nil {
		return row.allowsUnit(r.unit)
	}
	return row.allows(r)
}

// allows reports whether every gate, or the gate's waiver in its stead, allows a request now. It asks the last gates
// first, because they are the cheapest to ask.
func (row *row) allows(r *request) bool {
	for i := len(row.gates) - 1; i >= 0; i-- {
		s := &row.gates[i]
		if !s.Allows(r) && !(s.waiver != nil && r.Overdue && r.Kind != nil && s.waiver.Waives(r)) {
			return false
		}
	}
	return true
}

// Disrupt counts a request and the rest of its unit as in flight. Cancel takes them back.
func (row *row) Disrupt(r *request) {
	for m := range r.members() {
		m.ForAny = r.ForAny
		row.disrupt(m)
	}
}

func (row *row) disrupt(r *request) {
	r.Disrupted = true
	row.Disrupted = append(row.Disrupted, r)
	for i := range row.gates {
		row.gates[i].Count(r, 1)
	}
}

// Cancel undoes Disrupt, whatever was disrupted since.
func (row *row) Cancel(r *request) {
	for m := range r.members() {
		row.cancel(m)
	}
}

func (row *row) cancel(r *request) {
	for i := range row.gates {
		row.gates[i].Count(r, -1)
	}
	r.Disrupted, r.ForAny = false, false
	i := slices.Index(row.Disrupted, r)
	row.Disrupted = slices.Delete(row.Disrupted, i, i+1)
}

// Blockers returns what blocks a request or the rest of its unit now, with the times when time alone lifts it. Every
// gate is asked, even if an earlier one blocks the request: people want to know all of them.
func (row *row) Blockers(r *request) []candidate.Blocker {
	if r.unit != nil {
		return row.unitBlockers(r)
	}
	return row.blockers(r)
}

// blockers returns what blocks a request itself.
func (row *row) blockers(r *request) []candidate.Blocker {
	var only []candidate.Blocker
	several := false
	for i := range row.gates {
		said := row.blockersAt(&row.gates[i], r)
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

// blockersAt returns what blocks a request at a gate. If the request is overdue, a waiver answers for all its gates.
func (row *row) blockersAt(s *stage, r *request) []candidate.Blocker {
	switch w := s.waiver; {
	case w == nil || r.Kind == nil || r.Deadline().IsZero():
		return s.Blockers(r)
	case !r.Overdue:
		return row.untilOverdue(s, r)
	case s.gate != w || w.Waives(r) || w.Allows(r) && (w.layer > 0 || row.Backoff.Allows(r)):
		return nil
	default:
		return liftingAt(row.excusingFrom(w, r, row.Now), w.Refuse(r))
	}
}

// untilOverdue returns what blocks a request at a gate with a waiver, if it is not overdue yet.
func (row *row) untilOverdue(s *stage, r *request) []candidate.Blocker {
	said := s.Blockers(r)
	if len(said) == 0 {
		return nil
	}
	due, lifts := r.Deadline(), said[0].Until // all of them lift together
	switch {
	case !lifts.IsZero() && lifts.Before(due):
		return said
	case s.gate == s.waiver && s.waiver.unsure(r, lifts):
		return said
	case s.gate != s.waiver || s.waiver.Waives(r): // it is excused then, or the waiver speaks for this gate
		lifts = due
	case !lifts.IsZero():
		lifts = row.excusingFrom(s.waiver, r, lifts)
	}
	return liftingAt(lifts, said)
}

// excusingFrom returns the first time at or after from at which all gates of a waiver allow a request. Zero is never.
func (row *row) excusingFrom(w *budgetGate, r *request, from time.Time) time.Time {
	if w.layer == 0 {
		from = row.Backoff.AllowsFrom(r, from)
	}
	return w.AllowsFrom(r, from)
}

// Until returns a time up to which a request that is disrupted would stay allowed, with the rest of its unit. Zero is
// for good.
func (row *row) Until(r *request) (end time.Time) {
	for m := range r.members() {
		for i := range row.gates {
			end = schedule.First(end, row.gates[i].Until(m))
		}
	}
	return end
}

// NextChange returns a time before which time alone changes no answer of the gates, except by their blockers' Until.
func (row *row) NextChange() (next time.Time) {
	for i := range row.gates {
		next = schedule.First(next, row.gates[i].NextChange())
	}
	return next
}
