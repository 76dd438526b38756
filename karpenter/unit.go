package karpenter

import (
	"context"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/log"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/karpenter/pkg/controllers/state"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// UnitFacts returns what annotation.Unite needs to know of a node.
func UnitFacts(n *state.StateNode) annotation.Facts {
	facts := annotation.Facts{Annotations: metadata(n).Annotations}
	if n.NodeClaim == nil {
		return facts
	}
	for i := range n.NodeClaim.Status.Conditions {
		if c := &n.NodeClaim.Status.Conditions[i]; c.Type == v1.ConditionTypeDisruptionReason && c.IsTrue() {
			facts.Began = c.LastTransitionTime.Time
		}
	}
	if at := n.NodeClaim.DeletionTimestamp; facts.Began.IsZero() && at != nil {
		facts.Began = at.Time
	}
	return facts
}

// unite sets the units of the nodes.
func (c *Cluster) unite(s *snapshot, facts []annotation.Facts) {
	keys := map[string]string{}
	for pool, p := range c.policies {
		if p.UnitLabel != "" {
			keys[pool] = p.UnitLabel
		}
	}
	for _, w := range annotation.Unite(s.Nodes, keys, facts) {
		s.warn(s.nodePools[strings.TrimPrefix(w.Object, "NodePool/")], w)
	}
}

// units are the nodes that are disrupted together: those of a unit that are not in flight.
type units struct {
	of      map[string]string   // by node
	members map[string][]string // by unit
}

func unitsOf(in disruptkit.Input) units {
	u := units{map[string]string{}, map[string][]string{}}
	for i := range in.Nodes {
		if n := &in.Nodes[i]; n.Unit != "" && !n.InFlight() {
			u.of[n.Name], u.members[n.Unit] = n.Unit, append(u.members[n.Unit], n.Name)
		}
	}
	return u
}

// missing returns the nodes of the units of some nodes that are not among these.
func (u units) missing(names map[string]bool) []string {
	missing := map[string]bool{}
	for name := range names {
		for _, other := range u.members[u.of[name]] {
			if !names[other] {
				missing[other] = true
			}
		}
	}
	return sortedKeys(missing)
}

// A part is a candidate of one of several commands, which may name a node twice.
type part struct {
	*disruption.Candidate
	command int
}

// groups returns the candidates of commands that start together or not at all: those of a command that replaces them, and those of a unit.
func (u units) groups(commands []disruption.Command) (groups [][]part) {
	for i, command := range commands {
		var all []part
		for _, c := range command.Candidates {
			if all = append(all, part{c, i}); len(command.Replacements) == 0 {
				groups, all = append(groups, all), nil
			}
		}
		if len(all) > 0 {
			groups = append(groups, all)
		}
	}
	for i := 0; len(u.of) > 0 && i < len(groups); i++ {
		for j := i + 1; j < len(groups); j++ {
			if u.share(groups[i], groups[j]) {
				groups[i] = append(groups[i], groups[j]...)
				groups, j = slices.Delete(groups, j, j+1), i
			}
		}
	}
	return groups
}

// share reports whether two groups have nodes of one unit.
func (u units) share(a, b []part) bool {
	return slices.ContainsFunc(a, func(c part) bool {
		unit := u.of[c.Name()]
		return unit != "" && slices.ContainsFunc(b, func(other part) bool { return u.of[other.Name()] == unit })
	})
}

// replaces reports whether the method replaces nodes one at a time, whatever their pods, so that it can replace all nodes of a unit.
func (g *guard) replaces() bool {
	return g.reason == candidate.Drifted || g.reason == candidate.Expired || g.reason == candidate.Requested
}

// ShouldDisrupt reports whether the method disrupts a node, or is to disrupt it because of another node of its unit.
func (g *guard) ShouldDisrupt(ctx context.Context, c *disruption.Candidate) bool {
	_, static := g.Method.(*disruption.StaticDrift)
	return g.Method.ShouldDisrupt(ctx, c) || g.follows[c.Name()] && c.OwnedByStaticNodePool() == static
}

// follow notes the nodes that are candidates because of another node of their unit. Karpenter offers them from the next pass on.
func (g *guard) follow(d disruptkit.Decision) {
	g.follows = map[string]bool{}
	for _, c := range slices.Concat(d.Blocked, d.Free) {
		if g.replaces() && c.Because != "" {
			g.follows[c.Node] = true
		}
	}
}

// ask calls the method until its commands have whole units, without those of which it cannot disrupt a node, and returns these commands.
func (g *guard) ask(ctx context.Context, p plan) ([]disruption.Command, error) {
	first, others := g.leaders(p)
	for len(first) > 0 {
		commands, err := g.call(ctx, p, first)
		if err != nil {
			return nil, err
		}
		commands, partial, err := g.complete(ctx, p, commands)
		if err != nil || len(commands) > 0 || !g.replaces() {
			return commands, err
		}
		first = slices.DeleteFunc(slices.Clone(first), func(c *disruption.Candidate) bool { return partial[p.units.of[c.Name()]] })
		if len(partial) == 0 {
			first = nil
		}
		if len(first) == 0 && len(others) > 0 {
			first, others = others[:1], others[1:]
		}
	}
	return nil, nil
}

// leaders returns the candidates to call the method with. It knows no reason of those that follow others, and gets these one by one after all
// others, and only where the nodes that they follow are in flight.
func (g *guard) leaders(p plan) (first, others []*disruption.Candidate) {
	led := map[string]bool{}
	for _, c := range p.eligible {
		if !g.follows[c.Name()] {
			first = append(first, c)
			led[p.units.of[c.Name()]] = true
		}
	}
	for _, c := range p.eligible {
		if g.follows[c.Name()] && !led[p.units.of[c.Name()]] {
			others = append(others, c)
		}
	}
	if len(first) == 0 && len(others) > 0 {
		return others[:1], others[1:]
	}
	return first, others
}

// complete adds commands for the other nodes of the units of some commands. It drops those of units with a node that cannot be disrupted, and
// returns these units. Consolidation is never completed: it chooses by cost.
func (g *guard) complete(ctx context.Context, p plan, commands []disruption.Command) (kept []disruption.Command, partial map[string]bool, err error) {
	partial = map[string]bool{}
	for _, name := range p.units.missing(chosen(commands)) {
		unit := p.units.of[name]
		var more []disruption.Command
		if c := p.byName[name]; g.replaces() && p.may[name] && !partial[unit] {
			if more, err = g.call(ctx, p, []*disruption.Candidate{c}); err != nil {
				g.release(commands)
				return nil, nil, err
			}
		}
		if commands = append(commands, more...); len(more) == 0 {
			log.FromContext(ctx).V(1).Info("a unit is disrupted as a whole, and one of its nodes cannot be", "unit", unit, "Node", name)
			partial[unit] = true
		}
	}
	return g.keep(ctx, p.units, commands, func(nodes ...*disruption.Candidate) bool {
		return !slices.ContainsFunc(nodes, func(c *disruption.Candidate) bool { return partial[p.units.of[c.Name()]] })
	}), partial, nil
}
