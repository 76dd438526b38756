package generate

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// Grouped generates clusters with groups of pools. Some overlap, and some are broken.
func Grouped(s Source) disruptkit.Input {
	in := oneOf(s, Input, Input, Waiting, WaitingInZones, Paced, Dated)
	return group(s, in, 3)
}

// GroupedInZones generates clusters whose groups overlap, and make zones take turns.
func GroupedInZones(s Source) disruptkit.Input {
	in := group(s, oneOf(s, Input, WaitingInZones), 3)
	for i := range in.Groups {
		in.Groups[i].Budgets, _ = budget.Compile([]budget.Budget{
			{Nodes: pick(s, "1", "2", "50%"), TopologyKey: pick(s, "zone", "zone", "rack"), Sequential: true},
		})
	}
	return in
}

// group adds up to a number of groups to an input.
func group(s Source, in disruptkit.Input, most int) disruptkit.Input {
	var names []string
	for _, p := range in.Pools {
		names = append(names, p.Name)
	}
	for i := range s.Between(1, most) {
		g := disruptkit.Group{Name: fmt.Sprintf("group-%d", i), Budgets: groupBudgets(s), Topology: Options(s)}
		for _, name := range names {
			if s(3) > 0 {
				g.Pools = append(g.Pools, name)
			}
		}
		switch s(12) {
		case 7:
			g.Name = "group-0"
		case 8:
			g.Pools = append(g.Pools, "no-pool")
		case 9:
			g.Pools = append(g.Pools, g.Pools...)
		case 10:
			g.Verdicts = Verdicts(in.Now)(s)
		case 11:
			unread := candidate.Blocker{Gate: candidate.GateBudget, Code: "unread", Message: "its policy is not known"}
			g.Blockers = []candidate.Blocker{unread}
		}
		in.Groups = append(in.Groups, g)
		if in.Memory == nil {
			in.Memory = map[string]disruptkit.Memory{}
		}
		m := disruptkit.Memory{Roll: Roll(in.Now)(s)}
		for j := range s(3) {
			m.Starts = append(m.Starts, disruptkit.Start{Node: fmt.Sprintf("gone-%d", j), Reason: Reason(s),
				At: in.Now.Add(-time.Duration(s(90)) * time.Minute), Seen: true})
		}
		in.Memory[g.Key()] = m
	}
	return in
}

// groupBudgets generates budgets of groups: of each kind, and some with controls.
func groupBudgets(s Source) budget.Set {
	list := oneOf(s, Budgets, zoneBudgets)
	if s(3) == 0 {
		list = append(list, budget.Budget{Nodes: pick(s, "1", "2", "50%"), Per: pick(s, "30m", "1h", "3h")})
	}
	spec := Spec(list)(s)
	set, _ := spec.Compile()
	return set
}

// GroupedWaiting generates small fleets whose candidates wait for the budgets of groups, most of them for nothing else.
func GroupedWaiting(s Source) disruptkit.Input {
	in := oneOf(s, Waiting, Waiting, WaitingInZones)
	now, kinds := in.Now, []func(Source, time.Time) budget.Budget{few, few, closing, allowing, turning}
	if s.Bool() {
		none, _ := budget.Compile([]budget.Budget{})
		for i := range in.Pools {
			in.Pools[i].Budgets = none
		}
	}
	in = group(s, in, 2)
	for i := range in.Groups {
		one := func(s Source) budget.Budget { return pick(s, kinds...)(s, now) }
		in.Groups[i].Budgets, _ = budget.Compile(several(s, 1, 3, one))
	}
	return in
}
