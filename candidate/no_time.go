package candidate

import "time"

// NoTime returns a Warning if the time of a decision is zero, that is, if nobody set it. Then nothing may go, whatever
// schedules say about the year 1.
func NoTime(now time.Time) (w Warning, missing bool) {
	return Warning{Code: CodeNoTime, Field: "now",
		Message: "the time of the decision is missing: set it to the current time"}, now.IsZero()
}
