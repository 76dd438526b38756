package budget

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/duration"
	"github.com/disruptkit/disruptkit/internal/until"
	"github.com/disruptkit/disruptkit/schedule"
)

// closing says how to let nothing go while no budget is active.
func (l *linter) closing(r candidate.Reason, open schedule.Window) string {
	const always = `add a budget without a schedule, such as {"nodes": "10%", "reasons": [` + reasonsHere + `]}`
	budgets := l.weekly(open)
	if !l.better(r, budgets, func(before, after int) bool {
		return after == before || before == Unlimited && after == 0
	}, func(after []Segment) bool {
		return !slices.ContainsFunc(after, func(s Segment) bool { return s.Nodes == Unlimited })
	}) {
		return always
	}
	return always + ", or let nothing go then: " + l.written(budgets)
}

// filling says how to shorten an opening that comes every week to its usual end.
func (l *linter) filling(r candidate.Reason, hole schedule.Span, usual time.Duration) string {
	start := hole.Start.UTC()
	more := []Budget{{
		Nodes: "0", Schedule: fmt.Sprintf("%d %d * * %s", start.Minute(), start.Hour(), strings.ToLower(start.Format("Mon"))),
		Duration: duration.Text(length(hole) - usual),
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
	return "if that is not meant, add " + l.written(more)
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
	after, end := set.s.forecast(l.now, l.end, l.nodes, r, lintChanges)
	if end.Before(l.end) || !should(after) {
		return false
	}
	before := l.timelines[r]
	for len(before) > 0 && len(after) > 0 {
		if !may(before[0].Nodes, after[0].Nodes) {
			return false
		}
		end := until.First(before[0].End, after[0].End)
		if before[0].End.Equal(end) {
			before = before[1:]
		}
		if after[0].End.Equal(end) {
			after = after[1:]
		}
	}
	return true
}

// weekly returns a few budgets that let nothing go when a window is open in the coming week, in UTC, or none. Whether
// it is so in other weeks, too, is for better to see.
func (l *linter) weekly(open schedule.Window) []Budget {
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
		budgets = append(budgets, Budget{
			Nodes: "0", Schedule: fmt.Sprintf("%d %d * * %s", s.minute, s.hour, on), Duration: duration.Text(s.length),
		})
	}
	if len(budgets) > 3 {
		return nil
	}
	return budgets
}

// written returns the JSON of budgets that let nothing go. Their times are of UTC, which it says where other times are not.
func (l *linter) written(budgets []Budget) string {
	if zone, _ := l.now.Zone(); zone != "UTC" {
		return jsonOf(budgets) + " (in UTC)"
	}
	return jsonOf(budgets)
}

// jsonOf returns the JSON of budgets that let nothing go.
func jsonOf(budgets []Budget) string {
	const text = `{"nodes": "0", "reasons": [%s], "schedule": "%s", "duration": "%s"}`
	var texts []string
	for _, b := range budgets {
		texts = append(texts, fmt.Sprintf(text, reasonsHere, b.Schedule, b.Duration))
	}
	return strings.Join(texts, ", ")
}
