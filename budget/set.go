package budget

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Set is a compiled Spec. It is one pointer wide, immutable and safe for concurrent use. The zero Set is Karpenter's
// default: 10 % of the nodes, always, for all reasons.
//
// There are two rules for which active budgets decide how many nodes may be disrupted for a reason:
//
//   - The most restrictive of all that cover it, as in karpenter.sh/v1. Every node in flight counts against all of
//     them.
//   - The most specific ones (Spec.MostSpecific, and every Spec with controls other than a Deadline): those that name
//     the reason itself; if there is none, those that name its method; else those that name nothing, which the
//     remaining reasons share. A node in flight counts only against budgets that decide for its reason; see
//     [Set.InUse]. (Disruption-controls-by-method RFC, "Clarifying Behavioral Questions".)
type Set struct{ s *set }

type set struct {
	specific  bool     // the most specific budgets decide
	written   []Budget // flattened
	places    []string // where each was written
	listed    int      // how many of them are in Spec.Budgets; those of controls come after them
	methods   []candidate.Reason
	after     patience
	deadlines patience
	pool      []compiled // budgets that limit the whole pool, in the order of the list
	scoped    []compiled // budgets that limit domains
	paces     []compiled // budgets with a pace
	pace      string     // the longest of Spec, broken ones included, in every dialect
	broken    []compiled // budgets that always allow nothing
	atTimes   []compiled // of pool: in Karpenter's dialect, broken budgets that allow nothing while active
	warnings  []candidate.Warning
	spec      Spec
	quirks    []Finding // unintended effects of budgets in Karpenter

	ascending [2][]*compiled // of pool: counts and percentages, tightest first
	constant  Indexes        // of pool: those that are always active
	alikes    []alike        // of all reasons, if the most specific decide
}

// A compiled is a budget as it is enforced.
type compiled struct {
	index   int // in the list
	reasons []candidate.Reason
	limit   limit
	window  schedule.Window
	scoped  bool
	per     time.Duration       // of a pace; 0: none
	text    string              // of a scoped budget, as written
	faults  []candidate.Warning // of a broken budget
	exempt  candidate.Reason    // a reason that no budget limits, whatever its reasons
}

// A limit is a number of nodes, or a percentage.
type limit struct {
	n       int
	percent bool
}

// of returns the limit for a number of nodes. Percentages round up. A number below 0 counts as 0.
func (l limit) of(nodes int) int {
	nodes = max(nodes, 0)
	if !l.percent {
		return l.n
	}
	return nodes/100*l.n + (nodes%100*l.n+99)/100
}

var defaultSet, _ = Compile(nil)

// Compile is [Spec.Compile] for a list of budgets: the most restrictive decide. Nil means the default of one budget of
// 10 %; an empty list means no limit.
func Compile(budgets []Budget) (Set, error) { return Spec{Budgets: budgets}.Compile() }

// Compile checks a Spec and compiles it to a Set.
//
// The error joins a candidate.Warning for every fault. The Set is safe to use even if there is an error. A broken
// budget allows nothing for its reasons, or for all reasons if one of them is unknown. A list of more than 50 budgets
// allows nothing at all. A broken disruptAfter or deadline means Never.
//
// In Karpenter's dialect, the Set allows what Karpenter allows. The error then joins a Warning for everything that has
// no effect there, that the API server rejects, or that is broken.
func (spec Spec) Compile() (Set, error) {
	s := &set{written: []Budget{}, spec: spec.clone(), pace: spec.longestPace()}
	most := mostBudgets
	if spec.Dialect == dialect.Karpenter {
		spec, s.warnings = spec.prune()
		s.warnings = append(s.warnings, spec.rejected()...)
		s.after, most = spec.karpenterPatience(), mostIndexes
	} else {
		s.methods, s.warnings = checkMethods(spec.Methods)
		after, warnings := spec.patience()
		s.after, s.warnings = after, append(s.warnings, warnings...)
		s.deadlines, warnings = spec.deadlines()
		s.warnings = append(s.warnings, warnings...)
	}
	s.specific = spec.specific()
	flat := spec.flat()
	s.listed = len(spec.list())
	for _, b := range flat {
		b.Reasons = slices.Clone(b.Reasons)
		s.written, s.places = append(s.written, b.Budget), append(s.places, b.place)
	}
	if n := len(flat); n > most {
		tooMany := candidate.Warning{
			Code:    candidate.CodeInvalidBudget,
			Field:   "budgets",
			Value:   strconv.Itoa(n),
			Message: fmt.Sprintf("%d budgets are too many: write at most %d", n, mostBudgets),
		}
		s.warnings = append(s.warnings, tooMany)
		s.broken = []compiled{{index: -1, faults: []candidate.Warning{tooMany}}}
		return Set{s}, joined(s.warnings)
	}
	for i, b := range flat {
		c := checker{index: i, place: b.place, method: b.method, written: b.Budget, methods: s.methods, calendars: spec.Calendars}
		if spec.Dialect == dialect.Karpenter {
			s.addKarpenter(&c)
			continue
		}
		compiled := c.compile()
		switch {
		case len(compiled.faults) > 0:
			s.warnings = append(s.warnings, compiled.faults...)
			s.broken = append(s.broken, compiled)
		case compiled.scoped:
			compiled.text = b.String()
			s.scoped = append(s.scoped, compiled)
		case compiled.per > 0:
			s.paces = append(s.paces, compiled)
		default:
			s.pool = append(s.pool, compiled)
		}
	}
	for i := range s.pool {
		if s.pool[i].constant() {
			s.constant.add(s.pool[i].index)
		}
	}
	s.sort()
	if s.specific {
		s.alikes = s.alike(s.reasons())
	}
	return Set{s}, joined(s.warnings)
}

// sort sorts the budgets of the pool by what they allow, whatever the number of nodes.
func (s *set) sort() {
	for i := range s.pool {
		b := &s.pool[i]
		kind := 0
		if b.limit.percent {
			kind = 1
		}
		s.ascending[kind] = append(s.ascending[kind], b)
	}
	for _, list := range s.ascending {
		slices.SortStableFunc(list, func(a, b *compiled) int { return cmp.Compare(a.limit.n, b.limit.n) })
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
	if set.specific {
		text = "the most specific of " + text
	}
	return text
}

// In returns the Set of the same Spec in another dialect.
func (s Set) In(d dialect.Dialect) Set {
	spec := s.get().spec
	if spec.Dialect == d {
		return s
	}
	spec.Dialect = d
	other, _ := spec.Compile() // other.Warnings says what is wrong
	return other
}

// MostSpecific reports whether the most specific of the active budgets decide, instead of the most restrictive.
func (s Set) MostSpecific() bool { return s.get().specific }

// Methods returns the caller's own methods, which budgets may name besides those of candidate.Methods.
func (s Set) Methods() []candidate.Reason { return slices.Clone(s.get().methods) }

// DisruptAfter returns how long a reason must hold before a node may go. 0 means at once. candidate.Forever means
// never, because of a disruptAfter, a consolidationPolicy or a consolidateAfter.
func (s Set) DisruptAfter(reason candidate.Reason) time.Duration { return s.get().after.of(reason) }

// Warnings returns every fault of the list.
func (s Set) Warnings() []candidate.Warning { return slices.Clone(s.get().warnings) }

// Broken returns the positions of the budgets that are broken, and allow nothing. It is empty for a list of more than
// 50, which is broken as a whole.
func (s Set) Broken() Indexes {
	var broken Indexes
	for _, b := range s.get().broken {
		broken.add(b.index)
	}
	return broken
}

// knows reports whether budgets can name a reason, in the spelling of the API. "" means any reason, and counts as
// known.
func (s *set) knows(reason candidate.Reason) bool {
	switch reason {
	case "", candidate.Drifted, candidate.Empty, candidate.Underutilized, candidate.Expired, candidate.Unhealthy:
		return true
	}
	parsed, err := candidate.ParseReason(string(reason), s.methods...)
	return err == nil && parsed == reason
}

// named returns the distinct reasons that budgets name.
func (s *set) named() (reasons []candidate.Reason) {
	for _, list := range [][]compiled{s.pool, s.scoped, s.paces} {
		for i := range list {
			for _, r := range list[i].reasons {
				if !slices.Contains(reasons, r) {
					reasons = append(reasons, r)
				}
			}
		}
	}
	return reasons
}

// reasons returns the methods, and the other reasons that budgets name.
func (s *set) reasons() []candidate.Reason {
	return slices.Concat(candidate.Methods(), s.methods, s.named())
}

// covers reports whether a budget limits a reason.
func (b *compiled) covers(reason candidate.Reason) bool {
	return covers(b.reasons, reason) && !b.exempts(reason)
}

// exempts reports whether no budget limits a reason.
func (b *compiled) exempts(reason candidate.Reason) bool {
	return b.exempt != "" && reason != "" && b.exempt.Covers(reason)
}

// names reports whether a budget names a reason, or a child of it.
func (b *compiled) names(reason candidate.Reason) bool {
	return slices.ContainsFunc(b.reasons, reason.Covers)
}

// covers reports whether a budget for these reasons limits a reason. A budget without reasons limits all. Every budget
// limits "", which means any reason.
func covers(reasons []candidate.Reason, reason candidate.Reason) bool {
	return rankOf(reasons, reason) != foreign
}

// A rank is how specific a budget is for a reason.
type rank int

const (
	foreign  rank = iota // it does not cover the reason
	general              // it is for all reasons
	byMethod             // it names the reason's method
	exact                // it names the reason itself
)

// rankOf returns how specific a budget for these reasons is.
func rankOf(reasons []candidate.Reason, reason candidate.Reason) rank {
	if len(reasons) == 0 || reason == "" {
		return general
	}
	best := foreign
	for _, r := range reasons {
		switch {
		case r == reason:
			return exact
		case r.Covers(reason):
			best = byMethod
		}
	}
	return best
}

// rank returns how specific a budget is for a reason, if that matters.
func (s *set) rank(b *compiled, reason candidate.Reason) rank {
	switch r := rankOf(b.reasons, reason); {
	case r == foreign || b.exempts(reason):
		return foreign
	case !s.specific:
		return general
	default:
		return r
	}
}
