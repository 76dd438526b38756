package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// neverDisruptable finds reasons for which no node is allowed in the coming year, including children that budgets name.
func (l *linter) neverDisruptable() {
	if l.cut {
		return
	}
	shut := func(r candidate.Reason) bool { n, _ := most(l.effective(r)); return n == 0 }
	reasons := slices.Clone(l.reasons)
	for _, child := range l.set.Named() {
		switch method := child.Method(); {
		case child == method, !slices.Contains(l.reasons, method), l.brokenFor(child):
		case !shut(method):
			reasons = append(reasons, child)
		case !shut(child) && l.set.MostSpecific(): // an intended exception
			reasons = slices.DeleteFunc(reasons, func(r candidate.Reason) bool { return r == method })
		}
	}
	l.each(reasons, func(r candidate.Reason) (f Finding, fix advisor) {
		n, by := most(l.effective(r))
		if n > 0 {
			return f, nil
		}
		return l.blocked(r, by)
	})
}

// staying returns what follows if no node is ever disrupted for some reasons.
func (l *linter) staying(reasons []candidate.Reason) string {
	drifted := "nodes are never replaced for that, not even for a security fix"
	if l.expires() {
		drifted = fmt.Sprintf("nodes are only replaced when they expire, after %s (expireAfter)",
			wording.Duration(l.facts.ExpireAfter))
	}
	var effects []string
	for _, e := range []struct {
		reason candidate.Reason
		text   string
	}{
		{candidate.Drifted, drifted},
		{candidate.Empty, "empty nodes are never deleted"},
		{candidate.Underutilized, "pods are never packed onto fewer or cheaper nodes"},
	} {
		if slices.ContainsFunc(reasons, e.reason.Covers) {
			effects = append(effects, e.text)
		}
	}
	if len(effects) == 0 || candidate.Drifted.Covers(reasons[0]) {
		return drifted
	}
	return strings.Join(effects, ", and ")
}

// blocked returns the finding that budgets always block a reason: a warning, unless that is on purpose.
func (l *linter) blocked(r candidate.Reason, by budget.Indexes) (f Finding, fix advisor) {
	always := l.which(constant)
	f = Finding{Budgets: by, Span: schedule.Span{Start: l.now, End: l.end},
		Message: fmt.Sprintf("never allowed: %s", l.names(by))}
	switch {
	case by&^always != 0 && by&^l.ofPool != 0:
		f.Message = "never allowed in the coming year, in any zone: " + l.names(by)
	case by&^always != 0:
		f.Message = "never allowed in the coming year: " + l.names(by)
	}
	if by&^always == 0 && l.onPurpose(r, by) {
		f.Severity = SeverityInfo
	}
	advice := "write a schedule and a duration, or more nodes"
	if by&always == 0 {
		advice = "shorten the window of one of them, or write more nodes"
	}
	switch deadline := l.set.Deadline(r); {
	case deadline != candidate.Forever && by&^l.ofPool == 0: // budgets for single zones block overdue nodes as well
		f.Code, f.Severity = "only-overdue", SeverityInfo
		f.Message = fmt.Sprintf("allowed only once overdue, %s after the reason began to hold (deadline), and then %d "+
			"at once: %s", wording.Duration(deadline), l.set.Overdue(l.nodes, r).Nodes, l.names(by))
		f.Advice = "if that is not intended, " + advice
		return f, nil
	case isRepair(r):
		f.Code = "never-repaired"
		return f, func([]candidate.Reason) remedy { return l.stranding(f, r) }
	}
	return f, func(reasons []candidate.Reason) remedy { return remedy{otherwise: l.staying(reasons) + ": " + advice} }
}

// onPurpose reports whether budgets for ever block what they name, and that harms nobody: it costs money, or nodes
// expire instead. No budget opens a window for it.
func (l *linter) onPurpose(r candidate.Reason, by budget.Indexes) bool {
	harms := func(r candidate.Reason) bool {
		return !candidate.Empty.Covers(r) && !candidate.Underutilized.Covers(r) &&
			!(candidate.Drifted.Covers(r) && l.expires())
	}
	return by&l.which(func(b *budget.Limit) bool {
		return len(b.Reasons) == 0 || slices.ContainsFunc(b.Reasons, harms)
	}) == 0 && l.which(func(b *budget.Limit) bool { return b.N > 0 && !constant(b) && b.Names(r) }) == 0
}

// endsClosed finds freezes on dates that end while other budgets still block all nodes. People wait for that end.
func (l *linter) endsClosed() {
	for _, b := range l.pool {
		written := l.list[b.Index]
		active, end := b.Window.Until(l.now)
		if !active && !end.IsZero() {
			_, end = b.Window.Until(end)
		}
		if !dated(written) || written.Outside || b.N != 0 || end.IsZero() || !end.Before(l.end) {
			continue
		}
		l.each(l.reasons, func(r candidate.Reason) (f Finding, fix advisor) {
			for _, p := range phasesOf(l.effective(r)) {
				if b.Covers(r) && !p.open && p.Start.Before(end) && p.End.After(end) && p.End.Before(l.end) {
					f.Span = schedule.Span{Start: end, End: p.End}
				}
			}
			for _, s := range l.effective(r) {
				if s.End.After(f.Span.Start) && s.Start.Before(f.Span.End) {
					f.Budgets |= s.Binding
				}
			}
			if f.Budgets != 0 {
				f.Message = fmt.Sprintf("still blocked when %s ends at %s, and up to %s: %s", l.set.Place(b.Index),
					l.time(end), l.time(f.Span.End), l.names(f.Budgets))
				f.Advice = "if nodes should be disrupted as soon as it ends, write an end at which other budgets " +
					"allow them"
			}
			return f, nil
		})
	}
}
