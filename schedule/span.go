package schedule

import "time"

// A Span is the time from Start up to, but not including, End. A zero bound means unbounded; the zero Span is all time.
type Span struct{ Start, End time.Time }

// Contains reports whether t is in s.
func (s Span) Contains(t time.Time) bool {
	return (s.Start.IsZero() || !t.Before(s.Start)) && (s.End.IsZero() || t.Before(s.End))
}

// intersect returns the time in both spans. They must overlap.
func (s Span) intersect(other Span) Span {
	if s.Start.IsZero() || !other.Start.IsZero() && other.Start.After(s.Start) {
		s.Start = other.Start
	}
	return Span{s.Start, First(s.End, other.End)}
}

// hull returns the time from the start of the earlier span to the end of the later one.
func (s Span) hull(other Span) Span {
	if !s.Start.IsZero() && (other.Start.IsZero() || other.Start.Before(s.Start)) {
		s.Start = other.Start
	}
	if !s.End.IsZero() && (other.End.IsZero() || other.End.After(s.End)) {
		s.End = other.End
	}
	return s
}

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
