package candidate

import "time"

// A Candidate is a node for which a reason holds. Without Blockers it may be disrupted now.
type Candidate struct {
	Node, Pool string
	Reason     Reason
	Since      time.Time // since when the reason holds; zero is unknown
	Until      time.Time // until when, at least, it may go if only time changes; zero: for good, or it may not go
	Blockers   []Blocker // shared with other candidates, never changed
}
