package candidate

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/internal/wording"
)

// podBlocker returns a blocker that names a pod.
func podBlocker(p *Pod, code Code, message string) Blocker {
	name := p.String()
	return Blocker{Gate: GatePod, Code: code, Message: "pod " + name + message, Pod: name}
}

// protectedPod returns the blocker of a pod that is still protected by Terms.Protect. (Karpenter:
// IsDoNotDisruptActive.)
func protectedPod(p *Pod, now time.Time) (b Blocker, protected bool) {
	block := func(message string) Blocker { return podBlocker(p, CodeDoNotDisrupt, message) }
	protect := p.Terms.Protect
	lasts := func() string {
		return fmt.Sprintf(" must not be disrupted for %s after its start (do-not-disrupt)", wording.Duration(protect))
	}
	switch {
	case protect < 0:
		b = podBlocker(p, CodeNegative, fmt.Sprintf(": Terms.Protect %s is negative: write 0 for none", protect))
	case protect == Forever:
		b = block(` is annotated karpenter.sh/do-not-disrupt: "true"`)
		b.ForGood = true
	case p.Started.IsZero():
		b = block(lasts() + ", and has not started")
	case now.Before(p.Started.Add(protect)):
		b = block(lasts())
		b.Until = p.Started.Add(protect)
	default:
		return b, false
	}
	return b, true
}
