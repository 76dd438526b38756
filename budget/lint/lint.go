package lint

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/limit"
	"github.com/disruptkit/disruptkit/schedule"
)

// The codes of findings. They are stable: messages may be reworded, codes not.
const (
	CodeInvalid           = "invalid"             // something is broken, and allows nothing
	CodeNeverFires        = "never-fires"         // a budget is never active in the coming year, or its schedule can never hit
	CodeNeverCloses       = "never-closes"        // a schedule makes no difference: each window lasts until the next begins
	CodeOverlaps          = "overlapping-windows" // a schedule hits again while the budget is active
	CodeNeverBinds        = "never-binds"         // other budgets are always tighter, whatever the number of nodes
	CodeTakesPlace        = "takes-the-place"     // a freeze does not apply to a reason that has its own budget
	CodeUnlimitedSpan     = "unlimited-span"      // no budget limits a reason at some time
	CodeNoBudgets         = "no-budgets"          // the list is empty, and limits nothing
	CodeNeverDisruptable  = "never-disruptable"   // no node may go for a reason in the coming year
	CodeNeverRepaired     = "never-repaired"      // budgets prevent repair of broken nodes throughout the coming year
	CodeUnevenOpenings    = "uneven-openings"     // one opening is far longer than the others
	CodeBriefOpenings     = "brief-openings"      // there is only a minute between closures, as "23h59m" leaves
	CodeUnorderedSpan     = "unordered-span"      // zones may roll all at once while no sequential budget is active
	CodeSeveralSequential = "several-sequential"  // only the first of several sequential budgets orders the pool
	CodeNoEffect          = "no-effect"           // a sequential budget is for reasons that do not take turns
	CodeRoundsUp          = "rounds-up"           // a percentage of so few nodes rounds up to 1
	CodeNotReadyBlocks    = "not-ready-blocks"    // a single node that is not Ready uses up the whole allowance
	CodeUnknownChild      = "unknown-child"       // Karpenter reports no such child reason
	CodeExpiredUnasked    = "expired-unasked"     // Karpenter consults no budget before it expires nodes
	CodeEitherDay         = "either-day"          // a schedule names days of the month and of the week, and hits on both kinds
	CodeShortMonths       = "short-months"        // a schedule is for a day that some of its months do not have
	CodeUnevenSteps       = "uneven-steps"        // steps such as */90 minutes or */14 days start again too soon
	CodeLimitsNothing     = "limits-nothing"      // a budget lets all nodes go at once
	CodeFixedOffset       = "fixed-offset"        // a time zone looks as if it had summer time, such as EST
	CodeDropped           = "dropped-field"       // karpenter.sh/v1 has no such field
	CodeRejected          = "rejected"            // Karpenter's API server rejects what is written
	CodeAlwaysActive      = "always-active"       // a schedule that never hits is always active in Karpenter
	CodeForNothing        = "for-nothing"         // a budget names no reason for which Karpenter consults budgets, and limits nothing
	CodeCountWraps        = "count-wraps"         // Karpenter keeps the lowest 32 bits of a count
	CodeOver              = "over"                // the last date of a budget is past, or its calendar has no events to come
	CodeNoEnd             = "no-last-day"         // a budget begins on a date, and never ends
	CodeEndsClosed        = "ends-closed"         // a freeze ends while other budgets still block all nodes
	CodePaceAlone         = "pace-alone"          // a reason is limited only by a pace, which does not say how many nodes go at once
	CodeShortDeadline     = "short-deadline"      // nodes are overdue before the next window comes
	CodeOnlyOverdue       = "only-overdue"        // nodes go for a reason only once they are overdue
	CodeSlowPace          = "slow-pace"           // a pace is too slow for the pool to finish within a window
	CodeExpiresFrozen     = "expires-frozen"      // nodes expire while budgets block disruption
	CodeNeverOccurs       = "never-occurs"        // a budget is for reasons for which no node of the pool goes
	CodeOneAtATime        = "one-at-a-time"       // a limit of 1 in a short window is not one node in each window
	CodeFreezeStopsRepair = "freeze-stops-repair" // a freeze for all reasons keeps broken nodes from being repaired
	CodeStaticLimit       = "static-limit"        // a static pool has no room for the replacement of a drifted node
	CodeShortRotation     = "short-rotation"      // a short window lets all nodes go, but has no time for it
	CodeNothingToCombine  = "nothing-to-combine"  // consolidation never replaces several nodes with one
	CodeGap               = "gap"                 // an hour is open between freezes that else adjoin
	CodeOnlyTightens      = "only-tightens"       // a window is meant to allow more, and other budgets allow less
	CodeTopologyKey       = "unknown-key"         // nodes have no such label, but one that is spelled almost so
	CodeManyChanges       = "many-changes"        // budgets change too often for lint to check the whole year
)

const (
	mostBudgets = 50 // in a list
	lintYear    = 366 * 24 * time.Hour
	lintChanges = 60_000  // of budgets, in the timelines of all reasons together
	mostWork    = 600_000 // of a walk: how often it may examine a budget or a reason
)

// Run returns the probable mistakes in a pool's list of budgets, worst first. It checks the exact timeline of the year
// that begins at now. Times are in the zone of now. It skips reasons for which nodes never go ([budget.Set.DisruptAfter],
// Pool.Never), and Expired and Unhealthy unless a budget names them or they have a deadline of their own
// (Control.Deadline).
//
// Karpenter's default budget causes no finding worse than SeverityInfo. Neither do always-active budgets with evenly
// spaced freezes.
//
// An advice that is a change can be followed as it stands: the result is valid, and does not have the same finding. If
// it allows nodes that are blocked now, or leaves less than three quarters of the time in which nodes may go, it says
// so.
func Run(set budget.Set, now time.Time, pool Pool) []Finding {
	if w, missing := candidate.NoTime(now); missing {
		return []Finding{{Code: CodeInvalid, Severity: SeverityError, Message: w.Message}}
	}
	l := newLinter(set, now, pool)
	checks := []func(){
		l.faults, l.karpenter, l.over, l.forGood, l.freezeEnds, l.paceAlone, l.idlePaces, l.slow, l.moot, l.sleepers, l.endless, l.overlaps, l.idlers, l.usurpers, l.unlimited, l.closed, l.shutByZones, l.uneven, l.brief,
		l.sequential, l.unordered, l.children, l.expired, l.roundings, l.notReady,
		l.eitherDay, l.shortMonths, l.steps, l.loose, l.fixedOffsets,
		l.keys, l.gaps, l.static, l.needless, l.permissions, l.oneAtATime, l.combining, l.rotation, l.stranded, l.expiring,
	}
	for _, check := range checks {
		check()
	}
	severities := []Severity{SeverityError, SeverityWarning, SeverityInfo}
	slices.SortStableFunc(l.findings, func(a, b finding) int {
		return cmp.Compare(slices.Index(severities, a.Severity), slices.Index(severities, b.Severity))
	})
	var all []Finding
	for _, f := range l.findings {
		all = append(all, f.public())
	}
	return all
}

// A linter collects findings.
type linter struct {
	set       budget.Set
	spec      budget.Spec     // of set
	list      []budget.Budget // of set
	limits    *limit.Set      // of set
	now       time.Time
	end       time.Time // of the checked time
	cut       bool      // the checked time is less than a year
	pool      Pool
	nodes     int  // Pool.Nodes, or as many as are assumed
	assumed   bool // the number of nodes is assumed
	reasons   []candidate.Reason
	timelines map[candidate.Reason][]limit.Segment // from now to end
	frozen    map[candidate.Reason][]limit.Segment // results of effective
	idle      limit.Indexes                        // budgets that never decide
	findings  []finding
}

func newLinter(set budget.Set, now time.Time, pool Pool) *linter {
	s := set.Compiled()
	l := &linter{set: set, spec: set.Spec(), list: set.Budgets(), limits: s, now: now, end: now.Add(lintYear), pool: pool, nodes: pool.Nodes,
		timelines: map[candidate.Reason][]limit.Segment{}, frozen: map[candidate.Reason][]limit.Segment{}}
	if l.nodes <= 0 {
		l.nodes, l.assumed = 100, true
	}
	for _, r := range append(candidate.Methods(), s.Methods...) {
		named := slices.ContainsFunc(s.Named(), func(n candidate.Reason) bool { return n.Method() == r })
		deadline, dated := s.Deadlines[r]
		dated = dated && deadline != candidate.Forever
		optional := r == candidate.Expired || r == candidate.Unhealthy // many pools do not use it
		if l.occurs(r) && (!optional || named || dated) {
			l.reasons = append(l.reasons, r)
		}
	}
	alike := s.Alike(l.reasons)
	for _, a := range alike {
		r := a.Reasons[0]
		segments, end := s.Forecast(now, l.end, l.nodes, r, lintChanges/len(alike))
		for _, r := range a.Reasons {
			l.timelines[r] = segments
		}
		if end.Before(l.end) {
			l.end, l.cut = end, true
			l.findings = []finding{l.manyChanges(r, "budgets become active or inactive so often that only the time up to %s was checked", end)}
		}
	}
	return l
}

// occurs reports whether nodes of the pool go for a reason at all, as far as that is known.
func (l *linter) occurs(r candidate.Reason) bool {
	return l.limits.After.Of(r) != candidate.Forever && !l.pool.excludes(r)
}

// budgets returns the valid budgets in the order of the list.
func (l *linter) budgets() []*limit.Budget {
	var all []*limit.Budget
	for i := range l.limits.Pool {
		all = append(all, &l.limits.Pool[i])
	}
	for i := range l.limits.Scoped {
		all = append(all, &l.limits.Scoped[i])
	}
	for i := range l.limits.Paces {
		all = append(all, &l.limits.Paces[i])
	}
	slices.SortFunc(all, func(a, b *limit.Budget) int { return cmp.Compare(a.Index, b.Index) })
	return all
}

// manyChanges returns the finding that lint checked a reason only up to a time.
func (l *linter) manyChanges(r candidate.Reason, message string, upTo time.Time) finding {
	return finding{Code: CodeManyChanges, Severity: SeverityInfo, Reason: r, Span: schedule.Span{Start: upTo},
		Message: fmt.Sprintf(message, l.time(upTo)), Advice: "write schedules that hit less often"}
}

func (l *linter) add(f finding) { l.findings = append(l.findings, f) }

// each runs a check for each of some reasons, and merges equal findings. It checks reasons that the same budgets affect
// only once.
func (l *linter) each(reasons []candidate.Reason, check check) {
	type group struct {
		finding
		reasons []string
	}
	type result struct {
		finding
		found bool
	}
	results := map[candidate.Reason]result{}
	for _, a := range l.limits.Alike(reasons) {
		f, found := check(a.Reasons[0])
		for _, r := range a.Reasons {
			results[r] = result{f, found}
		}
	}
	var groups []group
	for _, r := range reasons {
		f := results[r].finding
		if !results[r].found {
			continue
		}
		i := slices.IndexFunc(groups, func(g group) bool { return g.finding == f })
		if i < 0 {
			i, groups = len(groups), append(groups, group{finding: f})
		}
		groups[i].reasons = append(groups[i].reasons, string(r))
	}
	for _, g := range groups {
		verb := " are "
		if len(g.reasons) == 1 {
			g.Reason, verb = candidate.Reason(g.reasons[0]), " is "
		}
		g.Message = enumerate(g.reasons) + verb + g.Message
		g.Advice = strings.ReplaceAll(g.Advice, reasonsHere, `"`+strings.Join(g.reasons, `", "`)+`"`)
		g.Advice = strings.ReplaceAll(g.Advice, staysHere, staying(g.reasons))
		l.add(g.finding)
	}
}

// These stand for words about the reasons of a finding, in its advice.
const (
	reasonsHere = "\x00" // their JSON
	staysHere   = "\x01" // what comes of it if no node ever goes for them
)

// enumerate returns "a", "a and b", or "a, b and c".
func enumerate(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// name returns "budgets[0] (10%)".
func (l *linter) name(i int) string {
	return fmt.Sprintf("%s is %s", l.set.Place(i), l.list[i])
}

// names returns the names of several budgets.
func (l *linter) names(which limit.Indexes) string {
	var names []string
	for i := range which.All() {
		names = append(names, l.name(i))
	}
	return enumerate(names)
}

// time returns "Mon 2026-11-23 05:00 UTC".
func (l *linter) time(t time.Time) string {
	layout := "Mon 2006-01-02 15:04 MST"
	if t = t.In(l.now.Location()); t.Second() != 0 {
		layout = "Mon 2006-01-02 15:04:05 MST"
	}
	return t.Format(layout)
}

// span returns "from Mon 2026-11-23 05:00 UTC to Mon 2026-11-30 01:00 UTC", or a part of it if a bound is missing.
func (l *linter) span(s schedule.Span) string {
	switch {
	case s.Start.IsZero() && s.End.IsZero():
		return "at all times"
	case s.Start.IsZero():
		return "up to " + l.time(s.End)
	case s.End.IsZero():
		return "from " + l.time(s.Start) + " on"
	}
	return "from " + l.time(s.Start) + " to " + l.time(s.End)
}

// joined returns faults as one error, as that of a Set has them.
func joined(faults []candidate.Warning) error {
	errs := make([]error, len(faults))
	for i, w := range faults {
		errs[i] = w
	}
	return errors.Join(errs...)
}
