package budget

import (
	"fmt"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
)

// isRepair reports whether a reason is Unhealthy, or a child of it.
func isRepair(r candidate.Reason) bool { return candidate.Unhealthy.Covers(r) }

// eachOfRepairApart is each, for checks that say something else of repair, also where the same budgets concern it.
func (l *linter) eachOfRepairApart(reasons []candidate.Reason, check func(r candidate.Reason) (f Finding, found bool)) {
	l.each(slices.DeleteFunc(slices.Clone(reasons), isRepair), check)
	l.each(slices.DeleteFunc(slices.Clone(reasons), func(r candidate.Reason) bool { return !isRepair(r) }), check)
}

// stranding returns a finding as it is of budgets that never let a broken node go.
func (l *linter) stranding(f Finding, r candidate.Reason) Finding {
	f.Code = FindingNeverRepaired
	f.Advice = "broken nodes are never repaired, and keep running pods: " + l.mending(r, f.Budgets) +
		`; to keep a node as it is, annotate it with karpenter.sh/do-not-repair: "true"`
	return f
}

// mending says how to let nodes be repaired that some budgets never let go, one at a time at least, with no change for any other
// reason. Where budgets without a schedule are among them, those alone may have to change.
func (l *linter) mending(r candidate.Reason, which Indexes) string {
	var always Indexes
	for _, b := range l.budgets() {
		if which.Has(b.index) && b.constant() {
			always.add(b.index)
		}
	}
	one := Budget{Nodes: "1", Reasons: []candidate.Reason{r}}
	add := fmt.Sprintf(`add {"nodes": "1", "reasons": %s}`, jsonList(one.Reasons))
	for _, change := range []Indexes{always, which} {
		if !l.inOneList(change) {
			continue
		}
		list, changes := l.withRepair(change)
		switch {
		case l.mends(list, r):
			return enumerate(changes)
		case l.mends(append(list, one), r): // nothing else limits it
			return enumerate(append(changes, add))
		}
	}
	if l.mends(append(slices.Clone(l.set.written), one), r) { // where the most specific decide
		return add
	}
	return "let at least one go for that at some time"
}

// withRepair returns the list in which some budgets hold back no repair, and how to write it so: those that are for repair alone
// allow one node, and the others leave repair out.
func (l *linter) withRepair(which Indexes) (list []Budget, changes []string) {
	list = slices.Clone(l.set.written)
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
		changes = append(changes, "write "+change+" in "+l.set.places[i])
	}
	return list, changes
}

// mends proves a list that is to let nodes be repaired for a reason. What was rewritten lets nothing go: for another reason it could
// only close what was open, which proves refuses.
func (l *linter) mends(list []Budget, r candidate.Reason) bool {
	reasons := append(slices.DeleteFunc(slices.Clone(l.reasons), func(other candidate.Reason) bool { return other == r }), r)
	return l.proves(list, reasons, func(other candidate.Reason, _, after []Segment) bool {
		return other != r || openFor(after) > 0 && !hasUnlimited(after)
	})
}

// writtenForRepair reports whether a reason is Unhealthy, or a child of it, however it is spelled.
func (l *linter) writtenForRepair(r candidate.Reason) bool {
	parsed, err := candidate.ParseReason(string(r), l.set.methods...)
	return err == nil && isRepair(parsed)
}

// inOneList reports whether budgets stand in spec.disruption.budgets, and not with the controls of a method.
func (l *linter) inOneList(which Indexes) bool {
	for i := range which.All() {
		if !strings.HasPrefix(l.set.places[i], "budgets[") {
			return false
		}
	}
	return which != 0
}

// jsonList returns the JSON of reasons.
func jsonList(reasons []candidate.Reason) string {
	var texts []string
	for _, r := range reasons {
		texts = append(texts, `"`+string(r)+`"`)
	}
	return "[" + strings.Join(texts, ", ") + "]"
}
