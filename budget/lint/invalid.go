package lint

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// invalid finds what does not parse, or contradicts itself.
func (l *linter) invalid() {
	told := map[string]bool{}
	for _, b := range l.set.Limits() {
		for _, w := range b.Faults {
			told[w.Error()] = true
		}
	}
	for _, b := range l.set.Limits() {
		if !b.Broken() || b.Index >= 0 && len(l.unrejected(b)) == 0 {
			continue
		}
		f := Finding{Budgets: only(b.Index),
			Message: b.Faults[0].Field + " is invalid, and blocks all nodes for any reason, at any time"}
		wrong := l.inUTC(b.Index, wording.Sentence(candidate.Err(b.Faults)))
		if b.Index < 0 {
			f.Advice = wrong
			l.add(f, nil)
			continue
		}
		f.Message = fmt.Sprintf("%s is invalid, and blocks all nodes for %s, at any time", l.set.Place(b.Index),
			reasonsText(b.Reasons))
		if _, err := schedule.Parse(l.list[b.Index].Schedule, time.Hour, ""); errors.Is(err, schedule.ErrNeverHits) {
			f.Code = "never-fires"
		}
		l.add(f, func() remedy { return l.respelling(b.Index, wrong) })
	}
	for _, w := range l.warnings {
		karpenters := w.Code == candidate.CodeRejected || w.Code == candidate.CodeNoEffect // reported by karpenter
		if !told[w.Error()] && !karpenters {
			told[w.Error()] = true
			l.add(Finding{Message: w.Field + " is broken", Advice: w.Message}, nil)
		}
	}
}

// inUTC returns an error of a budget, with the hours in UTC to write if its schedule has a zone in front.
func (l *linter) inUTC(i int, wrong string) string {
	if i < 0 || l.spec.Dialect != dialect.Karpenter {
		return wrong
	}
	prefix, text, _ := strings.Cut(strings.TrimSpace(l.list[i].Schedule), " ")
	_, zone, _ := strings.Cut(prefix, "TZ=")
	if hours := InUTC(text, zone, l.now); hours != "" {
		fault, _, _ := strings.Cut(wrong, ": write ")
		return fault + ": " + hours
	}
	return wrong
}

// unknownChild finds child reasons that Karpenter and its providers do not report; other autoscalers may. It skips
// children of Unhealthy, which are types of node conditions that any agent may define.
func (l *linter) unknownChild() {
	for _, r := range l.set.Named() {
		name, isChild := strings.CutPrefix(string(r), string(r.Method())+"/")
		known := r.Method() == candidate.Drifted && slices.Contains(wording.DriftReasons, name)
		if !isChild || known || !slices.Contains(candidate.Methods(), r.Method()) || r.Method() == candidate.Unhealthy {
			continue
		}
		f := Finding{Reason: r,
			Message: string(r) + " is not reported by Karpenter or its known providers",
			Advice:  "they know Drifted/" + strings.Join(wording.DriftReasons, ", Drifted/"),
			Budgets: l.which(func(b *budget.Limit) bool { return slices.Contains(b.Reasons, r) })}
		meant := wording.MeantReason(r)
		if meant == "" {
			l.add(f, nil)
			continue
		}
		f.Severity = SeverityWarning
		l.add(f, func() remedy {
			edits := l.edit(f.Budgets, func(b *budget.Budget) {
				for i, written := range b.Reasons {
					if parsed, _ := candidate.ParseReason(string(written), l.set.Methods()...); parsed == r {
						b.Reasons[i] = meant
					}
				}
			})
			return remedy{ways: []way{{obvious: true, raises: true, edits: edits}},
				otherwise: "check the name: they know " + string(meant)}
		})
	}
}
