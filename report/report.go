package report

import (
	"time"

	"github.com/disruptkit/disruptkit"
)

// A Report is what operators watch. The zero Report is that of nothing.
type Report struct {
	At      time.Time
	Metrics []Metric
	Pools   []PoolStatus // by name
	Nodes   []NodeStatus // by name: those in flight, and those that somebody wants gone
	Events  []Event      // what happened since the previous report
}

// Summarize returns the report on decisions that were made on an input, or on what Apply made of it. What needs a
// history comes from the previous report: totals, times of transitions, and events. A node counts as disrupted once
// an input shows it in flight. The first report has the zero one before it: then totals begin at 0, or where the
// status of a pool says that they were (see PoolStatus), and nodes that are in flight already count as counted.
//
// A reason that no decision is about keeps its place in PoolStatus.Reasons, and a node that is still to go its
// conditions. The gauges are of the decisions that are given. Pools and nodes that are not in the input are
// forgotten. An input without a time is a mistake, of which nothing can be said: the previous report stays, without events.
func Summarize(previous Report, in disruptkit.Input, ds ...disruptkit.Decision) Report {
	if in.Now.IsZero() {
		previous.Events = nil
		return previous
	}
	s := summary{previous: previous, in: in, decisions: ds, pools: newPools(in)}
	r := Report{At: in.Now, Nodes: s.nodes()}
	started := s.started(r.Nodes)
	for _, p := range s.pools {
		if last, known := s.last(p.Name); !p.Ambiguous {
			r.Pools = append(r.Pools, s.status(p, started[p.Name]))
		} else if known { // nobody knows which is meant
			r.Pools = append(r.Pools, last)
		}
	}
	r.Metrics = s.metrics(started)
	r.Events = s.events(r.Pools)
	return r
}

// A summary is what a report is made of.
type summary struct {
	previous  Report
	in        disruptkit.Input
	decisions []disruptkit.Decision
	pools     []pool // by name
}
