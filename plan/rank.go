package plan

import (
	"cmp"
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
)

// decisive returns the blocker that counts: the one that has to lift before any other matters.
// Blockers that never lift are first, then those of whole pools, those of the node, and turns. An exhausted budget or
// pace is last.
func decisive(blockers []candidate.Blocker) *candidate.Blocker {
	var first *candidate.Blocker
	for i := range blockers {
		if b := &blockers[i]; first == nil || rank(b) < rank(first) {
			first = b
		}
	}
	if first == nil {
		return &candidate.Blocker{}
	}
	return first
}

// startLimits are the codes of budgets that limit when nodes start.
var startLimits = []candidate.Code{candidate.CodePaced, candidate.CodeSoaks, candidate.CodeSpread}

func rank(b *candidate.Blocker) int {
	switch {
	case stays(b):
		return 0
	case b.Gate == candidate.GateBudget && b.Code != candidate.CodeExhausted && b.Code != candidate.CodeReserved &&
		!slices.Contains(startLimits, b.Code):
		return 1
	case b.Gate == candidate.GateProbe, b.Gate == candidate.GateBackoff, b.Gate == candidate.GateWave:
		return 2
	case b.Gate == candidate.GateNode:
		return 3
	case b.Gate == candidate.GatePod:
		return 4
	case b.Gate == candidate.GateTopology:
		return 5
	}
	return 6
}

// stays reports whether a blocker never lifts in a plan.
func stays(b *candidate.Blocker) bool {
	if b.ForGood {
		return true
	}
	if !b.Until.IsZero() {
		return false
	}
	switch b.Gate {
	case candidate.GateNode:
		switch b.Code {
		case candidate.CodeDeleting, candidate.CodeRebooting, candidate.CodeAlreadyAllowed, candidate.CodeDuplicateNode:
			return false
		}
		return true
	case candidate.GatePod:
		return b.Code != candidate.CodeExhausted && b.Code != candidate.CodeOutsideSchedule
	case candidate.GateWave:
		return b.Code == candidate.CodeInvalidRollout
	case candidate.GateBudget:
		return b.Code == candidate.CodeInvalidBudget || b.Code == candidate.CodeUnknownReason
	}
	return false
}

// ofCaller reports whether a blocker that never lifts is the caller's.
func ofCaller(b *candidate.Blocker) bool {
	switch b.Code {
	case candidate.CodeUnmanaged, candidate.CodeUnknownPool, candidate.CodeNotInitialized, candidate.CodeDoNotDisrupt,
		candidate.CodeDoNotRepair, candidate.CodeDisruptAfter, candidate.CodeTooYoung, candidate.CodePodsUnknown,
		candidate.CodeAllowsNone,
		candidate.CodeSeveralPDBs, candidate.CodeInvalidPDB, candidate.CodeInvalidSchedule,
		candidate.CodeInvalidAnnotation,
		candidate.CodeInvalidBudget, candidate.CodeUnknownReason, candidate.CodeInvalidRollout, CodeNodeLimit:
		return false
	}
	return !b.ForGood
}

// ordered returns the blockers by rank.
func ordered(blockers []candidate.Blocker) []candidate.Blocker {
	held := slices.Clone(blockers)
	slices.SortStableFunc(held, func(a, b candidate.Blocker) int { return cmp.Compare(rank(&a), rank(&b)) })
	return held
}
