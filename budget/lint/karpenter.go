package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/limit"
)

// karpenter finds, in Karpenter's dialect, what the API server rejects or drops, which budgets probably have an
// unintended effect, and which allow nothing while they are active.
func (l *linter) karpenter() {
	for _, w := range l.set.Warnings() {
		f := finding{Severity: SeverityError, Budgets: l.at(w.Field), Advice: w.Message}
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
	for _, b := range l.limits.AtTimes {
		if faults := l.unrejected(b); len(faults) > 0 {
			l.add(finding{Code: CodeInvalid, Severity: SeverityError, Budgets: limit.Only(b.Index),
				Advice: faults.Err().Error(),
				Message: fmt.Sprintf("%s is broken, and no node may go for any reason while it is active",
					l.set.Place(b.Index))})
		}
	}
	for _, q := range l.limits.Quirks {
		l.add(l.quirk(q))
	}
}

// quirk returns the finding about what Karpenter makes of a budget.
func (l *linter) quirk(q limit.Quirk) finding {
	f := finding{Severity: SeverityError, Budgets: limit.Only(q.Index), Message: q.Message, Advice: q.Advice}
	switch q.Kind {
	case limit.AlwaysActive:
		f.Code = CodeAlwaysActive
	case limit.CountWraps:
		f.Code, f.Advice = CodeCountWraps, l.unwrapping(q.Index)
	case limit.ForNothing:
		f.Code, f.Advice = CodeForNothing, l.naming(q.Index)
	}
	return f
}

// at returns the budget that a field belongs to.
func (l *linter) at(field string) (x limit.Indexes) {
	for i := range l.list {
		if strings.HasPrefix(field, l.set.Place(i)+".") {
			x.Add(i)
		}
	}
	return x
}

// unrejected returns the faults of a broken budget that the API server does not reject.
func (l *linter) unrejected(b limit.Budget) limit.Faults {
	return slices.DeleteFunc(slices.Clone(b.Faults), func(fault candidate.Warning) bool {
		return slices.ContainsFunc(l.set.Warnings(), func(w candidate.Warning) bool {
			return w.Code == candidate.CodeRejected && w.Field == fault.Field
		})
	})
}
