package disruptkit

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

// A Decision has the nodes that may be disrupted for a reason, and the others with their blockers. The order of its
// lists does not depend on the order of the input.
type Decision struct {
	Now    time.Time
	Reason candidate.Reason // the reason passed to Decide; it covers its children

	// Allowed is in line. You may disrupt all of them together, or one after the other: no limit is exceeded. A later
	// decision still allows the rest, if you disrupt them in this order. In Karpenter's dialect that is so if all were
	// Ready: a node that is not counts twice there until it is in flight, so a decision after its start may allow
	// another node, ahead of the rest, and block these. In another order, a decision in between may also block the
	// rest: an overdue node may have to wait for a node that was allowed after it but started first.
	Allowed []candidate.Candidate
	Blocked []candidate.Candidate // in line, each with all its blockers after the decision
	Free    []candidate.Candidate // without blockers, but not disrupted by the session; none after Decide
	Pools   []PoolDecision        // by name; for each the decision's reason, then the children that candidates have

	// Groups has the same numbers for groups, by name; PoolDecision.Pool is then the name of the group. It omits groups
	// that have no pools or cannot be enforced. Exported for callers of Decide, who show them.
	Groups []PoolDecision `json:",omitempty"`

	// Memory is for the next decision, by pool, and by Group.Key. Replace the stored memory with it before you disrupt
	// anything. It omits pools and groups that need none, and keeps the memory of those that are not in the input. It
	// is never nil, so that callers can add to it ([Backoff]).
	Memory map[string]Memory

	// NextChange is when time alone may next change the decision. Zero means never, or beyond the limits of
	// [schedule.Window.State]. To sleep until then, use Wait.
	NextChange time.Time
	Warnings   []candidate.Warning // faults in the configuration
}

// Wait returns how long to sleep before the next decision, if nothing else happens, such as an answer to a probe: until
// NextChange, but at most atMost, and at least a second, so that no loop spins.
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
	Remaining  int              // how many more may be disrupted, before this decision; or budget.Unlimited

	// Reserved is how many nodes guaranteed budgets reserve for other reasons, before this decision. They are not in
	// Remaining.
	Reserved int `json:",omitempty"`

	// MayStart is how many more starts paces (budget.Budget.Per) and soaks (budget.Budget.Soak) allow, before this
	// decision. Without them it is budget.Unlimited. If it is 0, NextStart is when they next allow one; zero: never, or
	// unknown.
	MayStart  budget.Allowance
	NextStart time.Time

	// Wave is the state of the roll in waves that covers Reason (budget.Rollout). Nil: there is none.
	Wave *Wave `json:",omitempty"`

	// Spread is the state of the roll for Reason that a budget spreads. Nil: there is none.
	Spread *Spread `json:",omitempty"`

	// Topology has a Selection for each active budget with a topology key that limits the reason: which domain has the
	// turn, and how many nodes of each domain are allowed. A sequential budget that is not active is included while
	// overdue nodes wait for its turns.
	Topology []topology.Selection

	// Blockers block all nodes of the pool for the reason, whatever the numbers: probes, breakers, pauses of the whole
	// pool, back-off (but not for overdue nodes), Pool.Blockers and the groups of the pool. For the reason "", they may
	// block nodes for only some reasons.
	Blockers []candidate.Blocker
}

// A Wave is the state of a roll in waves before the decision allows anything.
type Wave struct {
	Wave  int       // the wave in progress, or the one that bakes: from 1 to Of
	Of    int       // how many there are; the last one is the rest
	Nodes int       // how many nodes may be new or in flight in it; budget.Unlimited in the last one; 0: it is invalid
	InUse int       // how many are
	Since time.Time // when the bake began; zero: it does not bake
	Until time.Time // when the bake ends; zero: it does not bake
}

// numbers returns Decision.Pools or Decision.Groups.
func (row *row) numbers(pools []*scope) (all []PoolDecision) {
	for _, p := range pools {
		for _, k := range p.AskedKinds() {
			q := row.Budgets.Quota(k)
			d := PoolDecision{
				Pool: p.Name, Reason: k.Reason, Nodes: p.Nodes, Disrupting: q.InUse,
				Allowance: q.Allowance, Remaining: q.Allowance.Remaining(q.InUse + q.Reserved), Reserved: q.Reserved,
				MayStart: q.MayStart, NextStart: q.NextStart, Wave: row.Waves.Of(p, k.Reason),
				Spread: row.Budgets.Spread(k),
			}
			if !candidate.Unhealthy.Covers(k.Reason) {
				d.Missing = p.InUse.Missing
			}
			if !p.Ambiguous {
				d.Until = p.Budgets.Until(row.Now, p.Nodes, k.Reason)
				d.Blockers = slices.Concat(p.Blockers, row.Signals.Against(k), row.Backoff.Against(k))
			}
			for _, z := range row.Zones.Own(k) {
				d.Topology = append(d.Topology, z.Turn)
			}
			all = append(all, d)
		}
	}
	return all
}
