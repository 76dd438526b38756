package lint

// The codes of findings that programs speak of. All codes are stable: messages may be reworded, codes not. [Rules] says
// what each means.
const (
	CodeCountWraps     = "count-wraps"
	CodeDroppedField   = "dropped-field"
	CodeForNothing     = "for-nothing"
	CodeGap            = "gap"
	CodeInvalid        = "invalid"
	CodeNeverCloses    = "never-closes"
	CodeNoBudgets      = "no-budgets"
	CodeNotReadyBlocks = "not-ready-blocks"
	CodePaceAlone      = "pace-alone"
	CodeRejected       = "rejected"
	CodeUnlimitedSpan  = "unlimited-span"
)
