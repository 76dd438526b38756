package disruptkit

import (
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/topology"
)

// Input is everything that a decision depends on. It is only read.
type Input struct {
	Now   time.Time        // of the decision; zero is a mistake, and nothing may go then
	Pools []Pool           // nodes of other pools are never disrupted
	Nodes []candidate.Node // all of them: those that nobody wants gone are counted, too
	Rules candidate.Rules  // the cluster's PodDisruptionBudgets, and other rules for pods
	// Verdicts are those of the whole cluster's probes and breakers. They count for each pool.
	Verdicts []probe.Verdict
	// Memory is Decision.Memory of the last decision, by pool.
	Memory map[string]Memory
}

// A Pool is a node pool and its policy. The zero policy is Karpenter's default: at most 10 % of the nodes at once.
type Pool struct {
	Name     string            // unique
	Labels   map[string]string // for probes that deny by label: its own, and those that all of its nodes get
	Budgets  budget.Set
	Topology topology.Options    // for budgets with a topology key
	Verdicts []probe.Verdict     // of its probes and breakers: all have to let nodes go; meanwhile a roll stays in its zone
	Blockers []candidate.Blocker // the caller's own, against all of its nodes, such as a policy that cannot be read
}
