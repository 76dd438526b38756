package budget

import (
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// Events returns the events within a span that make a budget active through its calendar (Budget.Calendar): holidays or
// freezes, if their names are known ([schedule.Events]). I is the budget's position in Budgets. Budgets without a
// calendar, or active outside one, have no events.
func (s Set) Events(i int, within schedule.Span) []schedule.Event {
	set := s.get()
	if i < 0 || i >= len(set.written) || set.written[i].Calendar == "" || set.written[i].Outside {
		return nil
	}
	return set.spec.Calendars[set.written[i].Calendar].Events(within)
}

// Describe returns the String of a budget of Budgets, with the present events of its calendar: "0 (calendar holidays:
// Christmas freeze, until Sun 3 Jan 00:00 CET)".
func (s Set) Describe(i int, at time.Time) string {
	set := s.get()
	if i < 0 || i >= len(set.written) {
		return ""
	}
	text := set.written[i].String()
	if occasion := s.occasion(i, at); occasion != "" {
		text = strings.TrimSuffix(text, ")") + ": " + occasion + ")" // the calendar is what String ends with
	}
	return text
}

// occasion describes the events in the calendar of a budget at a time and right after it, and when they end.
func (s Set) occasion(i int, at time.Time) string {
	written := s.get().written[i]
	if written.Calendar == "" || at.IsZero() {
		return ""
	}
	open, end := s.get().spec.Calendars[written.Calendar].Until(at)
	if !open {
		return ""
	}
	events := s.Events(i, schedule.Span{Start: at, End: end})
	if len(events) == 0 {
		return ""
	}
	last := slices.IndexFunc(events, func(e schedule.Event) bool { return e.End.Equal(end) })
	text := named(events)
	if end.IsZero() || last < 0 {
		return text
	}
	layout := "Mon 2 Jan 15:04 MST"
	if end.Sub(at) > 300*24*time.Hour {
		layout = "Mon 2 Jan 2006 15:04 MST"
	}
	return text + ", until " + end.In(events[last].End.Location()).Format(layout)
}

// named lists the first distinct names of events, and counts the rest: "Christmas Day, Boxing Day, and 3 more".
func named(events []schedule.Event) string {
	const few, longest = 5, 100
	var names []string
	for _, e := range events {
		if !slices.Contains(names, e.Name) {
			names = append(names, e.Name)
		}
	}
	return wording.List(names, few, func(name string) string { return wording.Short(name, longest) })
}
