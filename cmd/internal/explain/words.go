package explain

// words are not codes, but decisions, plans and metrics use them as if people knew them.
var words = []Entry{
	{"overdue", "The node's deadline has passed, so windows, paces, soaks and back-offs no longer block it. Turns of " +
		"zones, waves, probes, pauses and vetoes " +
		"still do, and so do its pods if it has no terminationGracePeriod.",
		`deadline: 336h in the control for drift, and the node has drifted for 15 days.`,
		"If the node is still blocked, kubectl disruption why NODE lists its blockers. To replace nodes in time, " +
			"widen the windows, or " +
			"write a later deadline."},
}
