// Package law has laws that more than one kind of decision obeys.
package law

import (
	"fmt"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit"
)

// ChangesEarly returns what is wrong if a decision changes before its NextChange although its input does not: the law
// of Decision.NextChange.
func ChangesEarly(in disruptkit.Input, decide func(disruptkit.Input) disruptkit.Decision) (fault string) {
	in = Present(in)
	d := decide(in)
	before, next := state(d), d.NextChange
	switch {
	case in.Now.IsZero() || next.IsZero():
		next = in.Now.AddDate(1, 0, 0)
	case !next.After(in.Now):
		return fmt.Sprintf("the next change is at %v, and it is %v", next, in.Now)
	}
	for now, left := in.Now, next.Sub(in.Now); left > 0; left /= 16 { // ever closer to the change
		in.Now = now.Add(next.Sub(now) - left/2 - 1)
		if !in.Now.After(now) {
			continue
		}
		if then := state(decide(in)); then != before {
			return fmt.Sprintf("the next change after %v is at %v, but at %v\n%sis\n%s",
				now, d.NextChange, in.Now, before, then)
		}
	}
	return ""
}

// Present returns the input without facts that are dated after now, which become others as time passes.
func Present(in disruptkit.Input) disruptkit.Input {
	in.Nodes = slices.Clone(in.Nodes)
	for i := range in.Nodes {
		n := &in.Nodes[i]
		n.Conditions = slices.Clone(n.Conditions)
		for j := range n.Conditions {
			if n.Conditions[j].Since.After(in.Now) {
				n.Conditions[j].Since = in.Now
			}
		}
		if n.ReadySince.After(in.Now) {
			n.ReadySince = in.Now
		}
		if n.Created.After(in.Now) {
			n.Created = in.Now
		}
	}
	in.Memory = disruptkit.Decide(in, "").Memory // corrects what a wrong clock wrote
	return in
}

// state describes what is allowed, what blocks the others, and the numbers, without times.
func state(d disruptkit.Decision) string {
	var s strings.Builder
	for _, c := range slices.Concat(d.Allowed, d.Blocked) {
		fmt.Fprint(&s, c.Node, " ", c.Reason)
		for _, b := range c.Blockers {
			fmt.Fprint(&s, " ", b.Gate, "/", b.Code)
		}
		s.WriteByte('\n')
	}
	for _, p := range d.Pools {
		fmt.Fprintln(&s, p.Pool, p.Reason, p.Allowance.Nodes, p.MayStart.Nodes, p.Disrupting)
	}
	return s.String()
}
