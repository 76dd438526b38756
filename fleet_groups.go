package disruptkit

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// readGroups makes a scope of each group that can be enforced. Pools of the others hold: it is unclear which nodes the
// group is about, or what applies to them.
func (f *fleet) readGroups() {
	f.Layers, f.Scopes = 1, slices.Clip(f.Pools)
	for _, p := range f.Pools {
		p.Within, p.Scopes = []*scope{p}, []*scope{p}
	}
	if len(f.Input.Groups) == 0 {
		return
	}
	pools := make(map[string]*scope, len(f.Pools))
	for _, p := range f.Pools {
		pools[p.Name] = p
	}
	f.groupFaults = f.findGroupFaults(pools)
	blockers := make([][]candidate.Blocker, len(f.Pools))
	for _, at := range widestFirst(f.Input.Groups) {
		g := &f.Input.Groups[at]
		members, fault := f.members(at, pools)
		said := ofGroup(g.Name, g.Blockers)
		if fault != nil {
			said = append(said, inGroup(g.Name, candidate.Blocker{
				Gate: candidate.GateNode, Code: candidate.CodeInvalidGroup, Message: fault.Message,
			}))
		}
		for _, p := range append(members, f.meant(g, pools)...) {
			blockers[p.Index] = joined(blockers[p.Index], said)
		}
		if fault == nil && len(members) > 0 {
			f.addGroup(g, members)
		}
	}
	for i, p := range f.Pools {
		slices.SortStableFunc(blockers[i], func(a, b candidate.Blocker) int { // groups may share a name
			return cmp.Or(cmp.Compare(a.Gate, b.Gate), a.Compare(b))
		})
		p.Blockers = joined(p.Blockers, blockers[i])
		for len(p.Within) < f.Layers {
			p.Within = append(p.Within, nil)
		}
	}
	slices.SortFunc(f.Groups, func(a, b *scope) int { return strings.Compare(a.Name, b.Name) })
}

// members returns the pools of a group that are in the input, each once, by name, and the first fault for which they
// hold, if there is one.
func (f *fleet) members(group int, pools map[string]*scope) (members []*scope, fault *candidate.Warning) {
	for _, name := range f.Input.Groups[group].Pools {
		if p := pools[name]; p != nil {
			members = append(members, p)
		}
	}
	slices.SortFunc(members, func(a, b *scope) int { return cmp.Compare(a.Index, b.Index) })
	members = slices.Compact(members)
	i := slices.IndexFunc(f.groupFaults, func(w groupFault) bool { return w.group == group && w.holds })
	if i >= 0 {
		fault = &f.groupFaults[i].Warning
	}
	return members, fault
}

// meant returns the pools that a group probably means by names of no pool: those whose names differ by one letter, and
// that it does not name otherwise.
func (f *fleet) meant(g *Group, pools map[string]*scope) (all []*scope) {
	for _, name := range g.Pools {
		if pools[name] != nil {
			continue
		}
		for _, p := range f.Pools {
			if wording.Near(p.Name, name) && !slices.Contains(g.Pools, p.Name) && !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	return all
}

// addGroup puts a group into the first layer in which no other one has a pool of it.
func (f *fleet) addGroup(g *Group, members []*scope) {
	s := &scope{
		Pool: Pool{Name: g.Name, Budgets: g.Budgets, Topology: g.Topology, Verdicts: g.Verdicts,
			Blockers: ofGroup(g.Name, g.Blockers), Revision: revision(members)},
		Index: len(f.Scopes), Members: members, Layer: 1,
	}
	taken := func(p *scope) bool { return s.Layer < len(p.Within) && p.Within[s.Layer] != nil }
	for slices.ContainsFunc(members, taken) {
		s.Layer++
	}
	f.Layers = max(f.Layers, s.Layer+1)
	for _, p := range members {
		s.Nodes += p.Nodes
		s.InUse.Merge(p.InUse)
		for len(p.Within) <= s.Layer {
			p.Within = append(p.Within, nil)
		}
		p.Within[s.Layer] = s
		p.Scopes = append(p.Scopes, s)
	}
	s.Scopes = []*scope{s}
	f.Scopes, f.Groups = append(f.Scopes, s), append(f.Groups, s)
}

// revision returns the revision of a group, which is another one as soon as that of one of its pools is.
func revision(members []*scope) string {
	h := fnv.New64a()
	for _, p := range members {
		fmt.Fprintf(h, "%q %q\n", p.Name, p.Revision)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// widestFirst returns the positions of groups: those with the most pools first, of those the first by name. Where
// groups overlap, the turns of the first ones are decided first, and the others follow.
func widestFirst(groups []Group) []int {
	order := make([]int, len(groups))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &groups[i], &groups[j]
		return cmp.Or(cmp.Compare(len(b.Pools), len(a.Pools)), strings.Compare(a.Name, b.Name))
	})
	return order
}

// ofGroup returns blockers that name the group whose they are.
func ofGroup(name string, blockers []candidate.Blocker) []candidate.Blocker {
	blockers = slices.Clone(blockers)
	for i := range blockers {
		blockers[i] = inGroup(name, blockers[i])
	}
	return blockers
}

// inGroup returns a blocker that names the group whose it is.
func inGroup(name string, b candidate.Blocker) candidate.Blocker {
	var source candidate.Source
	if b.Source != nil {
		source = *b.Source
	}
	source.Group = name
	b.Source, b.Message = &source, "group "+wording.Quote(name)+": "+b.Message
	return b
}

// Said returns a blocker of the pool or the group. That of a group names it.
func (p *scope) Said(b candidate.Blocker) candidate.Blocker {
	if p.Grouped() {
		return inGroup(p.Name, b)
	}
	return b
}

// A groupFault is what is wrong with a group, by position.
type groupFault struct {
	candidate.Warning
	group int
	holds bool // no node of its pools may go
}

// GroupWarnings returns what is wrong with groups.
func (f *fleet) GroupWarnings() (all []candidate.Warning) {
	for i := range f.groupFaults {
		all = append(all, f.groupFaults[i].Warning)
	}
	slices.SortStableFunc(all, func(a, b candidate.Warning) int {
		return cmp.Or(strings.Compare(a.Object, b.Object), strings.Compare(a.Field, b.Field),
			strings.Compare(a.Value, b.Value), strings.Compare(a.Message, b.Message))
	})
	return slices.CompactFunc(all, func(a, b candidate.Warning) bool { return a == b })
}

// findGroupFaults finds what is wrong with groups.
func (f *fleet) findGroupFaults(pools map[string]*scope) (all []groupFault) {
	groups, called := f.Input.Groups, map[string]int{}
	for _, g := range groups {
		called[g.Name]++
	}
	last := make(map[*scope]int, len(pools)) // 1 + the last group that names it
	for i, g := range groups {
		add := func(code candidate.Code, holds bool, field, value, message string) {
			all = append(all, groupFault{candidate.Warning{
				Code: code, Object: "Group/" + g.Name, Field: field, Value: value, Message: message,
			}, i, holds})
		}
		if called[g.Name] > 1 {
			add(candidate.CodeInvalidGroup, true, "name", g.Name, fmt.Sprintf("several groups are called %.100q, and "+
				"it is unclear what applies to their pools, of which no node may be disrupted: "+
				"write each group once", g.Name))
		}
		if len(g.Pools) == 0 {
			add(candidate.CodeNoEffect, false, "pools", "",
				"the group has no pools, and limits nothing: write the names of its pools")
		}
		for _, name := range g.Pools {
			switch p := pools[name]; {
			case p != nil && last[p] == i+1:
				add(candidate.CodeNoEffect, false, "pools", name,
					fmt.Sprintf("pool %.100q is in the group twice, and counts once: write it once", name))
			case p != nil:
				last[p] = i + 1
			default:
				also, write := "", "the name of a pool"
				if meant := f.meant(&Group{Pools: []string{name}}, pools); len(meant) > 0 {
					names := wording.List(meant, 3, func(p *scope) string { return wording.Quote(p.Name) })
					also, write = ", nor one of "+names, names
				}
				add(candidate.CodeInvalidGroup, true, "pools", name, fmt.Sprintf("no pool is called %.100q, "+
					"and until the group names only pools that exist, no node of its pools may go%s: "+
					"write %s, or remove it", name, also, write))
			}
		}
		if g.Budgets.HasDeadlines() {
			add(candidate.CodeNoEffect, false, "deadline", "", "a group's deadlines make no node overdue, "+
				"since a group lets no more nodes go than their pools do: write them for the pools")
		}
	}
	return all
}
