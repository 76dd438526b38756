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
	l.each(func(r candidate.Reason) (f Finding, found bool) {
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
		f.Advice = l.closing(open, limiting)
		return f, true
	})
}

// limiting returns the budgets that limit a reason while they are active, and when that is; those for single zones, too, if
// they do so.
func (l *linter) limiting(r candidate.Reason) (limiting Indexes, windows []schedule.Window) {
	for _, b := range l.budgets() {
		if b.covers(r) && (!l.set.written[b.index].Sequential || candidate.Drifted.Covers(r)) {
			limiting.add(b.index)
			windows = append(windows, b.window)
		}
	}
	return limiting, windows
}

// closing says how to let nothing go while no budget is active.
func (l *linter) closing(open schedule.Window, limiting Indexes) string {
	const always = `add a budget without a schedule, such as {"nodes": "10%", "reasons": [` + reasonsHere + `]}`
	if budgets := l.weekly(open, limiting); budgets != "" {
		return always + ", or let nothing go then: " + budgets
	}
	return always
}

// weekly returns the JSON of budgets that let nothing go while a window is open: if it is open every week at the same times, in
// UTC, and a few budgets say so.
func (l *linter) weekly(open schedule.Window, limiting Indexes) string {
	for i := range limiting.All() {
		if zone := l.set.written[i].TimeZone; zone != "" && zone != "UTC" {
			return ""
		}
	}
	const week = 7 * 24 * time.Hour
	type slot struct {
		minute, hour int
		length       time.Duration
	}
	days := map[slot][]string{}
	var slots []slot
	for span := range open.Spans(l.now, l.now.Add(2*week)) {
		_, span = open.State(span.Start)
		if span.Start.Before(l.now) || !span.Start.Before(l.now.Add(week)) {
			continue // it comes again
		}
		length := span.End.Sub(span.Start)
		if isOpen, next := open.State(span.Start.Add(week)); !isOpen || !next.Start.Equal(span.Start.Add(week)) || next.End.Sub(next.Start) != length {
			return ""
		}
		s := slot{span.Start.Minute(), span.Start.Hour(), length}
		if days[s] == nil {
			slots = append(slots, s)
		}
		days[s] = append(days[s], strings.ToLower(span.Start.Format("Mon")))
	}
	if len(slots) == 0 || len(slots) > 3 {
		return ""
	}
	var texts []string
	for _, s := range slots {
		on := strings.Join(days[s], ",")
		if len(days[s]) == 7 {
			on = "*"
		}
		texts = append(texts, fmt.Sprintf(`{"nodes": "0", "reasons": [%s], "schedule": "%d %d * * %s", "duration": "%s"}`,
			reasonsHere, s.minute, s.hour, on, hoursAndMinutes(s.length)))
	}
	return strings.Join(texts, ", ")
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

// closed finds reasons for which no node may go in the coming year.
func (l *linter) closed() {
	l.each(func(r candidate.Reason) (f Finding, found bool) {
		if l.set.brokenFor(r) {
			return f, false // that is said already
		}
		f = Finding{Code: FindingNeverDisruptable, Severity: SeverityWarning, Span: schedule.Span{Start: l.now, End: l.end}}
		for _, s := range l.timelines[r] {
			if s.Nodes > 0 {
				return f, false
			}
			f.Budgets |= s.Binding
		}
		f.Message = fmt.Sprintf("never let go up to %s: %s", l.time(l.end), l.names(f.Budgets))
		f.Advice = "nodes are never replaced for that, not even for security: write a schedule and a duration, or more nodes"
		return f, true
	})
}

// clockChange is how much longer an opening may be because of its time zone.
const clockChange = 2 * time.Hour

// uneven finds an opening that is far longer than the others: a hole in a freeze, such as a weekend. (Of what a freeze is for,
// the median opening is the usual one.)
func (l *linter) uneven() {
	l.each(func(r candidate.Reason) (f Finding, found bool) {
		openings, closures, blocking := l.openings(r)
		if len(openings) < 3 {
			return f, false
		}
		usual := median(openings)
		most := length(slices.MaxFunc(openings, func(a, b schedule.Span) int { return cmp.Compare(length(a), length(b)) }))
		if most < 2*usual || most-usual <= clockChange {
			return f, false
		}
		hole := openings[slices.IndexFunc(openings, func(s schedule.Span) bool { return length(s) >= max(2*usual, most-clockChange) })]
		f = Finding{Code: FindingUnevenOpenings, Severity: SeverityInfo, Budgets: blocking, Span: hole}
		if usual < median(closures) {
			f.Severity = SeverityWarning
		}
		f.Message = fmt.Sprintf("open %s, for %s, while openings usually last %s: %s", l.span(hole),
			hoursAndMinutes(length(hole)), hoursAndMinutes(usual), l.names(blocking))
		f.Advice = l.filling(hole, usual, blocking)
		return f, true
	})
}

// filling says how to shorten an opening to its usual end.
func (l *linter) filling(opening schedule.Span, usual time.Duration, blocking Indexes) string {
	for i := range blocking.All() {
		if zone := l.set.written[i].TimeZone; zone != "" && zone != "UTC" {
			return "if that is not meant, add a budget of 0 for the time that is to be closed, too"
		}
	}
	start := opening.Start.UTC()
	return fmt.Sprintf(`if that is not meant, add {"nodes": "0", "reasons": [%s], "schedule": "%d %d * * %s", "duration": "%s"}`,
		reasonsHere, start.Minute(), start.Hour(), strings.ToLower(start.Format("Mon")), hoursAndMinutes(length(opening)-usual))
}

// openings returns the spans in which nodes may go, and those in which none may, between the first and the last that has both
// a beginning and an end; and the budgets that close.
func (l *linter) openings(r candidate.Reason) (openings, closures []schedule.Span, blocking Indexes) {
	var spans []schedule.Span
	var open []bool
	for _, s := range l.timelines[r] {
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

// median returns the median length: the lower one of an even number, and 0 of none.
func median(spans []schedule.Span) time.Duration {
	if len(spans) == 0 {
		return 0
	}
	lengths := make([]time.Duration, len(spans))
	for i, s := range spans {
		lengths[i] = length(s)
	}
	slices.Sort(lengths)
	return lengths[(len(lengths)-1)/2]
}
