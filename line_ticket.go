package disruptkit

import (
	"slices"
	"time"
)

// A ticket is a sort key for the line: the age of a request, or the urgency of a repair, or its deadline. Sorting it
// reads a request only where two of them have the same.
type ticket struct {
	at      time.Time
	request *request
}

// sortTickets sorts tickets by time, and those of the same time by their requests.
func sortTickets(tickets []ticket, compare func(a, b *request) int) {
	slices.SortFunc(tickets, func(a, b ticket) int {
		if c := a.at.Compare(b.at); c != 0 {
			return c
		}
		return compare(a.request, b.request)
	})
}
