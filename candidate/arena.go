package candidate

// An arena keeps short lists in arrays that many of them share: one allocation for hundreds, once there are many.
type arena[T any] struct {
	free []T
	next int // the size of the next array
}

// keep returns a copy of a list.
func (a *arena[T]) keep(list []T) []T {
	if len(list) == 0 {
		return nil
	}
	if len(a.free) < len(list) {
		a.free = make([]T, max(a.next, len(list)))
		a.next = min(512, 2*len(a.free))
	}
	kept := a.free[:len(list):len(list)]
	a.free = a.free[len(list):]
	copy(kept, list)
	return kept
}
