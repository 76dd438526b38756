package timetable

import (
	"cmp"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
)

const fullDay = 24 * time.Hour

// A day is a column: a date, its blocks, and the hours that it does not have. Blocks and gaps together cover it.
type day struct {
	date   time.Time // at 00:00 UTC
	blocks []block
	gaps   []stretch
}

// A stretch is a part of a day by the wall clock: from and to are since midnight, as clocks show them.
type stretch struct{ from, to time.Duration }

// A run is a time throughout which a clock on the wall runs on: in one day, without a change of the clock.
type run struct {
	span
	column int
	stretch
}

// A slot is a part of a run that is drawn in one piece. Where the clock goes back, several runs are at the same hours of
// a day: there each has a lane, from left to right.
type slot struct {
	run
	lane, lanes int
}

// newDays places the spans of a week.
func newDays(date time.Time, week span, spans []budget.Segment) (days [7]day) {
	runs, amounts := runs(date, week), byAmount(spans)
	for i := range days {
		days[i].date = date.AddDate(0, 0, i)
		slots, gaps := slots(slices.DeleteFunc(slices.Clone(runs), func(r run) bool { return r.column != i }))
		days[i].gaps = gaps
		for _, s := range slots {
			days[i].blocks = append(days[i].blocks, blocks(s, amounts)...)
		}
	}
	return days
}

// runs takes a week apart, at each midnight and wherever the clock changes.
func runs(date time.Time, week span) []run {
	var runs []run
	for at := week.from; at.Before(week.to); {
		h, m, s := at.Clock()
		from := time.Duration(h)*time.Hour + time.Duration(m)*time.Minute + time.Duration(s)*time.Second
		to := at.Add(fullDay - from)
		// By package time, the offset of a zone that follows a rule ends a day too early in leap years: before the last day, and of it in the past.
		if _, change := at.ZoneBounds(); change.After(at) && change.Before(to) {
			to = change
		}
		if week.to.Before(to) {
			to = week.to
		}
		y, month, d := at.Date()
		column := int(time.Date(y, month, d, 0, 0, 0, 0, time.UTC).Sub(date) / fullDay)
		runs = append(runs, run{span{at, to}, min(max(column, 0), 6), stretch{from, from + to.Sub(at)}})
		at = to
	}
	return runs
}

// slots gives the runs of a day their lanes, and returns the hours in which there is none.
func slots(runs []run) (slots []slot, gaps []stretch) {
	bounds := []time.Duration{0, fullDay}
	for _, r := range runs {
		bounds = append(bounds, r.stretch.from, r.stretch.to)
	}
	slices.Sort(bounds)
	bounds = slices.Compact(bounds)
	for i := range len(bounds) - 1 {
		here := stretch{bounds[i], bounds[i+1]}
		var present []run
		for _, r := range runs {
			if r.stretch.from <= here.from && here.to <= r.stretch.to {
				start := r.span.from.Add(here.from - r.stretch.from)
				present = append(present, run{span{start, start.Add(here.to - here.from)}, r.column, here})
			}
		}
		if len(present) == 0 {
			gaps = append(gaps, here)
		}
		for lane, r := range present {
			slots = add(slots, slot{r, lane, len(present)})
		}
	}
	slices.SortFunc(slots, func(a, b slot) int { return cmp.Or(cmp.Compare(a.stretch.from, b.stretch.from), a.lane-b.lane) })
	return slots, gaps
}

// add adds a slot, to the one that it goes on from if there is one.
func add(slots []slot, s slot) []slot {
	for i := range slots {
		before := &slots[i]
		if before.span.to.Equal(s.span.from) && before.stretch.to == s.stretch.from && before.lane == s.lane && before.lanes == s.lanes {
			before.span.to, before.stretch.to = s.span.to, s.stretch.to
			return slots
		}
	}
	return append(slots, s)
}
