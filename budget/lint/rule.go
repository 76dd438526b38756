package lint

import (
	"slices"
	"strings"
)

// A Rule is one kind of mistake. It stands beside what finds it, in the file of its concern. What programs say of a
// code (kubectl disruption explain, SARIF, the site) comes from here.
type Rule struct {
	Code    string // stable, for programs
	Means   string // what the mistake is
	Example string // a budget, or another text, that has it
	Do      string // what to do about it
}

// Rules returns all rules, sorted by code.
func Rules() (all []Rule) {
	for _, l := range looks {
		if !slices.Contains(all, *l.rule) {
			all = append(all, *l.rule)
		}
	}
	slices.SortFunc(all, func(a, b Rule) int { return strings.Compare(a.Code, b.Code) })
	return all
}

// A look is how a rule is found.
type look struct {
	rule *Rule
	find func(*linter) // nil: the look before it finds this as well
}

// looks are all looks, in order: findings of the same severity keep it.
var looks = []look{
	{&ruleManyChanges, nil}, // found by newLinter, and wherever a walk ends early
	{&ruleInvalid, (*linter).invalid},
	{&ruleRejected, (*linter).karpenter},
	{&ruleDroppedField, nil},
	{&ruleAlwaysActive, nil},
	{&ruleCountWraps, nil},
	{&ruleForNothing, nil},
	{&ruleOver, (*linter).over},
	{&ruleNoLastDay, (*linter).noLastDay},
	{&ruleEndsClosed, (*linter).endsClosed},
	{&rulePaceAlone, (*linter).paceAlone},
	{&ruleNeverBinds, (*linter).neverBindingPaces},
	{&ruleSlowPace, (*linter).slowPace},
	{&ruleSoaksPastWindow, (*linter).soaksPastWindow},
	{&ruleDrainsPastWindow, (*linter).drainsPastWindow},
	{&ruleShortDeadline, (*linter).shortDeadline},
	{&ruleBakesPastDeadline, (*linter).bakesPastDeadline},
	{&ruleBakeStartsAgain, (*linter).bakeStartsAgain},
	{&ruleNeverFires, (*linter).neverFires}, // invalid also finds it
	{&ruleNeverCloses, (*linter).neverCloses},
	{&ruleOverlappingWindows, (*linter).overlappingWindows},
	{&ruleNeverBinds, (*linter).neverBinds},
	{&ruleTakesThePlace, (*linter).takesThePlace},
	{&ruleNoBudgets, (*linter).noBudgets},
	{&ruleUnlimitedSpan, (*linter).unlimitedSpan},
	{&ruleNeverDisruptable, (*linter).neverDisruptable},
	{&ruleNeverRepaired, nil},
	{&ruleOnlyOverdue, nil},
	{&ruleNeverDisruptable, (*linter).shutByZones},
	{&ruleUnevenOpenings, (*linter).unevenOpenings},
	{&ruleBriefOpenings, (*linter).briefOpenings},
	{&ruleSeveralSequential, (*linter).severalSequential},
	{&ruleNoEffect, nil},
	{&ruleUnorderedSpan, (*linter).unorderedSpan},
	{&ruleUnknownChild, (*linter).unknownChild},
	{&ruleExpiredUnasked, (*linter).expiredUnasked},
	{&ruleRoundsUp, (*linter).roundsUp},
	{&ruleWaveRepeats, (*linter).waveRepeats},
	{&ruleNotReadyBlocks, (*linter).notReadyBlocks},
	{&ruleEitherDay, (*linter).eitherDay},
	{&ruleShortMonths, (*linter).shortMonths},
	{&ruleUnevenSteps, (*linter).unevenSteps},
	{&ruleLimitsNothing, (*linter).limitsNothing},
	{&ruleFixedOffset, (*linter).fixedOffset},
	{&ruleUTCSchedule, (*linter).utcSchedule},
	{&ruleUnknownKey, (*linter).unknownKey},
	{&ruleGap, (*linter).gap},
	{&ruleStaticLimit, (*linter).staticLimit},
	{&ruleNeverOccurs, (*linter).neverOccurs},
	{&ruleOnlyTightens, (*linter).onlyTightens},
	{&ruleOneAtATime, (*linter).oneAtATime},
	{&ruleNothingToCombine, (*linter).nothingToCombine},
	{&ruleShortRotation, (*linter).shortRotation},
	{&ruleFreezeStopsRepair, (*linter).freezeStopsRepair},
	{&ruleExpiresFrozen, (*linter).expiresFrozen},
	{&ruleExpireTogether, (*linter).expireTogether},
}
