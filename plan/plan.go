package plan

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/until"
)

// A Plan says when each node that has to go starts and finishes. Its lists are in the order of what is in them.
type Plan struct {
	From    time.Time // the first decision
	Horizon time.Time // the plan looks no further ahead
	Finish  time.Time // when the last node is gone of those that ever go; zero: none goes

	Nodes  []Node  // by start, pool and name; those that do not start come last
	Groups []Group // by pool, zone and reason
	Pools  []Pool  // by name
	Turns  []Turn  // by pool and time
	Closed []Closing

	Decisions   int                 // how many it took
	Assumptions []string            // for people
	Warnings    []candidate.Warning // what decisions find wrong with the input
}

// An Outcome says how it ends for a node.
type Outcome string

const (
	// Done nodes are gone, and replaced.
	Done Outcome = "done"
	// Never is the end of nodes that do not go, however long anybody waits.
	Never Outcome = "never"
	// Open is the end of nodes that do not start within the horizon, or within Options.Decisions.
	Open Outcome = "open"
)

// A Node is one that is to go, or that is in flight when the plan begins.
type Node struct {
	Name, Pool, Zone string
	Reason           candidate.Reason // for which it starts; of one that does not, the first reason that it is asked for
	Replacement      string           // the name of the new node in the plan; "": none

	Outcome Outcome
	Start   time.Time // zero: it does not start, or is in flight when the plan begins
	Ready   time.Time // when its replacement is Ready; zero: it has none, or does not start
	Gone    time.Time // zero: never, or unknown; a slow drain may end after the horizon

	// Waits are what it waits for before it starts, in the order in which that first came. They add up to the time from Plan.From to
	// Start. At each time one thing counts: what is to change first, such as a window before a turn in it. Of a node that is open, they
	// add up to the end of the plan; of one that never goes, there is one wait of no length, for what keeps it.
	Waits []Wait
	// Blockers are what holds back a node that does not start, as the last decision says: first what counts in Waits.
	Blockers []candidate.Blocker
}

// End returns when the node is gone, and its replacement Ready; zero: never, or unknown.
func (n Node) End() time.Time { return until.Latest(n.Gone, n.Ready) }

// A Wait is a time spent for one cause.
type Wait struct {
	Gate candidate.Gate // "" for CodeLaunch and CodeDrain
	Code string         // as in candidate.Blocker, CodeLaunch or CodeDrain
	// Cause is what of the kind it is, where that is known: budgets ("budgets[1]: 0 (outside …)"), or a PodDisruptionBudget ("PDB web/api").
	Cause string
	For   time.Duration
}

// The codes of Waits for nodes in flight.
const (
	CodeLaunch = "launch" // a replacement is on its way
	CodeDrain  = "drain"  // pods leave their node
)

// A Group counts the nodes of a pool that are in one zone, and go for one reason.
type Group struct {
	Pool, Zone string
	Reason     candidate.Reason
	Count
	Start, Finish time.Time // of the first and of the last that goes; zero: none does
}

// A Count counts nodes. All of them together are Nodes.
type Count struct {
	Nodes    int
	Done     int // gone, and replaced
	InFlight int // started, and not gone
	ToGo     int // not started, or not yet
	Never    int // never to start
}

// A Pool is what a plan says of a whole pool.
type Pool struct {
	Name string
	Count
	Start, Finish time.Time // of the first and of the last node that goes; zero: none does
	// Clock says where the time went from Plan.From to Finish. It adds up. At each time it is shared equally among the nodes that wait
	// then, other than for ever; if none waits, among those in flight. The longest comes first.
	Clock []Wait
}

// A Turn is a time in which nodes of one domain may go: a zone, say.
type Turn struct {
	Pool, Key, Domain string
	From, To          time.Time
}

// A Closing is a time in which the budgets of a pool let no node go for a reason, whatever is in flight.
type Closing struct {
	Pool     string
	Reason   candidate.Reason
	Cause    string // the budgets
	From, To time.Time
}

// Count returns how many nodes stand where at a time.
func (p Plan) Count(at time.Time) Count { return count(p.Nodes, at) }

func count(nodes []Node, at time.Time) (c Count) {
	for i := range nodes {
		c.add(&nodes[i], at)
	}
	return c
}

// add counts a node as it stands at a time.
func (c *Count) add(n *Node, at time.Time) {
	c.Nodes++
	switch started := n.Outcome == Done && !n.Start.After(at); {
	case started && !n.End().After(at):
		c.Done++
	case started:
		c.InFlight++
	case n.Outcome == Never:
		c.Never++
	default:
		c.ToGo++
	}
}
