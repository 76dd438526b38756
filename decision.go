package disruptkit

import (
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/topology"
)

// A Pool is a node pool and its policy. The zero policy is Karpenter's default: at most 10 % of the nodes at once.
type Pool struct {
	Name     string            // unique
	Labels   map[string]string // for probes that deny by label: its own, and those that all of its nodes get
	Budgets  budget.Set
	Topology topology.Options    // for budgets with a topology key
	Verdicts []probe.Verdict     // of its probes and breakers: all have to let nodes go; meanwhile a roll stays in its zone
	Blockers []candidate.Blocker // the caller's own, against all of its nodes, such as a policy that cannot be read
}

// Input is everything that a decision depends on. It is only read.
type Input struct {
	Now   time.Time
	Pools []Pool           // nodes of other pools are never disrupted
	Nodes []candidate.Node // all of them: those that nobody wants gone are counted, too
	Rules candidate.Rules  // the cluster's PodDisruptionBudgets, and other rules for pods
	// Verdicts are those of the whole cluster's probes and breakers, which count for each pool.
	Verdicts []probe.Verdict
	// Rolls are where sequential rolls stand, by pool: Decision.Rolls of the last decision. Without them limits still hold,
	// and no two zones of a pool roll at once, but a roll may leave a zone early, and does not wait for its new nodes; see
	// topology.Roll.
	Rolls map[string]topology.Roll
}

// A Decision says what may be disrupted for a reason. The order of everything in it is fixed by its values, not by
// the order of the input.
type Decision struct {
	Now    time.Time
	Reason candidate.Reason // as asked: it covers its children

	Allowed []candidate.Candidate // oldest first; all of them can be started together, as far as budgets and PodDisruptionBudgets go
	Blocked []candidate.Candidate // oldest first, each with all its blockers
	Pools   []PoolDecision        // by name; for each the reason asked, then the children that candidates have

	// Rolls are to be stored, in place of the last ones, before anything allowed is started, and to be handed to the next
	// decision. A pool that is not among them has no roll in progress. Those of pools that are not in the input are passed on.
	Rolls map[string]topology.Roll

	// NextChange is when time alone may next change the decision: callers can sleep until then, or until something else
	// happens, such as an answer to a probe. Zero is never, or later than schedule.Window.State looks ahead.
	NextChange time.Time
	Warnings   []candidate.Warning // what is wrong with the configuration
}

// A PoolDecision holds the numbers behind a pool and a reason.
type PoolDecision struct {
	Pool       string
	Reason     candidate.Reason
	Nodes      int              // that are counted (candidate.Node.Counted)
	Disrupting int              // of those, in flight or not Ready; see budget.InUse where the most specific budgets decide
	Allowance  budget.Allowance // how many may be disrupted at once
	Until      time.Time        // up to which the allowance stays the same number; zero: for good
	Remaining  int              // how many more could go before this decision; Unlimited as the allowance is

	// Topology is whose turn it is, and what each domain is allowed, for each budget with a topology key that is active.
	Topology []topology.Selection

	// Blockers are what holds back all nodes of the pool for the reason, whatever the numbers: probes and breakers, and the
	// pool's own. For the reason "" they are what holds back nodes for any of their reasons.
	Blockers []candidate.Blocker
}
