package lint

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// A judge says whether an advice does what it should for a reason, given the timelines before and after.
type judge func(r candidate.Reason, before, after []budget.Segment) (good bool)

// proves checks a compiled list of budgets that lint is about to advise, for some reasons. It reports false if the list
// closes for good what was open, for example because it is broken or too long.
func (l *linter) proves(set *limits, reasons []candidate.Reason, good judge) bool {
	if l.cut {
		return false
	}
	for _, r := range reasons {
		timeline := set.ForecastUpTo(l.now, l.end, l.nodes, r, lintChanges)
		if timeline[len(timeline)-1].End.Before(l.end) {
			return false
		}
		before, after := l.effective(r), freeze(set, timeline, r)
		if openFor(after) == 0 && openFor(before) > 0 || !good(r, before, after) {
			return false
		}
	}
	return true
}

// provesForAll proves a list for all reasons that the change may affect, children included.
func (l *linter) provesForAll(list []budget.Budget, good judge) bool {
	set := l.compiled(list)
	return l.proves(set, l.affected(set), good)
}

// adding proves the list with more budgets for one reason.
func (l *linter) adding(more []budget.Budget, r candidate.Reason, good func(before, after []budget.Segment) bool) bool {
	if len(more) == 0 {
		return false
	}
	return l.proves(l.compiled(slices.Concat(l.list, more)), []candidate.Reason{r},
		func(_ candidate.Reason, before, after []budget.Segment) bool { return good(before, after) })
}

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

// weekly returns a few budgets in UTC that allow nothing for a reason while a window is open in the coming week, or
// none. Use proves to check the other weeks.
func (l *linter) weekly(r candidate.Reason, open schedule.Window) []budget.Budget {
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
			Reasons: []candidate.Reason{r}, Nodes: "0",
			Schedule: fmt.Sprintf("%d %d * * %s", s.minute, s.hour, on), Duration: wording.Duration(s.length),
		})
	}
	if len(budgets) > 3 {
		return nil
	}
	return budgets
}

// written returns the JSON of budgets that allow nothing. Their times are in UTC; it says so if lint shows times in
// another zone.
func (l *linter) written(budgets []budget.Budget) string {
	if zone, _ := l.now.Zone(); zone != "UTC" {
		return jsonOf(budgets) + " (in UTC)"
	}
	return jsonOf(budgets)
}

// jsonOf returns the JSON of budgets, for the reasons of a finding.
func jsonOf(budgets []budget.Budget) string {
	var texts []string
	for _, b := range budgets {
		b.Reasons = []candidate.Reason{reasonsHere}
		texts = append(texts, strings.Replace(literal(b), `"`+reasonsHere+`"`, reasonsHere, 1))
	}
	return strings.Join(texts, ", ")
}
