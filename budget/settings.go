package budget

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// A patience has a duration by method. That of "" is for all other methods.
type patience map[candidate.Reason]time.Duration

// of returns the duration for a reason, or another one if it has none.
func (p patience) of(reason candidate.Reason, none time.Duration) time.Duration {
	if d, ok := p[reason.Method()]; ok {
		return d
	}
	if d, ok := p[""]; ok {
		return d
	}
	return none
}

// Minimum returns how long a reason must hold, and how old a node must be, before it may be disrupted. Held is
// candidate.Forever, which means never, because of a disruptAfter, a consolidationPolicy or a consolidateAfter; Age is,
// because a minAge is invalid.
func (s Set) Minimum(reason candidate.Reason) candidate.Minimum {
	return candidate.Minimum{Held: s.get().after.of(reason, 0), Age: s.get().ages.of(reason, 0)}
}

// Deadline returns how long after a reason begins to hold a node becomes overdue: Control.Deadline, or
// candidate.Forever for never.
func (s Set) Deadline(reason candidate.Reason) time.Duration {
	return s.get().deadlines.of(reason, candidate.Forever)
}

// DeadlineOf returns when a node of the pool becomes overdue for a condition: at the condition's own deadline, or else
// at that of the pool's controls. A deadline before Since is invalid, and is returned only if the pool has none. Zero
// means never.
func (s Set) DeadlineOf(c candidate.Condition) time.Time {
	after := s.Deadline(c.Reason)
	if c.HasDeadline() || c.Since.IsZero() || after == candidate.Forever {
		return c.Deadline
	}
	return c.Since.Add(after)
}

// Overdue returns how many nodes may be disrupted at once for a reason once nodes are overdue, whatever the windows of
// budgets: the lowest limit above 0 of all budgets for the reason, paces included, active or not, or 1 if no limit is
// above 0. If the most specific budgets decide, less specific ones also count.
//
// All nodes in flight count against this number, whatever their reason, and so do nodes that are only not Ready, except
// for Unhealthy. An overdue node may also be disrupted without it, if AllowedByReason and the paces allow it. Budgets
// with a topology key do not affect the number. If a budget is invalid, or budgets cannot name the reason, nothing is
// allowed.
func (s Set) Overdue(nodes int, reason candidate.Reason) Allowance {
	c := s.get().concern(reason)
	if c.typo || c.refuse {
		return Allowance{}
	}
	least, zeros := Allowance{Nodes: Unlimited}, Allowance{Nodes: 1}
	for b := range s.get().each(c.pool.all() | c.paces.all()) {
		if n := b.Of(nodes); n > 0 {
			least.least(n, b.Index)
		} else {
			zeros.Binding.Add(b.Index)
		}
	}
	if least.Nodes == Unlimited {
		return zeros
	}
	return least
}

// readSettings reads all of the Spec but its budgets.
func (s *set) readSettings(spec Spec) {
	r := settings{Spec: spec}
	s.methods = r.methods()
	s.after, s.deadlines, s.ages = r.disruptAfter(), r.deadlines(), r.ages()
	s.warnings = append(s.warnings, r.warnings...)
	switch {
	case spec.Order == "" || spec.Order == "oldest":
	case slices.Contains(orders, spec.Order):
		s.order = spec.Order
	default:
		s.refuse(spec.Addition.place("order"), spec.Order, fmt.Sprintf("order %.100q is unknown: write one of "+
			"%s; until then, no node is allowed", spec.Order, strings.Join(orders, ", ")))
	}
	switch spec.Oversized {
	case "":
	case "alone":
		s.oversized = true
	default:
		s.refuse(spec.Addition.place("oversized"), spec.Oversized, fmt.Sprintf("oversized %.100q is unknown: write "+
			"alone, or leave it out; until then, no node is allowed", spec.Oversized))
	}
	rollouts, faults := spec.rollouts()
	s.rollouts, s.warnings = rollouts, append(s.warnings, faults...)
}

// settings reads a Spec, and collects what is wrong with it.
type settings struct {
	Spec
	warnings []candidate.Warning
}

func (s *settings) fault(field, value, format string, args ...any) {
	s.warnings = append(s.warnings, candidate.Warning{
		Code: candidate.CodeInvalidBudget, Field: s.Addition.place(field), Value: value,
		Message: fmt.Sprintf(format, args...),
	})
}

// methods returns the methods that are valid names and not among candidate.Methods. A budget that names one of the
// others is invalid.
func (s *settings) methods() (good []candidate.Reason) {
	for i, m := range s.Methods {
		known, err := candidate.ParseReason(string(m), m)
		builtin, _ := candidate.ParseReason(string(m))
		if builtin == "" && err == nil && known == m && m == m.Method() {
			good = append(good, m)
			continue
		}
		s.warnings = append(s.warnings, candidate.Warning{
			Code: candidate.CodeUnknownReason, Field: fmt.Sprintf("methods[%d]", i), Value: string(m),
			Message: fmt.Sprintf("%.100q cannot be a custom method: write a new word without / and :", m),
		})
	}
	return good
}

// disruptAfter returns how long each method must hold.
func (s *settings) disruptAfter() patience {
	p := patience{}
	for _, c := range s.controls() {
		d, ok := parseAfter(c.DisruptAfter)
		if !ok {
			s.fault(c.name+".disruptAfter", c.DisruptAfter, "disruptAfter %.100q is not a duration: write one such as "+
				"30m or 1h, or Never; until then, nothing that it covers is disrupted", c.DisruptAfter)
		}
		if c.DisruptAfter != "" {
			p[c.method] = d
		}
		if c.ConsolidationPolicy != "" && c.method != candidate.Underutilized {
			s.fault(c.name+".consolidationPolicy", c.ConsolidationPolicy,
				"consolidationPolicy %.100q belongs to consolidation: write it there", c.ConsolidationPolicy)
		}
	}
	never := s.policy("consolidationPolicy", s.ConsolidationPolicy)
	for _, c := range s.controls() {
		never = s.policy(c.name+".consolidationPolicy", c.ConsolidationPolicy) || never
	}
	if never {
		p[candidate.Underutilized] = candidate.Forever
	}
	d, ok := parseAfter(s.ConsolidateAfter)
	if !ok {
		s.fault("consolidateAfter", s.ConsolidateAfter, "consolidateAfter %.100q is not a duration: write one such as "+
			"30s, or Never; until then, it is treated as Never", s.ConsolidateAfter)
	}
	if d == candidate.Forever {
		p[candidate.Underutilized], p[candidate.Empty] = candidate.Forever, candidate.Forever
	}
	return p
}

// policy reports whether a consolidationPolicy keeps nodes from being disrupted for Underutilized. An invalid one does.
func (s *settings) policy(field, policy string) (never bool) {
	switch policy {
	case "", "WhenEmptyOrUnderutilized", "Balanced", "WhenUnderutilized": // the last is of karpenter.sh/v1beta1
		return false
	case "WhenEmpty":
	default:
		s.fault(field, policy, "consolidationPolicy %.100q is unknown: write WhenEmpty, WhenEmptyOrUnderutilized or "+
			"Balanced; until then, it is treated as WhenEmpty", policy)
	}
	return true
}

// ages returns how old nodes must be for each method. An invalid minAge is for ever, so that it blocks what it covers.
func (s *settings) ages() patience {
	p := patience{}
	for _, c := range s.controls() {
		if c.MinAge == "" {
			continue
		}
		d, ok := parseAfter(c.MinAge)
		if !ok || d > wording.Year {
			d = candidate.Forever
			s.fault(c.name+".minAge", c.MinAge, "minAge %.100q is not a duration of at most a year: write one such as "+
				"1h; until then, nothing that it covers is disrupted", c.MinAge)
		}
		p[c.method] = d
	}
	return p
}

// deadlines returns the deadline of each method; candidate.Forever means none. An invalid one is ignored.
func (s *settings) deadlines() patience {
	p := patience{}
	for _, c := range s.controls() {
		if c.method != "" && c.Deadline == "" && c.DisruptAfter == "" {
			continue // those of Defaults hold, and their faults are reported there
		}
		deadline := c.setting("deadline", c.Deadline, s.Defaults.Deadline)
		if deadline.text == "" {
			continue
		}
		d, fault := deadline.from(c.setting("disruptAfter", c.DisruptAfter, s.Defaults.DisruptAfter))
		if fault != "" {
			s.fault(deadline.field, deadline.text, "deadline %.100q %s; until then, windows and paces hold as if "+
				"there were no deadline", deadline.text, fault)
		}
		p[c.method] = d
	}
	return p
}

// A setting is a value of a control, or, if the control has none, that of Spec.Defaults.
type setting struct {
	text  string
	field string
	own   bool
}

func (c namedControl) setting(name, own, defaults string) setting {
	if own == "" {
		return setting{defaults, "defaults." + name, false}
	}
	return setting{own, c.name + "." + name, true}
}

// from returns a deadline for nodes that may be disrupted after some time, and its fault. A fault of an inherited
// deadline alone is reported once, for Defaults.
func (deadline setting) from(after setting) (d time.Duration, fault string) {
	const never = candidate.Forever
	d, ok := parseAfter(deadline.text)
	earliest, understood := parseAfter(after.text)
	switch {
	case d == never && ok || !understood && 0 < d && d <= wording.Year:
		return never, ""
	case d > wording.Year:
		fault = "is not a duration of at most a year: write one such as 336h, or Never"
	case d == 0:
		fault = "is zero, and windows would never hold: write how long they hold at most, such as 336h"
	case earliest == never:
		fault = "has no effect, since " + after.field + " is Never: leave one of them out"
	case d < earliest:
		return never, fmt.Sprintf("comes before %s %.100q has passed: write a longer one", after.field, after.text)
	default:
		return d, ""
	}
	if !deadline.own {
		fault = ""
	}
	return never, fault
}

// parseAfter parses a duration or "Never". Anything else means for ever.
func parseAfter(text string) (d time.Duration, ok bool) {
	switch text {
	case "":
		return 0, true
	case "Never":
		return candidate.Forever, true
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return candidate.Forever, false
	}
	return d, true
}

// orders are the values of Spec.Order.
var orders = []string{"oldest", "newest", "cheapest", "rank"}

// Order returns the order in which nodes are disrupted: "newest", "cheapest", "rank", or "" for the oldest first.
func (s Set) Order() string { return s.get().order }

// Oversized reports whether a unit that is larger than a limit may be disrupted while no other node uses it up.
func (s Set) Oversized() bool { return s.get().oversized }

// Compare compares two nodes by Order, given since when their reasons hold.
func (s Set) Compare(a, b *candidate.Node, since, other time.Time) int {
	switch s.Order() {
	case "newest":
		return other.Compare(since)
	case "cheapest":
		return cmp.Compare(a.Cost, b.Cost)
	case "rank":
		return cmp.Compare(a.Rank, b.Rank)
	}
	return since.Compare(other)
}
