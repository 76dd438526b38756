package candidate

import "time"

// A Candidate is a node for which a reason holds. Without Blockers it may be disrupted now.
type Candidate struct {
	Node, Pool string
	Reason     Reason
	Since      time.Time // since when the reason holds; zero is unknown
	// Until is up to when, at least, the node may go if only time changes, and probes go on to be answered as they were; be it
	// for another of its reasons. Zero: for good, or it may not go.
	Until    time.Time
	Blockers []Blocker // shared with other candidates, never changed
	// Displaced says that nothing holds it back but those that were let go before it: it may go in place of them. A caller
	// that chooses by more than age, such as by price, chooses among these, too, and decides again with a Blocker of its own
	// on each node that it did not choose: what is allowed then may start.
	Displaced bool
}
