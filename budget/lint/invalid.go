package lint

import (
	"errors"
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

var ruleInvalid = Rule{
	Code: CodeInvalid,
	Means: "Something in spec.disruption is invalid. An invalid budget blocks the reasons that it names, or all " +
		"reasons.",
	Example: `schedule: "0 0 * * sat-sun": cron knows no such range.`,
	Do: "Write what the message says, here sat,sun. Run lint in CI, so that an invalid budget never reaches " +
		"the cluster.",
}

// invalid finds broken configuration.
func (l *linter) invalid() {
	told := map[string]bool{}
	for _, b := range l.limits.Limits() {
		for _, w := range b.Faults {
			told[w.Error()] = true
		}
	}
	for _, b := range l.limits.Limits() {
		if !b.Broken() || b.Index >= 0 && len(l.unrejected(b)) == 0 {
			continue
		}
		f := Finding{Code: CodeInvalid, Severity: SeverityError, Budgets: only(b.Index),
			Advice:  wording.Sentence(b.Faults.Err()),
			Message: b.Faults[0].Field + " is broken, and no node may go for any reason, at any time"}
		if b.Index >= 0 {
			f.Message = fmt.Sprintf("%s is broken, and no node may go for %s, at any time", l.set.Place(b.Index),
				reasonsText(b.Reasons))
			_, err := schedule.Parse(l.list[b.Index].Schedule, time.Hour, "")
			if errors.Is(err, schedule.ErrNeverHits) {
				f.Code = CodeNeverFires
			}
		}
		l.add(f)
	}
	for _, w := range l.set.Warnings() {
		karpenters := w.Code == candidate.CodeRejected || w.Code == candidate.CodeNoEffect // reported by karpenter
		if !told[w.Error()] && !karpenters {
			told[w.Error()] = true
			l.add(Finding{Code: CodeInvalid, Severity: SeverityError, Message: w.Field + " is broken",
				Advice: w.Message})
		}
	}
}
