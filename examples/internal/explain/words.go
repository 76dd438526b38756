package explain

// words are not codes, but decisions, plans and metrics use them as if people knew them.
var words = []Entry{
	{"overdue", "The node's deadline has passed, so windows, paces and back-offs no longer hold it back. Turns of zones, probes, pauses and vetoes " +
		"still do, and its pods if it has no terminationGracePeriod.",
		`deadline: 336h in the control for drift, and the node has drifted for 15 days.`,
		"Nothing, if it goes. If it stays, kubectl disruption why NODE says what still holds it back. To let nodes go in time, widen the windows, or " +
			"write a later deadline."},
}
