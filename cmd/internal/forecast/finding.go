package forecast

import (
	"cmp"
	"fmt"
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
	"github.com/disruptkit/disruptkit/internal/wording"
)

// A Finding is one of a NodePool, and where it is written.
type Finding struct {
	lint.Finding
	Pool   string              // "" where it cannot be read what it is
	Places []manifest.Place    // none: it is of the default, which is not written
	in     *pool               // nil: none
	typos  []candidate.Warning // single values with an obvious reading, which its fix writes
}

// findAll returns what cannot be read, what is hinted at, and what package budget finds of the rest. Of budgets that cannot be read
// it would speak of what stands in for them.
func (p *pool) findAll(now time.Time) (all []Finding) {
	whole, found := p, p.lint(now)
	if len(p.Faults) > 0 {
		p, found = p.certain(now)
	}
	add := func(code string, severity lint.Severity, w manifest.Fault, message, advice string) *Finding {
		f := lint.Finding{Code: code, Severity: severity, Budgets: p.budgetsOf(w.Field), Message: message, Advice: advice}
		all = append(all, Finding{Finding: f, Places: []manifest.Place{w.Place}})
		return &all[len(all)-1]
	}
	const stored = "until then, what was stored before stays in force"
	isRejected := slices.ContainsFunc(p.Faults, func(f manifest.Fault) bool { return f.Code == candidate.CodeRejected })
	for _, f := range p.Faults {
		code, advice := lint.CodeInvalid, "until then, nothing in the pool is disrupted"
		if f.Code == candidate.CodeRejected {
			code = lint.CodeRejected
		}
		if isRejected || p.As != engine.Disruptkit && strings.HasPrefix(f.Field, "spec.") {
			advice = stored
		}
		p.correct(add(code, lint.SeverityError, f, f.Warning.Error(), advice), f.Warning)
	}
	for _, f := range p.Refused {
		p.correct(add(lint.CodeRejected, lint.SeverityError, f, f.Warning.Error(), stored), f.Warning)
	}
	for _, d := range p.droppedFields(now) {
		code, severity := lint.CodeDroppedField, lint.SeverityError
		if strings.HasPrefix(d.Field, "metadata.") { // an annotation is stored; only the guard reads it
			code, severity = string(candidate.CodeNoEffect), lint.SeverityWarning
		}
		add(code, severity, d, d.Warning.Error(), "")
	}
	all = append(all, p.repeated...)
	for _, h := range p.Hints {
		add(string(h.Code), lint.SeverityInfo, h, h.Message, "")
	}
	for _, w := range p.pauseWarnings(now) {
		add(string(w.Code), lint.SeverityWarning, manifest.Fault{Place: p.Place(annotation.Pause)}, w.Error(), "")
	}
	slices.SortStableFunc(all, func(a, b Finding) int { return a.Places[0].Line - b.Places[0].Line })
	dropped := p.dropped()
	for _, f := range found {
		switch {
		case dropped&f.Budgets != 0 && f.Severity != lint.SeverityError:
			continue // it is about what is left of the budget: the dropped field comes first
		case len(f.Fixes) > 0 && (dropped != 0 || len(p.Faults) > 0):
			f.Advice, f.Fixes = "first fix "+p.firstFault(), nil
		}
		one := Finding{Finding: f, Places: p.placesOf(f)}
		if f.Code == lint.CodeInvalid && (len(f.Fixes) > 0 || f.Budgets == 0) {
			p.correct(&one, p.invalid(f)...)
		}
		all = append(all, one)
	}
	for i := range all {
		all[i].Pool, all[i].in = whole.Name, whole
	}
	return all
}

// correct adds the fix that writes what wrong values were meant to be, in the style of the file, if that is obvious.
func (p *pool) correct(f *Finding, wrong ...candidate.Warning) {
	if _, err := p.Correct(wrong); err != nil {
		return
	}
	var texts []string
	for _, w := range wrong {
		texts = append(texts, wording.Quote(lint.Meant(w)))
	}
	if f.typos = wrong; len(f.Fixes) == 0 {
		f.Fixes = []lint.Fix{{Text: "write " + strings.Join(texts, " and "), Obvious: true}}
	}
}

// invalid returns what a finding about invalid budgets, or about a field beside them, is about, each value once.
func (p *pool) invalid(f lint.Finding) (wrong []candidate.Warning) {
	for _, w := range slices.Concat(p.budgets.Warnings(), p.theirs.Warnings()) {
		same := func(other candidate.Warning) bool { return other.Field == w.Field }
		if (p.budgetsOf(w.Field)&f.Budgets != 0 || w.Message == f.Advice) && !slices.ContainsFunc(wrong, same) {
			wrong = append(wrong, w)
		}
	}
	return wrong
}

// droppedFields returns the fields that Karpenter does not have: those of a budget, and those with the same advice, as one.
func (p *pool) droppedFields(now time.Time) (all []manifest.Fault) {
	for _, d := range p.Dropped {
		d.Message = strings.Replace(d.Message, inUTC, p.inUTC(d, now), 1)
		i := slices.IndexFunc(all, func(f manifest.Fault) bool {
			return p.budgetsOf(d.Field) != 0 && p.budgetsOf(f.Field) == p.budgetsOf(d.Field)
		})
		if i < 0 {
			all = append(all, d)
			continue
		}
		_, advice, _ := strings.Cut(d.Message, "at best with a warning: ")
		if also := strings.TrimPrefix(d.Field, all[i].Field[:strings.LastIndex(all[i].Field, ".")+1]); strings.Contains(all[i].Message, advice) {
			all[i].Message += fmt.Sprintf("; the same is true of %q", also)
		} else {
			all[i].Message += fmt.Sprintf("; of %q: %s", also, advice)
		}
	}
	return all
}

// inUTC is what a program advises for a schedule with a time zone that Karpenter does not know.
const inUTC = "write its hours in UTC"

// inUTC returns what to write instead of a time zone: the schedule in UTC, as the clocks of the zone are now.
func (p *pool) inUTC(zone manifest.Fault, now time.Time) string {
	for i := range p.budgetsOf(zone.Field).All() {
		return cmp.Or(lint.InUTC(p.budgets.Budgets()[i].Schedule, strings.Trim(zone.Value, `"`), now), inUTC)
	}
	return inUTC
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

// ofKarpenter are the codes of what Karpenter makes of a budget.
var ofKarpenter = []string{lint.CodeNeverCloses, lint.CodeForNothing, lint.CodeCountWraps, lint.CodeInvalid}

// lint returns what package budget finds; where the guard runs, also what Karpenter alone makes of its own budgets.
func (p *pool) lint(now time.Time) (all []lint.Finding) {
	known := p.Known
	known.Nodes = p.nodes
	own := lint.Run(p.budgets, now, known)
	if p.As.Annotated() {
		for _, f := range lint.Run(p.theirs, now, known) {
			i := slices.IndexFunc(own, func(o lint.Finding) bool { return p.sameMistake(o, f) })
			same := slices.ContainsFunc(own, func(o lint.Finding) bool { return o.String() == f.String() })
			switch {
			case f.Severity != lint.SeverityError || !slices.Contains(ofKarpenter, f.Code) || same:
			case i >= 0:
				own[i] = f // it blocks all reasons, and knows what the list can have: no time zone
			default:
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
		if f.Severity == lint.SeverityError && strings.Contains(said, w.Field) {
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
