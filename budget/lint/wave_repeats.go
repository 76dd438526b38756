package lint

import (
	"fmt"

	"github.com/disruptkit/disruptkit/internal/wording"
)

var ruleWaveRepeats = Rule{
	Code:    CodeWaveRepeats,
	Means:   "The pool has so few nodes that a wave is no larger than the one before it, and adds nothing.",
	Example: `waves: ["1", "5%"] in a pool of 10: 5 % rounds up to 1.`,
	Do:      "Delete the wave, or write a larger one.",
}

// waveRepeats finds waves that are as large as those before them, in a pool of so many nodes.
func (l *linter) waveRepeats() {
	if l.assumed {
		return
	}
	for _, r := range l.limits.Rollouts() {
		if len(r.Faults) > 0 {
			continue
		}
		sizes := r.Sizes(l.nodes)
		for i := 1; i < len(sizes); i++ {
			if size := sizes[i]; size == sizes[i-1] {
				l.add(Finding{Code: CodeWaveRepeats, Severity: SeverityInfo,
					Message: fmt.Sprintf("%s: the wave %s is as large as the wave %s before it: of %s, either is %d",
						r.Method, wording.Quote(r.Texts[i]), wording.Quote(r.Texts[i-1]),
						wording.Count(l.nodes, "node"), size),
					Advice: "delete it, or write a larger one"})
			}
		}
	}
}
