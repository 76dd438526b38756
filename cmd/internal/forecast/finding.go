package forecast

import (
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/cmd/manifest"
)

// A finding is what is to be said of a pool, and where it is written.
type finding struct {
	lint.Finding
	places []manifest.Place
}

// findAll returns what cannot be read, what is hinted at, and what package budget finds of the rest. Of budgets that cannot be read
// it would speak of what stands in for them.
func (p *pool) findAll(now time.Time) (all []finding) {
	found := p.lint(now)
	if len(p.Faults) > 0 {
		p, found = p.certain(now)
	}
	for _, f := range p.Faults {
		all = append(all, finding{
			lint.Finding{
				Code: lint.CodeInvalid, Severity: lint.SeverityError, Budgets: p.budgetsOf(f.Field),
				Message: f.Warning.Error(), Advice: "until then, nothing in the pool is disrupted",
			},
			[]manifest.Place{f.Place},
		})
		last := &all[len(all)-1]
		if f.Code == candidate.CodeRejected {
			last.Code = lint.CodeRejected
		}
		if f.Code == candidate.CodeRejected || p.As != engine.Disruptkit && strings.HasPrefix(f.Field, "spec.") {
			last.Advice = "until then, what was stored before stays in force"
		}
	}
	for _, d := range p.Dropped {
		f := lint.Finding{Code: lint.CodeDroppedField, Severity: lint.SeverityError, Budgets: p.budgetsOf(d.Field), Message: d.Warning.Error()}
		if strings.HasPrefix(d.Field, "metadata.") { // an annotation is stored; only the guard reads it
			f.Code, f.Severity = string(candidate.CodeNoEffect), lint.SeverityWarning
		}
		all = append(all, finding{f, []manifest.Place{d.Place}})
	}
	all = append(all, p.repeated...)
	for _, h := range p.Hints {
		all = append(all, finding{
			lint.Finding{Code: string(h.Code), Severity: lint.SeverityInfo, Budgets: p.budgetsOf(h.Field), Message: h.Message},
			[]manifest.Place{h.Place},
		})
	}
	for _, w := range p.pauseWarnings(now) {
		f := lint.Finding{Code: string(w.Code), Severity: lint.SeverityWarning, Message: w.Error()}
		all = append(all, finding{f, []manifest.Place{p.Place(annotation.Pause)}})
	}
	slices.SortStableFunc(all, func(a, b finding) int { return a.places[0].Line - b.places[0].Line })
	for _, f := range found {
		switch dropped := p.dropped(); {
		case dropped&f.Budgets != 0:
			f.Advice = "first mend the fields that Karpenter does not have: this is about what is left of the budget"
			f.Fixes = nil
		case len(f.Fixes) > 0 && (dropped != 0 || len(p.Faults) > 0):
			f.Advice, f.Fixes = "first fix "+p.firstFault(), nil
		}
		all = append(all, finding{f, p.placesOf(f)})
	}
	return all
}

// firstFault returns the field to mend before all else.
func (p *pool) firstFault() string {
	for _, f := range slices.Concat(p.Faults, p.Dropped) {
		return strings.TrimPrefix(f.Field, "spec.disruption.")
	}
	return ""
}

// dropped returns the budgets with fields that Karpenter does not have. They may be meant as freezes, and advice about
// what is left of them, such as to delete one that never decides, would lose these.
func (p *pool) dropped() (budgets budget.Indexes) {
	for _, d := range p.Dropped {
		budgets |= p.budgetsOf(d.Field)
	}
	return budgets
}

// certain returns what package budget finds of a pool with faults, whatever the faults were meant to be: whether they
// allowed everything, or nothing. It also returns the pool with what can be read of it.
func (p *pool) certain(now time.Time) (rest *pool, all []lint.Finding) {
	if len(p.Rest) == 0 {
		isLess := func(f lint.Finding) bool { return f.Severity != lint.SeverityError }
		return p, slices.DeleteFunc(p.lint(now), isLess)
	}
	loosest, tightest := p.as(p.Rest[0]), p.as(p.Rest[1])
	unread, strict := loosest.unread(), tightest.lint(now)
	for _, f := range loosest.lint(now) {
		isAlike := func(other lint.Finding) bool { return other.Code == f.Code && other.Reason == f.Reason }
		if f.Budgets&unread == 0 && slices.ContainsFunc(strict, isAlike) {
			all = append(all, f)
		}
	}
	return loosest, all
}

// as returns the pool with another spec.
func (p *pool) as(other manifest.NodePool) *pool {
	changed := *p
	changed.Spec, changed.Admitted = other.Spec, other.Admitted
	changed.compile()
	return &changed
}

// lint returns what package budget finds; where the guard runs, also what Karpenter alone makes of its own budgets.
func (p *pool) lint(now time.Time) (all []lint.Finding) {
	known := p.Known
	known.Nodes = p.nodes
	own := lint.Run(p.budgets, now, known)
	if p.As.Annotated() {
		for _, f := range lint.Run(p.theirs, now, known) {
			switch f.Code {
			case lint.CodeAlwaysActive, lint.CodeForNothing, lint.CodeCountWraps, lint.CodeInvalid:
				if slices.ContainsFunc(own, func(o lint.Finding) bool { return o.String() == f.String() }) {
					continue // both say so
				}
				if i := slices.IndexFunc(own, func(o lint.Finding) bool { return p.sameMistake(o, f) }); i >= 0 {
					own[i] = f // it blocks all reasons, and knows what the list can have: no time zone
					continue
				}
				f.Message = "to Karpenter: " + f.Message
				all = append(all, f)
			}
		}
	}
	return append(all, own...)
}

// sameMistake reports whether a budget is broken for the guard and for Karpenter because of the same fields.
func (p *pool) sameMistake(own, theirs lint.Finding) bool {
	broken := func(set budget.Set) (fields []string) {
		for _, w := range set.Warnings() {
			if p.budgetsOf(w.Field)&own.Budgets != 0 {
				fields = append(fields, w.Field)
			}
		}
		return fields
	}
	return own.Code == lint.CodeInvalid && theirs.Code == own.Code && own.Budgets == theirs.Budgets &&
		slices.Equal(broken(p.budgets), broken(p.theirs))
}

// placesOf returns where the budgets concerned are written, those first that the advice is to change; of what is broken,
// the field.
func (p *pool) placesOf(f lint.Finding) (places []manifest.Place) {
	for _, w := range slices.Concat(p.budgets.Warnings(), p.theirs.Warnings()) {
		said := f.Message + f.Advice
		if f.Severity == lint.SeverityError && strings.Contains(said, w.Field) && strings.Contains(said, w.Message) {
			return []manifest.Place{p.Place(w.Field)}
		}
	}
	written := len(p.Spec.Budgets) > 0
	for _, which := range []budget.Indexes{f.Subject, f.Budgets &^ f.Subject} {
		for i := range which.All() {
			if place := p.where(i); written || !strings.HasPrefix(place, "budgets[") { // the default is not
				places = append(places, p.Place(place))
			}
		}
	}
	return slices.Compact(places)
}

// broken reports whether something is broken, and allows nothing.
func (p *pool) broken() bool {
	return len(p.Faults) > 0 || slices.ContainsFunc(p.theirs.Warnings(), tell.IsFault) || slices.ContainsFunc(p.budgets.Warnings(), tell.IsFault)
}

// fails reports whether a finding is an error.
func (p *pool) fails() bool {
	return slices.ContainsFunc(p.findings, func(f finding) bool { return f.Severity == lint.SeverityError })
}
