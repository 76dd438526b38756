package planner

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/plan"
	"github.com/disruptkit/disruptkit/schedule"
)

// An axis maps times to positions.
type axis struct {
	span
	x0, x1 float64
}

// A span is a time with an end.
type span struct{ from, to time.Time }

// newAxis returns an axis for the plans from x0 to x1, up to the end of the last node that is done by itself, also in slow runs.
func newAxis(plans []planned, x0, x1 float64) axis {
	a := axis{span{plans[0].plan.From, plans[0].plan.From.Add(time.Minute)}, x0, x1} // nodes may take no time
	for _, p := range plans {
		a.to = schedule.Last(a.to, p.runs.Finish.Late)
		for _, n := range p.plan.Nodes {
			if byItself(n) {
				a.to = schedule.Last(a.to, n.End())
			}
		}
	}
	return a
}

// byItself reports whether a node is done by itself, and not because it expires.
func byItself(n plan.Node) bool { return n.Outcome == plan.Done && !n.OnlyExpires() }

// started returns when a node started, or when the plan begins if that is later.
func started(p plan.Plan, n plan.Node) time.Time { return schedule.Last(n.Start, p.From) }

// x returns the position of a time.
func (a axis) x(t time.Time) float64 {
	return a.x0 + (a.x1-a.x0)*min(1, max(0, t.Sub(a.from).Seconds()/a.to.Sub(a.from).Seconds()))
}

// distances are the possible ones between ticks.
var distances = []time.Duration{
	time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	24 * time.Hour, 7 * 24 * time.Hour, 28 * 24 * time.Hour,
}

// ticks returns round times at least apart from each other.
func (a axis) ticks(apart float64) (ticks []time.Time) {
	step := distances[len(distances)-1]
	if i := slices.IndexFunc(distances, func(d time.Duration) bool { return a.x(a.from.Add(d))-a.x0 >= apart }); i >= 0 {
		step = distances[i]
	}
	_, offset := a.from.Zone()
	ahead := time.Duration(offset) * time.Second // so that midnight is that of the zone
	for t := a.from.Add(ahead + step - 1).Truncate(step).Add(-ahead); !t.After(a.to); t = t.Add(step) {
		ticks = append(ticks, t)
	}
	return ticks
}
