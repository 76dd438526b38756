package planner

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/plan"
	"github.com/disruptkit/disruptkit/schedule"
)

// An axis maps times to positions. All hours in which nodes are in flight have the same width; long waits are squeezed.
type axis struct{ stretches []stretch }

// A stretch is a span of time drawn at one scale.
type stretch struct {
	span
	x0, x1   float64
	squeezed bool
}

// A span is a time with an end.
type span struct{ from, to time.Time }

func (s span) length() time.Duration { return s.to.Sub(s.from) }

// newAxis returns an axis for the plans from x0 to x1. A squeezed wait has the width gap.
func newAxis(plans []planned, x0, x1, gap float64) *axis {
	busy := busy(plans)
	total := time.Duration(0)
	for _, b := range busy {
		total += b.length()
	}
	a := &axis{}
	at := plans[0].plan.From
	for _, b := range busy {
		from := b.from.Add(-total / 100)
		if wait := from.Sub(at); wait > total/6 && wait > 5*time.Minute {
			a.stretches = append(a.stretches, stretch{span: span{at, from}, squeezed: true})
			at = from
		}
		if n := len(a.stretches); n > 0 && !a.stretches[n-1].squeezed {
			a.stretches[n-1].to = b.to
		} else {
			a.stretches = append(a.stretches, stretch{span: span{at, b.to}})
		}
		at = b.to
	}
	if len(busy) == 0 {
		a.stretches = []stretch{{span: span{at, at.Add(time.Minute)}}}
	}
	a.scale(x0, x1, gap)
	return a
}

// busy returns the spans in which any node is in flight, also in slow runs, merged if they overlap or touch. Each has a length, and so a
// width, even that of a node that takes no time.
func busy(plans []planned) []span {
	var all []span
	for _, p := range plans {
		for _, n := range p.plan.Nodes {
			if n.Outcome == plan.Done {
				from := started(p.plan, n)
				all = append(all, span{from, schedule.Last(n.End(), from.Add(time.Second))})
			}
		}
		if late := p.runs.Finish.Late; late.After(p.plan.Finish) {
			all = append(all, span{p.plan.Finish, late})
		}
	}
	return merged(all)
}

// merged joins spans that overlap or touch.
func merged(all []span) (joined []span) {
	slices.SortFunc(all, func(a, b span) int { return a.from.Compare(b.from) })
	for _, s := range all {
		if n := len(joined); n > 0 && !s.from.After(joined[n-1].to) {
			joined[n-1].to = schedule.Last(joined[n-1].to, s.to)
		} else {
			joined = append(joined, s)
		}
	}
	return joined
}

// started returns when a node started, or when the plan begins if that is later.
func started(p plan.Plan, n plan.Node) time.Time { return schedule.Last(n.Start, p.From) }

// scale sets the position of each stretch, from x0 to x1.
func (a *axis) scale(x0, x1, gap float64) {
	width, busy, gaps := x1-x0, 0.0, 0.0
	for _, s := range a.stretches {
		if s.squeezed {
			gaps++
		} else {
			busy += s.length().Seconds()
		}
	}
	gap = min(gap, width/2/max(gaps, 1))
	width -= gap * gaps
	for i := range a.stretches {
		s := &a.stretches[i]
		s.x0, s.x1 = x0, x0+gap
		if !s.squeezed {
			s.x1 = x0 + width*s.length().Seconds()/busy
		}
		x0 = s.x1
	}
}

// x returns the position of a time.
func (a *axis) x(t time.Time) float64 {
	for _, s := range a.stretches {
		if !t.After(s.to) {
			return s.x0 + (s.x1-s.x0)*max(0, t.Sub(s.from).Seconds()/s.length().Seconds())
		}
	}
	return a.stretches[len(a.stretches)-1].x1
}

// distances are the possible ones between ticks.
var distances = []time.Duration{
	time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	24 * time.Hour, 7 * 24 * time.Hour, 28 * 24 * time.Hour,
}

// ticks returns round times at least apart from each other, in stretches that are not squeezed.
func (a *axis) ticks(apart float64) []time.Time {
	var ticks []time.Time
	last := -apart
	for _, s := range a.stretches {
		if s.squeezed {
			continue
		}
		scale := (s.x1 - s.x0) / s.length().Seconds()
		step := distances[len(distances)-1]
		if i := slices.IndexFunc(distances, func(d time.Duration) bool { return d.Seconds()*scale >= apart }); i >= 0 {
			step = distances[i]
		}
		_, offset := s.from.Zone()
		ahead := time.Duration(offset) * time.Second // so that midnight is that of the zone
		for t := s.from.Add(ahead).Truncate(step).Add(-ahead); !t.After(s.to); t = t.Add(step) {
			if x := a.x(t); !t.Before(s.from) && x-last >= apart {
				ticks, last = append(ticks, t), x
			}
		}
	}
	return ticks
}
