package standing

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/plan"
	"github.com/disruptkit/disruptkit/report"
)

// A Forecast says when each pool is done. It remembers what the first plan of each roll said. The zero Forecast knows nothing.
type Forecast struct {
	At       time.Time                 // of the plan
	Outlooks map[string]report.Outlook // by pool; pools with nothing to do have none
}

// Next plans for reasons, and returns the Forecast that follows. That a node is Consolidatable does not say that it will be disrupted. As in kubectl
// disruption plan, it is left out.
func (f Forecast) Next(in disruptkit.Input, o plan.Options, reasons []candidate.Reason) Forecast {
	o.Model.Reasons = slices.DeleteFunc(slices.Clone(reasons), candidate.Underutilized.Covers)
	r := plan.Sample(in, o, 0)
	next := Forecast{in.Now, map[string]report.Outlook{}}
	for _, p := range r.Plan.Pools {
		now := report.Outlook{Pool: p.Name}
		for _, of := range r.Pools {
			if of.Name == p.Name && p.Never == 0 {
				now.Early, now.Middle, now.Late = of.Finish.Early, of.Finish.Middle, of.Finish.Late
			}
		}
		if p.Nodes > 0 {
			next.Outlooks[p.Name] = now.After(f.Outlooks[p.Name])
		}
	}
	return next
}
