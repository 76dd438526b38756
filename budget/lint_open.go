package budget

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// unlimited finds reasons that no budget limits at some time.
func (l *linter) unlimited() {
	if len(l.set.written) == 0 {
		l.add(Finding{Code: FindingNoBudgets, Severity: SeverityInfo, Message: "the list of budgets is empty, and limits nothing",
			Advice: `leave budgets out for Karpenter's default of 10%, or write [{"nodes": "10%"}]`})
		return
	}
	l.each(l.reasons, func(r candidate.Reason) (f Finding, found bool) {
		if l.set.brokenFor(r) {
			return f, false
		}
		limiting, windows := l.limiting(r)
		open := schedule.Union(windows...).Outside()
		isOpen, span := open.State(l.now)
		if !isOpen {
			if span.End.IsZero() || !span.End.Before(l.end) {
				return f, false
			}
			_, span = open.State(span.End)
		}
		f = Finding{Code: FindingUnlimitedSpan, Severity: SeverityWarning, Budgets: limiting, Span: span}
		if limiting == 0 {
			f.Message = "unlimited at all times, since no budget is for that"
			f.Advice = `leave reasons out of a budget, or add {"nodes": "10%", "reasons": [` + reasonsHere + `]}`
			return f, true
		}
		f.Message = fmt.Sprintf("unlimited %s, since budgets restrict only while they are active: %s", l.span(span), l.names(limiting))
		f.Advice = l.closing(r, open, limiting)
		return f, true
	})
}

// limiting returns the budgets that limit a reason while they are active, and when that is; those for single zones, too, if
// they do so.
func (l *linter) limiting(r candidate.Reason) (limiting Indexes, windows []schedule.Window) {
	for _, b := range l.budgets() {
		if l.limits(b, r) {
			limiting.add(b.index)
			windows = append(windows, b.window)
		}
	}
	return limiting, windows
}

// limits reports whether a budget limits a reason while it is active. Sequential ones do so for drift.
func (l *linter) limits(b *compiled, r candidate.Reason) bool {
	return b.covers(r) && (!l.set.written[b.index].Sequential || candidate.Drifted.Covers(r))
}

// closing says how to let nothing go while no budget is active.
func (l *linter) closing(r candidate.Reason, open schedule.Window, limiting Indexes) string {
	const always = `add a budget without a schedule, such as {"nodes": "10%", "reasons": [` + reasonsHere + `]}`
	budgets := l.weekly(open, limiting)
	if !l.better(r, budgets, func(before, after int) bool {
		return after == before || before == Unlimited && after == 0
	}, func(after []Segment) bool {
		return !slices.ContainsFunc(after, func(s Segment) bool { return s.Nodes == Unlimited })
	}) {
		return always
	}
	return always + ", or let nothing go then: " + jsonOf(budgets)
}

// better reports whether some more budgets for a reason change its timeline only as they may, to one that is as it
// should be.
func (l *linter) better(r candidate.Reason, more []Budget, may func(before, after int) bool, should func([]Segment) bool) bool {
	if len(more) == 0 || l.cut {
		return false
	}
	for i := range more {
		more[i].Reasons = []candidate.Reason{r}
	}
	set, _ := Spec{Budgets: slices.Concat(l.set.written, more), MostSpecific: l.set.specific, Methods: l.set.methods}.Compile()
	timeline, end := set.s.forecast(l.now, l.end, l.nodes, r, lintChanges)
	if end.Before(l.end) || !should(timeline) {
		return false
	}
	for _, before := range l.timelines[r] {
		for _, after := range timeline {
			if after.Start.Before(before.End) && before.Start.Before(after.End) && !may(before.Nodes, after.Nodes) {
				return false
			}
		}
	}
	return true
}

// jsonOf returns the JSON of budgets that let nothing go.
func jsonOf(budgets []Budget) string {
	var texts []string
	for _, b := range budgets {
		texts = append(texts, fmt.Sprintf(`{"nodes": "0", "reasons": [%s], "schedule": "%s", "duration": "%s"}`, reasonsHere, b.Schedule, b.Duration))
	}
	return strings.Join(texts, ", ")
}

// weekly returns a few budgets that let nothing go while a window is open, if it is open at the same times in the
// next two weeks, in UTC.
func (l *linter) weekly(open schedule.Window, limiting Indexes) []Budget {
	const week = 7 * 24 * time.Hour
	type slot struct {
		minute, hour int
		length       time.Duration
	}
	days := map[slot][]string{}
	var slots []slot
	for span := range open.Spans(l.now, l.now.Add(week)) {
		_, span = open.State(span.Start)
		if span.Start.Before(l.now) {
			continue // it comes again
		}
		s := slot{span.Start.Minute(), span.Start.Hour(), length(span)}
		if s.length <= 0 || s.length >= week || len(slots) > 3 {
			return nil
		}
		if days[s] == nil {
			slots = append(slots, s)
		}
		days[s] = append(days[s], strings.ToLower(span.Start.Format("Mon")))
	}
	var budgets []Budget
	for _, s := range slots {
		on := strings.Join(days[s], ",")
		if len(days[s]) == 7 {
			on = "*"
		}
		budgets = append(budgets, Budget{Nodes: "0", Schedule: fmt.Sprintf("%d %d * * %s", s.minute, s.hour, on), Duration: hoursAndMinutes(s.length)})
	}
	if len(budgets) > 3 {
		return nil
	}
	return budgets
}

// hoursAndMinutes returns a duration as budgets have it.
func hoursAndMinutes(d time.Duration) string {
	h, m := d/time.Hour, d%time.Hour/time.Minute
	switch {
	case m == 0:
		return fmt.Sprintf("%dh", h)
	case h == 0:
		return fmt.Sprintf("%dm", m)
	}
	return fmt.Sprintf("%dh%dm", h, m)
}

// closed finds reasons for which no node may go in the coming year, also children that budgets name.
func (l *linter) closed() {
	if l.cut {
		return
	}
	reasons := slices.Clone(l.reasons)
	for _, r := range l.set.named() {
		if r != r.Method() && slices.Contains(l.reasons, r.Method()) && !l.closedFor(r.Method()) {
			reasons = append(reasons, r)
		}
	}
	l.each(reasons, func(r candidate.Reason) (f Finding, found bool) {
		if l.set.brokenFor(r) || !l.closedFor(r) {
			return f, false // what is broken is said already
		}
		f = Finding{Code: FindingNeverDisruptable, Severity: SeverityWarning, Span: schedule.Span{Start: l.now, End: l.end}, Budgets: l.zero(r)}
		for _, s := range l.timeline(r) {
			if s.Nodes == 0 {
				f.Budgets |= s.Binding
			}
		}
		f.Message = fmt.Sprintf("never let go up to %s: %s", l.time(l.end), l.names(f.Budgets))
		f.Advice = "nodes are never replaced for that, not even for security: write a schedule and a duration, or more nodes"
		return f, true
	})
}

// closedFor reports whether no node may go for a reason in the coming year.
func (l *linter) closedFor(r candidate.Reason) bool {
	return l.zero(r) != 0 || !slices.ContainsFunc(l.timeline(r), func(s Segment) bool { return s.Nodes > 0 })
}

// zero returns the budgets that let no node of any domain go for a reason, always.
func (l *linter) zero(r candidate.Reason) (which Indexes) {
	for i := range l.set.scoped {
		if b := &l.set.scoped[i]; b.constant() && b.limit.n == 0 && l.limits(b, r) {
			which.add(b.index)
		}
	}
	return which
}

// timeline returns that of a reason.
func (l *linter) timeline(r candidate.Reason) []Segment {
	if _, known := l.timelines[r]; !known {
		l.timelines[r], _ = l.set.forecast(l.now, l.end, l.nodes, r, lintChanges)
	}
	return l.timelines[r]
}

// clockChange is how much longer an opening may be because of its time zone.
const clockChange = 2 * time.Hour

// uneven finds an opening that is far longer than the others: a hole in a freeze, such as a weekend. (Of what a
// freeze is for, the median opening is the usual one.)
func (l *linter) uneven() {
	l.each(l.reasons, func(r candidate.Reason) (f Finding, found bool) {
		openings, closures, blocking := openingsOf(l.timelines[r])
		if len(openings) < 3 {
			return f, false
		}
		usual := median(openings)
		most := length(slices.MaxFunc(openings, func(a, b schedule.Span) int { return cmp.Compare(length(a), length(b)) }))
		long := 0
		for _, s := range openings {
			if length(s) >= 2*usual {
				long++
			}
		}
		if long == 0 || long > len(openings)/3 || most-usual <= clockChange {
			return f, false
		}
		hole := openings[slices.IndexFunc(openings, func(s schedule.Span) bool { return length(s) >= max(2*usual, most-clockChange) })]
		f = Finding{Code: FindingUnevenOpenings, Severity: SeverityInfo, Budgets: blocking, Span: hole}
		if usual < median(closures) {
			f.Severity = SeverityWarning
		}
		f.Message = fmt.Sprintf("open %s, for %s, while openings usually last %s: %s", l.span(hole),
			hoursAndMinutes(length(hole)), hoursAndMinutes(usual), l.names(blocking))
		f.Advice = l.filling(r, hole, usual)
		return f, true
	})
}

// filling says how to shorten an opening that comes every week to its usual end.
func (l *linter) filling(r candidate.Reason, hole schedule.Span, usual time.Duration) string {
	start := hole.Start.UTC()
	more := []Budget{{
		Nodes: "0", Schedule: fmt.Sprintf("%d %d * * %s", start.Minute(), start.Hour(), strings.ToLower(start.Format("Mon"))),
		Duration: hoursAndMinutes(length(hole) - usual),
	}}
	openings, _, _ := openingsOf(l.timelines[r])
	if !l.better(r, more, func(before, after int) bool {
		return after == before || after == 0
	}, func(after []Segment) bool {
		shorter, _, _ := openingsOf(after)
		lost := len(openings) - len(shorter) // at the ends there may be some more or less
		return -2 <= lost && lost <= 2 && !slices.ContainsFunc(shorter, func(s schedule.Span) bool { return length(s) > usual+clockChange })
	}) {
		return "if that is not meant, add a budget of 0 for the time that is to be closed, too"
	}
	return "if that is not meant, add " + jsonOf(more)
}

// openingsOf returns the spans of a timeline in which nodes may go, and those in which none may, that have both a
// beginning and an end; and the budgets that close.
func openingsOf(timeline []Segment) (openings, closures []schedule.Span, blocking Indexes) {
	var spans []schedule.Span
	var open []bool
	for _, s := range timeline {
		isOpen := s.Nodes > 0
		if !isOpen {
			blocking |= s.Binding
		}
		if last := len(spans) - 1; last >= 0 && open[last] == isOpen {
			spans[last].End = s.End
			continue
		}
		spans, open = append(spans, s.Span), append(open, isOpen)
	}
	for i := 1; i < len(spans)-1; i++ {
		if open[i] {
			openings = append(openings, spans[i])
		} else {
			closures = append(closures, spans[i])
		}
	}
	return openings, closures, blocking
}

func length(s schedule.Span) time.Duration { return s.End.Sub(s.Start) }

// median returns the median length: the higher one of an even number, and 0 of none.
func median(spans []schedule.Span) time.Duration {
	if len(spans) == 0 {
		return 0
	}
	lengths := make([]time.Duration, len(spans))
	for i, s := range spans {
		lengths[i] = length(s)
	}
	slices.Sort(lengths)
	return lengths[len(lengths)/2]
}
