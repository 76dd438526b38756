package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Fix is a change of the list of budgets that mends a finding. [Run] has tried it, alone and with the first fixes of
// the other findings:
//
//   - It raises no limit in the coming year, for any reason, unless Text says which and when.
//   - Each other budget that decides at some time still does, and Unhealthy is blocked at no other time than before.
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

// A way is a fix that is still to be tried.
type way struct {
	does    string // such as "delete budgets[1]"
	edits   []Edit
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

// A trial is what lint finds of the list after a fix.
type trial struct {
	*linter
	fix    Fix
	mended Finding
	raises bool
}

// passing returns the trials that ways of mending a finding pass.
func (l *linter) passing(ways []way, f Finding) (trials []trial) {
	last := false // the way before has passed
	for _, w := range ways {
		if w.instead && last {
			continue
		}
		last = false
		fix := Fix{Text: w.does, Edits: w.edits, Obvious: w.obvious}
		if l.cut || len(w.edits) == 0 || slices.ContainsFunc(w.edits, func(e Edit) bool { return e.At < 0 }) {
			continue
		}
		after, valid := l.with(fix)
		t := trial{after, fix, f, w.raises}
		if !valid || !l.mends(t) || !l.spares(t) || w.good != nil && !w.good(after) {
			continue
		}
		effects := l.raised(after)
		lifted := l.lifted(after)
		if len(effects)+len(lifted) > 0 && !w.raises {
			continue
		}
		for _, b := range lifted {
			if !slices.ContainsFunc(w.edits, func(e Edit) bool { return e.At == b.Index }) {
				effects = append(effects, "lifts "+l.set.Place(b.Index))
			}
		}
		if effects = append(effects, l.closes(after)...); len(effects) > 0 {
			t.fix.Text += ", which " + enumerate(effects)
		}
		trials, last = append(trials, t), true
	}
	return trials
}

// together reports whether some fixes that pass their trials alone pass them together, and what they do that none does
// alone.
func (l *linter) together(all []trial) (more []string, pass bool) {
	if len(all) < 2 {
		return nil, true
	}
	t, fixes, texts, raise := trial{}, []Fix{}, "", true
	mended, lifted := map[string]int{}, []*budget.Limit{}
	for _, one := range all {
		for _, e := range one.fix.Edits {
			if e.At < l.listed() && slices.ContainsFunc(t.fix.Edits, func(o Edit) bool { return o.At == e.At }) {
				return nil, false
			}
		}
		t.fix.Edits, fixes = append(t.fix.Edits, one.fix.Edits...), append(fixes, one.fix)
		mended[one.mended.Code]++
		texts, raise, lifted = texts+one.fix.Text, raise && one.raises, append(lifted, l.lifted(one.linter)...)
	}
	after, valid := l.with(fixes...)
	if !valid {
		return nil, false
	}
	t.linter = after
	for _, one := range all {
		t.mended = one.mended
		if code := t.mended.Code; !l.mends(t) || l.count(code) < after.count(code)+mended[code] {
			return nil, false
		}
	}
	higher := slices.ContainsFunc(l.consulted(after), func(r candidate.Reason) bool {
		alone := l.effective(r)
		for _, one := range all {
			alone = highest(alone, one.effective(r))
		}
		return !tightens(alone, after.effective(r))
	})
	if higher {
		more = l.raised(after)
	}
	for _, closes := range l.closes(after) {
		if !strings.Contains(texts, closes) {
			more = append(more, closes)
		}
	}
	isNew := func(b *budget.Limit) bool { return !slices.Contains(lifted, b) }
	return more, l.spares(t) && (!higher || raise) && !slices.ContainsFunc(l.lifted(after), isNew)
}

// with returns what lint finds of the list with fixes applied. It reports false if that adds a fault, or changes too
// often.
func (l *linter) with(fixes ...Fix) (after *linter, valid bool) {
	spec := l.spec
	spec.Budgets = Apply(l.list[:l.listed()], fixes...)
	set, _ := spec.Compile()
	if len(set.Warnings()) > len(l.set.Warnings()) {
		return nil, false
	}
	after = examine(set, l.now, l.facts, l.known)
	return after, !after.cut
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

// mends reports whether there are fewer findings with the code of the mended one, and no more with any other code of
// the same or a higher severity.
func (l *linter) mends(t trial) bool {
	return t.count(t.mended.Code) < l.count(t.mended.Code) &&
		!slices.ContainsFunc(t.mistakes, func(m mistake) bool {
			return !worse(t.mended.Severity, m.Severity) && t.count(m.Code) > l.count(m.Code)+l.unnamed(m.Code)
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
// and leaves other budgets their effect.
func (l *linter) spares(t trial) bool {
	var was, is budget.Indexes // the budgets that decide, by their positions before and after
	for _, r := range l.consulted(t.linter) {
		before, after := l.effective(r), t.effective(r)
		seldom := l.end.Sub(l.now) / (7 * 32)
		if left := openFor(after); left < min(openFor(before), seldom) || isRepair(r) && !changesOnly(before, after,
			func(before, after int) bool { return before == 0 || after > 0 }) {
			return false
		}
		was, is = was|deciding(before), is|deciding(after)
	}
	shift := 0
	for i := range l.list {
		edited := slices.IndexFunc(t.fix.Edits, func(e Edit) bool { return e.At == i })
		switch {
		case edited >= 0:
			shift += len(t.fix.Edits[edited].With) - 1
		case was.Has(i) && (i+shift < 0 || !is.Has(i+shift)):
			return false
		}
	}
	return true
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
		unasked := l.spec.Dialect == dialect.Karpenter && candidate.Expired.Covers(r) && !l.facts.AsksToExpire
		if !unasked && candidate.MeantReason(r) == "" && !slices.Contains(reasons, r) {
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

// raised returns which limits become higher, and when.
func (l *linter) raised(after *linter) (effects []string) {
	var rises []rise
	reasons := map[rise][]candidate.Reason{}
	for _, r := range l.consulted(after) {
		var up rise
		for span, both := range together(l.effective(r), after.effective(r)) {
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
		stands := func(a *budget.Limit) bool {
			return a.Key == b.Key && a.Per >= b.Per && a.Soak >= b.Soak && a.Spread >= b.Spread &&
				(a.Sequential || !b.Sequential) &&
				a.Percent == b.Percent && a.N <= b.N && coversReasons(a, b) && l.within(b.Window, a.Window)
		}
		if (b.Key != "" || b.Per > 0 || b.Soak+b.Spread > 0) && !slices.ContainsFunc(after.valid, stands) {
			which = append(which, b)
		}
	}
	return which
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

// closes reports if less than three quarters of the time in which nodes may be disrupted are left.
func (l *linter) closes(after *linter) []string {
	var most, left time.Duration // of the reason that loses the largest part of its time
	for _, r := range l.consulted(after) {
		before, now := openFor(l.effective(r)), openFor(after.effective(r))
		share := func(part, of time.Duration) float64 { return float64(part) / float64(of) }
		if l.occurs(r) && 4*now < 3*before && (most == 0 || share(now, before) < share(left, most)) {
			most, left = before, now
		}
	}
	if most == 0 {
		return nil
	}
	return []string{fmt.Sprintf("leaves %s of %s a week open", l.aWeek(left), l.aWeek(most))}
}

// places returns where some budgets are written.
func (l *linter) places(which budget.Indexes) string {
	var places []string
	for i := range which.All() {
		places = append(places, l.set.Place(i))
	}
	return enumerate(places)
}

// edit returns the edit of one budget.
func (l *linter) edit(i int, change func(b *budget.Budget)) []Edit {
	b := l.list[i]
	change(&b)
	return l.replacing(i, b)
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
	return way{does: "delete " + l.set.Place(i), edits: l.replacing(i)}
}

// untimed returns the way to make a budget always active.
func (l *linter) untimed(i int) way {
	return way{does: "leave " + enumerate(timing(l.list[i])) + " out of " + l.set.Place(i),
		edits: l.edit(i, func(b *budget.Budget) { *b = always(*b) })}
}
