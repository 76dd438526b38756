package lint

import (
	"slices"
	"strings"
)

// A Rule is one kind of mistake. Each has a file of its own, named after the code, with what it means and how it is
// found. What programs say of a code (kubectl disruption explain, SARIF, docs/codes.md) comes from here.
type Rule struct {
	Code    string // stable, for programs
	Means   string // what is so
	Example string // what shows it
	Do      string // what to do about it
}

// Rules returns all rules, by code.
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
	find func(*linter) // nil: the look before it finds this, too
}

// looks are all looks, in order: findings of the same severity keep it.
var looks = []look{
	{&ruleManyChanges, nil}, // found by newLinter, and wherever a walk ends early
	{&ruleInvalid, (*linter).faults},
	{&ruleRejected, (*linter).karpenter},
	{&ruleDropped, nil},
	{&ruleAlwaysActive, nil},
	{&ruleCountWraps, nil},
	{&ruleForNothing, nil},
	{&ruleOver, (*linter).over},
	{&ruleNoEnd, (*linter).forGood},
	{&ruleEndsClosed, (*linter).freezeEnds},
	{&rulePaceAlone, (*linter).paceAlone},
	{&ruleNeverBinds, (*linter).idlePaces},
	{&ruleSlowPace, (*linter).slow},
	{&ruleShortDeadline, (*linter).moot},
	{&ruleNeverFires, (*linter).sleepers}, // faults finds it, too
	{&ruleNeverCloses, (*linter).endless},
	{&ruleOverlaps, (*linter).overlaps},
	{&ruleNeverBinds, (*linter).idlers},
	{&ruleTakesPlace, (*linter).usurpers},
	{&ruleNoBudgets, (*linter).noBudgets},
	{&ruleUnlimitedSpan, (*linter).unlimited},
	{&ruleNeverDisruptable, (*linter).closed},
	{&ruleNeverRepaired, nil},
	{&ruleOnlyOverdue, nil},
	{&ruleNeverDisruptable, (*linter).shutByZones},
	{&ruleUnevenOpenings, (*linter).uneven},
	{&ruleBriefOpenings, (*linter).brief},
	{&ruleSeveralSequential, (*linter).sequential},
	{&ruleNoEffect, nil},
	{&ruleUnorderedSpan, (*linter).unordered},
	{&ruleUnknownChild, (*linter).children},
	{&ruleExpiredUnasked, (*linter).expired},
	{&ruleRoundsUp, (*linter).roundings},
	{&ruleNotReadyBlocks, (*linter).notReady},
	{&ruleEitherDay, (*linter).eitherDay},
	{&ruleShortMonths, (*linter).shortMonths},
	{&ruleUnevenSteps, (*linter).steps},
	{&ruleLimitsNothing, (*linter).loose},
	{&ruleFixedOffset, (*linter).fixedOffsets},
	{&ruleTopologyKey, (*linter).keys},
	{&ruleGap, (*linter).gaps},
	{&ruleStaticLimit, (*linter).static},
	{&ruleNeverOccurs, (*linter).needless},
	{&ruleOnlyTightens, (*linter).permissions},
	{&ruleOneAtATime, (*linter).oneAtATime},
	{&ruleNothingToCombine, (*linter).combining},
	{&ruleShortRotation, (*linter).rotation},
	{&ruleFreezeStopsRepair, (*linter).stranded},
	{&ruleExpiresFrozen, (*linter).expiring},
}
