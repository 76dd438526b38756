package disruptkit

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// A scope is a pool or a group, with the count of its nodes. The nodes of a group are those of its pools.
type scope struct {
	Pool
	Index     int          // in fleet.Scopes; that of a pool, in fleet.Pools, too
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

// PhaseWarnings says that nodes are in an unknown phase: one warning for all, so that it is read.
func (p *scope) PhaseWarnings() []candidate.Warning {
	if p.unknown == 0 {
		return nil
	}
	nodes, verb, them := wording.Quote(p.firstUnknown), "is", "the node stays and counts"
	if p.unknown > 1 {
		nodes += " and " + wording.Count(p.unknown-1, "more node")
		verb, them = "are", "these nodes stay and count"
	}
	return []candidate.Warning{{
		Code: candidate.CodeUnknownPhase, Object: "NodePool/" + p.Name, Field: "Node.Phase", Value: p.firstUnknown,
		Message: fmt.Sprintf("%s %s in an unknown phase, so %s as in flight: "+
			"set Node.Phase, such as to candidate.Running",
			nodes, verb, them),
	}}
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

// Shares reports whether its nodes are in other scopes, too.
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

// MemoryKey returns where the memory of a pool or a group is found: see disruptkit.Input.Memory.
func (p *scope) MemoryKey() string {
	if p.Grouped() {
		return groupKey(p.Name)
	}
	return p.Name
}

// groupKey returns where the memory of a group is found. No pool of Kubernetes has a slash in its name.
func groupKey(name string) string { return "group/" + name }

// A kind is all requests of one pool, or of one group, for one reason: budgets and signals judge them alike.
type kind struct {
	Pool   *scope
	Reason candidate.Reason
	Asked  bool // the caller asked for its reason; otherwise, only turns depend on it
	Index  int  // in fleet.Kinds

	// Within are the kinds of its pool and of the pool's groups for the same reason, by layer. That of layer 0 is the
	// kind itself; nil: its pool has no group in that layer. A group's kind has none.
	Within []*kind

	// Lasts is until when what lasts stays the same for its requests: when the first window of their pods closes, or a
	// pause of their domains begins or ends. Zero is for good. Pods and signals write it, and zones read it. See
	// [lasting].
	Lasts time.Time

	// Excused kinds are those of overdue requests, which a [waiver] excuses from some gates. Each comes with an
	// ordinary kind of the same pool and reason.
	Excused bool
}

// AskedKinds returns the ordinary kinds that are asked for: that of the reason itself, and those of its children that
// nodes of the pool have, by name.
func (p *scope) AskedKinds() []*kind {
	asked := slices.Clone(p.Kinds)
	asked = slices.DeleteFunc(asked, func(k *kind) bool { return !k.Asked || k.Excused })
	slices.SortStableFunc(asked, func(a, b *kind) int { return cmp.Compare(a.Reason, b.Reason) })
	return asked
}

// kindOf returns the kind of a pool's requests for a reason.
func (f *fleet) kindOf(p *scope, reason candidate.Reason, excused bool) *kind {
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
func (f *fleet) theKind(p *scope, reason candidate.Reason, excused bool) *kind {
	is := func(k *kind) bool { return k.Reason == reason && k.Excused == excused }
	if i := slices.IndexFunc(p.Kinds, is); i >= 0 {
		return p.Kinds[i]
	}
	k := &kind{Pool: p, Reason: reason, Asked: f.Reason.Covers(reason), Index: len(f.Kinds), Excused: excused}
	f.Kinds = append(f.Kinds, k)
	p.Kinds = append(p.Kinds, k)
	for _, scope := range p.Within {
		var within *kind
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
