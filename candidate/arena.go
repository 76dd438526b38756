package candidate

// An arena keeps short lists in arrays that many of them share: one allocation for hundreds.
type arena[T any] struct{ free []T }

// keep returns a copy of a list.
func (a *arena[T]) keep(list []T) []T {
	if len(list) == 0 {
		return nil
	}
	if len(a.free) < len(list) {
		a.free = make([]T, max(512, len(list)))
	}
	kept := a.free[:len(list):len(list)]
	a.free = a.free[len(list):]
	copy(kept, list)
	return kept
}
