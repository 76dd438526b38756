package lint

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/admission"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

const (
	lintYear    = 366 * 24 * time.Hour
	lintChanges = 60_000  // of budgets, in the timelines of all reasons together
	mostWork    = 600_000 // how often a walk through the year may look at a budget or a reason
)

// Run returns the probable mistakes in a pool's list of budgets, worst first. It checks the exact timeline of the year
// that begins at now. Times are in the zone of now. It skips reasons for which nodes never go
// ([budget.Set.Minimum], Facts.Never), and Expired and Unhealthy unless a budget names them or they have a
// deadline of their own (budget.Control.Deadline), or Facts.AsksToExpire.
//
// Karpenter's default budget causes no finding worse than SeverityInfo. Neither do always-active budgets with evenly
// spaced freezes.
//
// Where a change of the list mends a finding, it has Fixes, and its Advice says the same in words. While a budget is
// invalid, or never what it seems, the Advice for the others is to fix that first.
func Run(set budget.Set, now time.Time, pool Facts) (findings []Finding) {
	if w, missing := candidate.NoTime(now); missing {
		return []Finding{{Code: CodeInvalid, Severity: SeverityError, Message: w.Message}}
	}
	l := examine(set, now, pool)
	slices.SortStableFunc(l.mistakes, func(a, b mistake) int {
		return cmp.Compare(slices.Index(severities, a.Severity), slices.Index(severities, b.Severity))
	})
	l.advise()
	for _, m := range l.mistakes {
		findings = append(findings, m.Finding)
	}
	return findings
}

// severities are all severities, worst first.
var severities = []Severity{SeverityError, SeverityWarning, SeverityInfo}

// worse reports whether a severity is higher than another one.
func worse(a, b Severity) bool { return slices.Index(severities, a) < slices.Index(severities, b) }

// examine collects the mistakes in a list, without what to do about those that have a remedy.
func examine(set budget.Set, now time.Time, facts Facts) *linter {
	l := newLinter(set, now, facts)
	for _, look := range looks {
		l.look = look
		look.find(l)
	}
	return l
}

// A mistake is a finding, and what to do about it if that is to be tried.
type mistake struct {
	Finding
	remedy func() remedy // nil: Advice says it
}

// A linter collects findings.
type linter struct {
	set       budget.Set
	spec      budget.Spec         // of set
	list      []budget.Budget     // of set
	warnings  []candidate.Warning // of set, and what the API server drops and rejects of it
	valid     []*budget.Limit     // of set, in the order of the list
	pool      []*budget.Limit     // of valid: for the whole pool
	scoped    []*budget.Limit     // of valid: for single zones
	paces     []*budget.Limit     // of valid: paces
	ofPool    budget.Indexes      // the positions of pool
	now       time.Time
	end       time.Time // of the checked time
	cut       bool      // the checked time is less than a year
	facts     Facts
	nodes     int                                   // Facts.Nodes, or as many as are assumed
	assumed   bool                                  // the number of nodes is assumed
	reasons   []candidate.Reason                    // that no invalid budget blocks
	timelines map[candidate.Reason][]budget.Segment // see effective
	idle      budget.Indexes                        // budgets that never decide
	look      look                                  // at present
	mistakes  []mistake
}

func newLinter(set budget.Set, now time.Time, facts Facts) *linter {
	l := &linter{set: set, spec: set.Spec(), list: set.Budgets(), warnings: admission.Warnings(set), now: now,
		end: now.Add(lintYear), facts: facts, nodes: facts.Nodes, timelines: map[candidate.Reason][]budget.Segment{}}
	l.sort(set.Limits())
	if l.nodes <= 0 {
		l.nodes = facts.Replicas
	}
	if l.nodes <= 0 {
		l.nodes, l.assumed = 100, true
		if most := facts.NodeLimit; most > 0 {
			l.nodes = min(l.nodes, most)
		}
	}
	for _, r := range append(candidate.Methods(), set.Methods()...) {
		named := slices.ContainsFunc(set.Named(), func(n candidate.Reason) bool { return n.Method() == r })
		dated := r == candidate.Expired && l.expirationDated()
		optional := r == candidate.Unhealthy || r == candidate.Expired && !facts.AsksToExpire // few pools use it
		if l.occurs(r) && !l.brokenFor(r) && (!optional || named || dated) {
			l.reasons = append(l.reasons, r)
		}
	}
	alike := set.Alike(l.allReasons())
	for _, reasons := range alike {
		timeline := l.forecast(reasons[0], lintChanges/len(alike))
		for _, r := range reasons {
			l.timelines[r] = timeline
		}
		if end := timeline[len(timeline)-1].End; end.Before(l.end) {
			l.end, l.cut = end, true
		}
	}
	if l.cut {
		l.add(Finding{Code: "many-changes", Severity: SeverityInfo, Span: schedule.Span{Start: l.end},
			Message: fmt.Sprintf("budgets become active or inactive so often that only the time up to %s was checked",
				l.time(l.end)), Advice: "write schedules that hit less often"}, nil)
	}
	return l
}

// sort sets the valid budgets, by kind.
func (l *linter) sort(all []budget.Limit) {
	for i := range all {
		b, kind := &all[i], &l.pool
		switch {
		case b.Broken():
			continue
		case b.Key != "":
			kind = &l.scoped
		case b.Per > 0:
			kind = &l.paces
		}
		l.valid, *kind = append(l.valid, b), append(*kind, b)
	}
	for _, b := range l.pool {
		l.ofPool.Add(b.Index)
	}
}

// brokenFor reports whether an invalid budget always allows nothing for a reason.
func (l *linter) brokenFor(reason candidate.Reason) bool {
	return slices.ContainsFunc(l.set.Limits(), func(b budget.Limit) bool { return b.Broken() && b.Covers(reason) })
}

// expirationDated reports whether nodes have a deadline of their own for Expired (budget.Control.Deadline).
func (l *linter) expirationDated() bool {
	c := l.spec.Expiration
	return (c.Deadline != "" || c.DisruptAfter != "") && l.set.Deadline(candidate.Expired) != candidate.Forever
}

// occurs reports whether nodes of the pool go for a reason at all, as far as that is known.
func (l *linter) occurs(r candidate.Reason) bool {
	return l.set.Minimum(r).Held != candidate.Forever && !l.facts.excludes(r)
}

// listed returns how many budgets are in the list. Those of controls come after them.
func (l *linter) listed() int {
	inControls := 0
	for _, c := range []budget.Control{
		l.spec.Defaults, l.spec.Consolidation, l.spec.Drift, l.spec.Expiration, l.spec.Emptiness,
	} {
		inControls += len(c.Budgets)
	}
	return len(l.list) - inControls
}

// allReasons returns the methods, and the other reasons that budgets name.
func (l *linter) allReasons() []candidate.Reason {
	return slices.Concat(candidate.Methods(), l.set.Methods(), l.set.Named())
}

// constant reports whether a budget is always active.
func constant(b *budget.Limit) bool { return b.Window == schedule.Window{} }

// limits reports whether a budget limits a reason while it is active. Sequential budgets limit only drift, unless
// topology.Options say otherwise.
func limits(b *budget.Limit, reason candidate.Reason) bool {
	return b.Covers(reason) && (!b.Sequential || candidate.Drifted.Covers(reason))
}

// which returns the valid budgets of a kind.
func (l *linter) which(is func(*budget.Limit) bool) (which budget.Indexes) {
	for _, b := range l.valid {
		if is(b) {
			which.Add(b.Index)
		}
	}
	return which
}

// only returns the position of one budget.
func only(i int) (x budget.Indexes) {
	x.Add(i)
	return x
}
