package candidate

import "time"

// A Candidate is a node for which a reason holds. Without Blockers it may be disrupted now.
type Candidate struct {
	Node, Pool string
	Reason     Reason
	Since      time.Time // the reason holds; zero is unknown
	Until      time.Time // when time alone ends that it may go; zero: never, or it may not go now
	Blockers   []Blocker // shared with other candidates, never changed
}
