// Package timetable draws what disruption budgets allow over weeks, each from any day on, for a design review or a runbook.
//
//	[]Pool ──▶ sheets ──▶ charts ──▶ days ──▶ blocks ──▶ SVG, HTML
//	           a week of   reasons    wall     spans of
//	           a pool      alike      clock    one amount
//
// Everything is placed before anything is drawn. A day is a column, its wall clock goes down, and each block in it is the
// exact span in which so many nodes may be disrupted, cut at midnight. Where the clock goes forward, the hour that is left out is left
// empty. Where it goes back, the hour that appears twice is in two halves, the first on the left.
//
// A block says what takes place in the calendars of the budgets that bind, and who paused disruption. Where budgets limit how many nodes
// start within some time, it says so too, and has a dashed line along its right edge.
//
// What is too short to be seen is never dropped. Where many short spans follow each other, one block stands for all of
// them, and says "mixed".
package timetable

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Week is what the budgets of a pool allow for one reason in one week.
type Week struct {
	Reason   candidate.Reason // "" is any
	Start    time.Time        // 00:00 of the first of seven days, in the zone in which it is shown
	Segments []budget.Segment // without gaps, from Start or before up to the end of the seventh day or beyond: see budget.Set.Forecast
	Pauses   []schedule.Event // by whom and what for, as their names say; Segments allow nothing while one holds
}

// A Pool is what is drawn of one pool.
type Pool struct {
	Name    string
	Note    string     // below the name, such as the engine that it is for; "" is none
	Nodes   int        // for the amounts; below 0 is 0
	Budgets budget.Set // names the budgets that bind
	// AsksToExpire reports that budgets are asked before nodes are replaced for their age; see lint.Facts.
	AsksToExpire bool
	Weeks        []Week         // drawn in this order, those of the same week together, and once where they are alike
	Findings     []lint.Finding // they are marked
}

// SVG writes the weeks of pools as one picture that needs nothing else: no script, no font, no style. It is light or dark,
// as the reader prefers. The same pools give the same bytes.
//
// An error says which week does not begin at the 00:00 of a day, or is not covered by its segments; then nothing is written.
func SVG(w io.Writer, pools []Pool) error {
	sheets, err := lay(pools)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, svg(sheets))
	return err
}

// A sheet is one week of one pool.
type sheet struct {
	pool   *Pool
	nodes  int
	date   time.Time // of the first day, at 00:00 UTC
	week   span
	charts []chart
	scale  scale
}

// A chart is a week as it is for one or more reasons.
type chart struct {
	reasons []candidate.Reason
	spans   []budget.Segment // cut to the week
	pauses  []schedule.Event // in the week
	days    [7]day
}

// lay places everything.
func lay(pools []Pool) ([]sheet, error) {
	var sheets []sheet
	for i := range pools {
		first := len(sheets)
		for _, w := range pools[i].Weeks {
			date, week, err := w.bounds()
			if err != nil {
				return nil, fmt.Errorf("pool %q, %s: %w", pools[i].Name, named(w.Reason), err)
			}
			spans, err := cut(w.Segments, week)
			if err != nil {
				return nil, fmt.Errorf("pool %q, %s: %w", pools[i].Name, named(w.Reason), err)
			}
			s := find(&sheets, first, sheet{pool: &pools[i], nodes: max(0, pools[i].Nodes), date: date, week: week})
			s.put(w.Reason, spans, pausesIn(w.Pauses, week))
		}
	}
	for i := range sheets {
		sheets[i].scale = newScale(sheets[i].charts)
	}
	return sheets, nil
}

// find returns the sheet of the same week, of those from first on, or adds it.
func find(sheets *[]sheet, first int, like sheet) *sheet {
	for i := range (*sheets)[first:] {
		if s := &(*sheets)[first+i]; s.week.is(like.week) {
			return s
		}
	}
	*sheets = append(*sheets, like)
	return &(*sheets)[len(*sheets)-1]
}

// put adds a reason: to the chart that is like it, or as a chart of its own.
func (s *sheet) put(reason candidate.Reason, spans []budget.Segment, pauses []schedule.Event) {
	for i := range s.charts {
		if c := &s.charts[i]; alike(c.spans, spans) && slices.Equal(c.pauses, pauses) {
			c.reasons = append(c.reasons, reason)
			return
		}
	}
	c := chart{[]candidate.Reason{reason}, spans, pauses, newDays(s.date, s.week, spans)}
	for i := range c.days {
		for j := range c.days[i].blocks {
			b := &c.days[i].blocks[j]
			b.pauses = pauses
			b.names = s.names(*b)
		}
	}
	s.charts = append(s.charts, c)
}
