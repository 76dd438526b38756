package lint

import (
	"fmt"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// shareExceedsCap finds guaranteed budgets that never have all that they say, since the other budgets of their reasons
// allow less, or earlier shares leave less. Others lose even what the share cannot use.
func (l *linter) shareExceedsCap() {
	shares := l.set.Shares()
	for i, b := range shares {
		left, by := 0, budget.Indexes(0)
		for _, r := range l.reasons {
			for _, s := range l.effective(r) {
				if (b.Covers(r) || b.Names(r)) && s.Nodes > left {
					left, by = s.Nodes, s.Binding
				}
			}
		}
		if left == 0 || l.assumed && b.Percent { // never-disruptable finds the former
			continue
		}
		for _, earlier := range shares[:i] {
			if earlier.Constant() {
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
