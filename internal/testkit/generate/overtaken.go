package generate

import (
	"fmt"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
)

// Overtaken generates two pools in a group, each with few places of their own and of the group. Nodes of the first pool
// may be disrupted at different minutes, whatever their place in line, so that they overtake each other. Those of the
// second wait until its freeze ends: their blockers depend on how many of the others have gone by then, which is
// fewer than could if the places of the first pool are taken.
func Overtaken(s Source) disruptkit.Input {
	pick := func(all ...string) string { return all[s(len(all))] }
	until := func(b budget.Budget) budget.Budget {
		return fixture.During(b, "0 9 * * *", fmt.Sprintf("3h%dm", 1+s(30)))
	}
	pool := func(name string, budgets ...budget.Budget) disruptkit.Pool {
		set, _ := budget.Compile(budgets)
		return disruptkit.Pool{Name: name, Budgets: set}
	}
	first := []budget.Budget{{Nodes: pick("2", "1", "3")}}
	if s(3) == 0 {
		first = append(first, until(budget.Budget{Nodes: pick("1", "0")}))
	}
	shared := []budget.Budget{{Nodes: pick("6", "4", "3")}, until(budget.Budget{Nodes: pick("3", "2", "1")})}
	if s(4) == 0 {
		shared = append(shared, budget.Budget{Nodes: pick("1", "2"), Reasons: []candidate.Reason{candidate.Drifted}})
	}
	in := disruptkit.Input{
		Now:   fixture.Noon,
		Pools: []disruptkit.Pool{pool("default", first...), pool("other", until(budget.Budget{Nodes: "0"}))},
	}
	both := []string{"default", "other"}
	in.Groups = []disruptkit.Group{{Name: "g", Pools: both, Budgets: pool("", shared...).Budgets}}
	for i := range s.Between(3, 7) {
		n := fixture.Wanted(fmt.Sprint("a-", i), fixture.Noon.Add(time.Duration(i)*time.Minute), candidate.Drifted)
		if s(4) == 0 {
			since := n.Conditions[0].Since
			n.Conditions = append(n.Conditions, candidate.Condition{Reason: candidate.Empty, Since: since})
		}
		if s(4) == 0 {
			n.Pool = "other"
		} else if s(5) > 0 {
			n.NominatedUntil = fixture.Noon.Add(time.Duration(1+s(25)) * time.Minute)
		}
		in.Nodes = append(in.Nodes, n)
	}
	return in
}
