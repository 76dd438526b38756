package lint

import (
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

// stranding says what to do about budgets that never let a broken node go. If some of them have no schedule, it may be
// enough to change those.
func (l *linter) stranding(f Finding, r candidate.Reason) remedy {
	always := f.Budgets & l.which((*budget.Limit).Constant)
	return remedy{lead: "broken nodes are never repaired, and keep running pods: ",
		tail:      `; to keep a node as it is, annotate it with karpenter.sh/do-not-repair: "true"`,
		ways:      l.mending(r, always, f.Budgets),
		otherwise: "let at least one go for that at some time"}
}

// mending returns how to change budgets so that at least one node at a time can be repaired, without a change for any
// other reason. The first of some sets of budgets counts whose change is enough.
func (l *linter) mending(r candidate.Reason, sets ...budget.Indexes) (ways []way) {
	one := budget.Budget{Nodes: "1", Reasons: []candidate.Reason{r}}
	add := way{does: "add " + literal(one), edits: l.adding(one), instead: true} // if the most specific decide
	for _, change := range sets {
		if change == 0 {
			continue
		}
		w := l.withRepair(change)
		and := w
		and.does, and.edits = w.does+" and "+add.does, slices.Concat(w.edits, add.edits) // no other budget limits it
		ways = append(ways, w, and)
	}
	ways = append(ways, add)
	for i := range ways {
		ways[i].instead, ways[i].raises = i > 0, true
		ways[i].good = func(after *linter) bool {
			repaired := after.effective(r)
			return openFor(repaired) > 0 && !hasUnlimited(repaired) && !l.changesOthers(after)
		}
	}
	return ways
}

// changesOthers reports whether a list changes a limit for other reasons than repair.
func (l *linter) changesOthers(after *linter) bool {
	return slices.ContainsFunc(l.consulted(after), func(r candidate.Reason) bool {
		return !isRepair(r) && (l.asks(r) || after.asks(r)) && !changesOnly(l.effective(r), after.effective(r),
			func(before, after int) bool { return before == after })
	})
}

// withRepair changes some budgets so that they do not hold back repair: those for repair alone allow one node, and
// others no longer cover repair.
func (l *linter) withRepair(which budget.Indexes) (w way) {
	var changes []string
	for i := range which.All() {
		b := l.list[i]
		others := slices.DeleteFunc(slices.Clone(b.Reasons), l.writtenForRepair)
		if len(b.Reasons) == 0 {
			others = slices.DeleteFunc(l.methods(), isRepair)
		}
		change := `"nodes": "1"`
		if len(others) == 0 {
			b.Nodes = "1"
		} else {
			b.Reasons, change = others, `"reasons": `+jsonList(others)
		}
		changes = append(changes, "write "+change+" in "+l.set.Place(i))
		w.edits = append(w.edits, l.replacing(i, b)...)
	}
	w.does = enumerate(changes)
	return w
}

// asks reports whether nodes go for a reason, and ask budgets, as far as that is known.
func (l *linter) asks(r candidate.Reason) bool {
	return !candidate.Expired.Covers(r) || slices.Contains(l.reasons, candidate.Expired)
}

// methods returns the methods for which budgets are asked.
func (l *linter) methods() []candidate.Reason {
	return slices.DeleteFunc(l.consulted(l), func(r candidate.Reason) bool { return r != r.Method() || !l.asks(r) })
}

// writtenForRepair reports whether a reason is Unhealthy or a child of it, in any spelling.
func (l *linter) writtenForRepair(r candidate.Reason) bool {
	parsed, err := candidate.ParseReason(string(r), l.limits.Methods()...)
	return err == nil && isRepair(parsed)
}
