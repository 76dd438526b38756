package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// karpenter finds, in Karpenter's dialect, what the API server rejects or drops, which budgets probably have an
// unintended effect, and which allow nothing while they are active.
func (l *linter) karpenter() {
	for _, w := range l.set.Warnings() {
		f := Finding{Severity: SeverityError, Budgets: l.at(w.Field), Advice: w.Message}
		switch w.Code {
		case candidate.CodeRejected:
			f.Code, f.Message = CodeRejected, w.Field+" is rejected by Karpenter's API server, and nothing of the "+
				"NodePool is stored"
		case candidate.CodeNoEffect:
			f.Code, f.Message = CodeDroppedField, w.Field+" has no effect in Karpenter"
		default:
			continue
		}
		l.add(f)
	}
	for _, b := range l.limits.Limits() {
		if faults := l.unrejected(b); len(faults) > 0 && !b.Broken() {
			l.add(Finding{Code: CodeInvalid, Severity: SeverityError, Budgets: only(b.Index),
				Advice: faults.Err().Error(),
				Message: fmt.Sprintf("%s is broken, and no node may go for any reason while it is active",
					l.set.Place(b.Index))})
		}
	}
	if l.spec.Dialect != dialect.Karpenter || len(l.list) > budget.MostIndexes { // of too many, none is compiled
		return
	}
	broken := l.set.Broken()
	for i, b := range l.list {
		if !broken.Has(i) {
			l.alwaysActive(i, b)
			l.countWraps(i, b)
			l.forNothing(i, b)
		}
	}
}

// quirk adds a finding about what Karpenter makes of a budget. The message is about "budgets[0] is 10%".
func (l *linter) quirk(i int, code string, r remedy, format string, args ...any) {
	l.addFix(Finding{Code: code, Severity: SeverityError, Budgets: only(i),
		Message: l.name(i) + fmt.Sprintf(format, args...)}, func() remedy { return r })
}

// at returns the budget that a field belongs to.
func (l *linter) at(field string) (x budget.Indexes) {
	for i := range l.list {
		if strings.HasPrefix(field, l.set.Place(i)+".") {
			x.Add(i)
		}
	}
	return x
}

// unrejected returns the faults of a broken budget that the API server does not reject.
func (l *linter) unrejected(b budget.Limit) budget.Faults {
	return slices.DeleteFunc(slices.Clone(b.Faults), func(fault candidate.Warning) bool {
		return slices.ContainsFunc(l.set.Warnings(), func(w candidate.Warning) bool {
			return w.Code == candidate.CodeRejected && w.Field == fault.Field
		})
	})
}
