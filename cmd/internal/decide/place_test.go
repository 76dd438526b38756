package decide

import (
	"strings"
	"testing"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
)

func TestThePlaceInLineIsAmongTheCandidatesOfTheNodePool(t *testing.T) {
	now := time.Date(2026, 11, 20, 10, 30, 0, 0, time.UTC)
	in := disruptkit.Input{Now: now}
	for _, pool := range []string{"p", "q"} {
		set, err := budget.Compile([]budget.Budget{{Nodes: map[string]string{"p": "2", "q": "0"}[pool]}})
		if err != nil {
			t.Fatal(err)
		}
		in.Pools = append(in.Pools, disruptkit.Pool{Name: pool, Budgets: set})
		for i, name := range []string{"a", "b", "c"} {
			in.Nodes = append(in.Nodes, candidate.Node{Name: pool + name, Pool: pool, Phase: candidate.Running, Conditions: []candidate.Condition{
				{Reason: candidate.Drifted, Since: now.Add(time.Duration(i-10) * time.Hour)},
			}})
		}
	}
	in.Nodes[1].Leaving = candidate.Draining
	in.Nodes[5].Conditions[0].Deadline = now.Add(-time.Hour)
	for name, want := range map[string]string{
		"pa": "Number 1 of 2 in the line of its NodePool", // it is allowed, and in line all the same
		"pc": "Number 2 of 2 in the line of its NodePool, after pa (allowed now)",
		"qa": "Number 2 of 3 in the line of its NodePool, after qc (allowed now)",
		"qc": "Number 1 of 3 in the line of its NodePool", // it is overdue
		"pb": "",                                          // it is in flight
		"x":  "",
	} {
		d := disruptkit.Decide(in, candidate.Drifted)
		of := candidate.Candidate{Node: name, Pool: name[:1], Reason: candidate.Drifted, Overdue: name == "qc"}
		if got := newPlace(in, d, of).text(); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

// A plan knows the durations that are given, and says how sure it is.
func TestWhySaysWhenANodeIsExpected(t *testing.T) {
	input := zonal(oneZone, "", "a1* a2* a3*")
	for args, want := range map[string]string{
		"":                          "Expected Fri 20 Nov 10:40",
		"--drain 1m,1h --launch 5m": " (8 of 10 runs: ",
	} {
		got := staysWith(input, append([]string{"a3", "-f", "-", "--engine", "disruptkit", "--reason", "Drifted", "--now", "2026-11-20T10:30:00Z"}, strings.Fields(args)...)...)
		if got.status != faulty || !strings.Contains(got.stdout, want) || strings.Contains(got.stdout, "not measured") != (args == "") {
			t.Errorf("%s: %+v", args, got)
		}
	}
}
