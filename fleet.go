package disruptkit

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// A fleet is the input as gates read it: pools with the counts of their nodes, and requests.
type fleet struct {
	Input // Nodes have the deadlines of their pools' controls
	budget.Counts
	Reason   candidate.Reason // of the decision: this reason and its children; "" is all reasons
	Pools    []*scope         // by name, each once
	Groups   []*scope         // the groups that can be enforced, by name
	Scopes   []*scope         // Pools, then Groups, the largest first
	Layers   int              // how many there are: 1 without groups
	Kinds    []*kind
	Requests []request // in the order of their nodes in the input, including those that only turns depend on
	Dated    bool      // some request has a deadline

	firsts     map[*candidate.Condition]string // the node of the unit that is first in line because of a condition
	united     map[int32]bool                  // the positions of nodes in units of several, if they are not in flight
	unitFaults []candidate.Warning

	groupFaults    []candidate.Warning
	deadlineFaults []candidate.Warning // deadlines that are ignored
}

// readFleet counts the nodes of the input. The fleet has no requests yet.
func readFleet(in Input, reason candidate.Reason) *fleet {
	names := make([]string, len(in.Pools))
	for i := range in.Pools {
		names[i] = in.Pools[i].Name
	}
	f := &fleet{Input: in, Reason: reason, Counts: budget.CountNodes(names, in.Nodes, in.Dialect)}
	for i, n := range f.Counts.Pools {
		p := &scope{Pool: in.Pools[n.Index], Index: i, Ambiguous: n.Ambiguous, Nodes: n.Nodes, InUse: n.Disrupting}
		if !p.Ambiguous {
			p.InUse.Missing += n.Missing(p.Desired)
			p.unknown, p.firstUnknown = n.Unknown, n.FirstUnknown
		}
		p.ByLayer, p.Members, p.Scopes = []*scope{p}, []*scope{p}, []*scope{p}
		f.Pools = append(f.Pools, p)
	}
	f.Layers, f.Scopes = 1, slices.Clip(f.Pools)
	if len(in.Groups) > 0 {
		f.readGroups()
	}
	for _, p := range f.Scopes {
		f.kindOf(p, reason)
	}
	f.readDeadlines()
	f.readUnits()
	return f
}

// Pool returns the pool of a node, or nil.
func (f *fleet) Pool(node int) *scope {
	if at := f.Owners[node]; at >= 0 {
		return f.Pools[at]
	}
	return nil
}

// Within yields each node with each scope that it is in: its pool, and the pool's groups.
func (f *fleet) Within() iter.Seq2[*scope, *candidate.Node] {
	return func(yield func(*scope, *candidate.Node) bool) {
		for i := range f.Nodes {
			if p := f.Pool(i); p != nil {
				for _, scope := range p.Scopes {
					if !yield(scope, &f.Nodes[i]) {
						return
					}
				}
			}
		}
	}
}

// without reports, for each pool and group, whether it has nodes, but none for which a function reports true.
func (f *fleet) without(has func(*scope, *candidate.Node) bool) []bool {
	without, found := make([]bool, len(f.Scopes)), make([]bool, len(f.Scopes))
	for p, n := range f.Within() {
		found[p.Index] = found[p.Index] || has(p, n)
		without[p.Index] = !found[p.Index]
	}
	return without
}

// readDeadlines sets the deadline of the pool's controls on conditions without a valid one.
func (f *fleet) readDeadlines() {
	has := func(p *scope) bool { return !p.Ambiguous && hasDeadlines(p.Budgets) }
	if !slices.ContainsFunc(f.Pools, has) {
		return
	}
	f.Nodes = slices.Clone(f.Nodes)
	for i := range f.Nodes {
		n, p := &f.Nodes[i], f.Pool(i)
		if p == nil || !has(p) {
			continue
		}
		n.Conditions = slices.Clone(n.Conditions)
		for j := range n.Conditions {
			c := &n.Conditions[j]
			own := *c
			c.Deadline = p.Budgets.DeadlineOf(own)
			if !own.Deadline.IsZero() && c.Deadline != own.Deadline && f.Reason.Covers(c.Reason) {
				f.warnDeadline(n.Name, own)
			}
		}
	}
}

func hasDeadlines(s budget.Set) bool {
	return slices.ContainsFunc(candidate.Methods(),
		func(r candidate.Reason) bool { return s.Deadline(r) != candidate.Forever })
}

// readGroups makes a scope of each group that can be enforced, and blocks the pools of the others. If groups overlap,
// the turns of those with the most pools are decided first, and among these the first by name.
func (f *fleet) readGroups() {
	groups, alike := slices.Clone(f.Input.Groups), map[string]int{}
	slices.SortStableFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(len(b.Pools), len(a.Pools)), strings.Compare(a.Name, b.Name))
	})
	for _, g := range groups {
		alike[g.Name]++
	}
	pools := make(map[string]*scope, len(f.Pools))
	for _, p := range f.Pools {
		pools[p.Name] = p
	}
	blockers := make([][]candidate.Blocker, len(f.Pools))
	for i := range groups {
		g := &groups[i]
		members, meant, fault := f.checkGroup(g, pools, alike[g.Name] > 1)
		said := ofGroup(g.Name, g.Blockers)
		if fault != "" {
			said = append(said, inGroup(g.Name, nodeBlocker(candidate.CodeInvalidGroup, fault)))
		}
		for _, p := range append(members, meant...) {
			blockers[p.Index] = joined(blockers[p.Index], said)
		}
		if fault == "" && len(members) > 0 {
			f.addGroup(g, members)
		}
	}
	for i, p := range f.Pools {
		slices.SortStableFunc(blockers[i], func(a, b candidate.Blocker) int { // groups may share a name
			return cmp.Or(cmp.Compare(a.Gate, b.Gate), a.Compare(b))
		})
		p.Blockers = joined(p.Blockers, blockers[i])
		p.ByLayer = make([]*scope, f.Layers)
		for _, scope := range p.Scopes {
			p.ByLayer[scope.Layer] = scope
		}
	}
	slices.SortFunc(f.Groups, func(a, b *scope) int { return strings.Compare(a.Name, b.Name) })
}

// checkGroup returns the pools of a group, each once, by name, and the pools that it probably means by unknown names.
// If there are faults that block these pools, it returns the first one. It warns of all faults.
func (f *fleet) checkGroup(g *Group, pools map[string]*scope, alike bool) (members, meant []*scope, fault string) {
	warn := func(code candidate.Code, field, value, format string, args ...any) {
		w := warningf(code, "Group/"+g.Name, field, value, format, args...)
		f.groupFaults = append(f.groupFaults, w)
		if code == candidate.CodeInvalidGroup {
			fault = cmp.Or(fault, w.Message)
		}
	}
	if alike {
		warn(candidate.CodeInvalidGroup, "name", g.Name, "several groups are called %.100q, and it is unclear what "+
			"applies to their pools, so no node of these may be disrupted: write each group once", g.Name)
	}
	if len(g.Pools) == 0 {
		warn(candidate.CodeNoEffect, "pools", "",
			"the group has no pools, and limits nothing: write the names of its pools")
	}
	for _, name := range g.Pools {
		p := pools[name]
		switch {
		case slices.Contains(members, p):
			warn(candidate.CodeNoEffect, "pools", name,
				"pool %.100q is in the group twice, and counts once: write it once", name)
			continue
		case p != nil:
			members = append(members, p)
			continue
		}
		also, write, near := "", "the name of a pool", f.near(name)
		if len(near) > 0 {
			write = wording.List(near, 3, func(p *scope) string { return wording.Quote(p.Name) })
			also = ", nor one of " + write
		}
		warn(candidate.CodeInvalidGroup, "pools", name, "no pool is called %.100q, and until the group names only "+
			"pools that exist, no node of its pools may be disrupted%s: write %s, or remove it", name, also, write)
		for _, p := range near {
			if !slices.Contains(g.Pools, p.Name) && !slices.Contains(meant, p) {
				meant = append(meant, p)
			}
		}
	}
	if hasDeadlines(g.Budgets) {
		warn(candidate.CodeNoEffect, "deadline", "", "a group's deadlines make no node overdue, "+
			"since a group allows no more nodes than their pools do: write them for the pools")
	}
	slices.SortFunc(members, func(a, b *scope) int { return cmp.Compare(a.Index, b.Index) })
	return members, meant, fault
}

func (f *fleet) near(name string) []*scope {
	return slices.DeleteFunc(slices.Clone(f.Pools), func(p *scope) bool { return !wording.Near(p.Name, name) })
}

// addGroup puts a group into the first layer in which no other group has one of its pools.
func (f *fleet) addGroup(g *Group, members []*scope) {
	s := &scope{
		Pool: Pool{Name: g.Name, Budgets: g.Budgets, Topology: g.Topology, Verdicts: g.Verdicts,
			Blockers: ofGroup(g.Name, g.Blockers), Revision: revision(members)},
		Index: len(f.Scopes), Members: members, Layer: 1,
	}
	taken := func(p *scope) bool {
		return slices.ContainsFunc(p.Scopes, func(other *scope) bool { return other.Layer == s.Layer })
	}
	for slices.ContainsFunc(members, taken) {
		s.Layer++
	}
	f.Layers = max(f.Layers, s.Layer+1)
	for _, p := range members {
		s.Nodes += p.Nodes
		for reason, n := range p.InUse.InFlight {
			s.InUse.Add(reason, n)
		}
		s.InUse.NotReady, s.InUse.Missing = s.InUse.NotReady+p.InUse.NotReady, s.InUse.Missing+p.InUse.Missing
		p.Scopes = append(p.Scopes, s)
	}
	s.Scopes = []*scope{s}
	f.Scopes, f.Groups = append(f.Scopes, s), append(f.Groups, s)
}

// revision returns the revision of a group, which changes if that of one of its pools does.
func revision(members []*scope) string {
	h := fnv.New64a()
	for _, p := range members {
		fmt.Fprintf(h, "%q %q\n", p.Name, p.Revision)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// ofGroup returns the blockers of a group, which name it.
func ofGroup(name string, blockers []candidate.Blocker) []candidate.Blocker {
	blockers = slices.Clone(blockers)
	for i := range blockers {
		blockers[i] = inGroup(name, blockers[i])
	}
	return blockers
}

// inGroup returns a blocker of a group, which names it.
func inGroup(name string, b candidate.Blocker) candidate.Blocker {
	var source candidate.Source
	if b.Source != nil {
		source = *b.Source
	}
	source.Group = name
	b.Source, b.Message = &source, "group "+wording.Quote(name)+": "+b.Message
	return b
}

// A scope is a pool or a group, with the count of its nodes. The nodes of a group are those of its pools.
type scope struct {
	Pool
	Index     int          // in fleet.Scopes, and, of a pool, in fleet.Pools
	Ambiguous bool         // several pools have this name, so it is unclear which policy applies
	Nodes     int          // the number of nodes that percentages refer to
	InUse     budget.Usage // what uses up budgets: nodes in flight, not Ready, in an unknown phase, or missing

	unknown      int    // the number of nodes in an unknown phase; 0 if Ambiguous
	firstUnknown string // the first of them by name

	Layer   int      // 0 for pools; groups in one layer have no pool in common
	ByLayer []*scope // of a pool: itself, and the group of each layer above; nil: it has none there
	Members []*scope // the pools of a group; of a pool: itself

	Scopes []*scope // in which its nodes compete for slots: itself, and its groups
	Kinds  []*kind  // the first is that of the decision's reason
}

func (p *scope) Grouped() bool { return p.Layer > 0 }

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

	Least candidate.Minimum // of its pool and of the pool's groups

	// ByLayer are the kinds of its pool and of the pool's groups for the same reason. That of layer 0 is the kind
	// itself; nil: its pool has no group in that layer. A group's kind has none.
	ByLayer []*kind

	// LastingUntil is when lasting blockers of its requests (row.lasting) may next change: the first window of their
	// pods closes, or a pause of their domains begins or ends. Zero is never. Pods and signals write it, and zones
	// read it.
	LastingUntil time.Time
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
	k.ByLayer = make([]*kind, len(p.ByLayer))
	for layer, scope := range p.ByLayer {
		if scope == nil {
			continue
		}
		k.ByLayer[layer] = f.kindOf(scope, reason)
		least := scope.Budgets.Minimum(reason)
		k.Least.Held, k.Least.Age = max(k.Least.Held, least.Held), max(k.Least.Age, least.Age)
	}
	return k
}
