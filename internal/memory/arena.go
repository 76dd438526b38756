package memory

// An Arena keeps short lists in large arrays, so that thousands of them take one allocation. A list that is in use
// keeps its whole array alive. The zero Arena is empty.
type Arena[T any] struct {
	free   []T // the rest of the last array
	arrays [][]T
	used   int // how many of them
}

// Begin returns an empty list to append to. Until End, the arena must not be used otherwise.
func (a *Arena[T]) Begin() []T { return a.free[:0] }

// End keeps the list that was begun, without copying it if it fitted.
func (a *Arena[T]) End(list []T) []T {
	n := len(list)
	if n == 0 || n > len(a.free) || &list[0] != &a.free[0] {
		return a.Keep(list)
	}
	a.free = a.free[n:]
	return list[:n:n]
}

// Keep returns one list with a copy of the given lists, one after another.
func (a *Arena[T]) Keep(lists ...[]T) []T {
	n := 0
	for _, list := range lists {
		n += len(list)
	}
	if n == 0 {
		return nil
	}
	for len(a.free) < n {
		a.free = a.array(n)
	}
	kept := a.free[:n:n]
	a.free = a.free[n:]
	to := kept
	for _, list := range lists {
		to = to[copy(to, list):]
	}
	return kept
}

// array returns an array from before Reset, or else a new one for at least n elements: twice as many as in the last,
// up to a limit.
func (a *Arena[T]) array(n int) []T {
	if a.used == len(a.arrays) {
		size := 0
		if a.used > 0 {
			size = min(8192, 2*len(a.arrays[a.used-1]))
		}
		a.arrays = append(a.arrays, make([]T, max(size, n)))
	}
	a.used++
	return a.arrays[a.used-1]
}

// Reset empties the arena, and keeps its arrays for the next lists. The lists in it must no longer be used.
func (a *Arena[T]) Reset() { a.free, a.used = nil, 0 }
