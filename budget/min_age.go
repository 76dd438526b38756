package budget

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// MinAge returns how old a node must be before it may go for a reason: Control.MinAge. 0 means at once.
// candidate.Forever means never, because a MinAge is broken.
func (s Set) MinAge(reason candidate.Reason) time.Duration { return s.Limits().ages.Of(reason) }

// ages returns the minAge of each method that has one. That of "" is for all others. One that cannot be read is for
// ever, so that it lets nothing go that it was meant to hold.
func (spec Spec) ages() (p Patience, warnings []candidate.Warning) {
	for _, c := range spec.controls() {
		if c.MinAge == "" {
			continue
		}
		d, ok := parseAfter(c.MinAge)
		if !ok || d > longestDeadline {
			d = candidate.Forever
			warnings = append(warnings, candidate.Warning{
				Code: candidate.CodeInvalidBudget, Field: spec.Addition.place(c.name + ".minAge"), Value: c.MinAge,
				Message: fmt.Sprintf("minAge %.100q is not a duration of at most a year: write one such as 1h; "+
					"until then, nothing that it covers is disrupted", c.MinAge),
			})
		}
		if p == nil {
			p = Patience{}
		}
		p[c.method] = d
	}
	return p, warnings
}
