package metrics

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/internal/expiring"
	"github.com/disruptkit/disruptkit/cmd/internal/planner"
	"github.com/disruptkit/disruptkit/cmd/internal/tell"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/cmd/standing"
	"github.com/disruptkit/disruptkit/report"
)

// reasons are what is decided, in the order in which Karpenter asks: repair first, where nodes are repaired, and requests where there are any.
var reasons = []candidate.Reason{candidate.Unhealthy, candidate.Empty, candidate.Requested, candidate.Drifted, candidate.Underutilized}

// planEvery is the least time between two plans: a plan of a large cluster takes seconds, and its answer changes slowly.
const planEvery = time.Minute

// mostEvents is how many events are kept.
const mostEvents = 200

// An event is one, and when it was first seen.
type event struct {
	At time.Time
	report.Event
}

// A picture is what is known of a cluster at a time. It is never changed.
type picture struct {
	as        engine.Engine
	cluster   *manifest.Cluster
	report    report.Report
	in        disruptkit.Input
	missing   []manifest.Missing // kinds that were not given
	decisions []disruptkit.Decision
	events    []event               // of all reports, in order
	rejected  []string              // pools that the API server rejects, so that what limits them is unknown
	admitted  map[string]budget.Set // by pool, Karpenter's own budgets where these limit it as well
	faults    []candidate.Warning   // what is broken

	read   time.Time       // when the cluster was
	stale  *stale          // nil: it is not
	rolled *planner.Rolled // nil: nobody has looked how far rolls are
}

// A watch looks at a cluster, and folds what it sees into reports. It is safe for concurrent use.
type watch struct {
	mu      sync.Mutex
	as      engine.Engine
	eta     bool // plan as well
	planned standing.Forecast
	last    picture
}

// look decides on a cluster as it is at a time.
func (w *watch) look(cluster *manifest.Cluster, now time.Time) picture {
	w.mu.Lock()
	defer w.mu.Unlock()
	in := cluster.Input(now)
	next := picture{as: w.as, cluster: cluster, in: in, missing: cluster.Missing(), admitted: map[string]budget.Set{}, read: time.Now()}
	asked := slices.DeleteFunc(slices.Clone(reasons), func(r candidate.Reason) bool {
		return r == candidate.Unhealthy && !cluster.Repairing() || r == candidate.Requested && !slices.ContainsFunc(in.Nodes, isRequested)
	})
	for _, reason := range asked { // each of the cluster as it is: what may be disrupted for one is not in flight for the next
		next.decisions = append(next.decisions, cluster.Decide(in, reason))
	}
	for _, pool := range in.Pools {
		if cluster.Rejected(pool.Name) {
			next.rejected = append(next.rejected, pool.Name)
		}
		if set, also := cluster.Admitted(pool.Name); also {
			next.admitted[pool.Name] = set
		}
	}
	next.faults = slices.DeleteFunc(cluster.Warnings(next.decisions...), func(w candidate.Warning) bool { return !tell.IsFault(w) })
	next.report = report.Summarize(w.last.report, in, next.decisions...)
	if w.eta {
		if w.planned.At.IsZero() || now.Sub(w.planned.At).Abs() >= planEvery {
			w.planned = w.planned.Next(in, planner.Options(cluster, w.as, in), asked)
		}
		next.report = next.report.With(slices.Collect(maps.Values(w.planned.Outlooks))...)
	}
	next.report.Metrics = slices.Concat(next.report.Metrics, expiring.Metrics(cluster, in))
	next.events = slices.Clip(w.last.events)
	for _, e := range next.report.Events {
		next.events = append(next.events, event{next.report.At, e})
	}
	next.events = next.events[max(0, len(next.events)-mostEvents):]
	w.last = next
	return next
}

// isRequested reports whether somebody asks for the replacement of a node, or it is being replaced for that.
func isRequested(n candidate.Node) bool {
	return candidate.Requested.Covers(n.DisruptedFor) || slices.ContainsFunc(n.Conditions, func(c candidate.Condition) bool {
		return candidate.Requested.Covers(c.Reason)
	})
}
