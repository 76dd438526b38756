package memory

// An Arena keeps short lists in large arrays, so that thousands of them take one allocation. A list that is in use
// keeps its whole array alive. The zero Arena is empty.
type Arena[T any] struct {
	free []T
	next int // the size of the next array
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
