package lint

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// changesOnly reports whether two timelines differ only where may allows it.
func changesOnly(before, after []budget.Segment, may func(before, after int) bool) bool {
	for _, both := range together(before, after) {
		if !may(both[0].Nodes, both[1].Nodes) {
			return false
		}
	}
	return true
}

// tightens reports whether no limit becomes higher.
func tightens(before, after []budget.Segment) bool {
	return changesOnly(before, after, func(before, after int) bool { return after <= before })
}

const lintWeek = 7 * 24 * time.Hour

// weekly returns a few budgets in UTC that allow nothing for some reasons while a window is open in the coming week,
// or none. A trial checks the other weeks.
func (l *linter) weekly(open schedule.Window, reasons ...candidate.Reason) []budget.Budget {
	type slot struct {
		minute, hour int
		length       time.Duration
	}
	days := map[slot][]string{}
	var slots []slot
	for span := range open.Spans(l.now, l.now.Add(lintWeek)) {
		_, span = open.State(span.Start)
		if span.Start.Before(l.now) {
			continue // it comes again
		}
		s := slot{span.Start.Minute(), span.Start.Hour(), length(span)}
		if s.length <= 0 || s.length >= lintWeek || len(slots) > 3 {
			return nil
		}
		if days[s] == nil {
			slots = append(slots, s)
		}
		days[s] = append(days[s], strings.ToLower(span.Start.Format("Mon")))
	}
	var budgets []budget.Budget
	for _, s := range slots {
		on := strings.Join(days[s], ",")
		if len(days[s]) == 7 {
			on = "*"
		}
		budgets = append(budgets, budget.Budget{
			Reasons: reasons, Nodes: "0",
			Schedule: fmt.Sprintf("%d %d * * %s", s.minute, s.hour, on), Duration: wording.Duration(s.length),
		})
	}
	if len(budgets) > 3 {
		return nil
	}
	return budgets
}

// InUTC returns the schedules in UTC that hit when one of a time zone does, as its clocks are now: none if it is for
// more than some times of days of the week.
func InUTC(text, zone string, now time.Time) (schedules []string) {
	fields := strings.Fields(text)
	w, wrong := schedule.Parse(text, time.Minute, "")
	in, unknown := time.LoadLocation(zone)
	if wrong != nil || unknown != nil || len(fields) != 5 || fields[2] != "*" || fields[3] != "*" {
		return nil
	}
	_, offset := now.In(in).Zone()
	var hits []schedule.Span
	for s := range w.Spans(now.Add(-2*lintWeek), now.Add(2*lintWeek)) {
		ahead := -time.Duration(offset) * time.Second
		hits = append(hits, schedule.Span{Start: s.Start.Add(ahead), End: s.End.Add(ahead)})
	}
	l := linter{now: now}
	for _, b := range l.weekly(schedule.Dates(hits...)) {
		schedules = append(schedules, b.Schedule)
	}
	return schedules
}

// literals returns the JSON of budgets. Their times are in UTC; it says so if lint shows times in another zone.
func (l *linter) literals(budgets ...budget.Budget) string {
	var texts []string
	timed := false
	for _, b := range budgets {
		texts, timed = append(texts, literal(b)), timed || b.Schedule != "" && b.TimeZone == ""
	}
	if zone, _ := l.now.Zone(); timed && zone != "UTC" {
		return strings.Join(texts, ", ") + " (in UTC)"
	}
	return strings.Join(texts, ", ")
}

// aWeek returns the part of a week that a part of the checked time is: whole hours, or minutes of less than ten hours.
func (l *linter) aWeek(d time.Duration) string {
	d = time.Duration(float64(d) / float64(l.end.Sub(l.now)) * float64(lintWeek))
	if d < 10*time.Hour {
		return wording.Duration(d.Round(time.Minute))
	}
	return wording.Duration(d.Round(time.Hour))
}

// literal returns the JSON of a budget as people write it.
func literal(b budget.Budget) string {
	var fields []string
	for _, name := range []string{"nodes", "per", "soak", "spread", "guaranteed", "reasons", "topologyKey",
		"sequential", "schedule", "duration", "from", "to", "calendar", "timeZone", "outside"} {
		if value, there := written(b)[name]; there {
			fields = append(fields, fmt.Sprintf("%q: %s", name, value))
		}
	}
	return "{" + strings.ReplaceAll(strings.Join(fields, ", "), `","`, `", "`) + "}"
}

// written returns the JSON of each field of a budget that is not empty.
func written(b budget.Budget) (fields map[string]json.RawMessage) {
	text, _ := json.Marshal(b)
	_ = json.Unmarshal(text, &fields) // it is JSON
	return fields
}

// timing returns the names of the fields that say when the budget is active, those that always needs to be without.
func timing(b budget.Budget) (names []string) {
	for _, name := range []string{"schedule", "duration", "from", "to", "calendar", "timeZone", "outside"} {
		if _, there := written(b)[name]; there {
			names = append(names, name)
		}
	}
	return names
}

// always returns a budget without its schedule, dates and calendar.
func always(b budget.Budget) budget.Budget {
	b.Schedule, b.Duration, b.From, b.To, b.Calendar, b.TimeZone, b.Outside = "", "", "", "", "", "", false
	return b
}
