package disruptkit

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// A request is a node and one reason to disrupt it. What the loops of a decision read comes first, close together.
type request struct {
	Node      *candidate.Node
	Condition *candidate.Condition
	Pool      *scope    // nil if the pool is not in the input
	Kind      *kind     // nil if it is unclear which policy applies to the node, which then never goes
	Name      string    // Node.Name, kept here so that walking the line is fast
	Since     time.Time // Condition.Since, likewise

	Position int32 // of the node in fleet.Nodes

	// Disrupted says that the session disrupts the node for this reason, or for an unknown one.
	Disrupted, ForAny bool

	several   bool // the node has other conditions
	dated     bool // the condition has a deadline that holds
	uncounted bool // no budget counts the node: its repair needs and uses none
	duplicate bool // another node has this name

	// What the gates of nodes and of pods write, once. Zones read both: see Standing.
	Itself []candidate.Blocker // what holds back the node itself, no matter which other nodes go
	Pods   candidate.PodVerdict
}

// Fill makes the request of a node, by position, for one of its conditions. Gates have not read it yet. It fills memory
// that is zero, and does not return a Request, because a fleet has a hundred thousand of them.
func (f *fleet) Fill(r *request, node int32, condition *candidate.Condition) {
	n := &f.Nodes[node]
	r.Node, r.Condition, r.Pool, r.Position = n, condition, f.Pool(int(node)), node
	r.Name, r.Since, r.several = n.Name, condition.Since, len(n.Conditions) > 1
	r.duplicate = f.Namesakes[n.Name]
	r.uncounted = !n.Counted() && candidate.Unhealthy.Covers(condition.Reason)
	r.dated = condition.HasDeadline() && dialect.Deadlines.In(f.Dialect)
	f.Dated = f.Dated || r.dated
	if r.Pool != nil && !r.Pool.Ambiguous {
		r.Kind = f.kindOf(r.Pool, condition.Reason, r.Overdue(f.Now))
	}
}

// Duplicate reports whether another node has the node's name.
func (r *request) Duplicate() bool { return r.duplicate }

// Scopes returns the sets of nodes in which it competes for places. The request goes only if each of them lets it go.
// The pool has to be in the input.
func (r *request) Scopes() []*scope { return r.Pool.Scopes }

// CountsFor returns the reason that the request counts for once it is disrupted; "": an unknown one.
func (r *request) CountsFor() candidate.Reason {
	if r.ForAny {
		return ""
	}
	return r.Reason()
}

// NotReady reports whether the node uses up budgets only because it is not Ready.
func (r *request) NotReady() bool {
	return r.Node.Disrupting("") && !r.Node.Disrupting(candidate.Unhealthy)
}

// Uncounted reports whether the request is for the repair of a node that no budget counts because it was never
// initialized. It runs no pods that a budget would protect, so it needs and uses none. (Karpenter:
// Repair.ComputeCommands.)
func (r *request) Uncounted() bool { return r.uncounted }

// Several reports whether the node has other conditions, too.
func (r *request) Several() bool { return r.several }

// Deadline returns when the node becomes overdue for the reason. Zero means never.
func (r *request) Deadline() (never time.Time) {
	if !r.dated {
		return never
	}
	return r.Condition.Deadline
}

// Overdue reports whether its deadline has come.
func (r *request) Overdue(now time.Time) bool { return r.dated && r.Condition.Overdue(now) }

// Begins reports whether the node is one of those with which a roll in waves begins (budget.Rollout.From).
func (r *request) Begins() bool {
	if r.Kind == nil {
		return false
	}
	for _, scope := range r.Pool.Within {
		if scope == nil {
			continue
		}
		for i := range scope.Budgets.Rollouts() {
			if ro := &scope.Budgets.Rollouts()[i]; ro.From != nil && ro.Covers(r.Condition.Reason) {
				if first, _ := ro.From.Matches(r.Node.Labels); first { // an invalid selector is a fault
					return true
				}
			}
		}
	}
	return false
}

// Standing returns what holds back the node itself and its pods, no matter which other nodes go.
func (r *request) Standing() []candidate.Blocker { return joined(r.Itself, r.Pods.Blockers) }

// PoolName returns the name of the node's pool, even if that pool is not in the input.
func (r *request) PoolName() string {
	if r.Pool != nil {
		return r.Pool.Name
	}
	return r.Node.Pool
}

// Reason returns why the node should be disrupted.
func (r *request) Reason() candidate.Reason {
	if r.Kind != nil {
		return r.Kind.Reason
	}
	return r.Condition.Reason
}

// candidate returns the request as callers see it.
func (r *request) candidate(now time.Time) candidate.Candidate {
	c := candidate.Candidate{
		Node: r.Name, Pool: r.PoolName(), Reason: r.Reason(), Since: r.Since, Deadline: r.Deadline(),
		Overdue: r.Overdue(now),
	}
	if r.ForAny {
		c.Reason = ""
	}
	return c
}

// Touch reads memory of the request and of what holds it back, for memory.ReadAhead.
func (r *request) Touch() int {
	n := len(r.Itself) + len(r.Name)
	for i := range r.Pods.Blockers {
		n += len(r.Pods.Blockers[i].Code)
	}
	return n
}
