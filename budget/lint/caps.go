package lint

import (
	"fmt"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// shareExceedsCap finds guaranteed budgets that never have all that they say, since the other budgets of their reasons
// allow less, or earlier shares leave less. Others lose even what the share cannot use.
func (l *linter) shareExceedsCap() {
	shares := l.set.Shares()
	for i, b := range shares {
		left, by := 0, budget.Indexes(0)
		for _, r := range l.reasons {
			if n, of := most(l.effective(r)); (b.Covers(r) || b.Names(r)) && n > left {
				left, by = n, of
			}
		}
		if left == 0 || l.assumed && b.Percent { // never-disruptable finds the former
			continue
		}
		for _, earlier := range shares[:i] {
			if constant(earlier) {
				left, by = left-earlier.Of(l.nodes), by|only(earlier.Index)
			}
		}
		if b.Of(l.nodes) > left {
			l.add(Finding{Budgets: only(b.Index) | by, Subject: only(b.Index),
				Message: fmt.Sprintf("%s, and never has all of that: of %s, %d at most are left for it: %s",
					l.name(b.Index), wording.Count(l.nodes, "node"), max(left, 0), l.names(by)),
				Advice: "write a lower number, or allow more"}, nil)
		}
	}
}

// unitTooLarge finds reasons for which no unit as large as the largest one of the pool is ever disrupted.
func (l *linter) unitTooLarge(r candidate.Reason) (f Finding, _ advisor) {
	if l.facts.Unit < 2 || l.set.Oversized() {
		return f, nil
	}
	n, by := most(l.effective(r))
	if n == 0 || n >= l.facts.Unit { // never-disruptable finds the former
		return f, nil
	}
	f.Budgets = by
	f.Message = fmt.Sprintf("never allowed for its unit of %s: of %s, %d at most may be disrupted at once: %s",
		wording.Count(l.facts.Unit, "node"), wording.Count(l.nodes, "node"), n, l.names(f.Budgets))
	f.Advice = fmt.Sprintf(`allow %d, or write oversized: alone beside budgets`, l.facts.Unit)
	return f, nil
}
