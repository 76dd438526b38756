package standing

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/plan"
)

const (
	// lookEvery is the least time between two looks at the statuses of all pools: a look decides for each of Rolls.
	lookEvery = 10 * time.Second
	// planEvery is the least time between two plans, which may take seconds each.
	planEvery = 5 * time.Minute
)

// A Keeper computes the statuses of NodePools for whoever writes them. The zero Keeper is ready for use. It is safe for concurrent use.
type Keeper struct {
	// By is who writes.
	By string
	// Options are those of its plans. Nil: those of Karpenter, by the number of nodes.
	Options func(disruptkit.Input) plan.Options

	mu         sync.Mutex
	at         time.Time // of the last look
	forecast   Forecast
	planned    time.Time // when the last plan began
	isPlanning bool      // it has not ended
	planning   sync.WaitGroup
}

// A Pool is a NodePool whose status is kept.
type Pool struct {
	Generation int64
	Written    string // the annotation as it is now
}

// Look returns the annotations to write, by pool: those of pools whose status has changed so much that it is worth a write. It plans in the
// background, and never waits for that. Nothing of an input is changed, and nobody else may change it afterwards.
func (k *Keeper) Look(in disruptkit.Input, pools map[string]Pool) map[string]string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(pools) == 0 || !k.at.IsZero() && in.Now.Sub(k.at).Abs() < lookEvery {
		return nil
	}
	k.at = in.Now
	var ds []disruptkit.Decision
	asked := slices.DeleteFunc(slices.Clone(Rolls), func(r candidate.Reason) bool {
		return !slices.ContainsFunc(in.Nodes, func(n candidate.Node) bool { return has(&n, r) })
	})
	for _, r := range asked {
		ds = append(ds, disruptkit.Decide(in, r))
	}
	texts, rolls := map[string]string{}, false
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		last := Read(pools[name].Written)
		s := Of(in, name, ds...)
		s.ObservedGeneration, s.By = pools[name].Generation, k.By
		s = s.With(k.forecast.Outlooks[name], last)
		rolls = rolls || s.ToGo+s.InFlight > 0
		if !s.Due(last) {
			continue
		}
		if text, err := s.Text(); err == nil { // times that JSON does not know are not written
			texts[name] = text
		}
	}
	if rolls && !k.isPlanning && (k.planned.IsZero() || in.Now.Sub(k.planned).Abs() >= planEvery) {
		k.plan(in)
	}
	return texts
}

// Leaves reports whether an annotation is this Keeper's, to be taken away where it keeps the status no more.
func (k *Keeper) Leaves(written string) bool { return written != "" && Read(written).By == k.By }

// plan plans in the background.
func (k *Keeper) plan(in disruptkit.Input) {
	options := plan.Options{Model: plan.Model{Pass: plan.PassOf(len(in.Nodes))}}
	if k.Options != nil {
		options = k.Options(in)
	}
	k.planned, k.isPlanning = in.Now, true
	last := k.forecast
	k.planning.Go(func() {
		next := last.Next(in, options, Rolls)
		k.mu.Lock()
		defer k.mu.Unlock()
		k.forecast, k.isPlanning = next, false
	})
}

// has reports whether a node has a reason of a method.
func has(n *candidate.Node, method candidate.Reason) bool {
	return slices.ContainsFunc(n.Conditions, func(c candidate.Condition) bool { return method.Covers(c.Reason) })
}
