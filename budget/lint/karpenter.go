package lint

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// karpenter finds, in Karpenter's dialect, what the API server rejects or drops, which budgets probably have an
// unintended effect, and which allow nothing while they are active.
func (l *linter) karpenter() {
	for _, w := range l.warnings {
		f := Finding{Budgets: l.at(w.Field), Advice: w.Message}
		switch w.Code {
		case candidate.CodeRejected:
			f.Message = w.Field + " is rejected by Karpenter's API server, and nothing of the " +
				"NodePool is stored"
		case candidate.CodeNoEffect:
			f.Code, f.Message = CodeDroppedField, w.Field+" has no effect in Karpenter"
		default:
			continue
		}
		if w.Code == candidate.CodeNoEffect || f.Budgets == 0 {
			l.add(f, nil)
			continue
		}
		for i := range f.Budgets.All() {
			l.add(f, func() remedy { return l.respelling(i, w.Message) })
		}
	}
	for _, b := range l.set.Limits() {
		if faults := l.unrejected(b); len(faults) > 0 && !b.Broken() {
			l.add(Finding{Code: CodeInvalid, Budgets: only(b.Index),
				Message: fmt.Sprintf("%s is invalid, and blocks all nodes for any reason while it is active",
					l.set.Place(b.Index))}, func() remedy {
				return l.respelling(b.Index, candidate.Err(faults).Error())
			})
		}
	}
	if l.spec.Dialect != dialect.Karpenter || len(l.list) > 64 { // of too many, none is compiled
		return
	}
	for i := range (^l.set.Broken()).All() {
		if i < len(l.list) {
			l.quirks(i, l.list[i])
		}
	}
}

// quirks finds what Karpenter makes of a budget, where nobody would think so: the schedule, the count, the reasons.
func (l *linter) quirks(i int, b budget.Budget) {
	add := func(code, says string, r remedy) {
		l.add(Finding{Code: code, Budgets: only(i), Message: l.name(i) + says}, func() remedy { return r })
	}
	d, _ := time.ParseDuration(b.Duration) // none is 0, in Karpenter as well
	w, _ := schedule.ParseKarpenter(b.Schedule, d)
	_, wrong := schedule.Parse(b.Schedule, time.Hour, "")
	if b.Schedule != "" && w == (schedule.Window{}) && wrong != nil {
		says := ", and always active in Karpenter"
		if errors.Is(wrong, schedule.ErrNeverHits) {
			says = ", and Karpenter treats it as always active, since its schedule never hits"
		}
		add(CodeNeverCloses, says, remedy{otherwise: wording.Sentence(wrong)})
	}
	n, err := strconv.Atoi(b.Nodes)
	if kept := int(int32(n)); err == nil && kept != n {
		deleting := l.deleting(i)
		deleting.raises = true
		add(CodeCountWraps, fmt.Sprintf(", and Karpenter keeps the lowest 32 bits of that, which are %d", kept), remedy{
			ways: []way{deleting}, tail: ": without a budget there is no limit",
			otherwise: "write a count that a pool can have"})
	}
	asked := []candidate.Reason{candidate.Underutilized, candidate.Empty, candidate.Drifted, candidate.Unhealthy}
	isAsked := func(r candidate.Reason) bool { return slices.Contains(asked, r) }
	if b.Reasons != nil && !slices.ContainsFunc(b.Reasons, isAsked) {
		says := ", and Karpenter consults no budget for that"
		if len(b.Reasons) == 0 {
			says = ", and has an empty list of reasons, which in Karpenter means no reason at all"
		}
		all := way{so: " for a budget for all reasons",
			edits: l.edit(only(i), func(b *budget.Budget) { b.Reasons = nil })}
		add(CodeForNothing, says, remedy{ways: []way{l.deleting(i), all}, tail: ", or name its reasons",
			otherwise: "name its reasons"})
	}
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

// unrejected returns the faults of an invalid budget that the API server does not reject.
func (l *linter) unrejected(b budget.Limit) []candidate.Warning {
	return slices.DeleteFunc(slices.Clone(b.Faults), func(fault candidate.Warning) bool {
		return slices.ContainsFunc(l.warnings, func(w candidate.Warning) bool {
			return w.Code == candidate.CodeRejected && w.Field == fault.Field
		})
	})
}
