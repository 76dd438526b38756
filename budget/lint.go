package budget

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// The codes of findings. They are stable: messages may be reworded, codes not.
const (
	FindingInvalid           = "invalid"             // something is broken, and allows nothing
	FindingNeverFires        = "never-fires"         // a budget is never active in the coming year, or its schedule can never hit
	FindingNeverCloses       = "never-closes"        // a schedule makes no difference: each window lasts until the next begins
	FindingOverlaps          = "overlapping-windows" // a schedule hits again while the budget is active
	FindingNeverBinds        = "never-binds"         // other budgets are always tighter, whatever the number of nodes
	FindingTakesPlace        = "takes-the-place"     // a freeze does not apply to a reason that has its own budget
	FindingUnlimitedSpan     = "unlimited-span"      // no budget limits a reason at some time
	FindingNoBudgets         = "no-budgets"          // the list is empty, and limits nothing
	FindingNeverDisruptable  = "never-disruptable"   // no node may go for a reason in the coming year
	FindingNeverRepaired     = "never-repaired"      // budgets prevent repair of broken nodes throughout the coming year
	FindingUnevenOpenings    = "uneven-openings"     // one opening is far longer than the others
	FindingBriefOpenings     = "brief-openings"      // there is only a minute between closures, as "23h59m" leaves
	FindingUnorderedSpan     = "unordered-span"      // zones may roll all at once while no sequential budget is active
	FindingSeveralSequential = "several-sequential"  // only the first of several sequential budgets orders the pool
	FindingNoEffect          = "no-effect"           // a sequential budget is for reasons that do not take turns
	FindingRoundsUp          = "rounds-up"           // a percentage of so few nodes rounds up to 1
	FindingNotReadyBlocks    = "not-ready-blocks"    // a single node that is not Ready uses up the whole allowance
	FindingUnknownChild      = "unknown-child"       // Karpenter reports no such child reason
	FindingExpiredUnasked    = "expired-unasked"     // Karpenter consults no budget before it expires nodes
	FindingEitherDay         = "either-day"          // a schedule names days of the month and of the week, and hits on both kinds
	FindingShortMonths       = "short-months"        // a schedule is for a day that some of its months do not have
	FindingUnevenSteps       = "uneven-steps"        // steps such as */90 minutes or */14 days start again too soon
	FindingLimitsNothing     = "limits-nothing"      // a budget lets all nodes go at once
	FindingFixedOffset       = "fixed-offset"        // a time zone looks as if it had summer time, such as EST
	FindingDropped           = "dropped-field"       // karpenter.sh/v1 has no such field
	FindingRejected          = "rejected"            // Karpenter's API server rejects what is written
	FindingAlwaysActive      = "always-active"       // a schedule that never hits is always active in Karpenter
	FindingForNothing        = "for-nothing"         // a budget names no reason for which Karpenter consults budgets, and limits nothing
	FindingCountWraps        = "count-wraps"         // Karpenter keeps the lowest 32 bits of a count
	FindingOver              = "over"                // the last date of a budget is past, or its calendar has no events to come
	FindingNoEnd             = "no-last-day"         // a budget begins on a date, and never ends
	FindingEndsClosed        = "ends-closed"         // a freeze ends while other budgets still block all nodes
	FindingPaceAlone         = "pace-alone"          // a reason is limited only by a pace, which does not say how many nodes go at once
	FindingShortDeadline     = "short-deadline"      // nodes are overdue before the next window comes
	FindingOnlyOverdue       = "only-overdue"        // nodes go for a reason only once they are overdue
	FindingSlowPace          = "slow-pace"           // a pace is too slow for the pool to finish within a window
	FindingExpiresFrozen     = "expires-frozen"      // nodes expire while budgets block disruption
	FindingNeverOccurs       = "never-occurs"        // a budget is for reasons for which no node of the pool goes
	FindingOneAtATime        = "one-at-a-time"       // a limit of 1 in a short window is not one node in each window
	FindingFreezeStopsRepair = "freeze-stops-repair" // a freeze for all reasons keeps broken nodes from being repaired
	FindingStaticLimit       = "static-limit"        // a static pool has no room for the replacement of a drifted node
	FindingShortRotation     = "short-rotation"      // a short window lets all nodes go, but has no time for it
	FindingNothingToCombine  = "nothing-to-combine"  // consolidation never replaces several nodes with one
	FindingGap               = "gap"                 // an hour is open between freezes that else adjoin
	FindingOnlyTightens      = "only-tightens"       // a window is meant to allow more, and other budgets allow less
	FindingTopologyKey       = "unknown-key"         // nodes have no such label, but one that is spelled almost so
	FindingManyChanges       = "many-changes"        // budgets change too often for lint to check the whole year
)

const (
	lintYear    = 366 * 24 * time.Hour
	lintChanges = 60_000  // of budgets, in the timelines of all reasons together
	mostWork    = 600_000 // of a walk: how often it may examine a budget or a reason
)

// Lint returns the probable mistakes in a pool's list of budgets, worst first. It checks the exact timeline of the year
// that begins at now. Times are in the zone of now. It skips reasons for which nodes never go ([Set.DisruptAfter],
// Pool.Never), and Expired and Unhealthy unless a budget names them or they have a deadline of their own
// (Control.Deadline).
//
// Karpenter's default budget causes no finding worse than SeverityInfo. Neither do always-active budgets with evenly
// spaced freezes.
//
// An advice that is a change can be followed as it stands: the result is valid, and does not have the same finding. If
// it allows nodes that are blocked now, or leaves less than three quarters of the time in which nodes may go, it says
// so.
func (s Set) Lint(now time.Time, pool Pool) []Finding {
	if w, missing := candidate.NoTime(now); missing {
		return []Finding{{Code: FindingInvalid, Severity: SeverityError, Message: w.Message}}
	}
	l := newLinter(s.get(), now, pool)
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
	slices.SortStableFunc(l.findings, func(a, b Finding) int {
		return cmp.Compare(slices.Index(severities, a.Severity), slices.Index(severities, b.Severity))
	})
	return l.findings
}

// A linter collects findings.
type linter struct {
	set       *set
	now       time.Time
	end       time.Time // of the checked time
	cut       bool      // the checked time is less than a year
	pool      Pool
	nodes     int  // Pool.Nodes, or as many as are assumed
	assumed   bool // the number of nodes is assumed
	reasons   []candidate.Reason
	timelines map[candidate.Reason][]Segment // from now to end
	frozen    map[candidate.Reason][]Segment // results of effective
	idle      Indexes                        // budgets that never decide
	findings  []Finding
}

func newLinter(s *set, now time.Time, pool Pool) *linter {
	l := &linter{set: s, now: now, end: now.Add(lintYear), pool: pool, nodes: pool.Nodes,
		timelines: map[candidate.Reason][]Segment{}, frozen: map[candidate.Reason][]Segment{}}
	if l.nodes <= 0 {
		l.nodes, l.assumed = 100, true
	}
	for _, r := range append(candidate.Methods(), s.methods...) {
		named := slices.ContainsFunc(s.named(), func(n candidate.Reason) bool { return n.Method() == r })
		deadline, dated := s.deadlines[r]
		dated = dated && deadline != candidate.Forever
		optional := r == candidate.Expired || r == candidate.Unhealthy // many pools do not use it
		if l.occurs(r) && (!optional || named || dated) {
			l.reasons = append(l.reasons, r)
		}
	}
	alike := s.alike(l.reasons)
	for _, a := range alike {
		r := a.reasons[0]
		segments, end := s.forecast(now, l.end, l.nodes, r, lintChanges/len(alike))
		for _, r := range a.reasons {
			l.timelines[r] = segments
		}
		if end.Before(l.end) {
			l.end, l.cut = end, true
			l.findings = []Finding{l.manyChanges(r, "budgets become active or inactive so often that only the time up to %s was checked", end)}
		}
	}
	return l
}

// occurs reports whether nodes of the pool go for a reason at all, as far as that is known.
func (l *linter) occurs(r candidate.Reason) bool {
	return l.set.after.of(r) != candidate.Forever && !l.pool.excludes(r)
}

// budgets returns the valid budgets in the order of the list.
func (l *linter) budgets() []*compiled {
	var all []*compiled
	for i := range l.set.pool {
		all = append(all, &l.set.pool[i])
	}
	for i := range l.set.scoped {
		all = append(all, &l.set.scoped[i])
	}
	for i := range l.set.paces {
		all = append(all, &l.set.paces[i])
	}
	slices.SortFunc(all, func(a, b *compiled) int { return cmp.Compare(a.index, b.index) })
	return all
}

// manyChanges returns the finding that lint checked a reason only up to a time.
func (l *linter) manyChanges(r candidate.Reason, message string, upTo time.Time) Finding {
	return Finding{Code: FindingManyChanges, Severity: SeverityInfo, Reason: r, Span: schedule.Span{Start: upTo},
		Message: fmt.Sprintf(message, l.time(upTo)), Advice: "write schedules that hit less often"}
}

func (l *linter) add(f Finding) { l.findings = append(l.findings, f) }

// each runs a check for each of some reasons, and merges equal findings. It checks reasons that the same budgets affect
// only once.
func (l *linter) each(reasons []candidate.Reason, check check) {
	type group struct {
		Finding
		reasons []string
	}
	type result struct {
		Finding
		found bool
	}
	results := map[candidate.Reason]result{}
	for _, a := range l.set.alike(reasons) {
		f, found := check(a.reasons[0])
		for _, r := range a.reasons {
			results[r] = result{f, found}
		}
	}
	var groups []group
	for _, r := range reasons {
		f := results[r].Finding
		if !results[r].found {
			continue
		}
		i := slices.IndexFunc(groups, func(g group) bool { return g.Finding == f })
		if i < 0 {
			i, groups = len(groups), append(groups, group{Finding: f})
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
		l.add(g.Finding)
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
	return fmt.Sprintf("%s is %s", l.set.places[i], l.set.written[i])
}

// names returns the names of several budgets.
func (l *linter) names(which Indexes) string {
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

// only returns the Indexes with one position.
func only(i int) (x Indexes) {
	x.add(i)
	return x
}
