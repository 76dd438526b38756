package disruptkit

import (
	"cmp"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// A scope is a pool or a group, with the count of its nodes. The nodes of a group are those of its pools.
type scope struct {
	Pool
	Index     int          // in fleet.Scopes, and, of a pool, in fleet.Pools
	Ambiguous bool         // several pools have this name, so it is unclear which policy applies
	Nodes     int          // the number of nodes that percentages refer to
	InUse     budget.Usage // what uses up budgets: nodes in flight, not Ready, in an unknown phase, or missing

	unknown      int    // the number of nodes in an unknown phase
	firstUnknown string // the first of them by name

	Layer   int      // 0 for pools; groups in one layer have no pool in common
	Within  []*scope // of a pool, by layer: itself, and its groups; nil: it has none in that layer
	Members []*scope // of a group: its pools

	Scopes []*scope // in which its nodes compete for slots: itself, and its groups
	Kinds  []*kind  // the first is that of the decision's reason
}

// Grouped reports whether it is a group of pools.
func (p *scope) Grouped() bool { return p.Layer > 0 }

// Pools returns the pools of a group. Of a pool it is that pool.
func (p *scope) Pools() []*scope {
	if p.Grouped() {
		return p.Members
	}
	return []*scope{p}
}

// Shares reports whether its nodes are also in other scopes.
func (p *scope) Shares() bool { return p.Grouped() || len(p.Scopes) > 1 }

// Group returns the name of a group, for candidate.Source. Of a pool it is "".
func (p *scope) Group() string {
	if p.Grouped() {
		return p.Name
	}
	return ""
}

// Of begins a message about a group with its name. Of a pool it is "".
func (p *scope) Of() string {
	if p.Grouped() {
		return "group " + wording.Quote(p.Name) + ": "
	}
	return ""
}

// Object returns the object of its warnings.
func (p *scope) Object() string {
	if p.Grouped() {
		return "Group/" + p.Name
	}
	return "NodePool/" + p.Name
}

// MemoryKey returns the key of a pool or a group in [Input].Memory.
func (p *scope) MemoryKey() string {
	if p.Grouped() {
		return Group{Name: p.Name}.Key()
	}
	return p.Name
}

// Said returns a blocker of the pool or the group. That of a group names it.
func (p *scope) Said(b candidate.Blocker) candidate.Blocker {
	if p.Grouped() {
		return inGroup(p.Name, b)
	}
	return b
}

// A kind is all requests of one pool, or of one group, for one reason: budgets and signals judge them alike.
type kind struct {
	Pool   *scope
	Reason candidate.Reason
	Asked  bool // it is of the decision's reason; otherwise, only turns depend on it
	Index  int  // in fleet.Kinds

	// Within are the kinds of its pool and of the pool's groups for the same reason, by layer. That of layer 0 is the
	// kind itself; nil: its pool has no group in that layer. A group's kind has none.
	Within []*kind

	// Lasts is when the long-lasting blockers of its requests may next change: the first window of their pods closes,
	// or a pause of their domains begins or ends. Zero is never. Pods and signals write it, and zones read it. See
	// row.lasting.
	Lasts time.Time
}

// AskedKinds returns the kinds of the decision's reason, and of its children that nodes of the pool have, by name.
func (p *scope) AskedKinds() []*kind {
	asked := slices.DeleteFunc(slices.Clone(p.Kinds), func(k *kind) bool { return !k.Asked })
	slices.SortStableFunc(asked, func(a, b *kind) int { return cmp.Compare(a.Reason, b.Reason) })
	return asked
}

// kindOf returns the kind of a pool or a group for a reason. It makes it, and those of the pool's groups, if needed.
func (f *fleet) kindOf(p *scope, reason candidate.Reason) *kind {
	for _, k := range p.Kinds {
		if k.Reason == reason {
			return k
		}
	}
	k := &kind{Pool: p, Reason: reason, Asked: f.Reason.Covers(reason), Index: len(f.Kinds)}
	f.Kinds, p.Kinds = append(f.Kinds, k), append(p.Kinds, k)
	for _, scope := range p.Within {
		var within *kind
		switch {
		case scope == p:
			within = k
		case scope != nil:
			within = f.kindOf(scope, reason)
		}
		k.Within = append(k.Within, within)
	}
	return k
}
