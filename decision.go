package disruptkit

import (
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

// A Decision says which nodes may be disrupted for a reason. The order of its lists does not depend on the order of the
// input.
type Decision struct {
	Now    time.Time
	Reason candidate.Reason // the reason passed to Decide; it covers its children

	// Allowed is in the order of Decide. All of them may start together, or one after the other: no limit is exceeded.
	// With decisions in between, those that have not started yet stay allowed, if all started in this order and all
	// were Ready. A node that is not Ready counts twice until it is in flight, so that a decision after its start may
	// allow another node, ahead of the rest, and block these. In another order, a decision in between may block the
	// rest, too: an overdue node may have to wait for a node that was allowed after it but started first.
	Allowed []candidate.Candidate
	Blocked []candidate.Candidate // in the order of Decide, each with all its blockers after the decision
	Free    []candidate.Candidate // those that nothing blocks, and that the session did not disrupt; none after Decide
	Pools   []PoolDecision        // by name; for each the reason asked, then the children that candidates have

	// Groups has the same numbers for groups, by name; PoolDecision.Pool is then the name of the group. It omits groups
	// without pools, and those that cannot be enforced. Exported for callers of Decide, who show them.
	Groups []PoolDecision `json:",omitempty"`

	// Memory is for the next decision, by pool, and by Group.Key. Replace the stored memory with it before you start
	// anything. It omits pools and groups that need none, and keeps the memory of those that are not in the input. It
	// is never nil, so that callers can add to it ([Backoff]).
	Memory map[string]Memory

	// NextChange is when time alone may next change the decision. Zero means never, or beyond the limits of
	// [schedule.Window.State]. To sleep until then, use Wait.
	NextChange time.Time
	Warnings   []candidate.Warning // faults in the configuration
}

// Wait returns how long to sleep before the next decision, if nothing else happens, such as an answer to a probe: until
// NextChange, but at most atMost, and at least a second. So no loop spins, even if NextChange is zero, which means
// never, or has passed.
func (d Decision) Wait(now time.Time, atMost time.Duration) time.Duration {
	if !d.NextChange.IsZero() {
		atMost = min(atMost, d.NextChange.Sub(now))
	}
	return max(atMost, time.Second)
}

// A PoolDecision has the numbers for a pool and a reason.
type PoolDecision struct {
	Pool       string
	Reason     candidate.Reason
	Nodes      int              // how many nodes are counted (candidate.Node.Counted)
	Disrupting int              // how many are in flight, or (except for Unhealthy) not Ready or missing
	Missing    int              // how many of Disrupting are missing: Pool.Desired
	Allowance  budget.Allowance // how many may be disrupted at once
	Until      time.Time        // when the allowance next changes; zero: never
	Remaining  int              // how many more could go, before this decision allows any; or budget.Unlimited

	// MayStart is how many nodes paces (budget.Budget.Per) and soaks (budget.Budget.Soak) let start now, before this
	// decision allows any. Without them it is budget.Unlimited. If it is 0, NextStart is when the next node may start;
	// zero: never, or unknown.
	MayStart  budget.Allowance
	NextStart time.Time

	// Wave is where the roll in waves stands that covers Reason (budget.Rollout). Nil: there is none.
	Wave *Wave `json:",omitempty"`

	// Topology has a Selection for each active budget with a topology key that limits the reason. It says which domain
	// has the turn, and how many nodes of each domain may go. A sequential budget that is not active is included while
	// overdue nodes take its turns.
	Topology []topology.Selection

	// Blockers block all nodes of the pool for the reason, whatever the numbers. They come from probes, breakers,
	// pauses of the whole pool, back-off (but not for overdue nodes), Pool.Blockers and the groups of the pool. For the
	// reason "", they may block nodes for only some reasons.
	Blockers []candidate.Blocker
}

// A Wave is where a roll in waves stands before the decision allows anything.
type Wave struct {
	Wave  int       // the wave in progress, or the one that bakes: from 1 to Of
	Of    int       // how many there are; the last one is all the rest
	Nodes int       // how many nodes may be new or in flight in it; budget.Unlimited in the last one; 0: it is invalid
	InUse int       // how many are
	Since time.Time // since when it bakes; zero: it does not
	Until time.Time // until when; zero: it does not
}
