package forecast

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// A day is a row of the week. Where clocks are put forward an hour is missing, and where they are put back, one is two.
type day struct {
	date  string
	hours [24]cell
}

// daysOf returns the first week of a timeline.
func daysOf(timeline []budget.Segment, zone *time.Location) (days []day) {
	start := timeline[0].Start.In(zone)
	end := timeline[len(timeline)-1].End
	if week := start.AddDate(0, 0, 7); week.Before(end) {
		end = week
	}
	for at := start; at.Before(end); {
		date := at.Format("Mon 02 Jan")
		if len(days) == 0 || days[len(days)-1].date != date {
			days = append(days, day{date: date})
		}
		next := at.Add(time.Hour - sinceHour(at))
		if _, change := at.ZoneBounds(); change.After(at) && change.Before(next) { // then it is another hour
			next = change.In(zone)
		}
		if end.Before(next) {
			next = end.In(zone)
		}
		c := &days[len(days)-1].hours[at.Hour()]
		for _, s := range timeline {
			if s.Start.Before(next) && at.Before(s.End) {
				c.add(s.Nodes)
			}
		}
		at = next
	}
	return days
}

// sinceHour returns for how long it has been this hour by the clock.
func sinceHour(t time.Time) time.Duration {
	return time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second + time.Duration(t.Nanosecond())
}

// glances prints the first week of each timeline.
func (t text) glances(p *pool) {
	if p.rejected() {
		return // what was stored before is in force, and nobody knows what that is
	}
	fmt.Fprintf(t, "\n%s at a glance\n", t.span)
	changes := false
	same := func(a, b candidate.Reason) bool {
		return p.sameNumbers(a, b) && p.goesOverdue(a) == p.goesOverdue(b) && p.paced(a) == p.paced(b)
	}
	for _, g := range p.groups(p.reasons, same) {
		all, title := numbers(g.timeline), g.names()
		if len(all) == 1 {
			title += ": " + always(all[0].Nodes, p.goesOverdue(g.reasons[0]))
		}
		if p.paced(g.reasons[0]) {
			title += ", and no faster than the paces above"
		}
		fmt.Fprintf(t, "\n%s\n", title)
		if len(all) == 1 {
			continue
		}
		t.glance(daysOf(g.timeline, t.zone))
		changes = true
	}
	if changes {
		fmt.Fprintf(t, "\n%s\n", legend)
	}
}

// paced reports whether a pace limits the starts for a reason.
func (p *pool) paced(reason candidate.Reason) bool {
	return slices.ContainsFunc(p.timelines[reason], func(s budget.Segment) bool { return s.Paces != 0 })
}

// always describes what is allowed at all times, of nodes that may also go once they are overdue, or not.
func always(nodes int, overdue bool) string {
	switch {
	case nodes == 0 && overdue:
		return "no node may be disrupted before it is overdue"
	case nodes == 0:
		return "no node may be disrupted at any time"
	}
	return amount(nodes) + " at all times"
}

// glance prints a line for each day, and a cell for each hour.
func (t text) glance(days []day) {
	width := cellWidth(days)
	fmt.Fprintf(t, "%-8s", months(days))
	for hour := range 24 {
		fmt.Fprintf(t, "%*s", width, fmt.Sprintf("%02d", hour))
	}
	fmt.Fprintln(t)
	for _, d := range days {
		var line strings.Builder
		for _, c := range d.hours {
			line.WriteString(c.text(width))
		}
		fmt.Fprintf(t, "%.6s  %s\n", d.date, strings.TrimRight(line.String(), " "))
	}
}

// months returns the month of the days, or both: with a column of their own, a week would be wider than a terminal.
func months(days []day) string {
	_, first, _ := strings.Cut(days[0].date[4:], " ")
	if _, last, _ := strings.Cut(days[len(days)-1].date[4:], " "); last != first {
		return first + "-" + last
	}
	return first
}

// cellWidth is how many columns the cells of a week need, with one between numbers.
func cellWidth(days []day) int {
	width := 3
	for _, d := range days {
		for _, c := range d.hours {
			width = max(width, 1+utf8.RuneCountInString(brief(c.most)))
		}
	}
	return width
}
