package budget

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Set is a compiled list of budgets. It is one pointer wide, never changes and is safe for concurrent use. The zero
// Set is Karpenter's default: 10 % of the nodes, always, for all reasons.
type Set struct{ s *set }

type set struct {
	written  []Budget
	methods  []candidate.Reason
	pool     []compiled // those that limit the whole pool, in the order of the list
	scoped   []int      // those that limit domains, as positions in the list
	warnings []candidate.Warning
}

// A compiled budget is one as it is enforced.
type compiled struct {
	index   int // in the list
	reasons []candidate.Reason
	limit   limit
	window  schedule.Window
	scoped  bool
	broken  []candidate.Warning // if anything, it allows nothing, always
}

// A limit is a number of nodes, or a percentage.
type limit struct {
	n       int
	percent bool
}

// of returns the limit for a number of nodes: percentages round up.
func (l limit) of(nodes int) int {
	if !l.percent {
		return l.n
	}
	return nodes/100*l.n + (nodes%100*l.n+99)/100
}

var defaultSet, _ = Compile(nil)

// Compile compiles a list of budgets: nil is the default of one budget of 10 %, an empty list is no limit. Budgets
// may name further methods of the caller's own besides those of candidate.Methods.
//
// The error joins a candidate.Warning for every fault. The Set is safe to use whatever the error: a broken budget
// allows nothing for its reasons, or for all reasons where one of them is not known, and a list of more than 50
// allows nothing at all.
func Compile(budgets []Budget, methods ...candidate.Reason) (Set, error) {
	if budgets == nil {
		budgets = []Budget{{Nodes: defaultNodes}}
	}
	s := &set{written: cloneBudgets(budgets), methods: slices.Clone(methods)}
	for i, b := range budgets {
		c := checker{index: i, written: b, methods: methods}
		compiled, warnings := c.compile()
		compiled.index = i
		s.warnings = append(s.warnings, warnings...)
		if compiled.scoped {
			s.scoped = append(s.scoped, i)
		} else {
			s.pool = append(s.pool, compiled)
		}
	}
	if n := len(budgets); n > mostBudgets {
		tooMany := candidate.Warning{
			Code:    candidate.CodeInvalidBudget,
			Field:   "budgets",
			Value:   strconv.Itoa(n),
			Message: fmt.Sprintf("%d budgets are too many: write at most %d", n, mostBudgets),
		}
		s.warnings = append(s.warnings, tooMany)
		s.pool = []compiled{{index: -1, broken: []candidate.Warning{tooMany}}}
		s.scoped = nil
	}
	return Set{s}, joined(s.warnings)
}

func joined(warnings []candidate.Warning) error {
	var errs []error
	for _, w := range warnings {
		errs = append(errs, w)
	}
	return errors.Join(errs...)
}

func cloneBudgets(budgets []Budget) []Budget {
	clone := slices.Clone(budgets)
	for i := range clone {
		clone[i].Reasons = slices.Clone(clone[i].Reasons)
	}
	return clone
}

func (s Set) get() *set {
	if s.s == nil {
		return defaultSet.s
	}
	return s.s
}

// Budgets returns the list as written, the default filled in: Allowance.Binding holds positions in it.
func (s Set) Budgets() []Budget { return cloneBudgets(s.get().written) }

// Warnings returns every fault of the list.
func (s Set) Warnings() []candidate.Warning { return slices.Clone(s.get().warnings) }

// Broken returns the positions of the budgets that are broken, and allow nothing. It is empty for a list of more than
// 50, which is broken as a whole.
func (s Set) Broken() Indexes {
	var broken Indexes
	for _, b := range s.get().pool {
		if len(b.broken) > 0 {
			broken.add(b.index)
		}
	}
	return broken
}

// Scoped returns the positions of the budgets that limit single topology domains.
func (s Set) Scoped() []int { return slices.Clone(s.get().scoped) }

// knows reports whether a reason is, or is a child of, a method that the budgets can name. "" is any reason.
func (s *set) knows(reason candidate.Reason) bool {
	switch method := reason.Method(); method {
	case "", candidate.Drifted, candidate.Empty, candidate.Underutilized, candidate.Expired:
		return true
	default:
		return slices.Contains(s.methods, method)
	}
}

// covers reports whether a budget restricts a reason. Any reason ("") is restricted by every budget.
func (b *compiled) covers(reason candidate.Reason) bool {
	if len(b.reasons) == 0 || reason == "" {
		return true
	}
	for _, r := range b.reasons {
		if r.Covers(reason) {
			return true
		}
	}
	return false
}
