package gate

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/internal/until"
)

// An Arrival is a blocked request that may come to take a place, if only time passes and requests ahead of it in line
// go once they may. Its zero value never comes, whatever others do.
//
// One time is not enough. When a request comes depends on those ahead of it in line, of which some have no known time.
// So an arrival also has the earliest time at which it could come, and the two are counted apart: see [Arrivals].
type Arrival struct {
	State    ArrivalState
	At       time.Time // when it comes, if that is known (Firm)
	Earliest time.Time // when it could come at the earliest, whatever the others do
}

// An ArrivalState is what is known of an arrival.
type ArrivalState uint8

// The states of an arrival.
const (
	Absent     ArrivalState = iota
	Firm                    // it comes at a known time, unless a younger request that comes earlier takes its place
	CrowdedOut              // it never comes, since firm ones take all the places, or budgets never allow any
	Loose                   // when it comes is unknown, and whether it does
)

// First returns when an arrival may come at the earliest, if it does.
func (one Arrival) First() (at time.Time, comes bool) {
	if one.State == Firm {
		return one.At, true
	}
	return one.Earliest, one.State == Loose
}

// Equal reports whether two arrivals are equal.
func (one Arrival) Equal(other Arrival) bool {
	return one.State == other.State && one.At.Equal(other.At) && one.Earliest.Equal(other.Earliest)
}

// Doubted returns an arrival as it is when from a time on, others may take its place.
func (one Arrival) Doubted(from time.Time) Arrival {
	if one.State == CrowdedOut || one.At.After(from) {
		return Arrival{State: Loose, Earliest: until.Latest(one.Earliest, from)}
	}
	return one
}

// Arrivals counts arrivals by time. At any time, at least the firm ones that have come by then take places, and at most
// the loose ones do that could have come by then, too. A time is known only if both lead to the same.
//
// Why not a sorted list of arrivals? Thousands come at few times, such as when a window opens, and each of them asks
// how many come before it. So arrivals that are alike are one number.
type Arrivals struct {
	firm, loose steps
	held        []held // firm and crowded out: what becomes loose if their order is in doubt
	all         int
}

// held is a number of arrivals that are alike.
type held struct {
	Arrival
	n int
}

// mostTimes is how many times are told apart. Arrivals at more of them count as loose.
const mostTimes = 512

// All returns how many arrivals there are, whenever they come, if ever.
func (a *Arrivals) All() int { return a.all }

// Put counts an arrival, and returns it as it was counted.
func (a *Arrivals) Put(one Arrival) Arrival {
	if one.State == Absent {
		return one
	}
	a.all++
	if one.State != Loose && !a.hold(one) {
		one.State = Loose
	}
	switch one.State {
	case Firm:
		a.firm.add(one.At, 1)
	case Loose:
		a.loose.add(one.Earliest, 1)
	}
	return one
}

// PutUnnumbered counts an arrival that could come from a time on, but is not one of All.
func (a *Arrivals) PutUnnumbered(from time.Time) { a.loose.add(from, 1) }

// hold remembers an arrival that is not loose.
func (a *Arrivals) hold(one Arrival) bool {
	for i, h := range slices.Backward(a.held) {
		if h.Arrival.Equal(one) {
			a.held[i].n++
			return true
		}
	}
	if len(a.held) >= mostTimes {
		return false
	}
	a.held = append(a.held, held{one, 1})
	return true
}

// Take undoes Put.
func (a *Arrivals) Take(one Arrival) {
	if one.State == Absent {
		return
	}
	a.all--
	switch one.State {
	case Firm:
		a.firm.add(one.At, -1)
	case Loose:
		a.loose.add(one.Earliest, -1)
		return
	}
	i := slices.IndexFunc(a.held, func(h held) bool { return h.Arrival.Equal(one) })
	if a.held[i].n--; a.held[i].n == 0 {
		a.held = slices.Delete(a.held, i, i+1)
	}
}

// Doubt says that from a time on, others may take the places of those that come later, which become loose.
func (a *Arrivals) Doubt(from time.Time) {
	a.held = slices.DeleteFunc(a.held, func(h held) bool {
		one := h.Doubted(from)
		if one.State != Loose {
			return false
		}
		if h.State == Firm {
			a.firm.add(h.At, -h.n)
		}
		a.loose.add(one.Earliest, h.n)
		return true
	})
}

// By returns how many have come by a time, at least or at most.
func (a *Arrivals) By(at time.Time, most bool) int {
	n := a.firm.by(at)
	if most {
		n += a.loose.by(at)
	}
	return n
}

// LooseBy returns how many loose ones may have come by a time.
func (a *Arrivals) LooseBy(at time.Time) int { return a.loose.by(at) }

// FirmAfter returns how many firm ones come after a time.
func (a *Arrivals) FirmAfter(at time.Time) int { return a.firm.by(a.firm.last()) - a.firm.by(at) }

// LastFirm returns when the last firm one comes. Zero: there is none.
func (a *Arrivals) LastFirm() time.Time { return a.firm.last() }

// CrowdsOut reports whether some request never comes only because of firm ones.
func (a *Arrivals) CrowdsOut() bool {
	return slices.ContainsFunc(a.held, func(h held) bool { return h.State == CrowdedOut })
}

// steps counts by time: how many by each of some times, in order.
type steps []step

type step struct {
	at time.Time
	to int
}

// by returns how many there are by a time.
func (s steps) by(at time.Time) int {
	if len(s) == 0 || s[0].at.After(at) {
		return 0
	}
	i, exact := slices.BinarySearchFunc(s, at, func(s step, at time.Time) int { return s.at.Compare(at) })
	if !exact {
		i--
	}
	return s[i].to
}

// last returns the last of the times, or zero.
func (s steps) last() (zero time.Time) {
	if len(s) == 0 {
		return zero
	}
	return s[len(s)-1].at
}

// add counts n more from a time on. Where there are too many times, it counts them from an earlier one on.
func (s *steps) add(at time.Time, n int) {
	i := len(*s)
	for i > 0 && (*s)[i-1].at.After(at) {
		i--
	}
	exact := i > 0 && (*s)[i-1].at.Equal(at)
	switch {
	case exact || len(*s) > mostTimes && i > 0:
		i--
	case len(*s) > mostTimes:
		(*s)[0].at = at
	default:
		before := 0
		if i > 0 {
			before = (*s)[i-1].to
		}
		*s = slices.Insert(*s, i, step{at, before})
	}
	for j := i; j < len(*s); j++ {
		(*s)[j].to += n
	}
	for last := len(*s) - 1; last == 0 && (*s)[0].to == 0 || last > 0 && (*s)[last].to == (*s)[last-1].to; last-- {
		*s = (*s)[:last]
	}
}
