package disruptkit

import (
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

// A Decision says what may be disrupted for a reason. Its lists are ordered by what is in them, not by the order of the input.
type Decision struct {
	Now    time.Time
	Reason candidate.Reason // as the caller asked; it covers its children

	Allowed []candidate.Candidate // in the order of Decide; all can be started together, as far as budgets and PodDisruptionBudgets go
	Blocked []candidate.Candidate // in the order of Decide, each with all its blockers
	Pools   []PoolDecision        // by name; for each the reason asked, then the children that candidates have

	// Memory is for the next decision, by pool. Store it in place of the last one before you start anything that is allowed. Pools
	// of which nothing has to be remembered are not in it. The memory of pools that are not in the input is passed on.
	Memory map[string]Memory

	// NextChange is when time alone may next change the decision. Callers can sleep until then, or until something else happens,
	// such as an answer to a probe. Zero means never, or later than schedule.Window.State looks ahead.
	NextChange time.Time
	Warnings   []candidate.Warning // what is wrong with the configuration
}

// A PoolDecision holds the numbers behind a pool and a reason.
type PoolDecision struct {
	Pool       string
	Reason     candidate.Reason
	Nodes      int              // how many nodes are counted (candidate.Node.Counted)
	Disrupting int              // how many of those are in flight, or (except for Unhealthy) not Ready; if the most specific budgets decide: budget.Set.InUse
	Allowance  budget.Allowance // how many may be disrupted at once
	Until      time.Time        // until when the allowance stays the same number; zero: for good
	Remaining  int              // how many more could go at once, before this decision allows any; Unlimited if the allowance is

	// MayStart is how many nodes may start now, as far as paces go (budget.Budget.Per), before this decision allows any. It is
	// Unlimited where no pace holds. NextStart is when the next may start, where that is none; zero: never, or when is unknown.
	MayStart  budget.Allowance
	NextStart time.Time

	// Topology has a Selection for each active budget with a topology key: whose turn it is, and what each domain is allowed.
	Topology []topology.Selection

	// Blockers hold back all nodes of the pool for the reason, whatever the numbers: those of probes and breakers, a back-off, and
	// the pool's own. For the reason "", they hold back nodes for any reason.
	Blockers []candidate.Blocker
}
