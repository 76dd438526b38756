package repair

import "time"

// An Action is a way to repair a node. The zero Action means none.
type Action string

// The actions, as Karpenter names them.
const (
	// Reboot restarts the machine in place. It keeps its disks and its capacity.
	Reboot Action = "RebootNode"
	// Replace deletes the node, and launches another one if its pods need it.
	Replace Action = "ReplaceNode"
)

// A Policy says what to do about a node condition: when, how, and how urgently. It has the fields of Karpenter's
// cloudprovider.RepairPolicy, and a JSON form with the same names.
type Policy struct {
	ConditionType   string // such as "Ready", or "AcceleratedHardwareReady"
	ConditionStatus string // the unhealthy status: "True", "False" or "Unknown"

	// ReasonRegex selects conditions by their reason. It is a regular expression in Go's syntax that may match
	// anywhere in the reason; write ^ and $ to match all of it. Several policies may match.
	//
	// Exactly one policy of a list has no ReasonRegex: the fallback. It applies to every condition that has the type
	// and status of some policy in the list, but whose reason no expression matches.
	ReasonRegex string

	// TolerationDuration is how long the condition must hold before the node is repaired; 0 means at once.
	TolerationDuration time.Duration

	// TerminationGracePeriod limits the drain of the node, together with the node's own grace period: the shorter one
	// applies. 0 means no drain, for nodes from which nothing can be evicted. Nil means only the node's own grace
	// period. If the node has none either, pods that may not be disrupted block the repair.
	TerminationGracePeriod *time.Duration

	// Priority is from 0 to 100; the higher, the sooner. Only the order of the priorities in a list matters: each step
	// to the next higher one is worth 30 minutes of waiting.
	Priority int

	Action Action // Reboot or Replace; for the fallback Replace
}
