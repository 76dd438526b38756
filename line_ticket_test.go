package disruptkit

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The order is that of a comparison, whatever the times, the year 1 and the ends of time included.
func TestTicketsAreSortedBySecond(t *testing.T) {
	second := rapid.OneOf(rapid.Int64Range(-62135596800, math.MaxInt64/2), rapid.Int64Range(0, 3), rapid.Just(int64(-62135596800)),
		rapid.Int64Range(1<<11-2, 1<<11+2), rapid.Int64Range(1<<22-2, 1<<22+2))
	rapid.Check(t, func(t *rapid.T) {
		var tickets []ticket
		for i, s := range rapid.SliceOf(second).Draw(t, "seconds") {
			tickets = append(tickets, ticket{second: s, number: int32(i)})
		}
		want := slices.Clone(tickets)
		slices.SortStableFunc(want, func(a, b ticket) int { return cmp.Compare(a.second, b.second) })
		if sortBySecond(tickets, make([]ticket, len(tickets))); !slices.Equal(tickets, want) {
			t.Fatalf("%v, not %v", tickets, want)
		}
	})
}

func TestTicketsOfTheSameSecondAreSortedByTheRestOfTheirTime(t *testing.T) {
	c := &lineReader{row: &row{fleet: &fleet{Requests: make([]request, 4)}, scratch: &scratch{}}}
	c.scratch.reserve(4)
	tickets := []ticket{{second: 1, nano: 2, number: 0}, {second: 1, nano: 1, number: 1}, {second: 0, nano: 9, number: 2}, {second: 1, nano: 1, number: 3}}
	c.sort(tickets, func(a, b *request) int {
		if a == &c.Requests[3] {
			return -1
		}
		return 1
	})
	var numbers []int32
	for _, t := range tickets {
		numbers = append(numbers, t.number)
	}
	if want := []int32{2, 3, 1, 0}; !slices.Equal(numbers, want) {
		t.Errorf("%v, not %v", numbers, want)
	}
}
