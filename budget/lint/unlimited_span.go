package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

var ruleUnlimitedSpan = Rule{
	Code: CodeUnlimitedSpan,
	Means: "No budget limits a reason at some time. A budget restricts only while it is active; outside its " +
		"window nothing does.",
	Example: `The only budget is nodes: "35%" from 01:00 to 05:00 on Mondays: the rest of the week is unlimited.`,
	Do:      `Add a budget without a schedule, such as nodes: "10%".`,
}

// unlimitedSpan finds reasons that no budget limits at some time.
func (l *linter) unlimitedSpan() {
	if len(l.list) == 0 {
		return // noBudgets says so
	}
	l.each(l.reasons, func(r candidate.Reason) (f Finding, found bool) {
		if l.limits.brokenFor(r) {
			return f, false
		}
		limiting, windows := l.limiting(r)
		open := schedule.Union(windows...).Outside()
		isOpen, span := open.State(l.now)
		if !isOpen {
			if span.End.IsZero() || !span.End.Before(l.end) {
				return f, false
			}
			_, span = open.State(span.End)
		}
		f = Finding{Code: CodeUnlimitedSpan, Severity: SeverityWarning, Budgets: limiting, Span: span}
		if limiting == 0 && l.pacesOf(r) != 0 {
			return f, false // paceAlone says so
		}
		if limiting == 0 {
			f.Message = "unlimited at all times, since no budget covers that"
			f.Advice = l.widening(r)
			return f, true
		}
		f.Message = fmt.Sprintf("unlimited %s, since budgets restrict only while they are active: %s", l.span(span),
			l.names(limiting))
		f.Advice = l.closing(r, open)
		return f, true
	})
}

// limiting returns the budgets that limit a reason while they are active, those for single zones included, and their
// windows.
func (l *linter) limiting(r candidate.Reason) (limiting budget.Indexes, windows []schedule.Window) {
	for _, b := range l.valid {
		if b.Limits(r) && b.Per == 0 {
			limiting.Add(b.Index)
			windows = append(windows, b.Window)
		}
	}
	return limiting, windows
}

// widening says how to limit a reason that no budget covers.
func (l *linter) widening(r candidate.Reason) string {
	var advice []string
	// The first always-active budget is enough, except sometimes if the most specific budgets decide.
	i := slices.IndexFunc(l.limits.pool, func(b *budget.Limit) bool {
		return b.Constant() && b.N > 0 && len(b.Reasons) > 0 && b.Index < l.listed()
	})
	if i >= 0 {
		index := l.limits.pool[i].Index
		list := slices.Clone(l.list)
		list[index].Reasons = nil
		if l.proves(l.compiled(list), l.reasons, func(other candidate.Reason, before, after []budget.Segment) bool {
			return tightens(before, after) && (other != r || !hasUnlimited(after))
		}) && l.butWhich(list) == "" { // children, too
			advice = append(advice, "leave reasons out of "+l.set.Place(index))
		}
	}
	if more := l.capping(r); more != "" {
		advice = append(advice, "add "+more)
	}
	if len(advice) == 0 {
		return "write a budget for it that is always active"
	}
	return strings.Join(advice, ", or ")
}

// closing says how to limit a reason at all times if budgets limit it at some times, or how to allow nothing at the
// other times.
func (l *linter) closing(r candidate.Reason, open schedule.Window) string {
	always := "write a budget for it without a schedule"
	if more := l.capping(r); more != "" {
		always = "add a budget without a schedule, such as " + more
	}
	budgets := l.weekly(r, open)
	if !l.adding(budgets, r, func(before, after []budget.Segment) bool {
		return !hasUnlimited(after) && changesOnly(before, after, func(before, after int) bool {
			return after == before || before == budget.Unlimited && after == 0
		})
	}) {
		return always
	}
	return always + ", or let nothing go then: " + l.written(budgets)
}

// capping returns a budget that limits a reason at all times, or "" if no additional budget can.
func (l *linter) capping(r candidate.Reason) string {
	limited := func(before, after []budget.Segment) bool { return tightens(before, after) && !hasUnlimited(after) }
	switch {
	case l.adding([]budget.Budget{{Nodes: "10%", Reasons: []candidate.Reason{r}}}, r, limited):
		return `{"nodes": "10%", "reasons": [` + reasonsHere + `]}`
	case l.adding([]budget.Budget{{Nodes: "10%"}}, r, limited): // a budget without reasons does not replace others
		return `{"nodes": "10%"}`
	}
	return ""
}
