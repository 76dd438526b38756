package evict

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// blocker returns a blocker that names a pod.
func blocker(p *candidate.Pod, code candidate.Code, message string) candidate.Blocker {
	name := p.String()
	return candidate.Blocker{Gate: candidate.GatePod, Code: code, Message: "pod " + name + message, Pod: name}
}

// protects returns the blocker of a pod that is still protected by Terms.Protect. (Karpenter: IsDoNotDisruptActive.)
func protects(p *candidate.Pod, now time.Time) (b candidate.Blocker, protected bool) {
	block := func(message string) candidate.Blocker { return blocker(p, candidate.CodeDoNotDisrupt, message) }
	protect := p.Terms.Protect
	lasts := func() string {
		return fmt.Sprintf(" must not be disrupted for %s after its start (do-not-disrupt)", wording.Duration(protect))
	}
	switch {
	case protect < 0:
		b = blocker(p, candidate.CodeNegative, fmt.Sprintf(": Terms.Protect %s is negative: write 0 for none", protect))
	case protect == candidate.Forever:
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
