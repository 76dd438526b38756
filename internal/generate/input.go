package generate

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// Input generates small clusters: pools with budgets of every kind, for single zones and racks among them, nodes in every
// state with pods, PDBs and disruption schedules, and rolls under way. One node in twenty has the name of another, or a pool that nobody knows.
func Input() *rapid.Generator[disruptkit.Input] {
	return input(rapid.OneOf(Budgets(), rapid.SliceOfN(rapid.OneOf(Budget(), ZoneBudget()), 1, 4)))
}

// Unzoned generates the same, without budgets for single zones.
func Unzoned() *rapid.Generator[disruptkit.Input] { return input(Budgets()) }

func input(budgets *rapid.Generator[[]budget.Budget]) *rapid.Generator[disruptkit.Input] {
	return rapid.Custom(func(t *rapid.T) disruptkit.Input {
		in := disruptkit.Input{Now: Time().Draw(t, "now"), Rules: Rules().Draw(t, "rules")}
		in.Verdicts = Verdicts(in.Now).Draw(t, "cluster's verdicts")
		for i := range rapid.IntRange(0, 3).Draw(t, "pools") {
			p := pool(fmt.Sprintf("pool-%d", i), budgets).Draw(t, "pool")
			p.Verdicts = Verdicts(in.Now).Draw(t, "verdicts")
			in.Pools = append(in.Pools, p)
			if roll := Roll(in.Now).Draw(t, "roll"); roll.Key != "" {
				if in.Memory == nil {
					in.Memory = map[string]disruptkit.Memory{}
				}
				in.Memory[p.Name] = disruptkit.Memory{Roll: roll}
			}
		}
		for i := range rapid.IntRange(0, 25).Draw(t, "nodes") {
			n := Node(in.Now).Draw(t, "node")
			n.Name = fmt.Sprintf("node-%02d", i)
			switch rapid.IntRange(0, 19).Draw(t, "odd") {
			case 0:
				n.Name = "node-00"
			case 1:
				n.Pool = rapid.SampledFrom([]string{"", "pool-9"}).Draw(t, "odd pool")
			default:
				n.Pool = fmt.Sprintf("pool-%d", rapid.IntRange(0, 2).Draw(t, "pool number"))
			}
			in.Nodes = append(in.Nodes, n)
		}
		return in
	})
}

// pool generates a pool, with broken budgets at times.
func pool(name string, budgets *rapid.Generator[[]budget.Budget]) *rapid.Generator[disruptkit.Pool] {
	return rapid.Custom(func(t *rapid.T) disruptkit.Pool {
		list := budgets.Draw(t, "budgets")
		if rapid.IntRange(0, 9).Draw(t, "broken") == 0 {
			list = append(list, BrokenBudget().Draw(t, "broken budget"))
		}
		set, _ := Spec(list).Draw(t, "spec").Compile()
		labels := map[string]string{"team": rapid.SampledFrom([]string{"search", "ads"}).Draw(t, "team")}
		return disruptkit.Pool{Name: name, Labels: labels, Budgets: set, Topology: Options().Draw(t, "topology")}
	})
}

// seldom is true one time in ten.
var seldom = rapid.Map(rapid.IntRange(0, 9), func(n int) bool { return n == 0 })

// Node generates nodes without name and pool. Most have joined and are Ready.
func Node(now time.Time) *rapid.Generator[candidate.Node] {
	return rapid.Custom(func(t *rapid.T) candidate.Node {
		n := candidate.Node{
			Initialized:         !seldom.Draw(t, "not initialized"),
			Ready:               !seldom.Draw(t, "not ready"),
			DoNotDisrupt:        seldom.Draw(t, "do not disrupt"),
			Deleting:            seldom.Draw(t, "deleting"),
			InstanceTerminating: seldom.Draw(t, "terminating"),
		}
		n.Labels = map[string]string{
			"zone": rapid.SampledFrom([]string{"a", "a", "a", "b", "b", "c", ""}).Draw(t, "zone"),
			"rack": rapid.SampledFrom([]string{"1", "2"}).Draw(t, "rack"),
		}
		if n.Deleting {
			n.DisruptedFor = rapid.SampledFrom([]candidate.Reason{"Drifted", "Drifted/AMIDrift", "Empty", "", "repair"}).Draw(t, "disrupted for")
		}
		if rapid.Bool().Draw(t, "ready for a while") {
			n.ReadySince = now.Add(time.Duration(rapid.IntRange(-30, 5).Draw(t, "ready since")) * time.Minute)
		}
		if seldom.Draw(t, "nominated") {
			n.NominatedUntil = now.Add(time.Duration(rapid.IntRange(-1, 5).Draw(t, "minutes")) * time.Minute)
		}
		if seldom.Draw(t, "caller's blocker") {
			n.Blockers = []candidate.Blocker{{Gate: candidate.GateNode, Code: "no-room", Message: "its pods fit nowhere else"}}
		}
		n.Pods = Pods(now).Draw(t, "pods")
		n.HasGracePeriod = seldom.Draw(t, "grace period")
		if n.Deleting && rapid.Bool().Draw(t, "deadline") {
			n.Deadline = now.Add(time.Duration(rapid.IntRange(-60, 60).Draw(t, "minutes")) * time.Minute)
		}
		for range rapid.IntRange(0, 2).Draw(t, "conditions") {
			n.Conditions = append(n.Conditions, candidate.Condition{
				Reason: Reason().Draw(t, "reason"),
				Since:  now.Add(-time.Duration(rapid.IntRange(0, 10).Draw(t, "hours")) * time.Hour),
			})
		}
		return n
	})
}

// Asked generates the reasons that decisions are asked for.
func Asked() *rapid.Generator[candidate.Reason] {
	return rapid.OneOf(
		rapid.SampledFrom([]candidate.Reason{candidate.Drifted, candidate.Drifted, candidate.Empty, ""}),
		Reason(),
	)
}

// Single generates inputs with a pool in which no node has two reasons, and no zone a limit of its own.
func Single() *rapid.Generator[disruptkit.Input] {
	return rapid.Map(Unzoned().Filter(func(in disruptkit.Input) bool { return len(in.Pools) > 0 }), func(in disruptkit.Input) disruptkit.Input {
		for i := range in.Nodes {
			n := &in.Nodes[i]
			n.Conditions = n.Conditions[:min(1, len(n.Conditions))]
		}
		return in
	})
}
