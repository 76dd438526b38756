package metrics

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/plan"
	"github.com/disruptkit/disruptkit/report"
)

// planEvery is the least time between two plans: a plan of a large cluster takes seconds, and its answer changes slowly.
const planEvery = time.Minute

// A forecast says when each pool is done. It remembers what the first plan of each roll said. The zero forecast knows nothing.
type forecast struct {
	at       time.Time // of the last plan
	outlooks map[string]report.Outlook
}

// next returns the forecast after another look at a cluster. It plans for reasons, unless the last plan is younger than planEvery.
func (f forecast) next(c cluster, in disruptkit.Input, reasons []candidate.Reason) forecast {
	if !f.at.IsZero() && in.Now.Sub(f.at).Abs() < planEvery {
		return f
	}
	o := c.planOptions()
	// That a node is Consolidatable does not say that it will go. As in kubectl disruption plan, it is left out.
	o.Model.Reasons = slices.DeleteFunc(slices.Clone(reasons), candidate.Underutilized.Covers)
	r := plan.Sample(in, o, 0)
	next := forecast{in.Now, map[string]report.Outlook{}}
	for _, p := range r.Plan.Pools {
		now := report.Outlook{Pool: p.Name}
		for _, of := range r.Pools {
			if of.Name == p.Name && p.Never == 0 {
				now.Early, now.Middle, now.Late = of.Finish.Early, of.Finish.Middle, of.Finish.Late
			}
		}
		if p.Nodes > 0 {
			next.outlooks[p.Name] = now.After(f.outlooks[p.Name])
		}
	}
	return next
}
