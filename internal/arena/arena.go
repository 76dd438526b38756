// Package arena keeps many short lists in few arrays.
package arena

// An Arena keeps short lists in arrays that many of them share: one allocation for thousands, once there are many. Whoever
// holds one list holds its array. The zero Arena is empty.
type Arena[T any] struct {
	free []T
	next int // the size of the next array
}

// Keep returns a copy of the lists, one after the other.
func (a *Arena[T]) Keep(lists ...[]T) []T {
	n := 0
	for _, list := range lists {
		n += len(list)
	}
	if n == 0 {
		return nil
	}
	if len(a.free) < n {
		a.free = make([]T, max(a.next, n))
		a.next = min(8192, 2*len(a.free))
	}
	kept := a.free[:n:n]
	a.free = a.free[n:]
	to := kept
	for _, list := range lists {
		to = to[copy(to, list):]
	}
	return kept
}
