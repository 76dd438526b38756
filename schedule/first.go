package schedule

import "time"

// First returns the earlier of two times. Zero means never.
func First(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// Last returns the later of two times. Zero is before all others here, not never as in First.
func Last(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
