package repair

import (
	"slices"
	"time"
)

const (
	mostReboots  = 2
	rebootWindow = 24 * time.Hour
)

// Reboots remembers the reboots of one NodeClaim, so that a node that they do not help is replaced. The zero Reboots is none.
// It is a value to be kept with the NodeClaim: add each reboot to it when it is committed, once, and before it starts. Losing it
// costs two more reboots at the most. (Karpenter: RebootHistory.)
type Reboots struct {
	At []time.Time `json:"at,omitempty"` // when they were committed; only the last two matter
}

// Add returns the reboots with one more. What it was called on is not changed.
func (r Reboots) Add(at time.Time) Reboots {
	all := append(slices.Clone(r.At), at)
	slices.SortFunc(all, time.Time.Compare)
	return Reboots{all[max(0, len(all)-mostReboots):]}
}

// Exhausted reports whether there were two within the 24 hours before a time: a node that still is unhealthy is replaced. One
// that is exactly 24 hours old no longer counts; one that is from the future does.
func (r Reboots) Exhausted(now time.Time) bool { return r.allowedAgain().After(now) }

// allowedAgain returns when a further one may be the second within 24 hours; zero is now.
func (r Reboots) allowedAgain() time.Time {
	if len(r.At) < mostReboots {
		return time.Time{}
	}
	all := slices.SortedFunc(slices.Values(r.At), time.Time.Compare)
	return all[len(all)-mostReboots].Add(rebootWindow)
}
