package disruptkit

import (
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

// A Decision says what may be disrupted for a reason. The order of everything in it is fixed by its values, not by
// the order of the input.
type Decision struct {
	Now    time.Time
	Reason candidate.Reason // as asked: it covers its children

	Allowed []candidate.Candidate // oldest first; all of them can be started together, as far as budgets and PodDisruptionBudgets go
	Blocked []candidate.Candidate // oldest first, each with all its blockers
	Pools   []PoolDecision        // by name; for each the reason asked, then the children that candidates have

	// Memory is to be stored, in place of the last one, before anything allowed is started, and to be handed to the next
	// decision. Of a pool that is not in it nothing has to be remembered. That of pools which are not in the input is passed on.
	Memory map[string]Memory

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
	Disrupting int              // of those, in flight or not Ready; see budget.Set.InUse where the most specific budgets decide
	Allowance  budget.Allowance // how many may be disrupted at once
	Until      time.Time        // up to which the allowance stays the same number; zero: for good
	Remaining  int              // how many more could go before this decision; Unlimited as the allowance is

	// Topology is whose turn it is, and what each domain is allowed, for each budget with a topology key that is active.
	Topology []topology.Selection

	// Blockers are what holds back all nodes of the pool for the reason, whatever the numbers: probes and breakers, and the
	// pool's own. For the reason "" they are what holds back nodes for any of their reasons.
	Blockers []candidate.Blocker
}
