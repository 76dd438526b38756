package lint

import (
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// isRepair reports whether a reason is Unhealthy, or a child of it.
func isRepair(r candidate.Reason) bool { return candidate.Unhealthy.Covers(r) }

// stranding returns what to do about budgets that never allow a broken node. If some of them have no schedule, it may
// be enough to change those.
func (l *linter) stranding(f Finding, r candidate.Reason) remedy {
	always := f.Budgets & l.which(constant)
	return remedy{lead: "broken nodes are never repaired, and keep running pods: ",
		tail:      `; to keep a node as it is, annotate it with karpenter.sh/do-not-repair: "true"`,
		ways:      l.mending(r, always, f.Budgets),
		otherwise: "allow at least one for that at some time"}
}

// mending returns how to change budgets so that at least one node at a time can be repaired, without a change for any
// other reason. The first of some sets of budgets counts whose change is enough.
func (l *linter) mending(r candidate.Reason, sets ...budget.Indexes) (ways []way) {
	one := budget.Budget{Nodes: "1", Reasons: []candidate.Reason{r}}
	add := way{edits: l.adding(one), instead: true} // if the most specific decide
	for _, change := range sets {
		if change == 0 {
			continue
		}
		edits := l.withRepair(change)
		ways = append(ways, way{edits: edits}, way{edits: slices.Concat(edits, add.edits)}) // no other budget limits it
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

// withRepair changes some budgets so that they do not block repair: those for repair alone allow one node, and
// others no longer cover repair.
func (l *linter) withRepair(which budget.Indexes) []Edit {
	return l.edit(which, func(b *budget.Budget) {
		others := slices.DeleteFunc(slices.Clone(b.Reasons), l.writtenForRepair)
		if len(b.Reasons) == 0 {
			others = slices.DeleteFunc(l.methods(), isRepair)
		}
		if len(others) == 0 {
			b.Nodes = "1"
		} else {
			b.Reasons = others
		}
	})
}

// asks reports whether nodes are disrupted for a reason, and budgets are asked, as far as that is known.
func (l *linter) asks(r candidate.Reason) bool {
	return !candidate.Expired.Covers(r) || slices.Contains(l.reasons, candidate.Expired)
}

// methods returns the methods for which budgets are asked.
func (l *linter) methods() []candidate.Reason {
	return slices.DeleteFunc(l.consulted(l), func(r candidate.Reason) bool { return r != r.Method() || !l.asks(r) })
}

// writtenForRepair reports whether a reason is Unhealthy or a child of it, in any spelling.
func (l *linter) writtenForRepair(r candidate.Reason) bool {
	parsed, err := candidate.ParseReason(string(r), l.set.Methods()...)
	return err == nil && isRepair(parsed)
}

// longFreeze is how long a freeze is at least that is worth a word about broken nodes, even if no budget speaks of
// them.
const longFreeze = 7 * 24 * time.Hour

// freezeStopsRepair finds freezes for all reasons, which also stop the repair of broken nodes. Karpenter repairs nodes
// only where the feature gate NodeRepair is on. Where a budget names Unhealthy, somebody counts on it.
func (l *linter) freezeStopsRepair() {
	const r = candidate.Unhealthy
	if l.brokenFor(r) || l.cut || !l.occurs(r) {
		return
	}
	timeline := l.effective(r)
	if openFor(timeline) == 0 {
		return // never-repaired, or never-disruptable
	}
	first, every := l.stopsRepair(timeline, r)
	if first.blocking == 0 {
		return
	}
	f := Finding{
		Budgets: first.blocking, Reason: r, Span: first.Span,
		Message: fmt.Sprintf("broken nodes are not repaired %s, for %s: %s, for all reasons", l.span(first.Span),
			roughly(length(first.Span)), l.names(first.blocking)),
	}
	switch {
	case slices.Contains(l.reasons, r):
		f.Severity = SeverityWarning
	case l.spec.Dialect == dialect.Karpenter:
		f.Message = "where the feature gate NodeRepair is on, " + f.Message
	}
	l.add(f, func() remedy {
		return remedy{lead: "if repair should continue: ", ways: l.mending(r, every),
			otherwise: "name the reasons of the freeze"}
	})
}

// stopsRepair returns the first closure of a timeline that freezes for all reasons cause alone, and every such freeze
// that closes, be it alone or not: to repair nodes at all times, all of them have to be changed. It skips short
// closures if no budget names repair.
func (l *linter) stopsRepair(timeline []budget.Segment, r candidate.Reason) (first phase, every budget.Indexes) {
	all := l.which(func(b *budget.Limit) bool { return b.N == 0 && len(b.Reasons) == 0 }) // for all reasons
	named := slices.Contains(l.reasons, r)
	for _, p := range l.closures(timeline) {
		if !named && length(p.Span) < longFreeze {
			continue
		}
		every |= p.blocking & all
		if first.blocking == 0 && p.blocking&^all == 0 {
			first = p
		}
	}
	return first, every
}

// notReadyBlocks finds reasons for which never more than one node is allowed. A node that is not Ready uses that up,
// and only repair replaces it.
func (l *linter) notReadyBlocks(r candidate.Reason) (f Finding, fix advisor) {
	if f.Budgets = single(l.effective(r)); f.Budgets != 0 && !isRepair(r) {
		f.Message = "stopped by a single node that is not Ready, since that counts as in use: " + l.names(f.Budgets)
		f.Advice = "that is safe, but only repair (Unhealthy) replaces the node itself"
	}
	return f, nil
}
