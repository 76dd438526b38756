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
		for len(p.Within) < f.Layers {
			p.Within = append(p.Within, nil)
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
	if g.Budgets.HasDeadlines() {
		warn(candidate.CodeNoEffect, "deadline", "", "a group's deadlines make no node overdue, "+
			"since a group allows no more nodes than their pools do: write them for the pools")
	}
	slices.SortFunc(members, func(a, b *scope) int { return cmp.Compare(a.Index, b.Index) })
	return members, meant, fault
}

// near returns the pools whose names differ by one letter.
func (f *fleet) near(name string) (all []*scope) {
	for _, p := range f.Pools {
		if wording.Near(p.Name, name) {
			all = append(all, p)
		}
	}
	return all
}

// addGroup puts a group into the first layer in which no other group has one of its pools.
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
