package timetable

import (
	"fmt"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/cmd/internal/picture"
	"github.com/disruptkit/disruptkit/schedule"
)

// names names what takes place in a block in the calendars of the budgets that bind, and the pauses that close it.
func (s sheet) names(b block) []string {
	var events []schedule.Event
	for _, p := range b.parts {
		within := span{p.Start, p.End}.cut(b.span).bounds()
		for i := range (p.Binding | p.Paces).All() {
			events = append(events, s.pool.Budgets.Events(i, within)...)
		}
		events = append(events, schedule.Events(b.pauses...).Events(within)...)
	}
	return eventNames(events)
}

// pausesIn returns the parts of pauses that are in a week.
func pausesIn(pauses []schedule.Event, week span) (in []schedule.Event) {
	for _, e := range pauses {
		if e.End.IsZero() {
			e.End = week.to
		}
		if cut := (span{e.Start, e.End}).cut(week); cut.from.Before(cut.to) {
			in = append(in, schedule.Event{Name: e.Name, Span: cut.bounds()})
		}
	}
	return in
}

// eventNames returns the names of events, each once.
func eventNames(events []schedule.Event) (names []string) {
	for _, e := range events {
		if name := picture.Short(e.Name, longestName); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// paces returns what the paces of a span say, in a few words each: "2 start per 1h".
func (s sheet) paces(p budget.Segment) (texts []string) {
	list := s.pool.Budgets.Budgets()
	for i := range p.Paces.All() {
		if i < len(list) {
			texts = append(texts, paceText(list[i]))
		}
	}
	return texts
}

func paceText(b budget.Budget) string {
	nodes, start := picture.Short(b.Nodes, longestName), "start"
	switch nodes {
	case "":
		nodes = "10%"
	case "1":
		start = "starts"
	}
	return fmt.Sprintf("%s %s per %s", nodes, start, picture.Short(b.Per, longestName))
}

// wrapped breaks a text between words, into at most so many lines for which there is room. What is left out is "…".
func wrapped(text string, size, room float64, most int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && picture.TextWidth(longer, size) > room {
			lines, longer = append(lines, line), word
		}
		line = longer
	}
	lines = append(lines, line)
	if len(lines) > most {
		lines[most-1] += " …"
		lines = lines[:most]
	}
	for i := range lines {
		lines[i] = picture.Fitted(lines[i], size, room)
	}
	return slices.DeleteFunc(lines, func(line string) bool { return line == "" })
}

// pacing returns the budgets that limit how many nodes start at some time of a sheet.
func (s sheet) pacing() []int {
	var all budget.Indexes
	for _, c := range s.charts {
		for _, p := range c.spans {
			all |= p.Paces
		}
	}
	return slices.DeleteFunc(slices.Collect(all.All()), func(i int) bool { return i >= len(s.pool.Budgets.Budgets()) })
}

// unlimited describes what it means that there is no limit: with a pace, that is not that all are disrupted at once.
func (s sheet) unlimited() string {
	for _, c := range s.charts {
		for _, p := range c.spans {
			if p.Nodes == budget.Unlimited && p.Paces != 0 {
				return "unlimited: no budget limits how many go at once"
			}
		}
	}
	return "unlimited: no budget is active, all may be disrupted at once"
}
