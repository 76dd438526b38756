package timetable

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/picture"
)

// A hole is the time in a chart that a finding is about.
type hole struct {
	number  int // of the finding in the pool, from 1 on
	finding lint.Finding
	spans   []span // in the week, ascending
}

// holes returns what to mark in a chart. Findings about all of the week, or about no time, have nothing to mark.
func (s sheet) holes(c chart) []hole {
	var holes []hole
	for i, f := range s.pool.Findings {
		if f.Reason != "" && !slices.Contains(c.reasons, f.Reason) {
			continue
		}
		var spans []span
		limit := f.Span.End.Sub(f.Span.Start)
		switch {
		case f.Code == lint.CodeUnlimitedSpan:
			spans = stretches(c.spans, func(p budget.Segment) bool { return p.Nodes == budget.Unlimited })
		case f.Code == lint.CodeGap && limit <= time.Hour: // it recurs
			spans = stretches(c.spans, func(p budget.Segment) bool { return p.Nodes > 0 })
			spans = slices.DeleteFunc(spans, func(open span) bool { return open.length() > limit || s.goesOn(open, limit, c.reasons[0]) })
		default:
			spans = clip(f, s.week)
		}
		if len(spans) > 0 && !spans[0].is(s.week) {
			holes = append(holes, hole{i + 1, f, spans})
		}
	}
	return holes
}

// clip returns the part of a finding's time that is in a week.
func clip(f lint.Finding, week span) []span {
	zone := week.from.Location()
	in := span{f.Span.Start.In(zone), f.Span.End.In(zone)}.cut(week)
	if f.Span.Start.IsZero() || f.Span.End.IsZero() || !in.from.Before(in.to) {
		return nil
	}
	return []span{in}
}

// stretches joins the segments that follow each other and for which is returns true.
func stretches(segments []budget.Segment, is func(budget.Segment) bool) (joined []span) {
	for _, p := range segments {
		switch last := len(joined) - 1; {
		case !is(p):
		case last >= 0 && joined[last].to.Equal(p.Start):
			joined[last].to = p.End
		default:
			joined = append(joined, span{p.Start, p.End})
		}
	}
	return joined
}

// goesOn reports whether an opening that reaches an edge of the week is longer than limit, with what is beyond the edge.
func (s sheet) goesOn(open span, limit time.Duration, reason candidate.Reason) bool {
	if open.from.After(s.week.from) && open.to.Before(s.week.to) {
		return false
	}
	around, err := s.pool.Budgets.Forecast(open.from.Add(-limit-time.Second), open.to.Add(limit+time.Second), s.nodes, reason)
	return err != nil || slices.ContainsFunc(stretches(around, func(p budget.Segment) bool { return p.Nodes > 0 }), func(all span) bool {
		return all.from.Before(open.to) && all.to.After(open.from) && all.length() > limit
	})
}

func (h hole) class() string {
	switch h.finding.Severity {
	case lint.SeverityError, lint.SeverityWarning:
		return "mark-" + string(h.finding.Severity)
	}
	return "mark-info"
}

// tip is what those see who point at a mark.
func (h hole) tip() string {
	return fmt.Sprintf("%d. %s %s: %s", h.number, h.finding.Severity, h.finding.Code, picture.Short(h.finding.Message, longestFault))
}

// The measures of marks.
const (
	barWide = 5.0
	badge   = 14.0 // the diameter of the number
	tagHigh = 14.0
)

// marks draws a bar along each hole in a column at x, with the number of its finding. Marks that are too near to each other become one.
func (d *drawing) marks(holes []hole, day day, x float64) {
	for i, h := range holes {
		x := x + float64(i)*(badge+1)
		for _, m := range d.bars(h, day) {
			top := m.top
			if m.bottom-m.top < badge { // beside the tag of a block that is too low for its label
				if top = m.top - tagHigh - badge - 1; top < 0 {
					top = m.bottom + tagHigh + 1
				}
			}
			d.Add(`<g class="mark %s"><title>%s</title><rect x="%.2f" y="%.2f" width="%.0f" height="%.2f"/><circle cx="%.2f" cy="%.2f" r="%.0f"/>`,
				h.class(), picture.Escaped(h.tip()), x-1, m.top, barWide, max(m.bottom-m.top, 2), x+badge/2-1, top+badge/2, badge/2)
			d.Text(x+badge/2-1, top+badge/2+3.5, "number", strconv.Itoa(h.number))
			d.Add("</g>")
		}
	}
}

// A bar is from top to bottom, in pixels.
type bar struct{ top, bottom float64 }

// bars places a hole in a day.
func (d *drawing) bars(h hole, day day) []bar {
	var bars []bar
	for _, b := range day.blocks {
		for _, s := range h.spans {
			if s = s.cut(b.span); s.from.Before(s.to) {
				top := d.at(b.stretch.from + s.from.Sub(b.span.from))
				bars = append(bars, bar{top, top + d.at(s.length())})
			}
		}
	}
	slices.SortFunc(bars, func(a, b bar) int { return cmp.Compare(a.top, b.top) })
	var joined []bar
	for _, b := range bars {
		if last := len(joined) - 1; last >= 0 && b.top < max(joined[last].bottom, joined[last].top+badge)+1 {
			joined[last].bottom = max(joined[last].bottom, b.bottom)
			continue
		}
		joined = append(joined, b)
	}
	return joined
}
