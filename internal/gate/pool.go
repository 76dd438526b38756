package gate

import (
	"cmp"
	"slices"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/topology"
)

// A Policy is what the caller says of a pool: disruptkit.Pool.
type Policy struct {
	Name     string
	Labels   map[string]string
	Budgets  budget.Set
	Topology topology.Options
	Verdicts []probe.Verdict
	Blockers []candidate.Blocker
}

// A Pool is a Policy, and its nodes as they are counted.
type Pool struct {
	Policy
	Index     int          // in Row.Pools
	Ambiguous bool         // several pools have its name, and nobody knows whose policy holds
	Nodes     int          // those that percentages are of
	InUse     budget.Usage // those that use up budgets

	kinds []*Kind // the first is the reason asked for
}

// A Kind is all requests of one pool for one reason: budgets and signals judge them alike.
type Kind struct {
	Pool   *Pool
	Reason candidate.Reason
	Asked  bool // else only turns depend on it
	Index  int  // in Row.Kinds
}

// AskedKinds returns the kinds that are asked for: the reason itself, then its children that nodes of the pool have.
func (p *Pool) AskedKinds() []*Kind {
	asked := slices.Clone(p.kinds)
	asked = slices.DeleteFunc(asked, func(k *Kind) bool { return !k.Asked }) // only turns depend on those
	slices.SortStableFunc(asked[1:], func(a, b *Kind) int { return cmp.Compare(a.Reason, b.Reason) })
	return asked
}
