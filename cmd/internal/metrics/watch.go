package metrics

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/internal/expiring"
	"github.com/disruptkit/disruptkit/cmd/internal/planner"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/cmd/standing"
	"github.com/disruptkit/disruptkit/plan"
	"github.com/disruptkit/disruptkit/report"
)

// A cluster is what is watched.
type cluster interface {
	input() (disruptkit.Input, error)
	decide(disruptkit.Input, candidate.Reason) disruptkit.Decision
	missing() []manifest.Missing // from the last input
	repairs() bool               // whether its unhealthy nodes are to be repaired
	unsure([]disruptkit.Decision) map[string]bool
	planOptions() plan.Options
	admitted() map[string]budget.Set // by pool, the budgets that limit it besides its own
	rejected(pool string) bool       // what limits it is unknown
	faults([]disruptkit.Decision) []candidate.Warning
	start([]candidate.Reason, disruptkit.Input) // whoever drains nodes begins with what may be disrupted for these reasons
}

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
	report    report.Report
	in        disruptkit.Input
	missing   []manifest.Missing // what was not given
	decisions []disruptkit.Decision
	unsure    map[string]bool       // nodes that may be disrupted, but for nothing that is sure to be done
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
	cluster cluster
	only    []candidate.Reason // none: reasons
	eta     bool               // plan as well
	planned standing.Forecast
	last    picture
}

// look decides on the cluster as it is now.
func (w *watch) look() (picture, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	in, err := w.cluster.input()
	if err != nil {
		return picture{}, err
	}
	next := picture{in: in, missing: w.cluster.missing(), events: w.last.events, admitted: w.cluster.admitted(), read: time.Now()}
	asked := w.only
	if len(asked) == 0 {
		asked = slices.DeleteFunc(slices.Clone(reasons), func(r candidate.Reason) bool {
			return r == candidate.Unhealthy && !w.cluster.repairs() || r == candidate.Requested && !slices.ContainsFunc(in.Nodes, isRequested)
		})
	}
	for _, reason := range asked { // each of the cluster as it is: what may be disrupted for one has not started for the next
		next.decisions = append(next.decisions, w.cluster.decide(in, reason))
	}
	for _, pool := range in.Pools {
		if w.cluster.rejected(pool.Name) {
			next.rejected = append(next.rejected, pool.Name)
		}
	}
	next.unsure, next.faults = w.cluster.unsure(next.decisions), w.cluster.faults(next.decisions)
	next.report = report.Summarize(w.last.report, next.in, next.decisions...)
	if w.eta {
		if w.planned.At.IsZero() || in.Now.Sub(w.planned.At).Abs() >= planEvery {
			w.planned = w.planned.Next(in, w.cluster.planOptions(), asked)
		}
		next.report = next.report.With(slices.Collect(maps.Values(w.planned.Outlooks))...)
	}
	next.report.Metrics = slices.Concat(next.report.Metrics, expiring.Metrics(in, w.cluster.planOptions().Model.Expires))
	for _, e := range next.report.Events {
		next.events = append(next.events[:len(next.events):len(next.events)], event{next.report.At, e})
	}
	next.events = next.events[max(0, len(next.events)-mostEvents):]
	w.cluster.start(asked, in)
	w.last = next
	return next, nil
}

// isRequested reports whether somebody asks for the replacement of a node, or it is being replaced for that.
func isRequested(n candidate.Node) bool {
	return candidate.Requested.Covers(n.DisruptedFor) || slices.ContainsFunc(n.Conditions, func(c candidate.Condition) bool {
		return candidate.Requested.Covers(c.Reason)
	})
}

// seen returns what was seen last, without looking again.
func (w *watch) seen() (picture, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last, nil
}
