package decide

import "github.com/disruptkit/disruptkit/candidate"

// deadline returns "Wed 06:02 (2d4h ago), overdue", and nothing where there is none.
func (c clock) deadline(of candidate.Candidate) string {
	switch {
	case of.Deadline.IsZero():
		return ""
	case of.Overdue:
		return c.since(of.Deadline) + ", overdue"
	}
	return c.until(of.Deadline)
}
