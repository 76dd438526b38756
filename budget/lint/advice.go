package lint

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/duration"
	"github.com/disruptkit/disruptkit/internal/limit"
	"github.com/disruptkit/disruptkit/schedule"
)

// proves compiles a list of budgets that lint is about to advise, and checks the timelines of some reasons before and
// after with good. It reports false if the list closes for good what was open, for example because it is broken or too
// long.
func (l *linter) proves(list []budget.Budget, reasons []candidate.Reason, good func(r candidate.Reason, before, after []limit.Segment) bool) bool {
	if l.cut {
		return false
	}
	set := l.compiled(list)
	for _, r := range reasons {
		after, end := set.Forecast(l.now, l.end, l.nodes, r, lintChanges)
		if end.Before(l.end) {
			return false
		}
		before, after := l.effective(r), freeze(set, after, r)
		if openFor(after) == 0 && openFor(before) > 0 || !good(r, before, after) {
			return false
		}
	}
	return true
}

// adding proves the list with more budgets for one reason.
func (l *linter) adding(more []budget.Budget, r candidate.Reason, good func(before, after []limit.Segment) bool) bool {
	if len(more) == 0 {
		return false
	}
	return l.proves(slices.Concat(l.list, more), []candidate.Reason{r}, func(_ candidate.Reason, before, after []limit.Segment) bool {
		return good(before, after)
	})
}

// changesOnly reports whether two timelines differ only where may allows it.
func changesOnly(before, after []limit.Segment, may func(before, after int) bool) bool {
	for _, both := range together(before, after) {
		if !may(both[0].Nodes, both[1].Nodes) {
			return false
		}
	}
	return true
}

// tightens reports whether no limit becomes higher.
func tightens(before, after []limit.Segment) bool {
	return changesOnly(before, after, func(before, after int) bool { return after <= before })
}

// capping returns a budget that limits a reason at all times, or "" if no additional budget can.
func (l *linter) capping(r candidate.Reason) string {
	limited := func(before, after []limit.Segment) bool { return tightens(before, after) && !hasUnlimited(after) }
	switch {
	case l.adding([]budget.Budget{{Nodes: "10%", Reasons: []candidate.Reason{r}}}, r, limited):
		return `{"nodes": "10%", "reasons": [` + reasonsHere + `]}`
	case l.adding([]budget.Budget{{Nodes: "10%"}}, r, limited): // a budget without reasons does not replace others
		return `{"nodes": "10%"}`
	}
	return ""
}

// widening says how to limit a reason that no budget covers.
func (l *linter) widening(r candidate.Reason) string {
	var advice []string
	// The first always-active budget is enough, except sometimes if the most specific budgets decide.
	i := slices.IndexFunc(l.limits.Pool, func(b limit.Budget) bool {
		return b.Constant() && b.Limit.N > 0 && len(b.Reasons) > 0 && b.Index < l.limits.Listed
	})
	if i >= 0 {
		index := l.limits.Pool[i].Index
		list := slices.Clone(l.list)
		list[index].Reasons = nil
		if l.proves(list, l.reasons, func(other candidate.Reason, before, after []limit.Segment) bool {
			return tightens(before, after) && (other != r || !hasUnlimited(after))
		}) && l.butWhich(list) == "" { // children, too
			advice = append(advice, "leave reasons out of "+l.set.Place(index))
		}
	}
	if more := l.capping(r); more != "" {
		advice = append(advice, "add "+more)
	}
	if len(advice) == 0 {
		return "write a budget for it that is always active"
	}
	return strings.Join(advice, ", or ")
}

// closing says how to limit a reason at all times if budgets limit it at some times, or how to allow nothing at the
// other times.
func (l *linter) closing(r candidate.Reason, open schedule.Window) string {
	always := "write a budget for it without a schedule"
	if more := l.capping(r); more != "" {
		always = "add a budget without a schedule, such as " + more
	}
	budgets := l.weekly(r, open)
	if !l.adding(budgets, r, func(before, after []limit.Segment) bool {
		return !hasUnlimited(after) && changesOnly(before, after, func(before, after int) bool {
			return after == before || before == limit.Unlimited && after == 0
		})
	}) {
		return always
	}
	return always + ", or let nothing go then: " + l.written(budgets)
}

// filling says how to shorten a weekly opening to its usual length. It does so only if that closes no other opening,
// and not more time than is closed already or stays open. If it leaves less than a third of the open time, the long
// opening is rather the one that is meant.
func (l *linter) filling(r candidate.Reason, hole schedule.Span, usual time.Duration) string {
	start := hole.Start.UTC()
	more := []budget.Budget{{
		Reasons: []candidate.Reason{r},
		Nodes:   "0", Schedule: fmt.Sprintf("%d %d * * %s", start.Minute(), start.Hour(), strings.ToLower(start.Format("Mon"))),
		Duration: duration.Text(length(hole) - usual),
	}}
	if !l.adding(more, r, func(before, after []limit.Segment) bool {
		open, left := openFor(before), openFor(after)
		year := l.end.Sub(l.now)
		return open-left <= max(left, year-open) && open <= 3*left && shortens(before, after, usual)
	}) {
		return "if that is not intended, also add a budget of 0 for the time that should be closed"
	}
	return "if that is not intended, add " + l.written(more) + l.butWhich(append(slices.Clone(l.list), more...))
}

// shortens reports whether two timelines differ only in openings that were far longer than the usual one and now last
// about as long. Openings at the ends of the timeline may be cut.
func shortens(before, after []limit.Segment, usual time.Duration) bool {
	openings, _, _ := openingsOf(before)
	shorter, _, _ := openingsOf(after)
	if lost := len(openings) - len(shorter); lost < -2 || 2 < lost {
		return false // openings were closed, or cut in two
	}
	long := slices.DeleteFunc(openings, func(s schedule.Span) bool { return length(s) < 2*usual })
	first, last := before[0].Start, before[len(before)-1].End
	for span, both := range together(before, after) {
		was, is := both[0].Nodes, both[1].Nodes
		for len(long) > 0 && !long[0].End.After(span.Start) {
			long = long[1:]
		}
		inLong := len(long) > 0 && !span.Start.Before(long[0].Start)
		atEnd := span.Start.Before(first.Add(lintWeek)) || span.End.After(last.Add(-lintWeek))
		if was != is && (is != 0 || !inLong && !atEnd) {
			return false
		}
	}
	return !slices.ContainsFunc(shorter, func(s schedule.Span) bool { return length(s) > usual+clockChange })
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
			Schedule: fmt.Sprintf("%d %d * * %s", s.minute, s.hour, on), Duration: duration.Text(s.length),
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
