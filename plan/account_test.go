package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/plan"
)

func TestWhatCountsOfSeveralBlockers(t *testing.T) {
	until := fixture.Noon
	good := candidate.Blocker{Gate: candidate.GateNode, Code: candidate.CodeDoNotDisrupt, ForGood: true}
	closed := candidate.Blocker{Gate: candidate.GateBudget, Code: candidate.CodeAllowsNone, Until: until}
	usedUp := candidate.Blocker{Gate: candidate.GateBudget, Code: candidate.CodeExhausted}
	probe := candidate.Blocker{Gate: candidate.GateProbe, Code: candidate.CodeDenied}
	backoff := candidate.Blocker{Gate: candidate.GateBackoff, Code: candidate.CodeBackedOff, Until: until}
	nominated := candidate.Blocker{Gate: candidate.GateNode, Code: candidate.CodeNominated, Until: until}
	pdb := candidate.Blocker{Gate: candidate.GatePod, Code: candidate.CodeExhausted}
	none := candidate.Blocker{Gate: candidate.GatePod, Code: candidate.CodeAllowsNone}
	turn := candidate.Blocker{Gate: candidate.GateTopology, Code: candidate.CodeWaitsForDomain}
	for _, test := range []struct {
		rule     string
		blockers []candidate.Blocker
		want     candidate.Blocker
	}{
		{"none", nil, candidate.Blocker{}},
		{"what holds for good, before all", []candidate.Blocker{usedUp, closed, good}, good},
		{"a PDB that allows nothing is for good in a plan", []candidate.Blocker{closed, none}, none},
		{"a window, before what is in it", []candidate.Blocker{nominated, pdb, probe, turn, closed}, closed},
		{"a probe, before nodes", []candidate.Blocker{nominated, pdb, turn, probe}, probe},
		{"a back-off, likewise", []candidate.Blocker{nominated, pdb, turn, backoff}, backoff},
		{"the node, before its pods", []candidate.Blocker{pdb, nominated}, nominated},
		{"pods, before turns", []candidate.Blocker{turn, pdb}, pdb},
		{"turns, before a budget that is used up", []candidate.Blocker{usedUp, turn}, turn},
	} {
		t.Run(test.rule, func(t *testing.T) {
			for range 2 {
				if got := *plan.Decisive(test.blockers); got != test.want {
					t.Errorf("got %s, want %s", got, test.want)
				}
				slices.Reverse(test.blockers)
			}
		})
	}
}

func TestTurnsAndClosings(t *testing.T) {
	night := budget.Budget{Nodes: "0", Schedule: "0 12 * * *", Duration: "8m", Outside: true}
	in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Zoned("a1* b1* b2*"),
		Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("1"), night)}}
	p := plan.Run(in, plan.Options{})
	var lines strings.Builder
	for _, turn := range p.Turns {
		fmt.Fprintf(&lines, "turn of %s: %s to %s\n", turn.Domain, turn.From.Format("02 15:04"), turn.To.Format("02 15:04"))
	}
	for _, c := range p.Closed {
		fmt.Fprintf(&lines, "closed: %s to %s by %s\n", c.From.Format("02 15:04"), c.To.Format("02 15:04"), c.Cause)
	}
	for _, g := range p.Groups {
		fmt.Fprintf(&lines, "%s: %d of %d from %s to %s\n", g.Zone, g.Done, g.Nodes, g.Start.Format("02 15:04"), g.Finish.Format("02 15:04"))
	}
	want := `turn of a: 20 12:00 to 20 12:05
turn of b: 20 12:05 to 21 12:05
closed: 20 12:08 to 21 12:00 by budgets[1]: 0 (outside 0 12 * * * for 8m, UTC)
a: 1 of 1 from 20 12:00 to 20 12:05
b: 2 of 2 from 20 12:05 to 21 12:05
`
	if diff := cmp.Diff(want, lines.String()); diff != "" {
		t.Errorf("(-want +got)\n%s\n%s", diff, told(p))
	}
}

func TestCountsAtATime(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "1"})}, Nodes: doNotDisrupt(fixture.Fleet(0, 3), 2)}
	p := plan.Run(in, plan.Options{})
	for minutes, want := range map[int]plan.Count{
		0:  {Nodes: 3, InFlight: 1, ToGo: 1, Never: 1},
		5:  {Nodes: 3, Done: 1, InFlight: 1, Never: 1},
		10: {Nodes: 3, Done: 2, Never: 1},
	} {
		if got := p.Count(in.Now.Add(time.Duration(minutes) * time.Minute)); got != want {
			t.Errorf("after %d minutes: %+v, want %+v", minutes, got, want)
		}
	}
}

func TestObserveSeesEveryStart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Input).Draw(t, "input")
		type start struct {
			node string
			at   time.Time
		}
		allowed := map[start]int{}
		p := plan.Run(in, plan.Options{Horizon: time.Hour, Observe: func(in disruptkit.Input, d disruptkit.Decision) {
			in.Nodes = slices.Clone(in.Nodes)
			for i := range in.Nodes {
				in.Nodes[i].Digest = nil // read anew
			}
			for _, c := range disruptkit.Decide(in, d.Reason).Allowed {
				allowed[start{c.Node, in.Now}]++
			}
		}})
		for _, n := range p.Nodes {
			if !n.Start.IsZero() {
				allowed[start{n.Name, n.Start}]--
			}
		}
		for s, n := range allowed {
			if n != 0 {
				t.Errorf("%s at %s: allowed less started is %d", s.node, s.at, n)
			}
		}
	})
}
