package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/admission"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Fix is a change of the list of budgets that mends a finding. [Run] has tried it, alone and with the first fixes of
// the other findings:
//
//   - It raises no limit in the coming year, for any reason, unless Text says which and when.
//   - Each other budget still decides for a tenth of the time that it did, and Unhealthy is blocked at no other time.
//   - No reason is left with less than 45 minutes a week that had more. Text says if less than three quarters of its
//     open time are left.
//   - There are fewer findings with the code, and no more findings with any other code of the same or a higher
//     severity.
type Fix struct {
	Text  string // what to write, and what that does
	Edits []Edit
	// Obvious means that there is no other reading, so that a program may apply the fix unasked.
	Obvious bool
}

// An Edit puts budgets in the place of one.
type Edit struct {
	// At is the position in budget.Spec.Budgets; the length of the list means behind the last.
	At   int
	With []budget.Budget // none deletes it
}

// Apply returns a list of budgets with fixes applied. Their positions are those before any of the fixes.
func Apply(list []budget.Budget, fixes ...Fix) []budget.Budget {
	changed := []budget.Budget{}
	for i := range len(list) + 1 {
		with := list[i:min(i+1, len(list))]
		for _, f := range fixes {
			for _, e := range f.Edits {
				switch {
				case e.At != i:
				case i < len(list):
					with = e.With
				default:
					with = append(with[:len(with):len(with)], e.With...)
				}
			}
		}
		changed = append(changed, with...)
	}
	return changed
}

// A way is a fix that is still to be tried. Its text is what its edits do.
type way struct {
	edits   []Edit
	so      string // what follows its text, such as " for windows of 8h"
	obvious bool
	instead bool                     // only if the way before it does not pass its trial
	raises  bool                     // limits may become higher; the text then says so
	good    func(after *linter) bool // what else it has to do; nil: nothing
}

// A remedy is what to do about a finding.
type remedy struct {
	lead, tail string // before and after the fixes
	ways       []way
	otherwise  string // after lead, if no way passes its trial
}

// advise gives each finding the fixes that pass their trials: each alone, and the first of each finding together. Those
// that only delete come last, since a budget that has no effect may have one once the rest is fixed.
func (l *linter) advise() {
	typos := l.typos()
	passed := map[*mistake][]trial{}
	var order []*mistake
	for i := range l.mistakes {
		m := &l.mistakes[i]
		first := typos &^ m.Budgets
		switch {
		case !isTypo(m.Finding) && typos != 0 && (m.remedy != nil || typos&m.Budgets != 0):
			m.Advice = "first fix " + l.places(cmp.Or(first, typos))
		case m.remedy != nil:
			passed[m], order = l.passing(m.remedy().ways, m.Finding), append(order, m)
		}
	}
	slices.SortStableFunc(order, func(a, b *mistake) int { return deletes(passed[a]) - deletes(passed[b]) })
	var given []trial
	for _, m := range order {
		r, passing := m.remedy(), passed[m]
		var more []string
		first := slices.IndexFunc(passing, func(t trial) (pass bool) {
			more, pass = l.together(append(given, t))
			return pass
		})
		switch {
		case len(passing) == 0, first < 0 && isTypo(m.Finding):
			m.Advice = r.lead + cmp.Or(r.otherwise, "write what you mean")
			continue
		case first < 0:
			m.Advice = "fix what else is found first"
			continue
		}
		if len(more) > 0 {
			passing[first].fix.Text += "; with the fixes of the other findings, it " + enumerate(more)
		}
		passing = slices.Concat(passing[first:first+1], passing[:first], passing[first+1:])
		var texts []string
		for _, t := range passing {
			m.Fixes, texts = append(m.Fixes, t.fix), append(texts, t.fix.Text)
		}
		m.Advice, given = r.lead+strings.Join(texts, "; or ")+r.tail, append(given, passing[0])
	}
}

// deletes returns 1 if the first of some fixes only deletes budgets, else 0.
func deletes(passing []trial) int {
	if len(passing) == 0 ||
		slices.ContainsFunc(passing[0].fix.Edits, func(e Edit) bool { return len(e.With) > 0 }) {
		return 0
	}
	return 1
}

// typos returns the budgets that are not what their authors meant, so that nobody knows what the list is meant to be.
func (l *linter) typos() (which budget.Indexes) {
	for _, m := range l.mistakes {
		if isTypo(m.Finding) {
			which |= m.Budgets
		}
	}
	return which
}

func isTypo(f Finding) bool {
	switch f.Code {
	case CodeInvalid, CodeRejected, CodeDroppedField, CodeNeverCloses:
		return true
	}
	return f.Code == "never-fires" && f.Severity == SeverityError
}

// A trial is what lint finds of the list after a fix, of one finding or of several together.
type trial struct {
	*linter
	fix    Fix
	mended []Finding
	raises bool // limits may become higher
	lifted []*budget.Limit
}

// passing returns the trials that ways of mending a finding pass.
func (l *linter) passing(ways []way, f Finding) (trials []trial) {
	last := false // the way before has passed
	for _, w := range ways {
		if w.instead && last {
			continue
		}
		t := trial{fix: Fix{l.text(w.edits) + w.so, w.edits, w.obvious}, mended: []Finding{f}, raises: w.raises}
		effects, pass := l.try(&t)
		if last = pass && (w.good == nil || w.good(t.linter)); !last {
			continue
		}
		if len(effects) > 0 {
			t.fix.Text += ", which " + enumerate(effects)
		}
		trials = append(trials, t)
	}
	return trials
}

// together reports whether fixes that pass their trials alone do so together, and what they do that none does alone.
func (l *linter) together(parts []trial) (effects []string, pass bool) {
	if len(parts) < 2 {
		return nil, true
	}
	all := trial{raises: true}
	for _, one := range parts {
		all.fix.Edits, all.mended = slices.Concat(all.fix.Edits, one.fix.Edits), slices.Concat(all.mended, one.mended)
		all.raises = all.raises && one.raises
	}
	return l.try(&all, parts...)
}

// try examines the list after a fix, and reports whether that passes, and what it does that none of its parts does.
func (l *linter) try(t *trial, parts ...trial) (effects []string, pass bool) {
	edited := map[int]bool{}
	for _, e := range t.fix.Edits {
		if e.At < 0 || e.At < l.listed() && edited[e.At] {
			return nil, false // it is one of a control, or two fixes are of one budget
		}
		edited[e.At] = true
	}
	after, valid := l.with(t.fix)
	if !valid {
		return nil, false
	}
	t.linter = after
	if !l.mends(*t) || !l.spares(*t) {
		return nil, false
	}
	said := ""
	effects, t.lifted = l.raised(after, parts), l.lifted(after)
	raises := len(effects) > 0
	for _, b := range t.lifted {
		if slices.ContainsFunc(parts, func(p trial) bool { return slices.Contains(p.lifted, b) }) {
			continue
		}
		if raises = true; !edited[b.Index] {
			effects = append(effects, "lifts "+l.set.Place(b.Index))
		}
	}
	for _, p := range parts {
		said += p.fix.Text
	}
	for _, closes := range l.closes(after) {
		if !strings.Contains(said, closes) {
			effects = append(effects, closes)
		}
	}
	return effects, !raises || t.raises
}

// with returns what lint finds of the list with a fix applied. It reports false if that changes nothing, adds a fault,
// or makes the list change too often.
func (l *linter) with(fix Fix) (after *linter, valid bool) {
	spec := l.spec
	spec.Budgets = Apply(l.list[:l.listed()], fix)
	set, _ := spec.Compile()
	adds := len(admission.Warnings(set)) > len(l.warnings)
	if l.cut || len(fix.Edits) == 0 || adds || !l.admitted(fix) {
		return nil, false
	}
	after = examine(set, l.now, l.facts)
	return after, !after.cut
}

// admitted reports whether the budgets that Karpenter reads of a list, where an annotation adds others to them, are as
// good for it after a fix, and not gone: without the annotation, they are all that limits.
func (l *linter) admitted(fix Fix) bool {
	own := budget.Spec{Dialect: dialect.Karpenter, Budgets: l.list[:l.spec.Addition.First]}
	if l.spec.Addition.Name == "" || len(own.Budgets) == 0 {
		return true
	}
	before, _ := own.Compile()
	fix.Edits = slices.DeleteFunc(slices.Clone(fix.Edits), func(e Edit) bool {
		isAdded := e.At == l.listed() && e.At == len(own.Budgets) // else it is for the annotation
		return e.At >= len(own.Budgets) && !isAdded
	})
	own.Budgets = Apply(own.Budgets, fix)
	after, _ := own.Compile()
	return len(admission.Warnings(after)) <= len(admission.Warnings(before)) && len(own.Budgets) > 0
}

// count returns the number of findings with a code.
func (l *linter) count(code string) (n int) {
	for _, m := range l.mistakes {
		if m.Code == code {
			n++
		}
	}
	return n
}

// mends reports whether there are fewer findings with the codes of the mended ones, and no more with any other code of
// the same or a higher severity.
func (l *linter) mends(t trial) bool {
	fewer := map[string]int{}
	for _, f := range t.mended {
		fewer[f.Code]++
	}
	return !slices.ContainsFunc(t.mended, func(f Finding) bool {
		return t.count(f.Code)+fewer[f.Code] > l.count(f.Code) || slices.ContainsFunc(t.mistakes, func(m mistake) bool {
			return !worse(f.Severity, m.Severity) && t.count(m.Code) > l.count(m.Code)+l.unnamed(m.Code)
		})
	})
}

// unnamed returns 1 for the finding that nodes are never repaired, where that is so and no budget names repair, and no
// finding said so.
func (l *linter) unnamed(code string) int {
	if code == "never-repaired" && l.count(code) == 0 && openFor(l.effective(candidate.Unhealthy)) == 0 {
		return 1
	}
	return 0
}

// spares reports whether a list leaves each reason 45 minutes a week if it has them, blocks Unhealthy at no other time,
// and leaves other budgets a tenth of the time for which they decide.
func (l *linter) spares(t trial) bool {
	was, is := map[int]time.Duration{}, map[int]time.Duration{} // by the positions of budgets before and after
	for _, r := range l.consulted(t.linter) {
		before, after := l.effective(r), t.effective(r)
		seldom := l.end.Sub(l.now) / (7 * 32)
		if left := openFor(after); left < min(openFor(before), seldom) || isRepair(r) && !changesOnly(before, after,
			func(before, after int) bool { return before == 0 || after > 0 }) {
			return false
		}
		decideFor(was, before)
		decideFor(is, after)
	}
	shift := 0
	for i := range l.list {
		edited := slices.IndexFunc(t.fix.Edits, func(e Edit) bool { return e.At == i })
		switch {
		case edited >= 0:
			shift += len(t.fix.Edits[edited].With) - 1
		case was[i] > 10*is[i+shift]:
			return false
		}
	}
	return true
}

// decideFor adds for how long each budget decides.
func decideFor(times map[int]time.Duration, timeline []budget.Segment) {
	for _, s := range timeline {
		for i := range s.Binding.All() {
			times[i] += length(s.Span)
		}
	}
}

// deciding returns the budgets that decide at some time.
func deciding(timeline []budget.Segment) (which budget.Indexes) {
	for _, s := range timeline {
		which |= s.Binding
	}
	return which
}

// consulted returns the reasons for which budgets of a list, or of what it becomes, are asked.
func (l *linter) consulted(after *linter) (reasons []candidate.Reason) {
	for _, r := range slices.Concat(l.allReasons(), after.allReasons()) {
		unasked := candidate.Expired.Covers(r) && !l.facts.AsksToExpire &&
			(l.spec.Dialect == dialect.Karpenter || l.spec.Addition.Name != "")
		if !unasked && wording.MeantReason(r) == "" && !slices.Contains(reasons, r) {
			reasons = append(reasons, r)
		}
	}
	return reasons
}

// A rise is that a limit becomes higher, first in a span.
type rise struct {
	from, to int
	first    schedule.Span
	again    bool
}

// raised returns which limits become higher than before, and than after any part of a fix alone, and when.
func (l *linter) raised(after *linter, parts []trial) (effects []string) {
	var rises []rise
	reasons := map[rise][]candidate.Reason{}
	for _, r := range l.consulted(after) {
		var up rise
		before := l.effective(r)
		for _, one := range parts {
			before = highest(before, one.effective(r))
		}
		for span, both := range together(before, after.effective(r)) {
			from, to := both[0].Nodes, both[1].Nodes
			switch {
			case to <= from:
			case up.first.End.IsZero():
				up = rise{from: from, to: to, first: span}
			case up.first.End.Equal(span.Start) && up.from == from && up.to == to:
				up.first.End = span.End
			default:
				up.again = true
			}
		}
		covered := slices.ContainsFunc(reasons[up], func(method candidate.Reason) bool { return method.Covers(r) })
		if up.first.End.IsZero() || covered {
			continue
		}
		if reasons[up] == nil {
			rises = append(rises, up)
		}
		reasons[up] = append(reasons[up], r)
	}
	for _, up := range rises {
		when := l.span(up.first)
		switch {
		case up.first == schedule.Span{Start: l.now, End: l.end}:
			when = "at all times"
		case up.again:
			when += ", and again later"
		}
		effects = append(effects, fmt.Sprintf("raises %s from %d to %s %s", reasonsText(reasons[up]), up.from,
			limitText(up.to), when))
	}
	return effects
}

func limitText(n int) string {
	if n == budget.Unlimited {
		return "no limit"
	}
	return wording.Count(n, "node")
}

// lifted returns the paces, and the budgets for single zones or with a soak or a spread, for which nothing as tight
// stands in the other list at all times.
func (l *linter) lifted(after *linter) (which []*budget.Limit) {
	for _, b := range l.valid {
		if b.Sequential && !orders(b) {
			continue // it limits nothing
		}
		stands := func(a *budget.Limit) bool { return l.asTight(a, b) }
		if (b.Key != "" || b.Per > 0 || b.Soak+b.Spread > 0) && !slices.ContainsFunc(after.valid, stands) {
			which = append(which, b)
		}
	}
	return which
}

// asTight reports whether a budget blocks all that another one of its kind blocks, at any time.
func (l *linter) asTight(a, b *budget.Limit) bool {
	return a.Key == b.Key && a.Per >= b.Per && a.Soak >= b.Soak && a.Spread >= b.Spread &&
		(a.Sequential || !b.Sequential) && a.Percent == b.Percent && a.N <= b.N && coversReasons(a, b) &&
		l.within(b.Window, a.Window)
}

// coversReasons reports whether a budget covers all that another one covers.
func coversReasons(a, b *budget.Limit) bool {
	return len(a.Reasons) == 0 || len(b.Reasons) > 0 &&
		!slices.ContainsFunc(b.Reasons, func(r candidate.Reason) bool { return !a.Covers(r) })
}

// within reports whether a window is open whenever another one is, in the checked time.
func (l *linter) within(inner, outer schedule.Window) bool {
	if inner == outer || outer == (schedule.Window{}) {
		return true
	}
	for range schedule.Union(inner.Outside(), outer).Outside().Spans(l.now, l.end) {
		return false
	}
	return true
}

// closes reports if less than 85 % of the time in which nodes may be disrupted is left.
func (l *linter) closes(after *linter) []string {
	var worst candidate.Reason // that loses the largest part of its time
	least := 0.85              // the part that is left
	for _, r := range l.consulted(after) {
		before, now := openFor(l.effective(r)), openFor(after.effective(r))
		if share := float64(now) / float64(before); l.occurs(r) && before > 0 && share < least {
			worst, least = r, share
		}
	}
	if worst == "" {
		return nil
	}
	before, now := l.aWeek(l.effective(worst)), l.aWeek(after.effective(worst))
	return []string{fmt.Sprintf("leaves %s of %s a week open", now, before)}
}

// places returns where some budgets are written.
func (l *linter) places(which budget.Indexes) string {
	var places []string
	for i := range which.All() {
		places = append(places, l.set.Place(i))
	}
	return enumerate(places)
}

// edit returns the edits of some budgets.
func (l *linter) edit(which budget.Indexes, change func(b *budget.Budget)) (edits []Edit) {
	for i := range which.All() {
		b := l.list[i]
		b.Reasons = slices.Clone(b.Reasons)
		change(&b)
		edits = append(edits, l.replacing(i, b)...)
	}
	return edits
}

// text returns what edits do, such as "delete budgets[1]".
func (l *linter) text(edits []Edit) string {
	var texts []string
	for _, e := range edits {
		switch {
		case e.At < 0: // it is never tried
		case e.At == l.listed():
			texts = append(texts, "add "+l.literals(e.With...))
		case len(e.With) == 0:
			texts = append(texts, "delete "+l.set.Place(e.At))
		case len(e.With) > 1:
			texts = append(texts, "write "+l.literals(e.With...)+" instead of "+l.set.Place(e.At))
		default:
			texts = append(texts, difference(l.list[e.At], e.With[0], l.set.Place(e.At))...)
		}
	}
	return enumerate(texts)
}

// replacing returns the edit that puts budgets in the place of one: at -1 if that is one of a control, which has a list
// of its own.
func (l *linter) replacing(i int, with ...budget.Budget) []Edit {
	if i >= l.listed() {
		i = -1
	}
	return []Edit{{i, with}}
}

// adding returns the edit that puts budgets behind the list.
func (l *linter) adding(more ...budget.Budget) []Edit { return []Edit{{l.listed(), more}} }

// deleting returns the way to delete a budget.
func (l *linter) deleting(i int) way {
	return way{edits: l.replacing(i)}
}

// untimed returns the way to make a budget always active.
func (l *linter) untimed(i int) way {
	return way{edits: l.edit(only(i), func(b *budget.Budget) {
		b.Schedule, b.Duration, b.From, b.To, b.Calendar, b.TimeZone, b.Outside = "", "", "", "", "", "", false
	})}
}
