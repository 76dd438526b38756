package lint

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/wording"
)

var ruleOneAtATime = Rule{
	Code:  CodeOneAtATime,
	Means: "A limit of 1 in a short window is one node at a time, not one node in each window.",
	Example: `nodes: "1", open for the last 15 minutes of each hour: when a node has gone, the next may go in the ` +
		"same 15 minutes.",
	Do: `Karpenter cannot count the nodes of a window. disruptkit can: add a pace, such as {"nodes": "1", ` +
		`"per": "1h"}.`,
}

// throttles is how short a window is that people write to let a single node go within it.
const throttles = time.Hour

// oneAtATime finds short windows in which one node may go at a time. People mean one in each window, but a budget says
// how many are in flight: when a node has gone, the next may go.
func (l *linter) oneAtATime() {
	for _, b := range l.valid {
		written := l.list[b.Index]
		d, err := time.ParseDuration(written.Duration)
		if err == nil && d <= throttles && !written.Outside && l.oneOf(b) && l.unpaced(b) {
			f := l.perWindow(only(b.Index), d)
			f.Message = l.name(b.Index) + ": that is " + f.Message
			l.add(f)
		}
	}
	l.each(l.reasons, func(r candidate.Reason) (f Finding, fix advisor, found bool) {
		timeline := l.effective(r)
		openings, _, _ := openingsOf(timeline)
		if len(openings) < 3 || longest(openings) > throttles || l.pacesOf(r) != 0 {
			return f, nil, false
		}
		// Percentages are of few nodes, and windows already found.
		which := single(timeline) & l.which(func(b *budget.Limit) bool { return !b.Percent && b.Constant() })
		if which == 0 {
			return f, nil, false
		}
		f = l.perWindow(which, median(openings))
		f.Message = "allowed " + f.Message + ": " + l.names(which)
		return f, nil, true
	})
}

// oneOf reports whether a budget lets a single node of the pool go at a time.
func (l *linter) oneOf(b *budget.Limit) bool {
	return b.Amount == budget.Amount{N: 1} && b.Key == "" && b.Per == 0 && l.decides(b)
}

// unpaced reports whether no pace covers what a budget covers.
func (l *linter) unpaced(b *budget.Limit) bool {
	return !slices.ContainsFunc(l.reasons, func(r candidate.Reason) bool { return b.Covers(r) && l.pacesOf(r) != 0 })
}

// perWindow returns the finding that a limit of 1 does not count the nodes of a window.
func (l *linter) perWindow(which budget.Indexes, window time.Duration) Finding {
	f := Finding{Code: CodeOneAtATime, Severity: SeverityInfo, Budgets: which,
		Message: fmt.Sprintf("one node at a time, not one in each window of %s, since the next may go as soon as "+
			"one has gone", wording.Duration(window)),
		Advice: `Karpenter cannot count the nodes of a window: the annotation disruptkit.dev/disruption can, ` +
			`where it runs with disruptkit's guard or steward (per)`}
	if l.spec.Dialect != dialect.Karpenter {
		f.Advice = fmt.Sprintf(`if one in each window is meant, write a pace, too, such as "per": %q`,
			wording.Duration(max(window, time.Hour)))
	}
	return f
}
