package lint

import (
	"fmt"
	"slices"
	"strings"
	"time"

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
	reasons := slices.Clone(l.reasons)
	named := l.limits.Named()
	for _, r := range named {
		if r != r.Method() && slices.Contains(l.reasons, r.Method()) {
			reasons = append(reasons, r)
		}
	}
	reasons = slices.DeleteFunc(reasons, l.limits.brokenFor) // invalid budgets are already reported
	upTo, shut := l.shut(reasons)
	blocking := func(r candidate.Reason) budget.Indexes { // 0 if nodes are allowed at some time, or if that is unknown
		if upTo.Before(l.end) {
			return l.zero(r)
		}
		return l.zero(r) | shut[r]
	}
	reasons = slices.DeleteFunc(reasons, func(r candidate.Reason) bool {
		return r != r.Method() && blocking(r.Method()) != 0
	})
	// If the most specific budgets decide, a child that is allowed although its method is not is an intended exception.
	excepted := func(r candidate.Reason) bool {
		specific := l.limits.MostSpecific() && r == r.Method()
		return specific && slices.ContainsFunc(named, func(child candidate.Reason) bool {
			return child != r && r.Covers(child) && !l.limits.brokenFor(child) && l.zero(child)|shut[child] == 0
		})
	}
	l.eachDeadline(slices.DeleteFunc(reasons, excepted), l.eachOfRepairApart,
		func(r candidate.Reason) (f Finding, fix advisor, found bool) {
			budgets := blocking(r)
			switch {
			case budgets != 0:
				f, fix = l.blocked(r, budgets, "", "write a schedule and a duration, or more nodes")
				if overdue := l.onlyOverdue(f, r); overdue.Code == CodeOnlyOverdue {
					return overdue, nil, true
				}
				return f, fix, true
			case shut[r] != 0:
				return l.manyChanges("", "only checked up to %s, since its budgets become active or inactive so often",
					upTo), nil, true
			}
			return f, nil, false
		})
}

// shut returns, for each reason for which no node of the pool is allowed until a time, the budgets that block it. The
// time is the end of the checked time, unless budgets change too often.
func (l *linter) shut(reasons []candidate.Reason) (upTo time.Time, blocking map[candidate.Reason]budget.Indexes) {
	budgets := map[candidate.Reason]budget.Indexes{}
	upTo, left := l.walk(reasons, func(now time.Time, _ budget.Indexes, alike []candidate.Reason) (open bool) {
		allowance, _ := budget.AllowedByReason(l.limits.Set, now, l.nodes, alike[0])
		budgets[alike[0]] |= allowance.Binding
		return allowance.Nodes > 0
	})
	blocking = map[candidate.Reason]budget.Indexes{}
	for _, alike := range left {
		for _, r := range alike {
			blocking[r] = budgets[alike[0]]
		}
	}
	return upTo, blocking
}

// zero returns the budgets without a schedule that never let a node of any domain go for a reason, even while an
// earlier sequential budget decides the order.
func (l *linter) zero(r candidate.Reason) (which budget.Indexes) {
	always := l.which((*budget.Limit).Constant)
	which = freezing(l.limits, always, r)
	for _, b := range l.limits.scoped {
		if orders(b) && !b.Constant() &&
			freezing(l.limits, always|only(b.Index), r) == 0 {
			return 0
		}
	}
	return which
}

// staying returns what follows if no node is ever disrupted for some reasons.
func (l *linter) staying(reasons []candidate.Reason) string {
	drifted := "nodes are never replaced for that, not even for a security fix"
	if d := l.pool.ExpireAfter; d > 0 && d != candidate.Forever {
		drifted = fmt.Sprintf("nodes are only replaced when they expire, after %s (expireAfter)", wording.Duration(d))
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

// shutByZones finds reasons for which budgets for the pool and for single zones together never allow a node, although
// neither do so alone.
func (l *linter) shutByZones() {
	if l.cut {
		return
	}
	l.eachOfRepairApart(l.reasons, func(r candidate.Reason) (f Finding, fix advisor, found bool) {
		timeline := l.effective(r)
		if openFor(timeline) > 0 || openFor(l.timelines[r]) == 0 || l.zero(r) != 0 {
			return f, nil, false
		}
		var budgets budget.Indexes
		for _, s := range timeline {
			budgets |= s.Binding
		}
		f, fix = l.blocked(r, budgets, ", in any zone", "write schedules and durations that leave some time")
		return f, fix, true
	})
}

// blocked returns the finding that budgets always block a reason.
func (l *linter) blocked(r candidate.Reason, by budget.Indexes, where, advice string) (f Finding, fix advisor) {
	f = Finding{Code: CodeNeverDisruptable, Severity: SeverityWarning, Budgets: by,
		Span:    schedule.Span{Start: l.now, End: l.end},
		Message: fmt.Sprintf("never allowed%s: %s", where, l.names(by))}
	if by&^l.which((*budget.Limit).Constant) != 0 {
		f.Message = fmt.Sprintf("never allowed in the coming year%s: %s", where, l.names(by))
	}
	onPurpose := l.which(func(b *budget.Limit) bool { return names(b, r) && b.Constant() })
	if by&^onPurpose == 0 && (candidate.Empty.Covers(r) || candidate.Underutilized.Covers(r)) {
		f.Severity = SeverityInfo // it costs money, and nothing else
	}
	if isRepair(r) {
		f.Code = CodeNeverRepaired
		return f, func([]candidate.Reason) remedy { return l.stranding(f, r) }
	}
	return f, func(reasons []candidate.Reason) remedy { return remedy{otherwise: l.staying(reasons) + ": " + advice} }
}

// onlyOverdue returns the finding for a reason that budgets never allow, if its nodes are disrupted once they are
// overdue. Budgets for single zones block overdue nodes as well.
func (l *linter) onlyOverdue(f Finding, r candidate.Reason) Finding {
	deadline := l.limits.Deadline(r)
	scoped := l.which(func(b *budget.Limit) bool { return b.Key != "" })
	if f.Budgets&scoped != 0 || deadline == candidate.Forever {
		return f
	}
	most := l.limits.Overdue(l.nodes, r).Nodes
	f.Code, f.Severity = CodeOnlyOverdue, SeverityInfo
	f.Message = fmt.Sprintf("allowed only once overdue, %s after the reason began to hold (deadline), and then %d "+
		"at once: %s", wording.Duration(deadline), most, l.names(f.Budgets))
	f.Advice = "if that is not intended, write a schedule and a duration, or more nodes"
	return f
}

// endsClosed finds freezes on dates that end while other budgets still block all nodes. People wait for that end.
func (l *linter) endsClosed() {
	for _, b := range l.valid {
		if written := l.list[b.Index]; !dated(written) || written.Outside || b.Key != "" || b.N != 0 {
			continue
		}
		end, found := l.freezeEnd(b)
		if !found {
			continue
		}
		l.each(l.reasons, func(r candidate.Reason) (f Finding, fix advisor, found bool) {
			if !b.Covers(r) || l.limits.brokenFor(r) {
				return f, nil, false
			}
			for _, s := range l.timelines[r] {
				switch {
				case !s.End.After(end):
				case s.Nodes > 0:
					if s.Start.After(end) && f.Budgets != 0 {
						f.Code, f.Severity, f.Span = CodeEndsClosed, SeverityInfo,
							schedule.Span{Start: end, End: s.Start}
						f.Message = fmt.Sprintf("still blocked when %s ends at %s, and up to %s: %s",
							l.set.Place(b.Index), l.time(end), l.time(s.Start), l.names(f.Budgets))
						f.Advice = "if nodes should be disrupted as soon as it ends, write an end at which " +
							"other budgets allow them"
						return f, nil, true
					}
					return f, nil, false
				default:
					f.Budgets |= s.Binding
				}
			}
			return f, nil, false
		})
	}
}

// freezeEnd returns the end of a budget's current or next active time.
func (l *linter) freezeEnd(b *budget.Limit) (end time.Time, found bool) {
	active, until := b.Window.Until(l.now)
	if !active && !until.IsZero() {
		_, until = b.Window.Until(until)
	}
	return until, !until.IsZero() && until.Before(l.end)
}
