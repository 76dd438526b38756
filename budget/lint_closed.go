package budget

import (
	"fmt"
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// closed finds reasons for which no node may go in the coming year, also children that budgets name.
func (l *linter) closed() {
	if l.cut {
		return
	}
	reasons := slices.Clone(l.reasons)
	for _, r := range l.set.named() {
		if r != r.Method() && slices.Contains(l.reasons, r.Method()) && !l.closedFor(r.Method()) {
			reasons = append(reasons, r)
		}
	}
	l.each(reasons, func(r candidate.Reason) (f Finding, found bool) {
		if l.set.brokenFor(r) || !l.closedFor(r) {
			return f, false // what is broken is said already
		}
		f = Finding{Code: FindingNeverDisruptable, Severity: SeverityWarning, Span: schedule.Span{Start: l.now, End: l.end}, Budgets: l.zero(r)}
		for _, s := range l.timeline(r) {
			if s.Nodes == 0 {
				f.Budgets |= s.Binding
			}
		}
		f.Message = fmt.Sprintf("never let go up to %s: %s", l.time(l.end), l.names(f.Budgets))
		f.Advice = "nodes are never replaced for that, not even for security: write a schedule and a duration, or more nodes"
		return f, true
	})
}

// closedFor reports whether no node may go for a reason in the coming year.
func (l *linter) closedFor(r candidate.Reason) bool {
	return l.zero(r) != 0 || !slices.ContainsFunc(l.timeline(r), func(s Segment) bool { return s.Nodes > 0 })
}

// zero returns the budgets that let no node of any domain go for a reason, always.
func (l *linter) zero(r candidate.Reason) (which Indexes) {
	for i := range l.set.scoped {
		if b := &l.set.scoped[i]; b.constant() && b.limit.n == 0 && l.limits(b, r) {
			which.add(b.index)
		}
	}
	return which
}

// timeline returns that of a reason.
func (l *linter) timeline(r candidate.Reason) []Segment {
	if _, known := l.timelines[r]; !known {
		l.timelines[r], _ = l.set.forecast(l.now, l.end, l.nodes, r, lintChanges)
	}
	return l.timelines[r]
}
