package report

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
)

// A Report is what operators watch. The zero Report is empty.
type Report struct {
	At      time.Time
	Metrics []Metric
	Events  []Event // what happened since the previous report

	inFlight map[string]bool       // the nodes in flight, by name
	pools    map[string]poolStatus // by name
}

// Summarize returns the report on decisions about an input, or about what Apply made of it. Totals and events also need
// the previous report. A node counts as disrupted once an input shows it in flight. For the first report, pass a zero
// Report: totals then begin at 0, and nodes that are already in flight are not counted.
//
// Gauges cover the given decisions only. Pools and nodes that are not in the input are dropped. If in.Now is zero,
// which is a mistake, Summarize returns the previous report without its events.
func Summarize(previous Report, in disruptkit.Input, ds ...disruptkit.Decision) Report {
	if in.Now.IsZero() {
		previous.Events = nil
		return previous
	}
	s := summary{previous: previous, in: in, decisions: ds, pools: newPools(in)}
	r := Report{At: in.Now}
	var started map[string][]candidate.Reason
	r.inFlight, started = s.started()
	r.Metrics = s.metrics(started)
	r.Events, r.pools = s.events()
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

// started returns the nodes in flight and, by pool, the reasons of those that were not in flight in the previous
// report. For the first report that is unknown, so there are none.
func (s *summary) started() (inFlight map[string]bool, started map[string][]candidate.Reason) {
	inFlight, started = map[string]bool{}, map[string][]candidate.Reason{}
	nodes := slices.SortedStableFunc(slices.Values(s.in.Nodes), func(a, b candidate.Node) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Pool, b.Pool),
			cmp.Compare(a.InFlightFor(), b.InFlightFor()))
	})
	for _, n := range nodes {
		if !n.InFlight() || inFlight[n.Name] { // several nodes of one name count once
			continue
		}
		inFlight[n.Name] = true
		if p := s.pool(n.Pool); !s.previous.At.IsZero() && !s.previous.inFlight[n.Name] && p != nil && !p.Ambiguous {
			started[n.Pool] = append(started[n.Pool], n.InFlightFor())
		}
	}
	return inFlight, started
}
