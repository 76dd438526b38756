package disruptkit

import (
	"iter"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// codeSpreadOver is the code of a Warning: the spread of a roll (budget.Budget.Spread) is over. It is stable.
const codeSpreadOver candidate.Code = "spread-over"

// A spread is a roll over a pool or a group that one of its budgets spreads.
//
// Each start divides the rest of the spread anew: the next of n candidates is due once 1/(n+1) of the open time that
// was left at the last start has passed. So a roll of n nodes that nothing else blocks starts them evenly, and leaves
// as much time after the last one as before the first. If something else blocks it for a while, the rest is closer
// together, and nothing starts in a batch.
type spread struct {
	*budget.Limit
	Spreading
	left     int           // candidates that wait; a unit counts once
	inFlight map[int32]int // by lot: how many of its nodes the session disrupts
	flying   int           // nodes in flight for its reasons, with those that the session disrupts

	due map[candidate.Reason]spacing // a cache of next, until a request is counted
}

// lot identifies what is disrupted together, whatever the reason: by the position of its first node.
func (r *request) lot() int32 {
	if r.unit == nil {
		return r.Position
	}
	return r.unit.members[0].Position
}

// A spacing is when the next start is due, and when the spread ends. Zero means never.
type spacing struct{ next, end time.Time }

// spreadOf counts the candidates of the roll that a budget spreads. Nodes that are blocked for good do not count. It
// returns the newest reason that the budget spreads, and since when it holds.
func (m *recollection) spreadOf(b *budget.Limit) (s *spread, newest time.Time, reason candidate.Reason) {
	f := m.fleet
	s = &spread{Limit: b, inFlight: map[int32]int{}, due: map[candidate.Reason]spacing{}}
	s.Spreading = Spreading{Reasons: b.Reasons, Revision: m.Revision, Since: f.Now}
	for _, at := range f.InFlight {
		in, n := f.Pool(int(at)), &f.Nodes[at]
		why := n.InFlightFor()
		if in != nil && in.ByLayer[m.Layer] == m.scope && startedUnasked(n) && why != "" && b.Spreads(why) {
			s.flying++
		}
	}
	forGood := func(said candidate.Blocker) bool { return said.ForGood }
	for i := range f.Requests {
		r := &f.Requests[i]
		rolls := r.Kind != nil && r.Pool.ByLayer[m.Layer] == m.scope && r.UsesUp() && b.Spreads(r.Reason())
		if rolls && !slices.ContainsFunc(r.Lasting(), forGood) {
			s.inFlight[r.lot()] = 0
			if c := r.Since.Compare(newest); !r.Since.After(f.Now) && (c > 0 || c == 0 && r.Reason() < reason) {
				newest, reason = r.Since, r.Reason()
			}
		}
	}
	s.left = len(s.inFlight)
	return s, newest, reason
}

// rolls reports whether there are candidates, or nodes in flight for the reasons of the spread. Else it blocks nothing.
func (s *spread) rolls() bool { return s.left > 0 || s.flying > 0 }

// recallSpreads counts the rolls that a pool spreads, and reads what is remembered of them. A new revision begins a new
// roll, and so does a reason that a node has only since the spread is over.
func (m *recollection) recallSpreads(last []Spreading) {
	m.Spreads = nil // see Remember
	now := m.fleet.Now
	for _, b := range m.Budgets.Pacing() {
		if b.Spread == 0 {
			continue
		}
		s, newest, reason := m.spreadOf(b)
		if !s.rolls() {
			continue
		}
		for _, o := range last {
			if o.sameRoll(s.Spreading) && !o.Since.IsZero() && !o.Since.After(now) { // else a wrong clock wrote that
				s.Since, s.Last = o.Since, o.Last
				if s.Last.After(now) {
					s.Last = now
				}
			}
		}
		if newest.After(s.Since.Add(b.Spread)) { // else the spread was not over
			end := openFor(m.Budgets.Openings(b, m.Nodes, reason, s.Since), b.Spread)
			if reached(end, newest) && newest.After(end) {
				s.Since, s.Last = now, time.Time{}
			}
		}
		m.rolls = append(m.rolls, s)
	}
}

// forgets keeps when a start was that Starts forgets.
func (m *recollection) forgets(start Start) {
	for _, s := range m.rolls {
		if start.Reason != "" && s.Spreads(start.Reason) {
			s.Last = schedule.Last(s.Last, start.At)
		}
	}
}

// countSpreads counts a request that is disrupted, for whatever reason: it no longer waits.
func (a *account) countSpreads(r *request, n int) {
	for _, s := range a.rolls {
		clear(s.due)
		if why := r.CountsFor(); why != "" && s.Spreads(why) {
			s.flying += n
		}
		if was, waits := s.inFlight[r.lot()]; waits {
			s.inFlight[r.lot()] = was + n
			switch {
			case was == 0:
				s.left--
			case was+n == 0:
				s.left++
			}
		}
	}
}

// spreadsChange returns when the next start of a roll is due, or a spread ends. Zero means never.
func (a *account) spreadsChange() (next time.Time) {
	for _, s := range a.rolls {
		for _, t := range a.tallies {
			if !s.Spreads(t.reason) {
				continue
			}
			due := a.next(s, t.reason)
			for _, at := range []time.Time{due.next, due.end} {
				if at.After(a.now.at) {
					next = schedule.First(next, at)
				}
			}
		}
	}
	return next
}

// spacing returns when a budget's next start for a reason is due.
func (a *account) spacing(b *budget.Limit, reason candidate.Reason) spacing {
	for _, s := range a.rolls {
		if s.Limit == b {
			return a.next(s, reason)
		}
	}
	return spacing{next: a.now.at} // nothing rolls
}

// next returns when the next start of a roll is due for a reason. Starts for an unknown reason are of no roll: if they
// delayed it, it would end in a batch.
func (a *account) next(s *spread, reason candidate.Reason) spacing {
	if !s.rolls() {
		return spacing{next: a.now.at}
	}
	if due, known := s.due[reason]; known {
		return due
	}
	last := schedule.Last(s.Since, s.Last)
	for _, t := range a.tallies {
		if n := len(t.starts); n > 0 && t.reason != "" && s.Spreads(t.reason) {
			last = schedule.Last(last, t.starts[n-1])
		}
	}
	openings := a.Budgets.Openings(s.Limit, a.Nodes, reason, s.Since)
	passed := min(s.Spread, openTime(openings, last))
	due := spacing{openFor(openings, passed+(s.Spread-passed)/time.Duration(s.left+1)), openFor(openings, s.Spread)}
	s.due[reason] = due
	return due
}

// openTime returns how much of the open time is before a time.
func openTime(openings iter.Seq2[time.Time, time.Time], to time.Time) (sum time.Duration) {
	for opens, closes := range openings {
		if !opens.Before(to) {
			break
		}
		sum += schedule.First(closes, to).Sub(opens)
	}
	return sum
}

// openFor returns the first time at which a sum of open time, above 0, has passed. Zero means never.
func openFor(openings iter.Seq2[time.Time, time.Time], sum time.Duration) (never time.Time) {
	for opens, closes := range openings {
		if closes.IsZero() || closes.Sub(opens) >= sum {
			return opens.Add(sum)
		}
		sum -= closes.Sub(opens)
	}
	return never
}

// A Spread is the state of a roll that a budget spreads (budget.Budget.Spread), after the decision.
type Spread struct {
	Budget int       // its position in Set.Budgets
	Since  time.Time // when the roll began
	Left   int       // candidates that wait; a unit counts once, and those that are blocked for good do not
	Next   time.Time // when the next start is due; zero: never
	End    time.Time // when the open time is over; zero: never
	Behind bool      // the next start is due, and something else than the spread blocks it
}

// Spread returns the roll of a kind of requests that a budget spreads, or nil.
func (b *book) Spread(k *kind) *Spread {
	a := b.accounts[k.Pool.Index]
	for _, s := range a.rolls {
		if k.Reason != "" && s.Spreads(k.Reason) && s.rolls() {
			due := a.next(s, k.Reason)
			return &Spread{Budget: s.Index, Since: s.Since, Left: s.left, Next: due.next, End: due.end,
				Behind: s.left > 0 && reached(due.next, b.now)}
		}
	}
	return nil
}

func (b *book) spreadWarnings(p *scope) (all []candidate.Warning) {
	a, warned := b.accounts[p.Index], map[*spread]bool{}
	for _, k := range p.Kinds {
		for _, s := range a.rolls {
			if warned[s] || s.left == 0 || k.Reason == "" || !s.Spreads(k.Reason) {
				continue
			}
			if end := a.next(s, k.Reason).end; reached(end, b.now) {
				warned[s] = true
				place := p.Budgets.Place(s.Index)
				all = append(all, warningf(codeSpreadOver, "", place, wording.Duration(s.Spread),
					"the spread of %s ended at %s with %s left, which only nodes limits now: remove what blocks "+
						"them, or spread the roll over more time", place, end.UTC().Format(time.RFC3339),
					wording.Count(s.left, "candidate")))
			}
		}
	}
	return all
}
