package budget

import (
	"fmt"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
)

// karpenter finds, in Karpenter's dialect, what the API server rejects or drops, which budgets probably have an
// unintended effect, and which allow nothing while they are active.
func (l *linter) karpenter() {
	for _, w := range l.set.warnings {
		f := Finding{Severity: SeverityError, Budgets: l.at(w.Field), Advice: w.Message}
		switch w.Code {
		case candidate.CodeRejected:
			f.Code, f.Message = FindingRejected, w.Field+" is rejected by Karpenter's API server, and nothing of the NodePool is stored"
		case candidate.CodeNoEffect:
			f.Code, f.Message = FindingDropped, w.Field+" has no effect in Karpenter"
		default:
			continue
		}
		l.add(f)
	}
	for _, b := range l.set.atTimes {
		if faults := l.unrejected(b); len(faults) > 0 {
			l.add(Finding{Code: FindingInvalid, Severity: SeverityError, Budgets: only(b.index), Advice: joined(faults).Error(),
				Message: fmt.Sprintf("%s is broken, and no node may go for any reason while it is active", l.set.places[b.index])})
		}
	}
	for _, f := range l.set.quirks {
		l.add(l.resolved(f))
	}
}

// resolved adds to a finding about what Karpenter makes of a budget what its advice changes.
func (l *linter) resolved(f Finding) Finding {
	for i := range f.Budgets.All() {
		switch f.Code {
		case FindingCountWraps:
			f.Advice = l.deleting(i) + ": without a budget there is no limit"
		case FindingForNothing:
			f.Advice = fmt.Sprintf("%s, or leave reasons out of %s for a budget for all reasons%s", l.deleting(i), l.set.places[i],
				l.butWhich(l.change(i, func(b *Budget) { b.Reasons = nil })))
		}
	}
	return f
}

// at returns the budget that a field belongs to.
func (l *linter) at(field string) (x Indexes) {
	for i, place := range l.set.places {
		if strings.HasPrefix(field, place+".") {
			x.add(i)
		}
	}
	return x
}

// unrejected returns the faults of a broken budget that the API server does not reject.
func (l *linter) unrejected(b compiled) []candidate.Warning {
	return slices.DeleteFunc(slices.Clone(b.faults), func(fault candidate.Warning) bool {
		return slices.ContainsFunc(l.set.warnings, func(w candidate.Warning) bool {
			return w.Code == candidate.CodeRejected && w.Field == fault.Field
		})
	})
}
