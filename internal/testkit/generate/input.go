package generate

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// Input generates small clusters: pools with budgets of every kind, including those for single zones and racks, nodes
// in every state with pods, PDBs and disruption schedules, and rolls in progress. Some nodes share a name, or have an
// unknown pool.
func Input(s Source) disruptkit.Input {
	return input(s, 0, func(s Source) []budget.Budget { return oneOf(s, Budgets, zoneBudgets) })
}

// Unzoned generates the same, without budgets for single zones.
func Unzoned(s Source) disruptkit.Input { return input(s, 0, Budgets) }

// Single generates inputs with one pool, in which no node has two reasons, and no budget limits single zones.
func Single(s Source) disruptkit.Input {
	in := input(s, 1, Budgets)
	for i := range in.Nodes {
		n := &in.Nodes[i]
		n.Conditions = n.Conditions[:min(1, len(n.Conditions))]
	}
	return in
}

// Asked generates reasons to pass to Decide.
func Asked(s Source) candidate.Reason {
	if s.Bool() {
		return Reason(s)
	}
	return pick(s, candidate.Drifted, candidate.Drifted, candidate.Empty, "", candidate.Unhealthy)
}

// input generates inputs with at least a number of pools.
func input(s Source, pools int, budgets func(Source) []budget.Budget) disruptkit.Input {
	in := disruptkit.Input{Now: Now(s), Rules: Rules(s)}
	in.Verdicts, in.Pauses = Verdicts(in.Now)(s), Pauses(in.Now)(s)
	in.Pools = several(s, pools, 3, func(s Source) disruptkit.Pool { return pool(s, in.Now, budgets) })
	for i := range in.Pools {
		in.Pools[i].Name = fmt.Sprintf("pool-%d", i)
		if m := memory(s, in.Now); !m.Equal(disruptkit.Memory{}) {
			if in.Memory == nil {
				in.Memory = map[string]disruptkit.Memory{}
			}
			in.Memory[in.Pools[i].Name] = m
		}
	}
	in.Nodes = several(s, s(10), 25, func(s Source) candidate.Node { return pooled(s, in.Now) })
	for i := range in.Nodes {
		if in.Nodes[i].Name == "" {
			in.Nodes[i].Name = fmt.Sprintf("node-%02d", i)
		}
	}
	return in
}

// memory generates the memory of a pool: a roll and a back-off.
func memory(s Source, now time.Time) disruptkit.Memory {
	m := disruptkit.Memory{Roll: Roll(now)(s)}
	if s.seldom() {
		m.Backoff = disruptkit.Backoff{
			Level: s.Between(1, 5), Until: now.Add(time.Duration(s.Between(-5, 10)) * time.Minute),
		}
	}
	return m
}

// pooled generates nodes of pools. Some have the name of the first node, or an unknown pool.
func pooled(s Source, now time.Time) candidate.Node {
	n := Node(now)(s)
	n.Pool = fmt.Sprintf("pool-%d", s(3))
	switch s(8) {
	case 6:
		n.Pool = pick(s, "", "pool-9")
	case 7:
		n.Name = "node-00"
	}
	return n
}

// zoneBudgets generates budgets for pools, zones and racks.
func zoneBudgets(s Source) []budget.Budget {
	return several(s, 1, 4, func(s Source) budget.Budget { return oneOf(s, Budget, ZoneBudget) })
}

// pool generates pools without a name, some with invalid budgets.
func pool(s Source, now time.Time, budgets func(Source) []budget.Budget) disruptkit.Pool {
	list := budgets(s)
	if s.seldom() {
		list = append(list, BrokenBudget(s))
	}
	set, _ := Spec(list)(s).Compile()
	return disruptkit.Pool{
		Labels:  map[string]string{"team": pick(s, "search", "ads")},
		Budgets: set, Topology: Options(s), Verdicts: Verdicts(now)(s),
		RepairBacksOff: s.Bool(),
	}
}

// Phase generates phases. Most nodes run.
func Phase(s Source) candidate.Phase {
	if !s.seldom() {
		return candidate.Running
	}
	return pick(s, candidate.NotReady, candidate.Registered, candidate.Launched, 0)
}

// Node generates nodes without name and pool. Most have joined and are Ready.
func Node(now time.Time) func(Source) candidate.Node {
	return func(s Source) candidate.Node {
		minutes := func(low, high int) time.Time { return now.Add(time.Duration(s.Between(low, high)) * time.Minute) }
		const stays = candidate.Staying
		n := candidate.Node{
			Labels: map[string]string{
				"zone": pick(s, "a", "a", "a", "b", "b", "c", ""), "rack": pick(s, "1", "2"),
			},
			Phase:          Phase(s),
			DoNotDisrupt:   s.seldom(),
			DoNotRepair:    s.seldom(),
			Cost:           float64(s(3)),
			Rebooting:      s.seldom(),
			Leaving:        pick(s, stays, stays, stays, stays, stays, candidate.Draining, candidate.Terminating),
			HasGracePeriod: s.seldom(),
		}
		if n.Leaving != candidate.Staying {
			n.DisruptedFor = pick[candidate.Reason](s,
				"Drifted", "Drifted/AMIDrift", "Empty", "Unhealthy", "", "repair")
		}
		if n.Leaving != candidate.Staying && s.Bool() {
			n.Deadline = minutes(-60, 60)
		}
		if s.Bool() {
			n.ReadySince = minutes(-30, 5)
		}
		if s.seldom() {
			n.NominatedUntil = minutes(-1, 5)
		}
		if s.seldom() {
			n.Blockers = []candidate.Blocker{
				{Gate: candidate.GateNode, Code: "no-room", Message: "its pods fit nowhere else"},
			}
		}
		n.Conditions = several(s, s(2), 2, func(s Source) candidate.Condition { return condition(s, now) })
		n.Pods = Pods(now)(s)
		return n
	}
}

// condition generates reasons to disrupt a node. Some of those for repair are still tolerated. Some are overdue.
func condition(s Source, now time.Time) candidate.Condition {
	c := candidate.Condition{Reason: Reason(s), Since: now.Add(-time.Duration(s(11)) * time.Hour)}
	if candidate.Unhealthy.Covers(c.Reason) {
		c.Since = c.Since.Add(2 * time.Hour)
		if s.Bool() {
			c.Bound = new(time.Duration)
		}
		if s.Bool() {
			c.Urgency = c.Since.Add(-time.Duration(s(4)) * time.Hour)
		}
	}
	if s(3) == 2 {
		c.Deadline = now.Add(time.Duration(s.Between(-3, 6)) * 30 * time.Minute) // some are before Since
	}
	return c
}
