package later_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/fixture"
)

func TestTheOrderOfPodsDoesNotShowInWhatComesAfter(t *testing.T) {
	var told []string
	for _, apps := range [][]string{{"a", "b"}, {"b", "a"}} {
		in := disruptkit.Input{Now: fixture.Noon, Nodes: []candidate.Node{fixture.Sharing("n1", "p", "", 2, apps...), fixture.Sharing("n2", "p", "", 1, apps...)}}
		in.Rules, _ = candidate.CompileRules([]candidate.PDB{fixture.PDB("a"), fixture.PDB("b")}, nil)
		set, err := budget.Compile([]budget.Budget{{Nodes: "0", Schedule: "0 9 * * *", Duration: "8h"}})
		if err != nil {
			t.Fatal(err)
		}
		in.Pools = []disruptkit.Pool{{Name: "p", Budgets: set}}
		told = append(told, fmt.Sprint(disruptkit.Decide(in, candidate.Drifted).Blocked))
	}
	if told[0] != told[1] || !strings.Contains(told[0], "after that, other candidates use up a PDB of pod shop/n2-a") {
		t.Error(told[0], told[1])
	}
}
