package repair

import "time"

// An Action is what repairs a node. The zero Action is none.
type Action string

// The actions, as Karpenter names them.
const (
	// Reboot restarts the machine in place: it keeps its disks, and its capacity.
	Reboot Action = "RebootNode"
	// Replace deletes the node, and launches another where its pods need one.
	Replace Action = "ReplaceNode"
)

// A Policy says what is done about a condition of nodes: when, how, and how urgently. It has the fields of Karpenter's
// cloudprovider.RepairPolicy, and a JSON form with the same names.
type Policy struct {
	ConditionType   string // such as "Ready", or "AcceleratedHardwareReady"
	ConditionStatus string // "True", "False" or "Unknown": the one that is unhealthy

	// ReasonRegex selects by the reason of the condition. It is a regular expression in Go's syntax that matches anywhere in the
	// reason: write ^ and $ for all of it. Several policies may match.
	//
	// Exactly one policy of a list has none: the fallback. It applies to every condition whose type and status are those of some
	// policy in the list, where no expression matches its reason.
	ReasonRegex string

	// TolerationDuration is for how long the condition must hold before the node is repaired; 0 is at once.
	TolerationDuration time.Duration

	// TerminationGracePeriod bounds the drain of the node, together with the node's own grace period: the shorter one counts. 0
	// is no drain at all, for nodes from which nothing can be evicted. Nil leaves it to the node's own: if it has none, pods that
	// may not be disrupted hold the repair back.
	TerminationGracePeriod *time.Duration

	// Priority is from 0 to 100; the higher, the sooner. Only the order counts: of the priorities in a list, each next higher one
	// is worth 30 minutes of waiting.
	Priority int

	Action Action // Reboot or Replace; the fallback replaces
}
