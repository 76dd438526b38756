// Package generate makes random values of the domain, for the tests of all packages. It knows no testing library: each
// generator makes a value of the choices of a Source. Those that need to know more, such as the time, are functions that return
// a generator.
package generate

// A Source makes a choice: it returns a number from 0 to n-1.
//
// The smaller its numbers, the simpler and the more usual is what generators make of them. rapid looks for the smallest ones
// with which a property fails, and so finds simple failures. The method IntN of a rand.Rand is a Source, too.
type Source func(n int) int

// Bool chooses between false, which is the simpler one, and true.
func (s Source) Bool() bool { return s(2) == 1 }

// Between chooses a number from low to high. Those next to 0 are the simplest.
func (s Source) Between(low, high int) int {
	switch {
	case low >= 0:
		return low + s(high-low+1)
	case s.Bool():
		return -1 - s(-low)
	}
	return s(high + 1)
}

// seldom is true about one time in six.
func (s Source) seldom() bool { return s(6) == 5 }

// pick chooses a value. The first is the simplest.
func pick[V any](s Source, values ...V) V { return values[s(len(values))] }

// oneOf chooses a generator, and returns what it makes. The first is the simplest.
func oneOf[V any](s Source, generators ...func(Source) V) V { return pick(s, generators...)(s) }

// several makes low to high values. Before each it chooses whether there is another one, so that each can be taken out again,
// together with that choice, without a change to the others.
func several[V any](s Source, low, high int, generator func(Source) V) (all []V) {
	for len(all) < high {
		another := s(1+(high-low+1)/2) > 0
		if !another && len(all) >= low {
			break
		}
		all = append(all, generator(s))
	}
	return all
}

// shuffled returns the values in any order. The order in which they are is the simplest.
func shuffled[V any](s Source, values []V) []V {
	for i := range values {
		j := i + s(len(values)-i)
		values[i], values[j] = values[j], values[i]
	}
	return values
}
