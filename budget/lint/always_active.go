package lint

import (
	"errors"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

var ruleAlwaysActive = Rule{
	Code: CodeAlwaysActive,
	Means: "A schedule that never hits is always active in Karpenter, because its search gives up after five " +
		"years.",
	Example: `nodes: "0" with schedule: "0 0 30 2 *" blocks for ever.`,
	Do:      "Correct the schedule, or leave it out if the budget is meant to hold at all times.",
}

func (l *linter) alwaysActive(i int, b budget.Budget) {
	if b.Schedule == "" {
		return
	}
	d, _ := time.ParseDuration(b.Duration) // none is 0, in Karpenter as well
	w, _ := schedule.ParseKarpenter(b.Schedule, d)
	switch _, own := schedule.Parse(b.Schedule, time.Hour, ""); {
	case w != schedule.Window{} || own == nil:
	case errors.Is(own, schedule.ErrNeverHits):
		l.quirk(i, CodeAlwaysActive, remedy{otherwise: wording.Sentence(own)},
			", and Karpenter treats it as always active, since its schedule never hits")
	default:
		l.quirk(i, CodeAlwaysActive, remedy{otherwise: wording.Sentence(own)}, ", and always active in Karpenter")
	}
}
