package gate

import (
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// A Request is a node and one reason to disrupt it.
type Request struct {
	Node      *candidate.Node
	Condition *candidate.Condition
	Pool      *Pool // nil if it is not in the input
	Kind      *Kind // nil if nobody knows whose policy holds for the node
	Pods      candidate.PodVerdict
	Name      string    // of the node, and since when the condition holds: whoever walks the line need not look at either
	Since     time.Time //

	// The answers of Row.Decide.
	Goes      bool // it may go now
	Displaced bool // it may not, but only because of those that go before it

	several   bool                // the node has other conditions
	duplicate bool                // another node has its name
	at        int32               // of the node, in Input.Nodes
	before    int32               // the node's request before this one, 1 for the first of Row.Requests; 0 is none
	node      []candidate.Blocker // what holds back the node itself
}

// Standing returns what holds back the node itself and its pods, whoever else goes.
func (r *Request) Standing() []candidate.Blocker { return joined(r.node, r.Pods.Blockers) }

// PoolName returns the name of the node's pool, whether it is in the input or not.
func (r *Request) PoolName() string {
	if r.Pool != nil {
		return r.Pool.Name
	}
	return r.Node.Pool
}

// Reason returns why the node should be disrupted.
func (r *Request) Reason() candidate.Reason {
	if r.Kind != nil {
		return r.Kind.Reason
	}
	return r.Condition.Reason
}
