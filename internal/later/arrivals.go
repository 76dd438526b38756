package later

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/internal/until"
)

// An arrival is a blocked request that may come to take a place, if only time passes and older requests go once they may. Its zero
// value never comes, whatever others do.
type arrival struct {
	state arrivalState
	at    time.Time // when it comes, if that is known (firm)
	least time.Time // when it could come at the earliest, whatever the others do
}

type arrivalState uint8

const (
	none  arrivalState = iota
	firm               // it comes at a known time, unless a younger request that comes earlier takes its place
	never              // it does not come, since firm ones take all the places
	loose              // when it comes is unknown, and whether it does
)

// arrivals counts arrivals by time. At any time, at least the firm ones that have come by then take places, and at most the loose
// ones do that could have come by then, too. A time is known only if both lead to the same.
type arrivals struct {
	firm, loose steps
	held        []held // firm and never: what becomes loose if their order is in doubt
	all         int
}

// held is a number of arrivals that are alike.
type held struct {
	arrival
	n int
}

// mostTimes is how many times are told apart. Arrivals at more of them count as loose.
const mostTimes = 512

// put counts an arrival, and returns it as it was counted.
func (a *arrivals) put(one arrival) arrival {
	if one.state == none {
		return one
	}
	a.all++
	if one.state != loose && !a.hold(one) {
		one.state = loose
	}
	switch one.state {
	case firm:
		a.firm.add(one.at, 1)
	case loose:
		a.loose.add(one.least, 1)
	}
	return one
}

// hold remembers an arrival that is not loose.
func (a *arrivals) hold(one arrival) bool {
	for i, h := range slices.Backward(a.held) {
		if h.arrival.equal(one) {
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

func (one arrival) equal(other arrival) bool {
	return one.state == other.state && one.at.Equal(other.at) && one.least.Equal(other.least)
}

// take undoes put.
func (a *arrivals) take(one arrival) {
	if one.state == none {
		return
	}
	a.all--
	switch one.state {
	case firm:
		a.firm.add(one.at, -1)
	case loose:
		a.loose.add(one.least, -1)
		return
	}
	i := slices.IndexFunc(a.held, func(h held) bool { return h.arrival.equal(one) })
	if a.held[i].n--; a.held[i].n == 0 {
		a.held = slices.Delete(a.held, i, i+1)
	}
}

// doubt says that from a time on, others may take the places of those that come later. It returns whether that makes any loose.
func (a *arrivals) doubt(from time.Time) {
	a.held = slices.DeleteFunc(a.held, func(h held) bool {
		one := h.doubted(from)
		if one.state != loose {
			return false
		}
		if h.state == firm {
			a.firm.add(h.at, -h.n)
		}
		a.loose.add(one.least, h.n)
		return true
	})
}

// doubted returns an arrival as it is when from a time on, others may take its place.
func (one arrival) doubted(from time.Time) arrival {
	if one.state == never || one.at.After(from) {
		return arrival{state: loose, least: until.Latest(one.least, from)}
	}
	return one
}

// by returns how many have come by a time, at least or at most.
func (a *arrivals) by(at time.Time, most bool) int {
	n := a.firm.by(at)
	if most {
		n += a.loose.by(at)
	}
	return n
}

// steps counts by time: how many by each of some times, in order.
type steps []step

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
