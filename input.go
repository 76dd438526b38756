package disruptkit

import (
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/topology"
)

// Input is everything that a decision depends on. It is only read.
type Input struct {
	Now   time.Time        // the time of the decision; if it is zero, which is a mistake, nothing may go
	Pools []Pool           // all pools; nodes of other pools are never disrupted
	Nodes []candidate.Node // all nodes, also those without a reason to be disrupted: budgets count them, too
	Rules candidate.Rules  // the cluster's PodDisruptionBudgets, and other rules for pods
	// Verdicts are those of the probes and breakers of the whole cluster. They count for every pool.
	Verdicts []probe.Verdict
	// Pauses are people's word that nodes stay, such as during an incident. They are on top of Verdicts and of all else.
	Pauses []probe.Pause
	// Memory is Decision.Memory of the last decision, by pool.
	Memory map[string]Memory
	// Dialect is who decides. In Karpenter's, the decision is what stock Karpenter does with the same objects, whatever the dialect in
	// which Budgets and Rules were compiled: there are no probes, pauses, turns, back-off and Memory. Nodes of the same name are told
	// apart, and what has expired goes at once. A pool that has no instance types is one that Karpenter does not find: leave it out.
	// Annotations of pods are read before that: see candidate.Parser.
	Dialect dialect.Dialect
}

// A Pool is a node pool and its policy. The zero policy is Karpenter's default: at most 10 % of the nodes at once.
type Pool struct {
	Name     string            // unique
	Labels   map[string]string // for probes that deny by label: the pool's own labels, and those that all of its nodes get
	Budgets  budget.Set
	Topology topology.Options    // for budgets with a topology key
	Verdicts []probe.Verdict     // of the pool's probes and breakers: each has to let a node go; until then, a roll stays in its zone
	Blockers []candidate.Blocker // the caller's own, against all nodes of the pool, such as a policy that cannot be read

	// RepairBacksOff makes repair wait, too, while the pool's replacements fail (Memory.Backoff). By default, only drift waits: a broken
	// node that stays is worse than one more attempt.
	RepairBacksOff bool
}
