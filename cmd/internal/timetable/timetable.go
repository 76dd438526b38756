// Package timetable shows what disruption budgets allow in a week: a row for all reasons for which the same is allowed, and in it a block for
// each span. The dashboard and the picture of forecast show the same blocks.
package timetable

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/picture"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// Days is how many a week has, from any day on.
const Days = 7

const (
	mostBlocks    = 200 // of a row: with more spans, each hour is one
	mostWords     = 20  // blocks of a row that are described in words
	longestName   = 60  // characters
	longestBudget = 160
)

// A Pool is a NodePool or a DisruptionPolicy.
type Pool struct {
	Name    string
	Note    string    // below the name in a picture, such as the engine that it is for; "" is none
	Start   time.Time // when the first day begins, in the zone in which times are shown
	Nodes   int       // for percentages
	Budgets budget.Set
	Weeks   []Week
}

// A Week is what is allowed for a reason.
type Week struct {
	Reason   candidate.Reason
	Segments []budget.Segment // of the seven days, without gaps: see budget.Set.Forecast
	Pauses   []schedule.Event // Segments allow nothing while one holds
}

// A Row is a week for all reasons for which the same is allowed.
type Row struct {
	Week
	Reasons string
	Blocks  []Block
	Words   string // all of it, for those who do not see it, as far as anybody would listen
}

// A Block is a segment, or hours in which what is allowed changes: then it is mixed.
type Block struct {
	budget.Segment
	Class string // closed, some, most or all of what the row allows, unlimited, or mixed
	Tip   string // all of it in words

	pauses []schedule.Event // of the row
}

// Rows returns the rows of a pool.
func (p *Pool) Rows() (rows []Row) {
	for _, w := range p.Weeks {
		reason := wording.Quote(picture.Short(string(w.Reason), longestName))
		i := slices.IndexFunc(rows, func(r Row) bool { return slices.Equal(r.Segments, w.Segments) && slices.Equal(r.Pauses, w.Pauses) })
		if i >= 0 {
			rows[i].Reasons += ", " + reason
		} else {
			rows = append(rows, p.row(w, reason))
		}
	}
	return rows
}

func (p *Pool) row(w Week, reason string) Row {
	r, zone := Row{Week: w, Reasons: reason}, p.Start.Location()
	most := 0
	for _, s := range w.Segments {
		if s.Nodes != budget.Unlimited {
			most = max(most, s.Nodes)
		}
	}
	for _, b := range drawable(w.Segments) {
		when := b.Start.In(zone).Format("Mon 15:04") + " to " + b.End.In(zone).Format("Mon 15:04")
		if b.Start.Equal(w.Segments[0].Start) && b.End.Equal(w.Segments[len(w.Segments)-1].End) {
			when = "all week"
		}
		b.pauses = w.Pauses
		if b.Class == mixed {
			b.Tip = when + ": it changes several times an hour"
		} else {
			b.Class, b.Tip = class(b.Nodes, most), when+": "+p.why(b)
		}
		if r.Blocks = append(r.Blocks, b); len(r.Blocks) <= mostWords {
			r.Words += b.Tip + ". "
		}
	}
	return r
}

const mixed = "mixed"

// drawable returns the blocks of segments, so that there are not too many of them to be seen.
func drawable(segments []budget.Segment) (all []Block) {
	if len(segments) <= mostBlocks {
		for _, s := range segments {
			all = append(all, Block{Segment: s})
		}
		return all
	}
	i := 0
	for at, end := segments[0].Start, segments[len(segments)-1].End; at.Before(end); {
		next := schedule.First(at.Add(time.Hour), end)
		for !segments[i].End.After(at) {
			i++
		}
		hour := Block{Segment: segments[i]}
		if segments[i].End.Before(next) {
			hour = Block{Class: mixed}
		}
		hour.Start, hour.End = at, next
		if last := len(all) - 1; last >= 0 && all[last].Class == hour.Class && all[last].Allowance == hour.Allowance && all[last].Paces == hour.Paces {
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

// AtOnce describes how many nodes may be disrupted at once.
func AtOnce(nodes int) string {
	switch nodes {
	case budget.Unlimited:
		return "no limit"
	case 0:
		return "closed"
	}
	return wording.Count(nodes, "node") + " at once"
}

// why describes how many nodes may be disrupted in a block, and what says so.
func (p *Pool) why(b Block) string {
	text := AtOnce(b.Nodes)
	for i := range b.Binding.All() {
		text += "; " + p.described(i)
	}
	for i := range b.Paces.All() {
		text += "; at the pace of " + p.described(i)
	}
	if events := p.events(b, b.Span); len(events) > 0 {
		text += "; " + strings.Join(events, ", ")
	}
	return text
}

// described returns where a budget is written, and what it says.
func (p *Pool) described(i int) string {
	place, list := picture.Short(p.Budgets.Place(i), longestName), p.Budgets.Budgets()
	if i >= len(list) {
		return place
	}
	return place + ": " + wording.Quote(picture.Short(list[i].String(), longestBudget))
}

// names names, for the space on a block, what takes place within a span, and at which paces nodes start: "2 per 1h".
func (p *Pool) names(b Block, within schedule.Span) []string {
	names, list := p.events(b, within), p.Budgets.Budgets()
	for i := range b.Paces.All() {
		if i < len(list) {
			names = append(names, fmt.Sprintf("%s per %s", list[i].Nodes, list[i].Per))
		}
	}
	return names
}

// events names the pauses within a span of a block, and what takes place in the calendars of the budgets that bind, each once.
func (p *Pool) events(b Block, within schedule.Span) (names []string) {
	within = schedule.Span{Start: schedule.Last(b.Start, within.Start), End: schedule.First(b.End, within.End)}
	events := slices.DeleteFunc(slices.Clone(b.pauses), func(e schedule.Event) bool { // zero is no bound
		return !e.Start.IsZero() && !e.Start.Before(within.End) || !e.End.IsZero() && !within.Start.Before(e.End)
	})
	for i := range (b.Binding | b.Paces).All() {
		events = append(events, p.Budgets.Events(i, within)...)
	}
	for _, e := range events {
		if name := wording.Quote(picture.Short(e.Name, longestName)); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
