// Package until is about times until which something holds, of which the zero one is never.
package until

import "time"

// First returns the earlier of two times, of which zero is never.
func First(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// Latest returns the later of two times.
func Latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
