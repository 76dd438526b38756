package lint

import (
	"errors"
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/duration"
	"github.com/disruptkit/disruptkit/internal/limit"
	"github.com/disruptkit/disruptkit/internal/sentence"
	"github.com/disruptkit/disruptkit/schedule"
)

// faults finds broken configuration.
func (l *linter) faults() {
	told := map[string]bool{}
	for _, b := range l.limits.Broken {
		faults := joined(b.Faults)
		for _, w := range b.Faults {
			told[w.Error()] = true
		}
		if b.Index >= 0 && len(l.unrejected(b)) == 0 {
			continue
		}
		f := finding{Code: CodeInvalid, Severity: SeverityError, Budgets: limit.Only(b.Index), Advice: sentence.Of(faults),
			Message: "there are too many budgets, and no node may go for any reason, at any time"}
		if b.Index >= 0 {
			f.Message = fmt.Sprintf("%s is broken, and no node may go for %s, at any time", l.set.Place(b.Index), reasonsText(b.Reasons))
			if _, err := schedule.Parse(l.list[b.Index].Schedule, time.Hour, ""); errors.Is(err, schedule.ErrNeverHits) {
				f.Code = CodeNeverFires
			}
		}
		l.add(f)
	}
	for _, b := range l.limits.AtTimes {
		for _, w := range b.Faults {
			told[w.Error()] = true
		}
	}
	for _, w := range l.set.Warnings() {
		karpenters := w.Code == candidate.CodeRejected || w.Code == candidate.CodeNoEffect // reported by karpenter
		if !told[w.Error()] && !karpenters {
			told[w.Error()] = true
			l.add(finding{Code: CodeInvalid, Severity: SeverityError, Message: w.Field + " is broken", Advice: w.Message})
		}
	}
}

// sleepers finds budgets that are not active in the coming year.
func (l *linter) sleepers() {
	for _, b := range l.budgets() {
		active, until := b.Window.Until(l.now)
		if dated(l.list[b.Index]) && until.IsZero() {
			continue // over says so
		}
		if active || !until.IsZero() && until.Before(l.now.Add(lintYear)) {
			continue
		}
		f := finding{Code: CodeNeverFires, Severity: SeverityError, Budgets: limit.Only(b.Index),
			Message: l.name(b.Index) + ", and never active",
			Advice:  "it limits nothing: " + l.deleting(b.Index) + ", or write a schedule and a duration that leave some time outside"}
		if !until.IsZero() {
			f.Severity, f.Span.End = SeverityInfo, until
			f.Message = fmt.Sprintf("%s, and not active before %s", l.name(b.Index), l.time(until))
			f.Advice = "until then it limits nothing: write a schedule that hits sooner, if that is not intended"
			if dated(l.list[b.Index]) {
				f.Advice = "until then it limits nothing: write an earlier date, if that is not intended"
			}
		}
		l.add(f)
	}
}

// endless finds budgets that are always active in spite of a schedule.
func (l *linter) endless() {
	for _, b := range l.budgets() {
		if !l.neverCloses(b) {
			continue
		}
		f := finding{Code: CodeNeverCloses, Severity: SeverityWarning, Budgets: limit.Only(b.Index),
			Message: l.name(b.Index) + ", and always active: each window lasts until the next begins",
			Advice:  l.untimed(b.Index) + ", or write a shorter duration, if it should end in between"}
		written := l.list[b.Index]
		if shortest, err := schedule.Parse(written.Schedule, time.Minute, written.TimeZone); err == nil && l.alwaysOpen(shortest) {
			f.Advice = l.untimed(b.Index) + ", or write a schedule that hits less often"
		}
		l.add(f)
	}
}

func (l *linter) neverCloses(b *limit.Budget) bool {
	return !b.Constant() && !dated(l.list[b.Index]) && l.alwaysOpen(b.Window)
}

func (l *linter) alwaysOpen(w schedule.Window) bool {
	isOpen, until := w.Until(l.now)
	return isOpen && until.IsZero()
}

// overlaps finds budgets that are active for longer than their duration because their schedule hits again meanwhile. It
// skips windows that only touch, such as the days of a week, and hours that occur twice in a time zone.
func (l *linter) overlaps() {
	for _, b := range l.budgets() {
		written := l.list[b.Index]
		d, err := time.ParseDuration(written.Duration)
		if written.Schedule == "" || err != nil || l.neverCloses(b) {
			continue
		}
		shorter, err := schedule.Parse(written.Schedule, d-1, "")
		if err != nil {
			continue
		}
		if _, overlap := l.longer(shorter, d-1); !overlap {
			continue
		}
		whole, err := schedule.Parse(written.Schedule, d, written.TimeZone)
		if err != nil {
			continue
		}
		if span, found := l.longer(whole, d); found {
			l.add(finding{Code: CodeOverlaps, Severity: SeverityWarning, Budgets: limit.Only(b.Index), Span: span,
				Message: fmt.Sprintf("%s: its schedule hits again before %s have passed, so one window lasts %s", l.name(b.Index),
					written.Duration, duration.Text(span.End.Sub(span.Start))),
				Advice: l.hittingOnce(b, whole, span)})
		}
	}
}

// longer returns the first span in the coming year in which a window is open for longer than d.
func (l *linter) longer(w schedule.Window, d time.Duration) (first schedule.Span, found bool) {
	n := 0
	for span := range w.Spans(l.now, l.end) {
		if n++; n > lintChanges/10 {
			break
		}
		if _, span = w.State(span.Start); !span.Start.IsZero() && !span.End.IsZero() && span.End.Sub(span.Start) > d {
			return span, true
		}
	}
	return first, false
}
