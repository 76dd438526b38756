package disruptkit

import "github.com/disruptkit/disruptkit/candidate"

// Decide decides which nodes may be disrupted now for a reason or its children, and why the others may not. The reason
// "" means all reasons. It is a [Session] that disrupts every candidate in line that nothing blocks. With guaranteed
// budgets it does so again and again, until all are blocked: less may be reserved once others are disrupted.
func Decide(in Input, reason candidate.Reason) Decision {
	s := Open(in, reason)
	for before := -1; before < len(s.row.Disrupted); {
		before = len(s.row.Disrupted)
		for c := range s.Candidates() {
			s.Disrupt(c)
		}
		if len(s.row.Budgets.shares) == 0 {
			break
		}
	}
	return s.Close()
}
