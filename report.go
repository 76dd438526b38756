package disruptkit

import (
	"time"

	"github.com/disruptkit/disruptkit/budget"
)

// A Report is what operators watch, as plain values: metrics, the status of each NodePool, the conditions of
// NodeClaims, and events. The zero Report is that of nothing. (Disruption-controls-by-method RFC, "Observability and
// Supportability".)
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
// forgotten.
func Summarize(previous Report, in Input, ds ...Decision) Report {
	s := summary{previous: previous, in: in, decisions: ds, pools: sortedPools(in)}
	s.pools.count(in.Nodes, duplicates(in.Nodes))
	r := Report{At: in.Now, Nodes: s.nodes()}
	started := s.started(r.Nodes)
	for _, p := range s.pools {
		if status, known := s.last(p.Name); !p.ambiguous {
			r.Pools = append(r.Pools, s.status(p, started))
		} else if known { // nobody knows which is meant
			r.Pools = append(r.Pools, status)
		}
	}
	r.Metrics = s.metrics(started)
	r.Events = s.events(r.Pools)
	return r
}

// A summary is what a report is made of.
type summary struct {
	previous  Report
	in        Input
	decisions []Decision
	pools     pools
}

// last returns the previous status of a pool.
func (s *summary) last(pool string) (status PoolStatus, known bool) {
	for _, p := range s.previous.Pools {
		if p.Pool == pool {
			return p, true
		}
	}
	return PoolStatus{Pool: pool}, false
}

// budgets returns how the budgets of a pool stand.
func (s *summary) budgets(p *pool) []budget.Status {
	return budget.Statuses(p.Budgets, s.in.Now, p.nodes, p.disrupting)
}
