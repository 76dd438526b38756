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
	// Until is a time up to which the node may be disrupted, if it may be now, nothing else is disrupted, and probes go
	// on answering: a lower bound, for callers that pass the permission on. Zero: for good, or the node is blocked, or
	// the session is open.
	Until    time.Time
	Blockers []Blocker // shared with other candidates, never changed
	// Overdue: the Deadline has passed, so windows of budgets, paces, soaks and back-offs no longer block the node.
	Overdue bool
	// Unit is the unit with which the node is disrupted (Node.Unit). "": it is disrupted alone. Because is the node of
	// the unit that has the reason; "": it is this node's own.
	Unit, Because string
}
