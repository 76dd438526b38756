package lint

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

var ruleBakesPastDeadline = Rule{
	Code:    CodeBakesPastDeadline,
	Means:   "The waves bake for longer than the deadline, so the last nodes are sure to be overdue.",
	Example: `waves: ["1", "10%"], bake: 48h and deadline: 72h.`,
	Do:      "Write a shorter bake, fewer waves, or a later deadline: waves hold back overdue nodes, too.",
}

// bakesPastDeadline finds waves whose bakes alone last until nodes are overdue.
func (l *linter) bakesPastDeadline() {
	for _, r := range l.limits.Rollouts() {
		deadline := l.limits.Deadline(r.Method)
		n := l.bakes(&r)
		baking := time.Duration(n) * r.Bake // at most 20 times 30 days
		if len(r.Faults) > 0 || n == 0 || deadline == candidate.Forever || baking < deadline {
			continue
		}
		l.add(Finding{Code: CodeBakesPastDeadline, Severity: SeverityWarning,
			Message: fmt.Sprintf("%s: the waves bake for %s in all (%d × %s), and nodes are overdue after %s "+
				"(deadline): the last ones go later than that, since waves hold back overdue nodes, too",
				r.Method, wording.Duration(baking), n, wording.Duration(r.Bake), wording.Duration(deadline)),
			Advice: "write a shorter bake, fewer waves, or a later deadline"})
	}
}

// bakes returns how often a roll of all nodes bakes: after each wave that is not all of them. Waves that are done
// together bake once.
func (l *linter) bakes(r *budget.WaveLimits) (n int) {
	sizes := r.Sizes(l.nodes)
	for i, size := range sizes {
		if size < l.nodes && (i == 0 || size > sizes[i-1]) {
			n++
		}
	}
	return n
}
