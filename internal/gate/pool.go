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

	Desired        int
	RepairBacksOff bool
	Revision       string
}

// A Pool is a Policy and the count of its nodes. A group of pools is one, too: its nodes are those of its pools.
type Pool struct {
	Policy
	Index     int         // in Fleet.Scopes; that of a pool, in Fleet.Pools, too
	Ambiguous bool        // several pools have this name, so it is unclear which policy applies
	Nodes     int         // the number of nodes that percentages refer to
	InUse     limit.Usage // what uses up budgets: nodes in flight, not Ready, in an unknown phase, or missing

	unknown      int    // the number of nodes in an unknown phase
	firstUnknown string // the first of them by name

	Layer   int     // 0 for pools; groups in one layer have no pool in common
	Within  []*Pool // of a pool, by layer: itself, and its groups; nil: it has none in that layer
	Members []*Pool // of a group: its pools

	Scopes []Scope // in which its nodes compete for places: its own, and those of its groups
	Kinds  []*Kind // the first is that of the decision's reason
}

// A Scope is a set of nodes that compete for the same places, by number. Each pool is one, and each group, and has its
// Index.
type Scope int

// Limits returns the pool's budgets as they are enforced.
func (p *Pool) Limits() *limit.Set { return p.Budgets.Compiled() }

// PhaseWarnings says that nodes are in an unknown phase: one warning for all, so that it is read.
func (p *Pool) PhaseWarnings() []candidate.Warning {
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
		Message: fmt.Sprintf("%s %s in an unknown phase, so %s as in flight: "+
			"set Node.Phase, such as to candidate.Running",
			nodes, verb, them),
	}}
}

// Scope returns the scope of the pool itself.
func (p *Pool) Scope() Scope { return Scope(p.Index) }

// Grouped reports whether it is a group of pools.
func (p *Pool) Grouped() bool { return p.Layer > 0 }

// Pools returns the pools of a group. Of a pool it is that pool.
func (p *Pool) Pools() []*Pool {
	if p.Grouped() {
		return p.Members
	}
	return []*Pool{p}
}

// Shares reports whether its nodes are in other scopes, too.
func (p *Pool) Shares() bool { return p.Grouped() || len(p.Scopes) > 1 }

// Group returns the name of a group, for candidate.Source. Of a pool it is "".
func (p *Pool) Group() string {
	if p.Grouped() {
		return p.Name
	}
	return ""
}

// Of begins a message about a group with its name. Of a pool it is "".
func (p *Pool) Of() string {
	if p.Grouped() {
		return "group " + quote.Text(p.Name) + ": "
	}
	return ""
}

// Object returns the object of its warnings.
func (p *Pool) Object() string {
	if p.Grouped() {
		return "Group/" + p.Name
	}
	return "NodePool/" + p.Name
}

// MemoryKey returns where the memory of a pool or a group is found: see disruptkit.Input.Memory.
func (p *Pool) MemoryKey() string {
	if p.Grouped() {
		return GroupKey(p.Name)
	}
	return p.Name
}

// GroupKey returns where the memory of a group is found. No pool of Kubernetes has a slash in its name.
func GroupKey(name string) string { return "group/" + name }

// A Kind is all requests of one pool, or of one group, for one reason: budgets and signals judge them alike.
type Kind struct {
	Pool   *Pool
	Reason candidate.Reason
	Asked  bool // the caller asked for its reason; otherwise, only turns depend on it
	Index  int  // in Fleet.Kinds

	// Within are the kinds of its pool and of the pool's groups for the same reason, by layer. That of layer 0 is the
	// kind itself; nil: its pool has no group in that layer. A group's kind has none.
	Within []*Kind

	// Lasts is until when what lasts stays the same for its requests: when the first window of their pods closes, or a
	// pause of their domains begins or ends. Zero is for good. Pods and signals write it, and zones read it. See
	// [Lasting].
	Lasts time.Time

	// Excused kinds are those of overdue requests, which a [Waiver] excuses from some gates. Each comes with an
	// ordinary kind of the same pool and reason.
	Excused bool
}

// AskedKinds returns the ordinary kinds that are asked for: that of the reason itself, and those of its children that
// nodes of the pool have, by name.
func (p *Pool) AskedKinds() []*Kind {
	asked := slices.Clone(p.Kinds)
	asked = slices.DeleteFunc(asked, func(k *Kind) bool { return !k.Asked || k.Excused })
	slices.SortStableFunc(asked, func(a, b *Kind) int { return cmp.Compare(a.Reason, b.Reason) })
	return asked
}

// kindOf returns the kind of a pool's requests for a reason.
func (f *Fleet) kindOf(p *Pool, reason candidate.Reason, excused bool) *Kind {
	if f.kind != nil && f.kind.Pool == p && f.kind.Reason == reason && f.kind.Excused == excused {
		return f.kind
	}
	f.kind = f.theKind(p, reason, false)
	if excused {
		f.kind = f.theKind(p, reason, true)
	}
	return f.kind
}

// theKind returns the kind of a pool or a group, and makes it, with those of the pool's groups, if it is new.
func (f *Fleet) theKind(p *Pool, reason candidate.Reason, excused bool) *Kind {
	is := func(k *Kind) bool { return k.Reason == reason && k.Excused == excused }
	if i := slices.IndexFunc(p.Kinds, is); i >= 0 {
		return p.Kinds[i]
	}
	k := &Kind{Pool: p, Reason: reason, Asked: f.Reason.Covers(reason), Index: len(f.Kinds), Excused: excused}
	f.Kinds = append(f.Kinds, k)
	p.Kinds = append(p.Kinds, k)
	for _, scope := range p.Within {
		var within *Kind
		switch {
		case scope == p:
			within = k
		case scope != nil:
			within = f.theKind(scope, reason, excused)
		}
		k.Within = append(k.Within, within)
	}
	return k
}
