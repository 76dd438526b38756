package lint

import (
	"cmp"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

const (
	mostBudgets = 50 // in a list
	lintYear    = 366 * 24 * time.Hour
	lintChanges = 60_000  // of budgets, in the timelines of all reasons together
	mostWork    = 600_000 // of a walk: how often it may examine a budget or a reason
)

// Run returns the probable mistakes in a pool's list of budgets, worst first. It checks the exact timeline of the year
// that begins at now. Times are in the zone of now. It skips reasons for which nodes never go
// ([budget.Set.DisruptAfter], Facts.Never), and Expired and Unhealthy unless a budget names them or they have a
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
	l := examine(set, now, pool, newMemo())
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
func examine(set budget.Set, now time.Time, pool Facts, known *memo) *linter {
	l := newLinter(set, now, pool)
	l.known = known
	for _, look := range looks {
		look(l)
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
	spec      budget.Spec     // of set
	list      []budget.Budget // of set
	limits    *limits         // of set
	valid     []*budget.Limit // of set, in the order of the list
	now       time.Time
	end       time.Time // of the checked time
	cut       bool      // the checked time is less than a year
	pool      Facts
	nodes     int  // Facts.Nodes, or as many as are assumed
	assumed   bool // the number of nodes is assumed
	reasons   []candidate.Reason
	timelines map[candidate.Reason][]budget.Segment // from now to end
	frozen    map[candidate.Reason][]budget.Segment // results of effective
	idle      budget.Indexes                        // budgets that never decide
	mistakes  []mistake
	known     *memo
}

func newLinter(set budget.Set, now time.Time, pool Facts) *linter {
	s := limitsOf(set)
	l := &linter{set: set, spec: set.Spec(), list: set.Budgets(), limits: s, valid: s.valid, now: now,
		end: now.Add(lintYear), pool: pool, nodes: pool.Nodes,
		timelines: map[candidate.Reason][]budget.Segment{}, frozen: map[candidate.Reason][]budget.Segment{}}
	if l.nodes <= 0 {
		l.nodes = pool.Replicas
	}
	if l.nodes <= 0 {
		l.nodes, l.assumed = 100, true
	}
	for _, r := range append(candidate.Methods(), s.Methods()...) {
		named := slices.ContainsFunc(s.Named(), func(n candidate.Reason) bool { return n.Method() == r })
		dated := r == candidate.Expired && l.expirationDated()
		optional := r == candidate.Unhealthy || r == candidate.Expired && !pool.AsksToExpire // many pools do not use it
		if l.occurs(r) && (!optional || named || dated) {
			l.reasons = append(l.reasons, r)
		}
	}
	alike := s.Alike(l.reasons)
	for _, reasons := range alike {
		r := reasons[0]
		segments := s.ForecastUpTo(now, l.end, l.nodes, r, lintChanges/len(alike))
		for _, r := range reasons {
			l.timelines[r] = segments
		}
		if end := segments[len(segments)-1].End; end.Before(l.end) {
			l.end, l.cut = end, true
			l.add(l.manyChanges(r,
				"budgets become active or inactive so often that only the time up to %s was checked", end))
		}
	}
	return l
}

// expirationDated reports whether nodes have a deadline of their own for Expired (budget.Control.Deadline).
func (l *linter) expirationDated() bool {
	c := l.spec.Expiration
	return (c.Deadline != "" || c.DisruptAfter != "") && l.limits.Deadline(candidate.Expired) != candidate.Forever
}

// occurs reports whether nodes of the pool go for a reason at all, as far as that is known.
func (l *linter) occurs(r candidate.Reason) bool {
	return l.limits.DisruptAfter(r) != candidate.Forever && !l.pool.excludes(r)
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

// which returns the valid budgets of a kind.
func (l *linter) which(is func(*budget.Limit) bool) (which budget.Indexes) {
	for _, b := range l.valid {
		if is(b) {
			which.Add(b.Index)
		}
	}
	return which
}

func (l *linter) add(f Finding) { l.mistakes = append(l.mistakes, mistake{Finding: f}) }

// addFix adds a finding with a remedy.
func (l *linter) addFix(f Finding, r func() remedy) { l.mistakes = append(l.mistakes, mistake{f, r}) }

// An advisor says what to do about a finding for some reasons.
type advisor func(reasons []candidate.Reason) remedy

// A check finds something for a reason. The remedy is for all reasons with the same finding.
type check func(r candidate.Reason) (f Finding, fix advisor, found bool)

// each runs a check for each of some reasons, and merges equal findings. It checks reasons that the same budgets affect
// only once.
func (l *linter) each(reasons []candidate.Reason, check check) {
	type group struct {
		Finding
		fix     advisor
		reasons []candidate.Reason
	}
	results := map[candidate.Reason]*group{}
	var groups []*group
	for _, alike := range l.limits.Alike(reasons) {
		f, fix, found := check(alike[0])
		if !found {
			continue
		}
		for _, r := range alike {
			results[r] = &group{Finding: f, fix: fix}
		}
	}
	for _, r := range reasons {
		one := results[r]
		if one == nil {
			continue
		}
		i := slices.IndexFunc(groups, func(g *group) bool { return g.equal(one.Finding) })
		if i < 0 {
			i, groups = len(groups), append(groups, one)
		}
		groups[i].reasons = append(groups[i].reasons, r)
	}
	for _, g := range groups {
		if len(g.reasons) == 1 {
			g.Reason = g.reasons[0]
		}
		g.Message = reasonsText(g.reasons) + plural(len(g.reasons), " is ", " are ") + g.Message
		if g.fix == nil {
			l.add(g.Finding)
			continue
		}
		l.addFix(g.Finding, func() remedy { return g.fix(g.reasons) })
	}
}
