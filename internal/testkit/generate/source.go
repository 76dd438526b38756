// Package generate makes random values for the tests of all packages. It is independent of testing libraries: each
// generator builds a value from the choices of a Source. Generators that need parameters, such as the time, are
// functions that return a generator.
package generate

// A Source makes a choice. It returns a number from 0 to n-1.
//
// Smaller numbers give simpler and more usual values. rapid searches for the smallest numbers with which a property
// fails, and so finds simple failures. The method IntN of a rand.Rand is a Source as well.
type Source func(n int) int

// Bool chooses between false, the simpler value, and true.
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

// several makes low to high values. Before each value it chooses whether there is another one. So rapid can remove any
// value together with that choice, without changing the others.
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

// shuffled returns the values in any order. The given order is the simplest.
func shuffled[V any](s Source, values []V) []V {
	for i := range values {
		j := i + s(len(values)-i)
		values[i], values[j] = values[j], values[i]
	}
	return values
}
