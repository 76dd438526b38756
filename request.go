package disruptkit

import (
	"iter"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// A request is a node and one reason to disrupt it. The fields that the loops of a decision read are first.
type request struct {
	Node      *candidate.Node
	Condition *candidate.Condition
	Pool      *scope    // nil if the pool is not in the input
	Kind      *kind     // nil if it is unclear which policy applies to the node, which is then blocked
	Name      string    // Node.Name, kept here so that walking the line is fast
	Since     time.Time // Condition.Since, likewise

	Position int32 // of the node in fleet.Nodes

	// Disrupted: the session disrupts the node for this reason, or, with ForAny, for an unknown one.
	Disrupted, ForAny bool

	Overdue   bool  // the deadline of the condition has come
	Several   bool  // the node has other conditions
	Duplicate bool  // another node has this name
	unit      *unit // nil: the node is disrupted alone
	dated     bool  // the condition has a deadline that holds

	// Uncounted: the request is for the repair of a node that was never initialized. No budget counts it, so it needs
	// and uses none. (Karpenter: Repair.ComputeCommands.)
	Uncounted bool

	// What the gates of nodes and of pods write, once. Zones read both: see Standing.
	Itself []candidate.Blocker // what blocks the node itself, whatever other nodes are disrupted
	Pods   candidate.PodVerdict
}

// fill fills the zero request r of a node, by position, for one of its conditions. It is not returned, because a fleet
// has a hundred thousand of them.
func (f *fleet) fill(r *request, node int32, condition *candidate.Condition) {
	n := &f.Nodes[node]
	r.Node, r.Condition, r.Pool, r.Position = n, condition, f.Pool(int(node)), node
	r.Name, r.Since, r.Several = n.Name, condition.Since, len(n.Conditions) > 1
	r.Duplicate = f.Namesakes[n.Name]
	r.Uncounted = !n.Counted() && candidate.Unhealthy.Covers(condition.Reason)
	r.dated = condition.HasDeadline() && f.Dialect != dialect.Karpenter
	r.Overdue = r.dated && condition.Overdue(f.Now)
	f.Dated = f.Dated || r.dated
	if r.Pool != nil && !r.Pool.Ambiguous {
		r.Kind = f.kindOf(r.Pool, condition.Reason)
	}
}

// CountsFor returns the reason that the request counts for once it is disrupted; "": an unknown one.
func (r *request) CountsFor() candidate.Reason {
	if r.ForAny {
		return ""
	}
	return r.Reason()
}

// NotReady reports whether the node uses up budgets only because it is not Ready.
func (r *request) NotReady() bool {
	return r.Node.Disrupting("") && !r.InFlight()
}

// InFlight reports whether the node already uses up budgets as one in flight. Only Karpenter may disrupt it then: an
// expired node, even if it reboots.
func (r *request) InFlight() bool { return r.Node.Disrupting(candidate.Unhealthy) }

// UsesUp reports whether the node uses up more budget once it is disrupted.
func (r *request) UsesUp() bool { return r.Node.Counted() && !r.InFlight() }

// Deadline returns when the node becomes overdue for the reason. Zero means never.
func (r *request) Deadline() (never time.Time) {
	if !r.dated {
		return never
	}
	return r.Condition.Deadline
}

// Begins reports whether the node is among the first of a roll in waves (budget.Rollout.From).
func (r *request) Begins() bool {
	if r.Kind == nil {
		return false
	}
	for _, scope := range r.Pool.Scopes {
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

// Standing returns the blockers of the node itself, its pods and the rest of its unit, whatever else is disrupted.
func (r *request) Standing() []candidate.Blocker {
	blockers := joined(r.Itself, r.Pods.Blockers)
	if r.unit == nil {
		return blockers
	}
	for _, o := range r.unit.members {
		if o != r {
			blockers = slices.Concat(blockers, r.unit.naming(o, o.Itself), r.unit.naming(o, o.Pods.Blockers))
		}
	}
	return slices.Concat(blockers, r.unit.blockers)
}

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

func (r *request) candidate() candidate.Candidate {
	return candidate.Candidate{
		Node: r.Name, Pool: r.PoolName(), Reason: r.CountsFor(), Since: r.Since, Deadline: r.Deadline(),
		Overdue: r.Overdue, Unit: r.unitName(), Because: r.because(),
	}
}

// members yields the requests of its unit, or the request alone.
func (r *request) members() iter.Seq[*request] {
	return func(yield func(*request) bool) {
		if r.unit == nil {
			yield(r)
			return
		}
		for _, m := range r.unit.members {
			if !yield(m) {
				return
			}
		}
	}
}

// unitName returns the unit with which the node is disrupted; "": it is disrupted alone.
func (r *request) unitName() string {
	if r.unit == nil {
		return ""
	}
	return r.Node.Unit
}

// because returns the node of its unit that has the condition; "": the node itself.
func (r *request) because() string {
	if r.unit == nil {
		return ""
	}
	return r.unit.because[r.Condition]
}

// Touch reads memory of the request and its blockers, for memory.ReadAhead.
func (r *request) Touch() int {
	n := len(r.Itself) + len(r.Name)
	for i := range r.Pods.Blockers {
		n += len(r.Pods.Blockers[i].Code)
	}
	for i := range r.Pods.Uses {
		n += int(r.Pods.Uses[i].PDB)
	}
	return n
}
