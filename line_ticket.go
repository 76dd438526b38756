package disruptkit

import (
	"cmp"
	"slices"
	"time"
)

// A ticket is a sort key for the line. It has what is compared first: the age, or the urgency of a repair, but no
// names.
type ticket struct {
	second int64 // since when the condition holds, or its urgency, or its deadline
	nano   int32
	number int32 // of the request
}

func newTicket(number int32, at time.Time) ticket {
	return ticket{at.Unix(), int32(at.Nanosecond()), number}
}

// sort sorts tickets by time, and those of the same time by their requests.
func (c *lineReader) sort(tickets []ticket, compare func(a, b *request) int) {
	sortBySecond(tickets, c.scratch.tickets[1])
	for len(tickets) > 0 {
		n := 1
		for n < len(tickets) && tickets[n].second == tickets[0].second {
			n++
		}
		if n > 1 {
			slices.SortFunc(tickets[:n], func(a, b ticket) int {
				if a.nano != b.nano {
					return cmp.Compare(a.nano, b.nano)
				}
				return compare(&c.Requests[a.number], &c.Requests[b.number])
			})
		}
		tickets = tickets[n:]
	}
}

// digit is how many bits of the seconds one pass of sortBySecond looks at.
const digit = 11

// sortBySecond sorts tickets by their seconds. Two or three passes over the list (a radix sort) cost a tenth of the
// comparisons that they replace: ages within a year have 25 bits. There has to be room for as many tickets.
func sortBySecond(tickets, room []ticket) {
	if len(tickets) < 2 {
		return
	}
	bySecond := func(a, b ticket) int { return cmp.Compare(a.second, b.second) }
	first := slices.MinFunc(tickets, bySecond).second
	most := uint64(slices.MaxFunc(tickets, bySecond).second - first)
	from, to := tickets, room[:len(tickets)]
	for shift := 0; most>>shift > 0; shift += digit {
		var ends [1 << digit]int32 // where the tickets with each digit end, and then where the next of them goes
		at := func(t ticket) *int32 { return &ends[uint64(t.second-first)>>shift&(1<<digit-1)] }
		for _, t := range from {
			*at(t)++
		}
		for i := 1; i < len(ends); i++ {
			ends[i] += ends[i-1]
		}
		for _, t := range slices.Backward(from) {
			end := at(t)
			*end--
			to[*end] = t
		}
		from, to = to, from
	}
	copy(tickets, from)
}
