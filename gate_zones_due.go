package disruptkit

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// due is a summary of the deadlines of a pool's nodes.
type due struct {
	overdue []candidate.Reason // for which nodes are overdue, without duplicates
	next    time.Time          // when the next node becomes overdue; zero: never
}

// dueIn returns a function that summarises the deadlines of a pool's nodes. It reads them only when called.
func dueIn(f *fleet) func(*scope) due {
	var all []due
	return func(p *scope) due {
		if all == nil {
			all = make([]due, len(f.Scopes))
			for i := range f.Nodes {
				p := f.Pool(i)
				if p == nil {
					continue
				}
				for _, scope := range p.Scopes {
					all[scope.Index].read(f.Nodes[i].Conditions, f.Now)
				}
			}
		}
		return all[p.Index]
	}
}

func (d *due) read(conditions []candidate.Condition, now time.Time) {
	for _, c := range conditions {
		switch {
		case !c.HasDeadline():
		case !c.Overdue(now):
			d.next = schedule.First(d.next, c.Deadline)
		case !slices.Contains(d.overdue, c.Reason):
			d.overdue = append(d.overdue, c.Reason)
		}
	}
}
