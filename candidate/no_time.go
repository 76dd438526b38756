package candidate

import "time"

// NoTime returns what is wrong with the time of a decision: something if it is zero, which is a time that nobody set.
// Nothing may go then, whatever the schedules would say of the year 1.
func NoTime(now time.Time) (w Warning, missing bool) {
	return Warning{Code: CodeNoTime, Field: "now", Message: "the time of the decision is missing: set it to the current time"}, now.IsZero()
}

// noTime returns what holds back a node at a gate if the time of the decision is zero.
func noTime(g Gate) Blocker {
	w, _ := NoTime(time.Time{})
	return Blocker{Gate: g, Code: w.Code, Message: w.Message}
}
