package limit

// A Quirk is an unintended effect of a budget in Karpenter, for package budget/lint to tell.
type Quirk struct {
	Index   int // of the budget
	Kind    QuirkKind
	Message string // what Karpenter makes of it, for people
	Advice  string // the correction; "" if there is none
}

// A QuirkKind is what is unintended.
type QuirkKind int

// The kinds of quirks.
const (
	AlwaysActive QuirkKind = iota // a schedule that never hits is always active
	ForNothing                    // a budget names no reason for which Karpenter consults budgets, and limits nothing
	CountWraps                    // a count keeps its lowest 32 bits
)
