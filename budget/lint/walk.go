package lint

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// walk calls look at each time in the coming year when one of some budgets becomes active or inactive, with the active
// ones, once for each group of reasons that the same budgets affect. It stops looking at a group when look has seen
// enough. It returns how far it got, and the groups that look has not seen enough of. It ends before the end of the
// year only if the work exceeds mostWork.
func (l *linter) walk(reasons []candidate.Reason, among []*budget.Limit,
	look func(now time.Time, active budget.Indexes, alike []candidate.Reason) (enough bool),
) (upTo time.Time, left [][]candidate.Reason) {
	left = l.set.Alike(reasons)
	budgets := slices.DeleteFunc(slices.Clone(among), func(b *budget.Limit) bool {
		return !slices.ContainsFunc(reasons, b.Covers)
	})
	work := 0
	for now, active := range budget.Changes(budgets, l.now) {
		if !now.Before(l.end) || len(left) == 0 {
			break
		}
		work += len(budgets) + len(left)
		if work > mostWork {
			return now, left
		}
		more := left[:0]
		for _, alike := range left {
			if !look(now, active, alike) {
				more = append(more, alike)
			}
		}
		left = more
	}
	return l.end, left
}
