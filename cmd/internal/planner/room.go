package planner

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/plan"
	"github.com/disruptkit/disruptkit/schedule"
)

// A roomy is how long a roll takes if nodes are not full.
type roomy struct {
	at    time.Time // when it is done; zero: no later than if they are
	later bool      // or still later: to plan all of it would take too long
}

// mostRoomWork is the most nodes of all decisions together, for an engine that decides on all nodes each time.
const mostRoomWork = 10_000_000

// withRoom returns when a roll is done if nodes are not full, so that the pods of the next node fit on a replacement that is
// not Ready yet: Karpenter then launches one replacement of a NodePool at a time. Full nodes are between: the ages of their pods decide.
func (o *options) withRoom(in disruptkit.Input, options plan.Options, full plan.Range) roomy {
	if o.Policy.As == engine.Disruptkit || full.Plan.Finish.IsZero() {
		return roomy{}
	}
	if options.Decide != nil {
		options.Decisions = max(mostRoomWork/max(len(in.Nodes), 1), 1)
	}
	options.Observe, options.Model.Seed = nil, full.Seed // the same chances
	options.Model.Room = func(n candidate.Node) string { return n.Pool }
	room := plan.Run(in, options)
	end := schedule.Last(room.Finish, full.Plan.Finish)
	switch {
	case room.Stopped && room.Horizon.After(end):
		return roomy{room.Horizon.In(o.Zone), true}
	case room.Stopped || end.After(full.Plan.Finish):
		return roomy{end.In(o.Zone), room.Stopped}
	}
	return roomy{}
}

// by describes when it is done.
func (r roomy) by(p plan.Plan) string {
	if r.later {
		return "after " + dayOf(p, r.at)
	}
	return "by " + dayOf(p, r.at)
}

// fullText describes that no node of a plan waits for replacements of others, and when it is done otherwise.
func fullText(p plan.Plan, room roomy) []string {
	if room.at.IsZero() {
		return nil
	}
	return []string{fmt.Sprintf("no node waits for the replacement of another one, which is a guess: if pods of the next node fit there, or are older "+
		"than those that it is for, Karpenter launches one of a NodePool at a time, whatever budgets allow, and is done %s", room.by(p))}
}
