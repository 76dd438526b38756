package budget

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Set is a compiled Spec. It is one pointer wide, immutable and safe for concurrent use. The zero Set is Karpenter's
// default: 10 % of the nodes, always, for all reasons.
//
// If the most restrictive budgets decide, as in karpenter.sh/v1, every node in flight counts against all of them. If
// the most specific ones do (Spec.MostSpecific), a node in flight counts only against budgets that decide for its
// reason, so that drift in flight does not use up the budget for consolidation. A node in flight for a method counts
// for all its children, since its child is unknown. (Disruption-controls-by-method RFC, "Clarifying Behavioral
// Questions".)
//
// Nodes in flight for an unknown reason count against every budget. So do nodes that are only not Ready, except for
// Unhealthy: otherwise they would block their own repair.
type Set struct{ s *set }

type set struct {
	spec     Spec
	written  []Budget // flattened
	places   []string // where each was written
	warnings []candidate.Warning
	other    atomic.Pointer[set] // a cache: the last result of In

	specific  bool               // the most specific budgets decide, not the most restrictive
	methods   []candidate.Reason // the caller's own
	after     patience           // how long reasons must hold before a node may be disrupted
	ages      patience           // how old nodes must be before they may be disrupted
	deadlines patience           // how long after they begin to hold nodes are overdue
	order     string             // as Order returns it
	oversized bool               // as Oversized returns it
	rollouts  []WaveLimits       // at most one for each method

	limits                      []Limit
	shares                      []*Limit // the guaranteed budgets, which limit nothing by themselves
	naming                      []*Limit // limits, then shares
	pool, scoped, paces, broken Indexes  // positions of limits by kind
	constant, soaks, spreads    Indexes  // of pool: always active, with a soak, and with a spread
	ascending                   []*Limit // of pool, the tightest first, so that fewer windows are computed
	concerns                    map[candidate.Reason]concern
	unions                      atomic.Pointer[[]union] // a cache: see union
}

var defaultSet, _ = Compile(nil)

// Compile is [Spec.Compile] for a list of budgets: the most restrictive decide. Nil means the default of one budget of
// 10 %; an empty list means no limit.
func Compile(budgets []Budget) (Set, error) { return Spec{Budgets: budgets}.Compile() }

// Compile checks a Spec and compiles it to a Set.
//
// The error joins a candidate.Warning for every fault. The Set is safe to use even if there is an error. An invalid
// budget allows nothing for its reasons, or for all reasons if one of them is unknown. A list of more than 50 budgets
// and an unknown Order or Oversized allow nothing at all. An invalid disruptAfter, minAge or rollout blocks everything
// that it covers, and an invalid deadline has no effect.
//
// In Karpenter's dialect, the Set allows what Karpenter allows. If there are fields that karpenter.sh/v1 does not have,
// they are ignored, and the error has one Warning (candidate.CodeNoEffect) for all of them. Package budget/admission
// lists what the API server drops and rejects.
func (spec Spec) Compile() (Set, error) {
	s := &set{written: []Budget{}, spec: spec.clone()}
	karpenter, most := spec.Dialect == dialect.Karpenter, mostBudgets
	if karpenter {
		pruned := spec.prune()
		if !reflect.DeepEqual(pruned, spec) {
			s.warnings = append(s.warnings, candidate.Warning{Code: candidate.CodeNoEffect,
				Message: "fields that karpenter.sh/v1 does not have are ignored: admission.Warnings lists them"})
		}
		spec = pruned
		s.after, most = spec.karpenterPatience(), mostIndexes
	} else {
		s.readSettings(spec)
	}
	s.specific = spec.specific()
	flat := spec.flat()
	for _, b := range flat {
		b.Reasons = slices.Clone(b.Reasons)
		s.written, s.places = append(s.written, b.Budget), append(s.places, b.place)
	}
	if n := len(flat); n > most {
		flat = nil
		s.refuse("budgets", strconv.Itoa(n), fmt.Sprintf("%d budgets are too many: write at most %d", n, mostBudgets))
	}
	for i, b := range flat {
		c := checker{placed: b, index: i, methods: s.methods, calendars: spec.Calendars, unread: spec.Unread,
			limits: s.limits, shares: s.shares, specific: s.specific}
		compile := c.compile
		if karpenter {
			compile = c.compileAsKarpenter
		}
		switch b, limits := compile(); {
		case b.guaranteed:
			b.set, s.shares = s, append(s.shares, &b)
		case limits:
			s.limits = append(s.limits, b)
		}
		s.warnings = append(s.warnings, c.warnings...)
	}
	s.sort()
	return Set{s}, candidate.Err(s.warnings)
}

// refuse adds a fault of the list as a whole, which allows nothing.
func (s *set) refuse(field, value, message string) {
	fault := candidate.Warning{Code: candidate.CodeInvalidBudget, Field: field, Value: value, Message: message}
	s.warnings = append(s.warnings, fault)
	s.limits = append(s.limits, Limit{Index: -1, Faults: []candidate.Warning{fault}})
}

// sort sorts the limits by kind and by the reasons that they affect.
func (s *set) sort() {
	for i := range s.limits {
		b := &s.limits[i]
		b.set, s.naming = s, append(s.naming, b)
		switch {
		case b.Broken():
			s.broken.Add(b.Index)
		case b.Key != "":
			s.scoped.Add(b.Index)
		case b.Per > 0:
			s.paces.Add(b.Index)
		default:
			s.pool.Add(b.Index)
		}
	}
	s.naming = append(s.naming, s.shares...)
	s.constant = s.which(func(b *Limit) bool { return b.Window == schedule.Window{} }) & s.pool
	s.soaks = s.which(func(b *Limit) bool { return b.Soak > 0 }) & s.pool
	s.spreads = s.which(func(b *Limit) bool { return b.Spread > 0 }) & s.pool
	s.ascending = s.list(s.pool)
	slices.SortStableFunc(s.ascending, func(a, b *Limit) int { return cmp.Compare(a.Of(100), b.Of(100)) })
	concerns := map[candidate.Reason]concern{}
	for _, r := range slices.Concat(candidate.Methods(), s.methods, s.named()) {
		concerns[r] = s.concern(r)
	}
	s.concerns = concerns
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
	other, _ := spec.Compile() // other.Warnings has the faults
	set.other.Store(other.s)
	return other
}

// MostSpecific reports whether the most specific of the active budgets decide, instead of the most restrictive.
func (s Set) MostSpecific() bool { return s.get().specific }

// Methods returns the caller's own methods, which budgets may name besides those of candidate.Methods.
func (s Set) Methods() []candidate.Reason { return slices.Clone(s.get().methods) }

// Warnings returns every fault of the list.
func (s Set) Warnings() []candidate.Warning { return slices.Clone(s.get().warnings) }

// Broken returns the positions of the budgets that are invalid, and allow nothing. A list of more than 50, or one with
// an unknown Order, is invalid as a whole, even if Broken returns none.
func (s Set) Broken() Indexes { return s.get().broken }

// Rollouts returns the waves in which nodes are disrupted, at most one for each method.
func (s Set) Rollouts() []WaveLimits { return s.get().rollouts }

// Spec returns the Spec of the Set.
func (s Set) Spec() Spec { return s.get().spec.clone() }
