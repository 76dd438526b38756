package gate

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// Arrivals are put, taken out and doubted at random. A plain list says how many have come by each time.
func TestArrivalsCountLikeAPlainList(t *testing.T) {
	at := func(n int) time.Time { return time.Unix(int64(60*n), 0) }
	for seed := range uint64(500) {
		s := rand.New(rand.NewPCG(seed, 0)).IntN
		var a Arrivals
		var list []Arrival
		for range 30 {
			switch i := s(8); {
			case i == 0 && len(list) > 0:
				i := s(len(list))
				a.Take(list[i])
				list = slices.Delete(list, i, i+1)
			case i == 1:
				from := at(s(10))
				a.Doubt(from)
				for i, one := range list {
					if one.State == CrowdedOut || one.State == Firm && one.At.After(from) {
						list[i] = Arrival{State: Loose, Earliest: one.Earliest}
						if one.Earliest.Before(from) {
							list[i].Earliest = from
						}
					}
				}
			default:
				one := Arrival{State: ArrivalState(s(4))}
				if one.State != Absent {
					one.Earliest = at(s(10))
				}
				if one.State == Firm {
					one.At = one.Earliest.Add(time.Duration(s(3)) * time.Minute)
				}
				if put := a.Put(one); !put.Equal(one) {
					t.Fatal(put, one)
				}
				list = append(list, one)
			}
			count := func(which func(Arrival) bool) (n int) {
				for _, one := range list {
					if which(one) {
						n++
					}
				}
				return n
			}
			if n := count(func(one Arrival) bool { return one.State != Absent }); a.all != n {
				t.Fatal(seed, "all", a.all, n)
			}
			for i := range 14 {
				come := func(one Arrival) bool { return one.State == Firm && !one.At.After(at(i-1)) }
				may := func(one Arrival) bool { return come(one) || one.State == Loose && !one.Earliest.After(at(i-1)) }
				if least, most := a.By(at(i-1), false), a.By(at(i-1), true); least != count(come) || most != count(may) {
					t.Fatal(seed, i, least, most, list)
				}
			}
			var last time.Time
			for _, one := range list {
				if one.State == Firm && one.At.After(last) {
					last = one.At
				}
			}
			if !a.firm.last().Equal(last) || slices.ContainsFunc(a.held, func(h held) bool { return h.n <= 0 }) {
				t.Fatal(seed, a.firm.last(), last, a.held)
			}
			for i, h := range a.held {
				if slices.ContainsFunc(a.held[:i], func(o held) bool { return o.Arrival.Equal(h.Arrival) }) {
					t.Fatal(seed, "twice", h, a.held)
				}
			}
		}
	}
}

// Where there are too many times, arrivals count from an earlier one on, and what is firm becomes loose.
func TestArrivalsAtTooManyTimesComeEarlierRatherThanLater(t *testing.T) {
	const n = 2 * mostTimes
	at := func(i int) time.Time { return time.Unix(int64(i), 0) }
	orders := map[string]func(i int) int{
		"ascending":  func(i int) int { return i },
		"descending": func(i int) int { return n - 1 - i },
		"by turns":   func(i int) int { return i * 777 % n },
	}
	for name, order := range orders {
		var s steps
		for i := range n {
			s.add(at(order(i)), 1)
		}
		for i := range n {
			if got := s.by(at(i)); got < i+1 || i == n-1 && got != n {
				t.Errorf("%s: %d by %d", name, got, i)
			}
		}
		if s.by(at(-1)) != 0 || len(s) != mostTimes+1 {
			t.Errorf("%s: %d times, %d at once", name, len(s), s.by(at(-1)))
		}
		var a Arrivals
		for i := range n {
			one := Arrival{State: Firm, At: at(order(i)), Earliest: at(0)}
			if put := a.Put(one); (put.State == Firm) != (i < mostTimes) {
				t.Fatal(name, i, put)
			}
		}
		if least, most := a.By(at(n), false), a.By(at(n), true); least != mostTimes || most != n {
			t.Error(name, least, most)
		}
	}
}
