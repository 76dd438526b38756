package disruptkit

import (
	"fmt"
	"iter"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
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
	left     int               // candidates that wait; a unit counts once
	inFlight map[lot]int       // of each candidate, how many of its nodes the session disrupts
	flying   int               // nodes in flight for its reasons, with those that the session disrupts
	due      map[dueAt]spacing // a cache: see spread.next
}

// A lot is what is disrupted together, whatever the reason: a unit, or the node at a position.
type lot struct {
	unit     string
	position int32
}

func lotOf(r *request) lot {
	if unit := r.unitName(); unit != "" {
		return lot{unit: unit}
	}
	return lot{position: r.Position}
}

// dueAt is what the time of the next start depends on.
type dueAt struct {
	reason candidate.Reason
	last   time.Time
	left   int
}

// A spacing is when the next start is due, and when the spread ends. Zero means never.
type spacing struct{ next, end time.Time }

// spreadOf counts the candidates of the roll that a budget of a pool or a group spreads. Nil: no node has a reason that
// it spreads, or is in flight for one. Nodes that are blocked for good do not count. It returns the newest of these
// reasons, and since when it holds.
func (f *fleet) spreadOf(p *scope, b *budget.Limit) (s *spread, newest time.Time, reason candidate.Reason) {
	s = &spread{Limit: b, inFlight: map[lot]int{}, due: map[dueAt]spacing{}}
	s.Spreading = Spreading{Reasons: b.Reasons, Revision: p.Revision, Since: f.Now}
	for _, at := range f.InFlight {
		in, n := f.Pool(int(at)), &f.Nodes[at]
		why := n.InFlightFor()
		if in != nil && in.ByLayer[p.Layer] == p && startedUnasked(n) && why != "" && b.Spreads(why) {
			s.flying++
		}
	}
	for i := range f.Requests {
		if r := &f.Requests[i]; waitsIn(r, p, b) {
			s.inFlight[lotOf(r)] = 0
			if c := r.Since.Compare(newest); !r.Since.After(f.Now) && (c > 0 || c == 0 && r.Reason() < reason) {
				newest, reason = r.Since, r.Reason()
			}
		}
	}
	if s.left = len(s.inFlight); !s.rolls() {
		return nil, newest, reason
	}
	return s, newest, reason
}

// rolls reports whether there are candidates, or nodes in flight for the reasons of the spread. Else it blocks nothing.
func (s *spread) rolls() bool { return s.left > 0 || s.flying > 0 }

// waitsIn reports whether a request waits for a roll of a pool or a group that a budget spreads.
func waitsIn(r *request, p *scope, b *budget.Limit) bool {
	return r.Kind != nil && r.Pool.ByLayer[p.Layer] == p && r.UsesUp() && b.Spreads(r.Reason()) && !forGood(r)
}

// recallSpreads counts the rolls that a pool spreads, and reads what is remembered of them. A new revision begins a new
// roll, and so does a reason that a node has only since the spread is over.
func (m *recollection) recallSpreads(p *scope, f *fleet) {
	if f.Now.IsZero() || p.Ambiguous || f.Dialect == dialect.Karpenter {
		return // what is remembered stays
	}
	last := m.Spreads
	m.Spreads = nil
	for _, b := range p.Budgets.Pacing() {
		if b.Spread == 0 {
			continue
		}
		s, newest, reason := f.spreadOf(p, b)
		if s == nil {
			continue
		}
		for _, o := range last {
			if o.sameRoll(s.Spreading) && !o.Since.IsZero() && !o.Since.After(f.Now) { // else a wrong clock wrote that
				s.Since, s.Last = o.Since, o.Last
				if s.Last.After(f.Now) {
					s.Last = f.Now
				}
			}
		}
		if newest.After(s.Since.Add(b.Spread)) { // else the spread was not over
			end := openFor(p.Budgets.Openings(b, p.Nodes, reason, s.Since), b.Spread)
			if reached(end, newest) && newest.After(end) {
				s.Since, s.Last = f.Now, time.Time{}
			}
		}
		m.Spreads, m.rolls = append(m.Spreads, s.Spreading), append(m.rolls, s)
	}
}

// forgets keeps when a start was that Starts forgets.
func (m *recollection) forgets(start Start) {
	for i, s := range m.rolls {
		if start.Reason != "" && s.Spreads(start.Reason) {
			s.Last = schedule.Last(s.Last, start.At)
			m.Spreads[i].Last = s.Last
		}
	}
}

// forGood reports whether a node is blocked for good, or another one of its unit.
func forGood(r *request) bool {
	for _, said := range r.Lasting() {
		if said.ForGood {
			return true
		}
	}
	return false
}

// countSpreads counts a request that is disrupted, for whatever reason: it no longer waits.
func (p *pacer) countSpreads(r *request, n int) {
	for _, s := range p.spreads {
		if why := r.CountsFor(); why != "" && s.Spreads(why) {
			s.flying += n
		}
		if was, waits := s.inFlight[lotOf(r)]; waits {
			s.inFlight[lotOf(r)] = was + n
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
func (p *pacer) spreadsChange() (next time.Time) {
	for _, s := range p.spreads {
		for _, t := range p.tallies {
			if !s.Spreads(t.reason) {
				continue
			}
			due := p.next(s, t.reason)
			for _, at := range []time.Time{due.next, due.end} {
				if at.After(p.now.Time) {
					next = schedule.First(next, at)
				}
			}
		}
	}
	return next
}

// spacing returns when a budget's next start for a reason is due.
func (p *pacer) spacing(b *budget.Limit, reason candidate.Reason) spacing {
	for _, s := range p.spreads {
		if s.Limit == b {
			return p.next(s, reason)
		}
	}
	return spacing{next: p.now.Time} // nothing rolls
}

// next returns when the next start of a roll is due for a reason. Starts for an unknown reason are of no roll: if they
// delayed it, it would end in a batch.
func (p *pacer) next(s *spread, reason candidate.Reason) spacing {
	if !s.rolls() {
		return spacing{next: p.now.Time}
	}
	last := schedule.Last(s.Since, s.Last)
	for _, t := range p.tallies {
		if n := len(t.starts); n > 0 && t.reason != "" && s.Spreads(t.reason) {
			last = schedule.Last(last, t.starts[n-1])
		}
	}
	key := dueAt{reason, last, s.left}
	if known, found := s.due[key]; found {
		return known
	}
	openings := p.budgets.Openings(s.Limit, p.nodes, reason, s.Since)
	passed := min(s.Spread, openTime(openings, last))
	due := spacing{openFor(openings, passed+(s.Spread-passed)/time.Duration(s.left+1)), openFor(openings, s.Spread)}
	s.due[key] = due
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

// spreading returns the budgets that spread a roll.
func (p *pacer) spreading() (which budget.Indexes) {
	for _, s := range p.spreads {
		which.Add(s.Index)
	}
	return which
}

// early returns the blocker of a roll whose next start is not due.
func (b *book) early(q *quota, which budget.Indexes) candidate.Blocker {
	u := b.used[q.Pool.Index]
	left := 0
	for _, s := range u.spreads {
		if which.Has(s.Index) {
			left = s.left
		}
	}
	text := "the next start is not due"
	if left > 0 {
		text = fmt.Sprintf("the next of %s is not due", wording.Count(left, "candidate"))
	}
	if u.disrupted > 0 {
		text += fmt.Sprintf(", with %d already allowed", u.disrupted)
	}
	return q.blocker(candidate.CodeSpread, which, text+": "+q.Describe(b.now, which))
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
	u := b.used[k.Pool.Index]
	for _, s := range u.spreads {
		if k.Reason != "" && s.Spreads(k.Reason) && s.rolls() {
			due := u.next(s, k.Reason)
			return &Spread{Budget: s.Index, Since: s.Since, Left: s.left, Next: due.next, End: due.end,
				Behind: s.left > 0 && reached(due.next, b.now)}
		}
	}
	return nil
}

// spreadWarnings warns of rolls whose spread is over.
func (b *book) spreadWarnings(p *scope) (all []candidate.Warning) {
	warned := map[*spread]bool{}
	for _, k := range p.Kinds {
		for _, s := range b.used[p.Index].spreads {
			if warned[s] || s.left == 0 || k.Reason == "" || !s.Spreads(k.Reason) {
				continue
			}
			if end := b.used[p.Index].next(s, k.Reason).end; reached(end, b.now) {
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
