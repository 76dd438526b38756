// Package drain says for programs that drain nodes which pods they may evict now. Decisions only say which nodes may be
// disrupted.
package drain

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// Gate returns the blockers of evicting a pod from a draining node now. The pod's do-not-disrupt, disruption schedules
// and PDB block the eviction until the node's Deadline, even if the reason is eventual. After the Deadline nothing
// blocks it. While a node reboots in place, the Deadline does not matter: it ends the drain, and the remaining pods
// stay. (Pod disruption schedule RFC, "TerminationGracePeriod Interaction" and the change to IsEvictable.)
//
// Use up-to-date Rules: a PodDisruptionBudget's status changes with each eviction. Callers decide which pods to evict:
// Inactive pods need no eviction, and Unevictable ones get none. If you give pods their own grace period before the
// node is gone, as Karpenter does, set the Deadline that much earlier.
func Gate(rules candidate.Rules, n candidate.Node, p candidate.Pod, now time.Time) []candidate.Blocker {
	if n.Pods = []candidate.Pod{p}; !n.InFlight() {
		n.Leaving = candidate.Draining
	}
	return candidate.OpenPods(rules, now).Blockers(&n, candidate.Condition{}) // not an eventual reason
}
