package disruptkit_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

// decide is the example of README.md.
func decide(now time.Time, nodes []candidate.Node) (next time.Time, err error) {
	budgets, err := budget.Compile([]budget.Budget{
		{Nodes: "0", Schedule: "0 9 * * mon-fri", Duration: "8h", TimeZone: "Europe/Berlin"},
		{Nodes: "10%"},
	})
	in := disruptkit.Input{Now: now, Nodes: nodes, Pools: []disruptkit.Pool{{Name: "default", Budgets: budgets}}}
	d := disruptkit.Decide(in, candidate.Drifted)
	for _, c := range d.Allowed {
		fmt.Println("drain", c.Node)
	}
	for _, c := range d.Blocked {
		fmt.Println("keep", c.Node, c.Blockers)
	}
	return d.NextChange, err
}

func Example() {
	now := time.Date(2026, 11, 23, 7, 30, 0, 0, time.UTC) // a Monday, 08:30 in Berlin
	nodes := []candidate.Node{{
		Name: "a", Pool: "default", Initialized: true, Ready: true,
		Conditions: []candidate.Condition{{Reason: candidate.Drifted, Since: now.Add(-time.Hour)}},
	}}
	for range 2 {
		next, err := decide(now, nodes)
		if err != nil {
			fmt.Println(err)
		}
		fmt.Println("next change:", next)
		now = next
	}
	// Output:
	// drain a
	// next change: 2026-11-23 08:00:00 +0000 UTC
	// keep a [budget/allows-none: 0 of 1 nodes may go now: budgets[0] is 0 (0 9 * * mon-fri for 8h, Europe/Berlin) (until 2026-11-23T16:00:00Z)]
	// next change: 2026-11-23 16:00:00 +0000 UTC
}

// The code that README.md shows is the code that runs above.
func TestTheExampleOfTheREADMERuns(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(readme), "```go\n")
	block, _, found := strings.Cut(block, "```")
	indented := "\t" + strings.ReplaceAll(strings.TrimSpace(block), "\n", "\n\t")
	if !found || !strings.Contains(string(source), indented) {
		t.Errorf("this is not in readme_test.go:\n%s", block)
	}
}
