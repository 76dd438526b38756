package lint

import (
	"fmt"
	"slices"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

var ruleNeverRepaired = Rule{
	Code:    CodeNeverRepaired,
	Means:   "Budgets prevent the repair of broken nodes throughout the coming year.",
	Example: `nodes: "0" with reasons: [Unhealthy].`,
	Do:      `Let at least one node be repaired at a time: nodes: "1" for Unhealthy.`,
}

// isRepair reports whether a reason is Unhealthy, or a child of it.
func isRepair(r candidate.Reason) bool { return candidate.Unhealthy.Covers(r) }

// eachOfRepairApart is each for checks with different findings for repair: it keeps repair separate even if the same
// budgets affect it.
func (l *linter) eachOfRepairApart(reasons []candidate.Reason, check check) {
	l.each(slices.DeleteFunc(slices.Clone(reasons), isRepair), check)
	l.each(slices.DeleteFunc(slices.Clone(reasons), func(r candidate.Reason) bool { return !isRepair(r) }), check)
}

// stranding adapts a finding to repair: budgets that never let a broken node go. If some of them have no schedule, it
// may be enough to change those.
func (l *linter) stranding(f Finding, r candidate.Reason) Finding {
	always := f.Budgets & l.which((*budget.Limit).Constant)
	opens := func(after []budget.Segment) bool { return openFor(after) > 0 }
	f.Code = CodeNeverRepaired
	f.Advice = "broken nodes are never repaired, and keep running pods: " + l.mending(r, opens, always, f.Budgets) +
		`; to keep a node as it is, annotate it with karpenter.sh/do-not-repair: "true"`
	return f
}

// mending says how to change budgets so that at least one node at a time can be repaired, without a change for any
// other reason. It takes the first of some sets of budgets whose change is enough: mended says so of the timeline then.
func (l *linter) mending(r candidate.Reason, mended func(after []budget.Segment) bool, sets ...budget.Indexes) string {
	one := budget.Budget{Nodes: "1", Reasons: []candidate.Reason{r}}
	add := fmt.Sprintf(`add {"nodes": "1", "reasons": %s}`, jsonList(one.Reasons))
	for _, change := range sets {
		if !l.inOneList(change) {
			continue
		}
		list, changes := l.withRepair(change)
		switch {
		case l.mends(list, r, mended):
			return enumerate(changes)
		case l.mends(append(list, one), r, mended): // no other budget limits it
			return enumerate(append(changes, add))
		}
	}
	if l.mends(append(slices.Clone(l.list), one), r, mended) { // works if the most specific decide
		return add
	}
	return "let at least one go for that at some time"
}

// withRepair returns the list with some budgets changed so that they do not hold back repair, and describes the
// changes: budgets for repair alone allow one node, and others no longer cover repair.
func (l *linter) withRepair(which budget.Indexes) (list []budget.Budget, changes []string) {
	list = slices.Clone(l.list)
	for i := range which.All() {
		b := &list[i]
		others := slices.DeleteFunc(slices.Clone(b.Reasons), l.writtenForRepair)
		if len(b.Reasons) == 0 {
			others = slices.DeleteFunc(slices.Clone(l.reasons), isRepair)
		}
		change := `"nodes": "1"`
		if len(others) == 0 {
			b.Nodes = "1"
		} else {
			b.Reasons, change = others, `"reasons": `+jsonList(others)
		}
		changes = append(changes, "write "+change+" in "+l.set.Place(i))
	}
	return list, changes
}

// mends proves a list that should let nodes be repaired for a reason: it changes nothing for reasons other than
// repair. (If the most specific budgets decide, a budget that begins to name a reason could take the place of others.)
func (l *linter) mends(list []budget.Budget, r candidate.Reason, mended func(after []budget.Segment) bool) bool {
	reasons := append(slices.DeleteFunc(slices.Clone(l.reasons),
		func(other candidate.Reason) bool { return other == r }), r)
	return l.proves(l.compiled(list), reasons, func(other candidate.Reason, before, after []budget.Segment) bool {
		switch {
		case other == r:
			return mended(after) && !hasUnlimited(after)
		case isRepair(other):
			return true
		}
		return changesOnly(before, after, func(before, after int) bool { return before == after })
	})
}

// writtenForRepair reports whether a reason is Unhealthy or a child of it, in any spelling.
func (l *linter) writtenForRepair(r candidate.Reason) bool {
	parsed, err := candidate.ParseReason(string(r), l.limits.Methods()...)
	return err == nil && isRepair(parsed)
}

// inOneList reports whether all of some budgets are in spec.disruption.budgets, none in a control.
func (l *linter) inOneList(which budget.Indexes) bool {
	for i := range which.All() {
		if i >= l.listed() {
			return false
		}
	}
	return which != 0
}
