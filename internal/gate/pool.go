package gate

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/limit"
	"github.com/disruptkit/disruptkit/internal/quote"
	"github.com/disruptkit/disruptkit/internal/sentence"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/topology"
)

// A Policy is what the caller configures for a pool: disruptkit.Pool.
type Policy struct {
	Name     string
	Labels   map[string]string
	Budgets  budget.Set
	Topology topology.Options
	Verdicts []probe.Verdict
	Blockers []candidate.Blocker

	RepairBacksOff bool
}

// A Pool is a Policy and the count of its nodes.
type Pool struct {
	Policy
	Index     int         // in Row.Pools
	Ambiguous bool        // several pools have this name, so it is unclear which policy applies
	Nodes     int         // the number of nodes that percentages refer to
	InUse     limit.Usage // the nodes that use up budgets: in flight, not Ready, or in an unknown phase

	unknown      int    // the number of nodes in an unknown phase
	firstUnknown string // the first of them by name

	kinds []*Kind // the first is that of the decision's reason
}

// Limits returns the pool's budgets as they are enforced.
func (p *Pool) Limits() *limit.Set { return p.Budgets.Compiled() }

// phaseWarnings says that nodes are in an unknown phase: one warning for all, so that it is read.
func (p *Pool) phaseWarnings() []candidate.Warning {
	if p.unknown == 0 {
		return nil
	}
	nodes, verb, them := quote.Text(p.firstUnknown), "is", "the node stays and counts"
	if p.unknown > 1 {
		nodes += " and " + sentence.Count(p.unknown-1, "more node")
		verb, them = "are", "these nodes stay and count"
	}
	return []candidate.Warning{{
		Code: candidate.CodeUnknownPhase, Object: "NodePool/" + p.Name, Field: "Node.Phase", Value: p.firstUnknown,
		Message: fmt.Sprintf("%s %s in an unknown phase, so %s as in flight: set Node.Phase, such as to candidate.Running",
			nodes, verb, them),
	}}
}

// A Kind is all requests of one pool for one reason: budgets and signals judge them alike.
type Kind struct {
	Pool   *Pool
	Reason candidate.Reason
	Asked  bool // the caller asked for its reason; otherwise, only turns depend on it
	Index  int  // in Row.Kinds

	Closes time.Time // when the first window of the pods closes; zero: never

	// Overdue kinds are those of requests whose deadline has come. Each comes with an ordinary kind of the same pool and reason.
	Overdue bool
}

// AskedKinds returns the ordinary kinds that are asked for: that of the reason itself, and those of its children that nodes of the
// pool have, by name.
func (p *Pool) AskedKinds() []*Kind {
	asked := slices.Clone(p.kinds)
	asked = slices.DeleteFunc(asked, func(k *Kind) bool { return !k.Asked || k.Overdue })
	slices.SortStableFunc(asked, func(a, b *Kind) int { return cmp.Compare(a.Reason, b.Reason) })
	return asked
}
