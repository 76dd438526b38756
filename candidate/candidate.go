package candidate

import "time"

// A Candidate is a node with a reason to be disrupted. Without Blockers it may be disrupted now.
type Candidate struct {
	Node, Pool string
	Reason     Reason
	Since      time.Time // since when the reason holds; zero is unknown
	// Deadline is when the node becomes overdue for the reason: Condition.Deadline, or else that of the pool's controls
	// (budget.Control.Deadline). Zero means never.
	Deadline time.Time
	// Until is the time up to which the node may go, at least, for this or another of its reasons, if only time changes
	// and probes keep giving the same answers. Zero: for ever, or the node may not go.
	Until    time.Time
	Blockers []Blocker // shared with other candidates, never changed
	// Displaced says that only candidates allowed before it block it: without them, the gates would allow it.
	// Use this to choose by other criteria than age, such as price: choose among the allowed and the displaced
	// candidates, put a Blocker of your own on every node that you did not choose, and decide again. Start only what
	// that decision allows. That may be less than you chose: chosen candidates compete for places, too, and it may be
	// another domain's turn, because the nodes that you did not choose no longer count as able to start.
	Displaced bool
	// Overdue says that the Deadline has come: windows of budgets, paces, soaks and back-offs no longer hold the node
	// back.
	Overdue bool
}
