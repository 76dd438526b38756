package budget

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// A Set is a compiled Spec. It is one pointer wide, immutable and safe for concurrent use. The zero Set is Karpenter's
// default: 10 % of the nodes, always, for all reasons.
//
// There are two rules for which active budgets decide how many nodes may be disrupted for a reason:
//
//   - The most restrictive of all that cover it, as in karpenter.sh/v1. Every node in flight counts against all of
//     them.
//   - The most specific ones (Spec.MostSpecific): those that name the reason itself; if there is none, those that name
//     its method; else those that name nothing, which the remaining reasons share. A node in flight counts only against
//     budgets that decide for its reason, so that drift in flight does not use up the budget for consolidation. A node
//     that goes for a method counts for all its children, since its child is unknown. (Disruption-controls-by-method
//     RFC, "Clarifying Behavioral Questions".)
//
// Nodes in flight for an unknown reason count against every budget. So do nodes that are only not Ready, except for
// Unhealthy, because they would block their own repair.
type Set struct{ s *set }

type set struct {
	written  []Budget // flattened
	places   []string // where each was written
	texts    []string // how each is described that limits domains; "" for the others
	warnings Faults
	spec     Spec
	compiled Limits
	other    atomic.Pointer[set] // the one that In has last compiled; it changes no answer
}

var defaultSet, _ = Compile(nil)

// Compile is [Spec.Compile] for a list of budgets: the most restrictive decide. Nil means the default of one budget of
// 10 %; an empty list means no limit.
func Compile(budgets []Budget) (Set, error) { return Spec{Budgets: budgets}.Compile() }

// Compile checks a Spec and compiles it to a Set.
//
// The error joins a candidate.Warning for every fault. The Set is safe to use even if there is an error. A broken
// budget allows nothing for its reasons, or for all reasons if one of them is unknown. A list of more than 50 budgets
// and an unknown Order allow nothing at all. A broken disruptAfter, minAge or rollout lets nothing go that it covers,
// and a broken deadline has no effect.
//
// In Karpenter's dialect, the Set allows what Karpenter allows. The error then joins a Warning for everything that has
// no effect there, that the API server rejects, or that is broken.
func (spec Spec) Compile() (Set, error) {
	s := &set{written: []Budget{}, spec: spec.clone()}
	c := &s.compiled
	c.Longest = spec.longestPace()
	most := mostBudgets
	if !dialect.AnyBudgetField.In(spec.Dialect) {
		spec, s.warnings = spec.prune()
		s.warnings = append(s.warnings, spec.rejected()...)
		c.After, most = spec.karpenterPatience(), MostIndexes
	} else {
		c.Methods, s.warnings = checkMethods(spec.Methods)
		after, warnings := spec.patience()
		c.After, s.warnings = after, append(s.warnings, warnings...)
		c.Deadlines, warnings = spec.deadlines()
		s.warnings = append(s.warnings, warnings...)
		c.ages, warnings = spec.ages()
		s.warnings = append(s.warnings, warnings...)
		c.Order, c.Broken = spec.order()
		for _, b := range c.Broken {
			s.warnings = append(s.warnings, b.Faults...)
		}
		c.Rollouts, warnings = spec.rollouts()
		s.warnings = append(s.warnings, warnings...)
	}
	c.Specific = spec.specific()
	flat := spec.flat()
	c.Listed = len(spec.list())
	for _, b := range flat {
		b.Reasons = slices.Clone(b.Reasons)
		s.written, s.places = append(s.written, b.Budget), append(s.places, b.place)
	}
	s.texts = make([]string, len(flat))
	if n := len(flat); n > most {
		tooMany := candidate.Warning{
			Code:    candidate.CodeInvalidBudget,
			Field:   "budgets",
			Value:   strconv.Itoa(n),
			Message: fmt.Sprintf("%d budgets are too many: write at most %d", n, mostBudgets),
		}
		s.warnings = append(s.warnings, tooMany)
		c.Broken = append(c.Broken, Limit{Index: -1, Faults: []candidate.Warning{tooMany}})
		return Set{s}, s.warnings.Err()
	}
	for i, b := range flat {
		checker := checker{index: i, place: b.place, method: b.method, written: b.Budget, methods: c.Methods,
			calendars: spec.Calendars, unread: spec.Unread}
		if !dialect.AnyBudgetField.In(spec.Dialect) {
			s.addKarpenter(&checker)
		} else {
			s.add(checker.compile())
		}
	}
	c.prepare()
	return Set{s}, s.warnings.Err()
}

// add adds a budget to those of its kind.
func (s *set) add(b Limit) {
	c := &s.compiled
	switch {
	case len(b.Faults) > 0:
		s.warnings = append(s.warnings, b.Faults...)
		c.Broken = append(c.Broken, b)
	case b.Key != "":
		s.texts[b.Index] = s.written[b.Index].String()
		c.Scoped = append(c.Scoped, b)
	case b.Per > 0:
		c.Paces = append(c.Paces, b)
	default:
		c.Pool = append(c.Pool, b)
	}
}

// checkMethods returns the methods that are valid names and not among candidate.Methods. A budget that names one of the
// others is broken.
func checkMethods(methods []candidate.Reason) (good []candidate.Reason, warnings []candidate.Warning) {
	for i, m := range methods {
		known, err := candidate.ParseReason(string(m), m)
		if err == nil && known == m && m == m.Method() && !slices.Contains(candidate.Methods(), m) {
			good = append(good, m)
			continue
		}
		warnings = append(warnings, candidate.Warning{
			Code: candidate.CodeUnknownReason, Field: fmt.Sprintf("methods[%d]", i), Value: string(m),
			Message: fmt.Sprintf("%.100q cannot be a custom method: write a new word without / and :", m),
		})
	}
	return good, warnings
}

func cloneBudgets(budgets []Budget) []Budget {
	clone := slices.Clone(budgets)
	for i := range clone {
		clone[i].Reasons = slices.Clone(clone[i].Reasons)
	}
	return clone
}

// Limits returns the budgets as they are enforced: how many nodes may go, how many may start, what is in use, and until
// when that holds. A decision asks them, and so do reports and lint.
func (s Set) Limits() *Limits { return &s.get().compiled }

func (s Set) get() *set {
	if s.s == nil {
		return defaultSet.s
	}
	return s.s
}

// Budgets returns the list as written, with the default filled in. Allowance.Binding has positions in it. The budgets
// of controls follow, in the order of the controls in Spec, with the reasons that they are for. (If the Spec had no
// faults, compiling this list again with the same Calendars gives the same Set.)
func (s Set) Budgets() []Budget { return cloneBudgets(s.get().written) }

// Place returns where a budget is written: "budgets[0]", "drift.budgets[0]" in the control for drift, or
// "disruptkit.dev/disruption budgets[0]" in an [Addition]. I is its position in Budgets.
func (s Set) Place(i int) string {
	if places := s.get().places; 0 <= i && i < len(places) {
		return places[i]
	}
	return fmt.Sprintf("budgets[%d]", i)
}

// String lists the budgets on one line, with their places: "budgets[0] is 10%, budgets[1] is 0 (Drifted; 0 9 * *
// mon-fri for 8h, UTC)". It marks broken budgets.
func (s Set) String() string {
	set := s.get()
	if len(set.written) == 0 {
		return "no budgets: nothing is limited"
	}
	broken := s.Broken()
	var texts []string
	for i, b := range set.written {
		text := s.Place(i) + " is " + b.String()
		if broken.Has(i) {
			text += ", which is invalid and allows nothing"
		}
		texts = append(texts, text)
	}
	text := strings.Join(texts, ", ")
	if set.compiled.Specific {
		text = "the most specific of " + text
	}
	return text
}

// In returns the Set of the same Spec in another dialect. It compiles it only once.
func (s Set) In(d dialect.Dialect) Set {
	set := s.get()
	if set.spec.Dialect == d {
		return s
	}
	if other := set.other.Load(); other != nil && other.spec.Dialect == d {
		return Set{other}
	}
	spec := set.spec
	spec.Dialect = d
	other, _ := spec.Compile() // other.Warnings says what is wrong
	set.other.Store(other.s)
	return other
}

// MostSpecific reports whether the most specific of the active budgets decide, instead of the most restrictive.
func (s Set) MostSpecific() bool { return s.get().compiled.Specific }

// Methods returns the caller's own methods, which budgets may name besides those of candidate.Methods.
func (s Set) Methods() []candidate.Reason { return slices.Clone(s.get().compiled.Methods) }

// DisruptAfter returns how long a reason must hold before a node may go. 0 means at once. candidate.Forever means
// never, because of a disruptAfter, a consolidationPolicy or a consolidateAfter.
func (s Set) DisruptAfter(reason candidate.Reason) time.Duration {
	return s.get().compiled.After.Of(reason)
}

// Warnings returns every fault of the list.
func (s Set) Warnings() []candidate.Warning { return slices.Clone(s.get().warnings) }

// Broken returns the positions of the budgets that are broken, and allow nothing. A list of more than 50 is broken as a
// whole, and so is one whose Order is unknown: none of its budgets has to be.
func (s Set) Broken() Indexes {
	var broken Indexes
	for _, b := range s.get().compiled.Broken {
		broken.Add(b.Index)
	}
	return broken
}

// Spec returns what the Set was compiled from.
func (s Set) Spec() Spec { return s.get().spec.clone() }
