package metrics

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/command"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/cmd/internal/timetable"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// A calendar is what budgets allow in a week, a row for each NodePool, and for each DisruptionPolicy, and the reasons for which the same is
// allowed.
type calendar struct {
	Days   []dayView
	Now    float64 // where it is, in percent
	Rows   []calendarRow
	Faults []string // what could not be drawn
}

// A dayView is where a day begins, in percent.
type dayView struct {
	Name string
	Left float64
}

// A calendarRow is a week.
type calendarRow struct {
	Of, Reasons string
	Now         string // in words
	Words       string // all of it, for those who do not see it, as far as anybody would listen
	Blocks      []block
}

// A block is a span in which the same is allowed, and where it is, in percent.
type block struct {
	timetable.Block
	Label       string
	Left, Width float64
}

// calendar returns the calendar of the week that begins on the day of a picture.
func (p picture) calendar(at tell.Clock) (c calendar) {
	y, m, d := at.Now.Date()
	zone := at.Now.Location()
	week := schedule.Span{Start: command.Day(y, m, d, zone), End: command.Day(y, m, d+timetable.Days, zone)}
	place := func(t time.Time) float64 { return 100 * float64(t.Sub(week.Start)) / float64(week.End.Sub(week.Start)) }
	for i := range timetable.Days {
		day := command.Day(y, m, d+i, zone)
		c.Days = append(c.Days, dayView{day.Format("Mon 2"), place(day)})
	}
	c.Now = place(at.Now)
	add := func(of timetable.Pool, pool *disruptkit.Pool) {
		of.Start = week.Start
		rows, err := p.rows(of, pool, week, at, place)
		if err != nil {
			c.Faults = append(c.Faults, fmt.Sprintf("%s: %v", wording.Quote(of.Name), err))
		}
		c.Rows = append(c.Rows, rows...)
	}
	pools := slices.SortedFunc(slices.Values(p.in.Pools), func(a, b disruptkit.Pool) int { return strings.Compare(a.Name, b.Name) })
	for _, pool := range pools {
		pool.Labels = maps.Clone(pool.Labels)
		if pool.Labels == nil {
			pool.Labels = map[string]string{}
		}
		pool.Labels[annotation.PoolLabel] = pool.Name
		add(timetable.Pool{Name: pool.Name, Budgets: pool.Budgets, Nodes: p.nodesOf(pool.Name, "")}, &pool)
	}
	for _, g := range p.in.Groups {
		add(timetable.Pool{Name: "policy " + g.Name, Budgets: g.Budgets, Nodes: p.nodesOf("", g.Name)}, nil)
	}
	return c
}

// nodesOf returns how many nodes of a pool or of a group count.
func (p picture) nodesOf(pool, group string) int {
	for _, d := range p.decisions {
		for _, of := range d.Pools {
			if of.Pool == pool {
				return of.Nodes
			}
		}
		for _, of := range d.Groups {
			if of.Pool == group {
				return of.Nodes
			}
		}
	}
	return 0
}

// rows returns the rows of a pool, or of a policy, which is no pool.
func (p picture) rows(
	l timetable.Pool, pool *disruptkit.Pool, week schedule.Span, at tell.Clock, place func(time.Time) float64,
) (rows []calendarRow, err error) {
	if pool != nil && slices.Contains(p.rejected, pool.Name) {
		const why = "the API server rejects the NodePool, and what was stored before stays in force"
		all := block{Block: timetable.Block{Class: "closed", Tip: "all week: unknown; " + why}, Width: 100}
		return []calendarRow{{Of: wording.Quote(l.Name), Now: "unknown: " + why, Words: all.Tip + ". ", Blocks: []block{all}}}, nil
	}
	for _, d := range p.decisions {
		reason := d.Reason
		if l.Budgets.Minimum(reason).Held == candidate.Forever {
			continue // no node ever goes for it
		}
		segments, err := l.Budgets.Forecast(week.Start, week.End, l.Nodes, reason)
		if err != nil {
			return nil, err
		}
		var pauses []schedule.Event
		if pool != nil {
			if karpenters, also := p.admitted[pool.Name]; also {
				if segments, err = p.as.Within(karpenters, segments, l.Nodes, reason); err != nil {
					return nil, err
				}
			}
			pauses = engine.Pauses(p.in.Pauses, *pool, reason)
		}
		l.Weeks = append(l.Weeks, timetable.Week{Reason: reason, Segments: engine.Paused(segments, pauses), Pauses: pauses})
	}
	for _, r := range l.Rows() {
		row := calendarRow{Of: wording.Quote(l.Name), Reasons: r.Reasons, Now: sentenceNow(r.Segments, at), Words: r.Words}
		for _, b := range r.Blocks {
			row.Blocks = append(row.Blocks, block{b, label(b), place(b.Start), place(b.End) - place(b.Start)})
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// label is what there is space for on a block. Patterns say that it is closed, or mixed.
func label(b timetable.Block) string {
	switch {
	case b.Class == "unlimited":
		return "no limit"
	case b.Class == "closed" || b.Class == "mixed":
		return ""
	}
	return fmt.Sprint(b.Nodes)
}

// sentenceNow describes what is allowed, and when that ends.
func sentenceNow(segments []budget.Segment, at tell.Clock) string {
	for i, s := range segments {
		if !s.Contains(at.Now) {
			continue
		}
		for _, next := range segments[i+1:] {
			if next.Nodes != s.Nodes {
				return timetable.AtOnce(s.Nodes) + " until " + at.Day(next.Start)
			}
		}
		return timetable.AtOnce(s.Nodes) + " all week"
	}
	return ""
}
