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
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// days is how many the calendar has, from the one of the picture on.
const days = 7

// mostBlocks is how many spans a row has at the most: with more, each hour is one.
const mostBlocks = 200

// mostWords is how many spans of a row are described in words.
const mostWords = 20

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
	Class       string // closed, some, most, all, unlimited or mixed
	Label, Tip  string
	Left, Width float64
}

// A limited is what budgets limit: a pool, or a policy.
type limited struct {
	name, pool string // pool: "" is a policy
	budgets    budget.Set
	nodes      int
	pauses     func(candidate.Reason) []schedule.Event
}

// calendar returns the calendar of the week that begins on the day of a picture.
func (p picture) calendar(at clock) (c calendar) {
	y, m, d := at.now.Date()
	zone := at.now.Location()
	week := schedule.Span{Start: command.Day(y, m, d, zone), End: command.Day(y, m, d+days, zone)}
	place := func(t time.Time) float64 { return 100 * float64(t.Sub(week.Start)) / float64(week.End.Sub(week.Start)) }
	for i := range days {
		day := command.Day(y, m, d+i, zone)
		c.Days = append(c.Days, dayView{day.Format("Mon 2"), place(day)})
	}
	c.Now = place(at.now)
	for _, l := range p.limited() {
		rows, err := p.rows(l, week, at, place)
		if err != nil {
			c.Faults = append(c.Faults, fmt.Sprintf("%s: %v", wording.Quote(l.name), err))
		}
		c.Rows = append(c.Rows, rows...)
	}
	return c
}

// limited returns what the picture shows that budgets limit.
func (p picture) limited() (all []limited) {
	counts := map[string]int{}
	for _, s := range p.report.Pools {
		counts[s.Pool] = s.Nodes
	}
	pools := slices.SortedFunc(slices.Values(p.in.Pools), func(a, b disruptkit.Pool) int { return strings.Compare(a.Name, b.Name) })
	for _, pool := range pools {
		if nodes, shown := counts[pool.Name]; shown {
			all = append(all, limited{pool.Name, pool.Name, pool.Budgets, nodes, p.pausesOf(pool)})
		}
	}
	for _, g := range p.in.Groups {
		if p.showsGroup(g) {
			all = append(all, limited{"policy " + g.Name, "", g.Budgets, p.nodesOf(g), func(candidate.Reason) []schedule.Event { return nil }})
		}
	}
	return all
}

// showsGroup reports whether the picture shows a pool of a group.
func (p picture) showsGroup(g disruptkit.Group) bool { return slices.ContainsFunc(g.Pools, p.hasPool) }

// nodesOf returns how many nodes of a group count, in all of its pools.
func (p picture) nodesOf(g disruptkit.Group) int {
	for _, d := range p.decisions {
		for _, of := range d.Groups {
			if of.Pool == g.Name {
				return of.Nodes
			}
		}
	}
	return 0
}

// pausesOf returns when people pause a whole pool for a reason.
func (p picture) pausesOf(pool disruptkit.Pool) func(candidate.Reason) []schedule.Event {
	labels := map[string]string{annotation.PoolLabel: pool.Name}
	maps.Copy(labels, pool.Labels)
	pool.Labels = labels
	return func(reason candidate.Reason) []schedule.Event { return engine.Pauses(p.in.Pauses, pool, reason) }
}

// rows returns the rows of what budgets limit. Reasons for which the same is allowed share one.
func (p picture) rows(l limited, week schedule.Span, at clock, place func(time.Time) float64) ([]calendarRow, error) {
	type line struct {
		reasons  []string
		segments []budget.Segment
		pauses   []schedule.Event
	}
	var lines []line
	if l.pool != "" && slices.Contains(p.rejected, l.pool) {
		const why = "the API server rejects the NodePool, and what was stored before stays in force"
		all := block{Class: "closed", Tip: "all week: unknown; " + why, Width: 100}
		return []calendarRow{{Of: wording.Quote(l.name), Now: "unknown: " + why, Words: all.Tip + ". ", Blocks: []block{all}}}, nil
	}
	for _, d := range p.decisions {
		reason := d.Reason
		if l.budgets.DisruptAfter(reason) == candidate.Forever {
			continue // no node ever goes for it
		}
		segments, err := l.budgets.Forecast(week.Start, week.End, l.nodes, reason)
		if err != nil {
			return nil, err
		}
		if karpenters, also := p.admitted[l.pool]; also && l.pool != "" {
			theirs, err := karpenters.Forecast(week.Start, week.End, l.nodes, reason)
			if err != nil {
				return nil, err
			}
			segments = engine.Tighter(segments, theirs)
		}
		pauses := l.pauses(reason)
		segments = engine.Paused(segments, pauses)
		i := slices.IndexFunc(lines, func(o line) bool { return slices.Equal(o.segments, segments) && slices.Equal(o.pauses, pauses) })
		if i < 0 {
			i = len(lines)
			lines = append(lines, line{segments: segments, pauses: pauses})
		}
		lines[i].reasons = append(lines[i].reasons, wording.Quote(string(reason)))
	}
	var rows []calendarRow
	for _, line := range lines {
		row := calendarRow{Of: wording.Quote(l.name), Reasons: strings.Join(line.reasons, ", "), Now: sentenceNow(line.segments, at)}
		most := 0
		for _, s := range line.segments {
			if s.Nodes != budget.Unlimited {
				most = max(most, s.Nodes)
			}
		}
		for _, s := range drawable(line.segments) {
			b := block{Left: place(s.Start), Width: place(s.End) - place(s.Start), Class: class(s.Nodes, most), Label: label(s.Nodes)}
			if s.mixed {
				b.Class, b.Label = "mixed", ""
			}
			b.Tip = l.tip(s, line.pauses, at)
			if s.Span == week {
				b.Tip = "all week" + b.Tip[strings.Index(b.Tip, ": "):]
			}
			row.Blocks = append(row.Blocks, b)
			if len(row.Blocks) <= mostWords {
				row.Words += b.Tip + ". "
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// A drawn is a segment, or an hour in which what is allowed changes.
type drawn struct {
	budget.Segment
	mixed bool
}

// drawable returns segments so that there are not too many of them to be seen.
func drawable(segments []budget.Segment) (all []drawn) {
	if len(segments) <= mostBlocks {
		for _, s := range segments {
			all = append(all, drawn{s, false})
		}
		return all
	}
	i := 0
	for at, end := segments[0].Start, segments[len(segments)-1].End; at.Before(end); {
		next := at.Add(time.Hour)
		if next.After(end) {
			next = end
		}
		for !segments[i].End.After(at) {
			i++
		}
		hour := drawn{segments[i], segments[i].End.Before(next)}
		hour.Start, hour.End = at, next
		if last := len(all) - 1; last >= 0 && all[last].mixed == hour.mixed && (hour.mixed || all[last].Allowance == hour.Allowance) {
			all[last].End = next
		} else {
			all = append(all, hour)
		}
		at = next
	}
	return all
}

// class describes how a block looks, where so many are the most that are allowed in its row.
func class(nodes, most int) string {
	switch {
	case nodes == budget.Unlimited:
		return "unlimited"
	case nodes == 0:
		return "closed"
	case 3*nodes <= most:
		return "some"
	case 3*nodes <= 2*most:
		return "most"
	}
	return "all"
}

func label(nodes int) string {
	switch nodes {
	case budget.Unlimited:
		return "no limit"
	case 0:
		return ""
	}
	return fmt.Sprint(nodes)
}

// tip describes what a block shows.
func (l limited) tip(s drawn, pauses []schedule.Event, at clock) string {
	zone := at.now.Location()
	text := s.Start.In(zone).Format("Mon 15:04") + " to " + s.End.In(zone).Format("Mon 15:04") + ": "
	if s.mixed {
		return text + "it changes several times an hour"
	}
	text += atOnce(s.Nodes)
	for _, e := range pauses {
		if holds, _ := schedule.Events(e).Until(s.Start); holds {
			return text + "; " + wording.Quote(e.Name)
		}
	}
	list := l.budgets.Budgets()
	for i := range s.Binding.All() {
		if i < len(list) {
			text += fmt.Sprintf("; %s: %s", l.budgets.Place(i), wording.Quote(list[i].String()))
		}
	}
	return text
}

// atOnce describes how many nodes may be disrupted at once.
func atOnce(nodes int) string {
	switch nodes {
	case budget.Unlimited:
		return "no limit"
	case 0:
		return "closed"
	}
	return wording.Count(nodes, "node") + " at once"
}

// sentenceNow describes what is allowed, and when that ends.
func sentenceNow(segments []budget.Segment, at clock) string {
	for i, s := range segments {
		if !s.Contains(at.now) {
			continue
		}
		for _, next := range segments[i+1:] {
			if next.Nodes != s.Nodes {
				return atOnce(s.Nodes) + " until " + at.day(next.Start)
			}
		}
		return atOnce(s.Nodes) + " all week"
	}
	return ""
}
