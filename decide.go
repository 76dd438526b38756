package disruptkit

import "github.com/disruptkit/disruptkit/candidate"

// Decide decides which nodes may be disrupted now for a reason or its children, and why the others may not. The reason
// "" means all reasons. It is a [Session] that disrupts every candidate in line that nothing blocks.
func Decide(in Input, reason candidate.Reason) Decision {
	s := Open(in, reason)
	for c := range s.Candidates() {
		s.Disrupt(c)
	}
	return s.Close()
}
