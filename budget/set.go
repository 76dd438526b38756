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
	scoped   []compiled // those that limit domains
	warnings []candidate.Warning
}

// A compiled budget is one as it is enforced.
type compiled struct {
	index   int // in the list
	reasons []candidate.Reason
	limit   limit
	window  schedule.Window
	scoped  bool
	text    string              // of one that is scoped, as written
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

// A Spec is what of a NodePool's spec.disruption says how many nodes may be disrupted. The zero Spec is Karpenter's
// default. It decodes from and encodes to the JSON of karpenter.sh/v1; an explicitly empty list of budgets stays one.
type Spec struct {
	// Budgets nil is one budget of 10 %, an empty list is no limit.
	Budgets []Budget `json:"budgets,omitzero"`
	// Methods are the caller's own, which budgets may name besides those of candidate.Methods.
	Methods []candidate.Reason `json:"-"`
}

// Compile compiles a list of budgets, as Spec.Compile does. Nil is the default of one budget of 10 %, an empty list is
// no limit.
func Compile(budgets []Budget) (Set, error) { return Spec{Budgets: budgets}.Compile() }

// Compile checks a Spec and makes a Set of it.
//
// The error joins a candidate.Warning for every fault. The Set is safe to use whatever the error: a broken budget
// allows nothing for its reasons, or for all reasons where one of them is not known, and a list of more than 50
// allows nothing at all.
func (spec Spec) Compile() (Set, error) {
	if spec.Budgets == nil {
		spec.Budgets = []Budget{{Nodes: defaultNodes}}
	}
	s := &set{written: cloneBudgets(spec.Budgets)}
	s.methods, s.warnings = checkMethods(spec.Methods)
	if n := len(spec.Budgets); n > mostBudgets {
		tooMany := candidate.Warning{
			Code:    candidate.CodeInvalidBudget,
			Field:   "budgets",
			Value:   strconv.Itoa(n),
			Message: fmt.Sprintf("%d budgets are too many: write at most %d", n, mostBudgets),
		}
		s.warnings = append(s.warnings, tooMany)
		s.pool = []compiled{{index: -1, broken: []candidate.Warning{tooMany}}}
		return Set{s}, joined(s.warnings)
	}
	for i, b := range spec.Budgets {
		c := checker{index: i, written: b, methods: s.methods}
		compiled := c.compile()
		s.warnings = append(s.warnings, compiled.broken...)
		if compiled.scoped {
			compiled.text = b.String()
			s.scoped = append(s.scoped, compiled)
		} else {
			s.pool = append(s.pool, compiled)
		}
	}
	return Set{s}, joined(s.warnings)
}

// checkMethods returns the methods that can be told from all others. A budget that names one of the rest is broken.
func checkMethods(methods []candidate.Reason) (good []candidate.Reason, warnings []candidate.Warning) {
	for i, m := range methods {
		known, err := candidate.ParseReason(string(m), m)
		if err == nil && known == m && m == m.Method() && !slices.Contains(candidate.Methods(), m) {
			good = append(good, m)
			continue
		}
		warnings = append(warnings, candidate.Warning{
			Code: candidate.CodeUnknownReason, Field: fmt.Sprintf("methods[%d]", i), Value: string(m),
			Message: fmt.Sprintf("%.100q cannot be a method of your own: write a new word without / and :", m),
		})
	}
	return good, warnings
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

// knows reports whether a reason is one that the budgets can name, in the spelling of the API. "" is any reason.
func (s *set) knows(reason candidate.Reason) bool {
	switch reason {
	case "", candidate.Drifted, candidate.Empty, candidate.Underutilized, candidate.Expired:
		return true
	}
	parsed, err := candidate.ParseReason(string(reason), s.methods...)
	return err == nil && parsed == reason
}

// covers reports whether a budget restricts a reason.
func (b *compiled) covers(reason candidate.Reason) bool { return covers(b.reasons, reason) }

// covers reports whether a budget for these reasons, or for all if there are none, restricts a reason. Any reason ("")
// is restricted by every budget.
func covers(reasons []candidate.Reason, reason candidate.Reason) bool {
	if len(reasons) == 0 || reason == "" {
		return true
	}
	for _, r := range reasons {
		if r.Covers(reason) {
			return true
		}
	}
	return false
}
