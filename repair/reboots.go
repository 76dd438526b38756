package repair

import (
	"slices"
	"time"
)

const (
	mostReboots  = 2
	rebootWindow = 24 * time.Hour
)

// Reboots remembers the reboots of one NodeClaim, so that a node is replaced if they do not help. The zero Reboots has
// none. Store it with the NodeClaim. Add each reboot once, when it is committed and before it starts. If it is lost,
// the node is rebooted at most two more times. (Karpenter: RebootHistory.)
type Reboots struct {
	At []time.Time `json:"at,omitempty"` // when reboots were committed; only the last two matter
}

// Add returns the reboots with one more. It does not modify r.
func (r Reboots) Add(at time.Time) Reboots {
	all := append(slices.Clone(r.At), at)
	slices.SortFunc(all, time.Time.Compare)
	return Reboots{all[max(0, len(all)-mostReboots):]}
}

// Exhausted reports whether there were two reboots within the 24 hours before now. A node that is still unhealthy is
// then replaced. A reboot exactly 24 hours ago does not count; one in the future does.
func (r Reboots) Exhausted(now time.Time) bool { return r.allowedAgain().After(now) }

// allowedAgain returns when the next reboot would be at most the second within 24 hours. Zero means now.
func (r Reboots) allowedAgain() time.Time {
	if len(r.At) < mostReboots {
		return time.Time{}
	}
	all := slices.SortedFunc(slices.Values(r.At), time.Time.Compare)
	return all[len(all)-mostReboots].Add(rebootWindow)
}
