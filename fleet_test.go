package disruptkit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
)

// wanting returns the input in which as many more nodes are wanted of each pool.
func wanting(in disruptkit.Input, more int) disruptkit.Input {
	in.Pools = slices.Clone(in.Pools)
	for i := range in.Pools {
		in.Pools[i].Desired += more
	}
	return in
}

func allowed(d disruptkit.Decision) (names []string) {
	for _, c := range d.Allowed {
		names = append(names, c.Pool+"/"+c.Node)
	}
	return names
}

func TestTheMoreNodesAreMissingTheFewerGo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, asked := testkit.Arbitrary(generate.Desired).Draw(t, "input"), testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		with, more := disruptkit.Decide(in, asked), disruptkit.Decide(wanting(in, rapid.IntRange(1, 3).Draw(t, "more")), asked)
		if asked != "" && !candidate.Unhealthy.Covers(asked) && len(more.Allowed) > len(with.Allowed) {
			t.Fatalf("where more are missing, more may be disrupted: %v, and %v", allowed(more), allowed(with))
		}
		for i, p := range more.Pools {
			if less := with.Pools[i]; p.Disrupting < less.Disrupting || candidate.Unhealthy.Covers(p.Reason) && p.Disrupting != less.Disrupting {
				t.Fatalf("%s of %s: %d in use, and %d where fewer are missing", p.Reason, p.Pool, p.Disrupting, less.Disrupting)
			}
		}
	})
}

// The pool of the measurement: ten nodes, a budget of 1, nodes are terminated before their replacements launch, and none launches.
func TestAPoolWhoseReplacementsNeverComeIsNotEmptied(t *testing.T) {
	for desired, want := range map[int]int{0: 10, 10: 1, 12: 0, 8: 3} {
		in := disruptkit.Input{Now: fixture.Clock("12:00"), Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "1"})}}
		in.Pools[0].Desired = desired
		for i := range 10 {
			in.Nodes = append(in.Nodes, candidate.Node{
				Name: fmt.Sprintf("n%d", i), Pool: "default", Phase: candidate.Running,
				Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: fixture.Clock("11:00")}},
			})
		}
		gone := 0
		for range 10 {
			d := disruptkit.Decide(in, candidate.Drifted)
			if len(d.Allowed) == 0 {
				if b := d.Blocked[0].Blockers[0]; !strings.Contains(b.Message, "missing") {
					t.Errorf("the blocker does not name the missing nodes: %s", b)
				}
				break
			}
			gone++
			in.Nodes = slices.DeleteFunc(in.Nodes, func(n candidate.Node) bool { return n.Name == d.Allowed[0].Node })
		}
		if gone != want {
			t.Errorf("of %d that are wanted, %d went, not %d", desired, gone, want)
		}
	}
}
