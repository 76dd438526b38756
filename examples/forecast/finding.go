package main

import (
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/examples/internal/manifest"
	"github.com/disruptkit/disruptkit/examples/internal/tell"
)

// A finding is what is to be said of a pool, and where it is written.
type finding struct {
	budget.Finding
	places []manifest.Place
}

// findAll returns what cannot be read, what is hinted at, and what package budget finds of the rest. Of budgets that cannot be read
// it would speak of what stands in for them.
func (p *pool) findAll(now time.Time) (all []finding) {
	for _, f := range p.Faults {
		all = append(all, finding{
			budget.Finding{
				Code: budget.FindingInvalid, Severity: budget.SeverityError, Budgets: p.budgetsOf(f),
				Message: f.Warning.Error(), Advice: "until then, nothing in the pool is disrupted",
			},
			[]manifest.Place{f.Place},
		})
	}
	for _, h := range p.Hints {
		all = append(all, finding{
			budget.Finding{Code: h.Code, Severity: budget.SeverityInfo, Budgets: p.budgetsOf(h), Message: h.Message},
			[]manifest.Place{h.Place},
		})
	}
	slices.SortStableFunc(all, func(a, b finding) int { return a.places[0].Line - b.places[0].Line })
	for _, f := range p.budgets.Lint(now, p.nodes) {
		if len(p.Faults) == 0 || f.Severity == budget.SeverityError {
			all = append(all, finding{f, p.placesOf(f)})
		}
	}
	return all
}

// placesOf returns where the budgets concerned are written; of what is broken, the field.
func (p *pool) placesOf(f budget.Finding) (places []manifest.Place) {
	for _, w := range p.budgets.Warnings() {
		said := f.Message + f.Advice
		if f.Severity == budget.SeverityError && strings.Contains(said, w.Field) && strings.Contains(said, w.Message) {
			return []manifest.Place{p.Place(w.Field)}
		}
	}
	written := len(p.Spec.Budgets) > 0
	for i := range f.Budgets.All() {
		if place := p.budgets.Place(i); written || !strings.HasPrefix(place, "budgets[") { // the default is not
			places = append(places, p.Place(place))
		}
	}
	return slices.Compact(places)
}

// broken reports whether something is broken, and lets nothing go.
func (p *pool) broken() bool {
	return len(p.Faults) > 0 || slices.ContainsFunc(p.budgets.Warnings(), tell.IsFault)
}

// fails reports whether a finding is an error.
func (p *pool) fails() bool {
	return slices.ContainsFunc(p.findings, func(f finding) bool { return f.Severity == budget.SeverityError })
}
