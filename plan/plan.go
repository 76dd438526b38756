package plan

import (
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Plan has when each node that is to go is expected to start and finish.
type Plan struct {
	From    time.Time // the first decision
	Horizon time.Time // the end of what was planned
	Stopped bool      // the plan ends early, at Horizon, because it would take too many decisions (Options.Decisions)
	// Finish is when the last node ends (Node.End) that is Done by itself, not because it expires. Zero: none is.
	Finish time.Time

	Nodes []Node // by start, pool and name; nodes that do not start are last
	// Expiring are nodes that are not to go, but expire (Model.Expires) before the horizon, by start, pool and name.
	// Nothing else in a plan counts them.
	Expiring []Node

	Groups []Group // by pool, zone and reason
	Pools  []Pool  // by name
	Turns  []Turn  // by pool and time
	Closed []Closing

	Decisions   int                 // how many the plan took
	Assumptions []string            // for people
	Warnings    []candidate.Warning // faults of the input that decisions report

	holding holding // for Try
}

// An Outcome is how a plan ends for a node.
type Outcome string

const (
	// Done nodes are gone, and replaced if need be.
	Done Outcome = "done"
	// Never nodes are never gone: they never start, or their drain never ends.
	Never Outcome = "never"
	// Open nodes do not start within the horizon, or within Options.Decisions.
	Open Outcome = "open"
)

// A Node is a node that is to go, or that is in flight when the plan begins.
type Node struct {
	Name, Pool, Zone string
	Reason           candidate.Reason // why it starts; if it does not start, the first decided reason that it has
	Replacement      string           // the name of the new node in the plan; "" if none

	Outcome  Outcome
	InFlight bool      // when the plan begins
	Start    time.Time // zero: it does not start, or is in flight when the plan begins
	Ready    time.Time // when its replacement is Ready; zero: it has none, or does not start
	Gone     time.Time // when it is gone, which may be after the horizon; zero: never, or unknown

	// Expires is when the node expires (Model.Expires), and starts at the latest. Zero: never, or it is in flight when
	// the plan begins. If it starts because it expires, its Reason is Expired.
	Expires time.Time
	// Deadline is when the node becomes overdue, for any of its reasons (candidate.Candidate.Deadline). Zero: never,
	// or it is in flight when the plan begins.
	Deadline time.Time
	// Late is whether the node is not gone by its Deadline. An Open node is Late if the Deadline is before the end of
	// the plan.
	Late bool

	// Waits are what the node waits for before it starts, in the order in which each first occurs. They add up to the
	// time from Plan.From to Start. At any time only one cause counts: the one that has to end first, such as a closed
	// window before a turn within it. For an Open node they add up to the end of the plan. A Never node has one wait
	// of no length, with what blocks it. A node that is Ready again before any decision, and expires later, has none.
	Waits []Wait
	// Queue is how long the node's last pod waits for its eviction while the node drains, behind pods of other nodes
	// that share its PodDisruptionBudget (Model.Eviction). Zero: none waits.
	Queue Wait
	// Blockers are the blockers of a node that does not start, after the last decision. The first is the one that
	// counts in Waits. For a node that starts, or is in flight, they are what holds up its drain for ever, or until it
	// is Killed.
	Blockers []candidate.Blocker
	// Killed is when the grace period of the node ends, if its pods (see Blockers) hold up the drain until then, and
	// are killed. Zero: none are.
	Killed time.Time
}

// End returns when the node is gone and its replacement is Ready. Zero: never, or unknown.
func (n Node) End() time.Time {
	if n.Gone.IsZero() {
		return n.Gone
	}
	return schedule.Last(n.Gone, n.Ready)
}

// OnlyExpires reports whether the node is disrupted because it expires, and not by itself before that.
func (n Node) OnlyExpires() bool {
	return n.Reason == candidate.Expired && !n.Expires.IsZero() && !n.Start.IsZero()
}

// Drains reports whether the node has started, or is in flight when the plan begins, and its drain never ends.
func (n Node) Drains() bool { return n.Outcome == Never && (n.InFlight || !n.Start.IsZero()) }

// LateBy returns how long after its Deadline the node is gone. Zero: it is not late, is never gone, or that is unknown.
func (n Node) LateBy() time.Duration {
	if !n.Late || n.Gone.IsZero() {
		return 0
	}
	return n.Gone.Sub(n.Deadline)
}

// A Wait is a time spent waiting for one cause.
type Wait struct {
	Gate candidate.Gate // "" for CodePass, CodeLaunch and CodeDrain
	Code candidate.Code // as in candidate.Blocker, or one of these
	// Cause names what is to blame, if known: budgets ("budgets[1]: 0 (outside …)") or a PodDisruptionBudget ("PDB
	// web/api").
	Cause string
	// Budgets and PDB are what Cause names, for programs: positions in budget.Set.Budgets of the pool, and
	// "namespace/name".
	Budgets budget.Indexes
	PDB     string
	For     time.Duration
}

// Codes of waits that no blocker is the cause of.
const (
	CodePass   candidate.Code = "pass"   // budgets allow it, but a pass of Karpenter starts one node: see Model.Pass
	CodeLaunch candidate.Code = "launch" // waiting for the replacement
	CodeDrain  candidate.Code = "drain"  // waiting for the drain
)

// A Group counts the nodes of a pool in one zone with one reason.
type Group struct {
	Pool, Zone string
	Reason     candidate.Reason
	Count
	Start, Finish time.Time // of the first and the last node that is disrupted; zero: none is
}

// A Count counts nodes. Done, InFlight, ToGo, Never and OnlyExpire add up to Nodes.
type Count struct {
	Nodes    int
	Done     int // gone, and replaced if need be
	InFlight int // started, not done
	ToGo     int // not started yet
	Never    int // will never start, or never be gone
	// OnlyExpire is how many are disrupted only because they expire (Node.OnlyExpires), and are gone some time.
	OnlyExpire int

	Late   int           // of Nodes, how many miss their deadlines (Node.Late)
	LateBy time.Duration // the most by which a node that is disrupted misses its deadline
}

// A Pool is the part of a plan about a whole pool.
type Pool struct {
	Name string
	Count
	// Start and Finish are of the first and the last node that is Done by itself. Zero: none is.
	Start, Finish time.Time
	// Clock is how the time from Plan.From to Finish is spent, longest first, or up to Plan.Horizon if there are still
	// nodes to go (ToGo). The waits add up to that time. Each moment is shared equally among the nodes that wait then,
	// except those that wait for ever. If none waits, it is shared among the nodes in flight.
	Clock []Wait
}

// A Turn is a time in which only nodes of one domain, such as a zone, may be disrupted.
type Turn struct {
	Pool, Key, Domain string
	From, To          time.Time
}

// A Closing is a time in which the budgets of a pool allow no node for a reason, even if none is in flight.
type Closing struct {
	Pool     string
	Reason   candidate.Reason
	Cause    string         // the budgets
	Budgets  budget.Indexes // those that Cause names, as positions in budget.Set.Budgets of the pool
	From, To time.Time
}

// Count counts the nodes by their state at a time.
func (p Plan) Count(at time.Time) (c Count) {
	for i := range p.Nodes {
		c.add(&p.Nodes[i], at)
	}
	return c
}

// add counts a node by its state at a time.
func (c *Count) add(n *Node, at time.Time) {
	c.Nodes++
	if n.Late && !n.Deadline.After(at) {
		c.Late++
		c.LateBy = max(c.LateBy, n.LateBy())
	}
	switch started := n.Outcome == Done && !n.Start.After(at); {
	case n.Outcome == Done && n.OnlyExpires():
		c.OnlyExpire++
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
