package lint

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// compiled compiles a list that lint is about to advise, in the dialect of the list that it is to replace.
func (l *linter) compiled(list []budget.Budget) *limits {
	compiled, _ := budget.Spec{
		Budgets: list, MostSpecific: l.limits.MostSpecific(), Calendars: l.spec.Calendars, Methods: l.limits.Methods(),
		Dialect: l.spec.Dialect,
	}.Compile() // a broken list closes what is open, which shows
	return limitsOf(compiled)
}

// butWhich says what a change of the list does that people may not expect of an advice: ", which opens times that are
// neverDisruptable now", or ", which leaves 40h of 88h a week open" if that is less than three quarters. Most changes
// do neither.
func (l *linter) butWhich(list []budget.Budget) string {
	after := l.compiled(list)
	var opens bool
	var most, left time.Duration // of the reason that loses the largest part of its time
	for _, r := range l.affected(after) {
		was, is := l.effective(r), l.open(after, r)
		opens = opens || !changesOnly(was, is, func(was, is int) bool { return was > 0 || is == 0 })
		before, now := openFor(was), openFor(is)
		if 4*now < 3*before && (most == 0 || float64(now)/float64(before) < float64(left)/float64(most)) {
			most, left = before, now
		}
	}
	var effects []string
	if opens {
		effects = append(effects, "opens times that are closed now")
	}
	switch {
	case most == 0:
	case left == 0:
		effects = append(effects, "leaves no time open")
	default:
		effects = append(effects, fmt.Sprintf("leaves %s of %s a week open", l.aWeek(left), l.aWeek(most)))
	}
	if len(effects) == 0 {
		return ""
	}
	return ", which " + strings.Join(effects, " and ")
}

// affected returns one of each group of reasons that a change may affect in the same way.
func (l *linter) affected(after *limits) (reasons []candidate.Reason) {
	all := slices.Concat(l.limits.reasons(), after.Named())
	all = slices.DeleteFunc(all, func(r candidate.Reason) bool { return !l.occurs(r) })
	for _, now := range l.limits.Alike(all) {
		for _, then := range after.Alike(now) {
			reasons = append(reasons, then[0])
		}
	}
	return reasons
}

// open returns the timeline of a reason in the time that lint checks, with 0 where no node of any zone goes.
func (l *linter) open(s *limits, r candidate.Reason) []budget.Segment {
	return freeze(s, s.ForecastUpTo(l.now, l.end, l.nodes, r, lintChanges), r)
}

// aWeek returns the part of a week that a part of the checked time is: whole hours, or minutes of less than ten hours.
func (l *linter) aWeek(d time.Duration) string {
	d = time.Duration(float64(d) / float64(l.end.Sub(l.now)) * float64(lintWeek))
	if d < 10*time.Hour {
		return wording.Duration(d.Round(time.Minute))
	}
	return wording.Duration(d.Round(time.Hour))
}

// change returns a list in which one budget is another one.
func (l *linter) change(i int, edit func(b *budget.Budget)) []budget.Budget {
	list := slices.Clone(l.list)
	edit(&list[i])
	return list
}

// deleting says to delete a budget, and what follows.
func (l *linter) deleting(i int) string {
	return "delete " + l.set.Place(i) + l.butWhich(slices.Delete(slices.Clone(l.list), i, i+1))
}

// literal returns the JSON of a budget as people write it.
func literal(b budget.Budget) string {
	var fields []string
	add := func(name string, value any, there bool) {
		if there {
			text, _ := json.Marshal(value)
			fields = append(fields, fmt.Sprintf("%q: %s", name, text))
		}
	}
	add("nodes", b.Nodes, b.Nodes != "")
	add("per", b.Per, b.Per != "")
	add("soak", b.Soak, b.Soak != "")
	if len(b.Reasons) > 0 {
		fields = append(fields, `"reasons": `+jsonList(b.Reasons))
	}
	add("topologyKey", b.TopologyKey, b.TopologyKey != "")
	add("sequential", b.Sequential, b.Sequential)
	for _, f := range timing(b) {
		add(f.name, f.value, true)
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// A timingField is a field that says when a budget is active.
type timingField struct {
	name  string
	value any
}

// timing returns the fields that say when the budget is active, those that always needs to be without.
func timing(b budget.Budget) (fields []timingField) {
	for _, f := range []timingField{
		{"schedule", b.Schedule}, {"duration", b.Duration}, {"from", b.From}, {"to", b.To}, {"calendar", b.Calendar},
		{"timeZone", b.TimeZone}, {"outside", b.Outside},
	} {
		if f.value != "" && f.value != false {
			fields = append(fields, f)
		}
	}
	return fields
}

// untimed says how to make a budget always active: "leave schedule and duration out of budgets[0]".
func (l *linter) untimed(i int) string {
	var names []string
	for _, f := range timing(l.list[i]) {
		names = append(names, f.name)
	}
	return "leave " + enumerate(names) + " out of " + l.set.Place(i)
}

// always returns a budget without its schedule, dates and calendar.
func always(b budget.Budget) budget.Budget {
	b.Schedule, b.Duration, b.From, b.To, b.Calendar, b.TimeZone, b.Outside = "", "", "", "", "", "", false
	return b
}
