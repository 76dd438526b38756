package lint

import (
	_ "embed"
	"strings"
)

// A Rule is one kind of mistake. What programs say of a code (kubectl disruption explain, SARIF, the site) comes from
// here.
type Rule struct {
	Code    string // stable, for programs
	Means   string // what the mistake is
	Example string // a budget, or another text, that has it
	Do      string // what to do about it
}

//go:embed rules.md
var rules string

// Rules returns all rules, sorted by code.
func Rules() (all []Rule) {
	_, table, _ := strings.Cut(rules, "---|\n")
	for row := range strings.Lines(table) {
		f := strings.Split(strings.Trim(row, "|\n "), " | ")
		all = append(all, Rule{f[0], f[1], f[2], f[3]})
	}
	return all
}

// looks find the mistakes, in order: findings of the same severity keep it. Some find mistakes of several codes.
var looks = []func(*linter){
	(*linter).invalid,
	(*linter).karpenter,
	(*linter).over,
	(*linter).noLastDay,
	(*linter).endsClosed,
	(*linter).paceAlone,
	(*linter).neverBindingPaces,
	(*linter).slowPace,
	(*linter).soaksPastWindow,
	(*linter).drainsPastWindow,
	(*linter).shortDeadline,
	(*linter).bakesPastDeadline,
	(*linter).bakeStartsAgain,
	(*linter).neverFires,
	(*linter).neverCloses,
	(*linter).overlappingWindows,
	(*linter).neverBinds,
	(*linter).takesThePlace,
	(*linter).noBudgets,
	(*linter).unlimitedSpan,
	(*linter).neverDisruptable,
	(*linter).shutByZones,
	(*linter).severalSequential,
	(*linter).unorderedSpan,
	(*linter).unknownChild,
	(*linter).expiredUnasked,
	(*linter).roundsUp,
	(*linter).waveRepeats,
	(*linter).notReadyBlocks,
	(*linter).eitherDay,
	(*linter).shortMonths,
	(*linter).unevenSteps,
	(*linter).limitsNothing,
	(*linter).fixedOffset,
	(*linter).utcSchedule,
	(*linter).unknownKey,
	(*linter).gap,
	(*linter).staticLimit,
	(*linter).neverOccurs,
	(*linter).onlyTightens,
	(*linter).oneAtATime,
	(*linter).nothingToCombine,
	(*linter).shortRotation,
	(*linter).freezeStopsRepair,
	(*linter).expiresFrozen,
	(*linter).expireTogether,
}
