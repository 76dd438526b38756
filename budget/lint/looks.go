package lint

import (
	"cmp"
	"slices"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// A look finds mistakes. They have its code and severity, unless it sets others.
type look struct {
	code     string
	severity Severity
	find     func(*linter)
}

// looks find all mistakes, in order: findings of the same severity keep it.
var looks = []look{
	{CodeInvalid, SeverityError, (*linter).invalid},
	{CodeRejected, SeverityError, (*linter).karpenter},
	{"over", SeverityWarning, ofBudgets((*linter).over)},
	{"no-last-day", SeverityInfo, ofBudgets((*linter).noLastDay)},
	{"ends-closed", SeverityInfo, (*linter).endsClosed},
	{"never-binds", SeverityWarning, (*linter).neverBindingPaces},
	{"slow-pace", SeverityInfo, ofOpenings((*linter).slowPace)},
	{"soaks-past-window", SeverityWarning, ofOpenings((*linter).soaksPastWindow)},
	{"drains-past-window", SeverityInfo, ofOpenings((*linter).drainsPastWindow)},
	{"short-deadline", SeverityWarning, ofOpenings((*linter).shortDeadline)},
	{"wave-repeats", SeverityInfo, (*linter).waves},
	{"spread-past-deadline", SeverityWarning, ofBudgets((*linter).spreadPastDeadline)},
	{"never-fires", SeverityError, ofBudgets((*linter).neverFires)},
	{CodeNeverCloses, SeverityWarning, ofBudgets((*linter).neverCloses)},
	{"overlapping-windows", SeverityWarning, ofBudgets((*linter).overlappingWindows)},
	{"never-binds", SeverityWarning, (*linter).neverBinds},
	{"takes-the-place", SeverityWarning, (*linter).takesThePlace},
	{"share-exceeds-cap", SeverityWarning, (*linter).shareExceedsCap},
	{"unit-exceeds-cap", SeverityWarning, ofReasons((*linter).unitTooLarge)},
	{CodeNoBudgets, SeverityWarning, (*linter).noBudgets},
	{CodeUnlimitedSpan, SeverityWarning, ofReasons((*linter).unlimitedSpan)},
	{"never-disruptable", SeverityWarning, (*linter).neverDisruptable},
	{"several-sequential", SeverityWarning, (*linter).severalSequential},
	{"no-effect", SeverityWarning, ofBudgets((*linter).idleOrder)},
	{"unordered-span", SeverityWarning, (*linter).unorderedSpan},
	{"unknown-child", SeverityInfo, (*linter).unknownChild},
	{"expired-unasked", SeverityInfo, (*linter).expiredUnasked},
	{"rounds-up", SeverityInfo, ofBudgets((*linter).roundsUp)},
	{CodeNotReadyBlocks, SeverityInfo, ofReasons((*linter).notReadyBlocks)},
	{"either-day", SeverityWarning, ofBudgets((*linter).eitherDay)},
	{"short-months", SeverityWarning, ofBudgets((*linter).shortMonths)},
	{"uneven-steps", SeverityInfo, ofBudgets((*linter).unevenSteps)},
	{"limits-nothing", SeverityInfo, ofBudgets((*linter).limitsNothing)},
	{"fixed-offset", SeverityInfo, ofBudgets((*linter).fixedOffset)},
	{"utc-schedule", SeverityInfo, (*linter).utcSchedule},
	{"unknown-key", SeverityWarning, ofBudgets((*linter).unknownKey)},
	{CodeGap, SeverityWarning, ofReasons((*linter).gap)},
	{"static-limit", SeverityWarning, (*linter).staticLimit},
	{"never-occurs", SeverityInfo, ofBudgets((*linter).neverOccurs)},
	{"only-tightens", SeverityInfo, ofBudgets((*linter).onlyTightens)},
	{"one-at-a-time", SeverityInfo, ofBudgets((*linter).oneAtATime)},
	{"nothing-to-combine", SeverityInfo, ofBudgets((*linter).nothingToCombine)},
	{"short-rotation", SeverityInfo, ofOpenings((*linter).shortRotation)},
	{"freeze-stops-repair", SeverityInfo, (*linter).freezeStopsRepair},
	{"expires-frozen", SeverityWarning, (*linter).expiresFrozen},
	{"expire-together", SeverityInfo, (*linter).expireTogether},
}

// add adds a finding, with a remedy if Advice does not say it.
func (l *linter) add(f Finding, fix func() remedy) {
	f.Code, f.Severity = cmp.Or(f.Code, l.look.code), cmp.Or(f.Severity, l.look.severity)
	l.mistakes = append(l.mistakes, mistake{f, fix})
}

// ofBudgets looks at each valid budget. The message of what it finds follows the budget's name.
func ofBudgets(find func(*linter, *budget.Limit) (Finding, func() remedy)) func(*linter) {
	return func(l *linter) {
		for _, b := range l.valid {
			if f, fix := find(l, b); f.Message != "" {
				f.Budgets, f.Message = f.Budgets|only(b.Index), l.name(b.Index)+f.Message
				l.add(f, fix)
			}
		}
	}
}

// An advisor says what to do about a finding for some reasons.
type advisor func(reasons []candidate.Reason) remedy

// ofReasons looks at each reason. The message of what it finds follows "Drifted is" or "Drifted and Empty are".
func ofReasons(find func(*linter, candidate.Reason) (Finding, advisor)) func(*linter) {
	return func(l *linter) {
		l.each(l.reasons, func(r candidate.Reason) (Finding, advisor) { return find(l, r) })
	}
}

// each looks at each of some reasons, and merges equal findings.
func (l *linter) each(reasons []candidate.Reason, find func(candidate.Reason) (Finding, advisor)) {
	type group struct {
		Finding
		fix     advisor
		reasons []candidate.Reason
	}
	var groups []*group
	for _, r := range reasons {
		f, fix := find(r)
		if f.Message == "" {
			continue
		}
		i := slices.IndexFunc(groups, func(g *group) bool { return g.equal(f) })
		if i < 0 {
			i, groups = len(groups), append(groups, &group{Finding: f, fix: fix})
		}
		groups[i].reasons = append(groups[i].reasons, r)
	}
	for _, g := range groups {
		if len(g.reasons) == 1 {
			g.Reason = g.reasons[0]
		}
		g.Message = reasonsText(g.reasons) + plural(len(g.reasons), " is ", " are ") + g.Message
		var fix func() remedy
		if g.fix != nil {
			fix = func() remedy { return g.fix(g.reasons) }
		}
		l.add(g.Finding, fix)
	}
}
