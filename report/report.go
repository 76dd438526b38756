package report

import (
	"iter"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
)

// A Report is what operators watch. The zero Report is empty.
type Report struct {
	At      time.Time
	Metrics []Metric
	Pools   []PoolStatus // by name
	Nodes   []NodeStatus // by name: nodes in flight, and candidates
	Events  []Event      // what happened since the previous report
}

// Summarize returns the report on decisions about an input, or about what Apply made of it. Totals, transition times
// and events also need the previous report. A node counts as disrupted once an input shows it in flight. For the first
// report, pass a zero Report, or one with only the [PoolStatus] of each pool as read back. Totals then begin at 0 or
// continue from there, and nodes that are already in flight are not counted again.
//
// Reasons without a decision keep their entry in PoolStatus.Reasons, and candidates without one keep their conditions.
// Gauges cover the given decisions only. Pools and nodes that are not in the input are dropped. If in.Now is zero,
// which is a mistake, Summarize returns the previous report without its events.
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
		} else if known { // it is unclear which pool is meant
			r.Pools = append(r.Pools, last)
		}
	}
	r.Metrics = s.metrics(started)
	r.Events = s.events(r.Pools)
	return r
}

// A summary is what Summarize computes a report from.
type summary struct {
	previous  Report
	in        disruptkit.Input
	decisions []disruptkit.Decision
	pools     []pool // by name
}

// candidates yields the candidates of all decisions: of each, those that may go come first.
func (s *summary) candidates() iter.Seq[candidate.Candidate] {
	return func(yield func(candidate.Candidate) bool) {
		for _, d := range s.decisions {
			for _, all := range [][]candidate.Candidate{d.Allowed, d.Blocked} {
				for _, c := range all {
					if !yield(c) {
						return
					}
				}
			}
		}
	}
}
