package budget

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// longestDeadline is a year, as for Budget.Per.
const longestDeadline = 366 * 24 * time.Hour

// Deadline returns how long after a reason begins to hold a node becomes overdue: Control.Deadline, or
// candidate.Forever for never.
func (s Set) Deadline(reason candidate.Reason) time.Duration {
	return s.Limits().Deadlines.OrNever(reason)
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
// above 0. If the most specific budgets decide, less specific ones count, too.
//
// All nodes in flight count against this number, whatever their reason, and so do nodes that are only not Ready, except
// for Unhealthy. An overdue node may also go without it, if AllowedByReason and the paces let it go. Budgets with a
// topology key do not affect the number. Broken budgets, and a reason that no budget can know, allow nothing: overdue
// nodes wait until somebody fixes that.
func (s Set) Overdue(nodes int, reason candidate.Reason) Allowance {
	return s.Limits().Overdue(nodes, reason)
}

// deadlines returns the deadline of each method that has one. That of "" is for all others. candidate.Forever means
// none.
func (spec Spec) deadlines() (p Patience, warnings []candidate.Warning) {
	for _, c := range spec.controls() {
		deadline, disruptAfter := inherited(c.Deadline, spec.Defaults.Deadline),
			inherited(c.DisruptAfter, spec.Defaults.DisruptAfter)
		inherits := c.method != "" && !deadline.own && !disruptAfter.own // it is told of Defaults
		if inherits || deadline.text == "" {
			continue
		}
		if p == nil {
			p = Patience{}
		}
		d, fault := deadlineOf(c.name, deadline, disruptAfter)
		if fault != "" {
			warnings = append(warnings, candidate.Warning{
				Code: candidate.CodeInvalidBudget, Field: spec.Addition.place(deadline.field(c.name, "deadline")),
				Value:   deadline.text,
				Message: fault + "; until then, windows and paces hold as if there were no deadline",
			})
		}
		p[c.method] = d
	}
	return p, warnings
}

// A setting is a value of a control, or, if the control has none, that of Spec.Defaults.
type setting struct {
	text string
	own  bool
}

func inherited(own, defaults string) setting {
	if own == "" {
		return setting{defaults, false}
	}
	return setting{own, true}
}

// field returns where a setting of a control is written.
func (s setting) field(control, name string) string {
	if s.own {
		return control + "." + name
	}
	return "defaults." + name
}

// deadlineOf returns the deadline of a control, and what is wrong with it. An invalid deadline is ignored. What is
// wrong with an inherited deadline alone is told once, of Defaults.
func deadlineOf(control string, deadline, disruptAfter setting) (d time.Duration, fault string) {
	const never = candidate.Forever
	d, ok := parseAfter(deadline.text)
	after, understood := parseAfter(disruptAfter.text)
	switch {
	case d == never && ok:
		return never, ""
	case d > longestDeadline && deadline.own:
		return never, fmt.Sprintf("deadline %.100q is not a duration of at most a year: write one such as 336h, "+
			"or Never", deadline.text)
	case d == 0 && deadline.own:
		return never, fmt.Sprintf("deadline %.100q is zero, and windows would never hold: write how long they "+
			"hold at most, such as 336h", deadline.text)
	case d > longestDeadline || d == 0 || !understood:
		return never, ""
	case after == never && deadline.own:
		return never, fmt.Sprintf("deadline %.100q has no effect, since %s is Never: leave one of them out",
			deadline.text, disruptAfter.field(control, "disruptAfter"))
	case after == never:
		return never, ""
	case d < after:
		return never, fmt.Sprintf("deadline %.100q comes before %s %.100q lets a node go: write a longer one",
			deadline.text,
			disruptAfter.field(control, "disruptAfter"), disruptAfter.text)
	}
	return d, ""
}
