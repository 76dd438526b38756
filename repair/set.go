package repair

import (
	"errors"
	"regexp"
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// A Set is a compiled list of policies. It is one pointer wide, immutable and safe for concurrent use. The zero Set has
// no policies and repairs nothing.
type Set struct{ s *set }

type set struct {
	written  []Policy
	warnings []candidate.Warning // if there are any, nothing is repaired
	broken   string              // the warnings as one message
	rules    map[state][]rule    // rules with an expression, by state; has a key for the fallback's state as well
	fallback rule
}

// A state is a condition's type with its unhealthy status.
type state struct{ conditionType, status string }

// A rule is a compiled policy.
type rule struct {
	Policy
	index  int            // in the list
	rank   int            // of its priority in the list: 0 for the lowest, 1 for the next higher
	reason *regexp.Regexp // nil for the fallback
}

// Compile checks a list of policies and compiles it to a Set. The error joins a [candidate.Warning] for every fault; an
// empty list is a fault. The Set is safe to use even if there is an error: it then repairs nothing. (Karpenter:
// NewRepairPolicyMatcher; on an error, Karpenter does not start.)
func Compile(policies []Policy) (Set, error) { return compile(policies, nil) }

// compile compiles policies. Unread has the faults of policies that could not be read, by index.
func compile(policies []Policy, unread map[int][]candidate.Warning) (Set, error) {
	s := &set{written: clone(policies), rules: map[state][]rule{}}
	ranks := priorities(policies)
	var fallbacks []int
	for i, p := range s.written {
		if faults, ok := unread[i]; ok {
			s.warnings = append(s.warnings, faults...)
			continue
		}
		c := checker{index: i, Policy: p}
		r := rule{Policy: p, index: i, reason: c.check()}
		r.rank, _ = slices.BinarySearch(ranks, p.Priority)
		is := state{p.ConditionType, p.ConditionStatus}
		rules := s.rules[is]
		if p.ReasonRegex == "" {
			c.checkFallback(fallbacks)
			fallbacks = append(fallbacks, i)
			s.fallback = r
		} else {
			rules = append(rules, r)
		}
		s.rules[is] = rules // even if empty, for the fallback's state
		s.warnings = append(s.warnings, c.warnings...)
	}
	if len(fallbacks) == 0 && len(unread) == 0 {
		s.warnings = append(s.warnings, noFallback(len(policies)))
	}
	return Set{s}, s.check()
}

// check returns the faults of the list as an error.
func (s *set) check() error {
	errs := make([]error, len(s.warnings))
	for i, w := range s.warnings {
		errs[i] = w
	}
	err := errors.Join(errs...)
	if err != nil {
		s.broken = "the repair policies are invalid: " + wording.Sentence(err)
	}
	return err
}

// priorities returns the distinct priorities of a list in ascending order.
func priorities(policies []Policy) []int {
	var all []int
	for _, p := range policies {
		all = append(all, p.Priority)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// clone returns a deep copy of the policies.
func clone(policies []Policy) []Policy {
	all := slices.Clone(policies)
	for i, p := range all {
		if p.TerminationGracePeriod != nil {
			period := *p.TerminationGracePeriod
			all[i].TerminationGracePeriod = &period
		}
	}
	return all
}

// Policies returns the list as it was written. Result.Policy is an index into it.
func (s Set) Policies() []Policy {
	if s.s == nil {
		return nil
	}
	return clone(s.s.written)
}

// Warnings returns every fault of the list.
func (s Set) Warnings() []candidate.Warning {
	if s.s == nil {
		return nil
	}
	return slices.Clone(s.s.warnings)
}

// Unhealthy reports whether any policy names the type and status of one of the conditions, whatever the reason and the
// toleration. Such a node counts as unhealthy for a [Breaker]. (Karpenter: RepairPolicyMatcher.Matches.)
func (s Set) Unhealthy(conditions []Condition) bool {
	if s.s == nil {
		return false
	}
	return slices.ContainsFunc(conditions, func(c Condition) bool {
		_, ok := s.s.rules[state{c.Type, c.Status}]
		return ok
	})
}
