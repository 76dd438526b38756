package lint

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

var ruleSeveralSequential = Rule{
	Code:    CodeSeveralSequential,
	Means:   "More than one sequential budget would order a pool. Only the first active one does.",
	Example: "Two budgets with sequential: true, one by zone and one by rack.",
	Do:      "Keep one of them sequential. The others still limit each zone or rack.",
}

// severalSequential finds sequential budgets that order nothing: those for reasons other than drift (no-effect), and
// all but the first of those that are active together.
func (l *linter) severalSequential() {
	var ordering []*budget.Limit
	met := l.meetings()
	for _, b := range l.limits.scoped {
		switch {
		case !b.Sequential:
		case !orders(b):
			l.addFix(l.idleOrder(b))
		default:
			if !slices.ContainsFunc(ordering, func(first *budget.Limit) bool { return l.second(first, b, met) }) {
				ordering = append(ordering, b)
			}
		}
	}
}

// second reports whether two sequential budgets are active together in the coming year, and if so adds a finding. It
// skips a freeze that comes first, which is intended.
func (l *linter) second(first, b *budget.Limit, met map[[2]int]time.Time) bool {
	at, found := met[[2]int{first.Index, b.Index}]
	if !found || first.N == 0 && coversAll(first, b) {
		return false
	}
	both := schedule.Union(first.Window.Outside(), b.Window.Outside()).Outside()
	_, span := both.State(at)
	l.add(Finding{Code: CodeSeveralSequential, Severity: SeverityWarning,
		Budgets: only(first.Index) | only(b.Index), Span: span,
		Message: fmt.Sprintf("%s and %s are active together %s, and only the first orders the pool",
			l.name(first.Index), l.name(b.Index), l.span(span)),
		Advice: "write one sequential budget for all of their reasons"})
	return true
}

// meetings returns when pairs of budgets that order the pool are first active together, by their positions. One walk
// finds all of them.
func (l *linter) meetings() map[[2]int]time.Time {
	met := map[[2]int]time.Time{}
	var seen [budget.MostIndexes]budget.Indexes
	ordering := l.which(orders)
	for _, s := range zones(l.limits, l.now, l.end) {
		active := s.Binding & ordering
		for i := range active.All() {
			for j := range (active &^ seen[i]).All() {
				met[[2]int{i, j}] = s.Start
			}
			seen[i] |= active
		}
	}
	return met
}

// coversAll reports whether a sequential budget covers all drift that other covers.
func coversAll(b, other *budget.Limit) bool {
	if b.Covers(candidate.Drifted) {
		return true
	}
	return !other.Covers(candidate.Drifted) && !slices.ContainsFunc(other.Reasons, func(r candidate.Reason) bool {
		return candidate.Drifted.Covers(r) && !b.Covers(r)
	})
}
