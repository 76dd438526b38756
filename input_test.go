package disruptkit_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/budget/lint"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/drain"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/breaker"
	"github.com/disruptkit/disruptkit/probe/httpget"
	"github.com/disruptkit/disruptkit/schedule"
	"github.com/disruptkit/disruptkit/topology"
)

// A window is open or closed at the year 1 as well: without this rule a freeze on weekdays allowed nodes.
func TestNothingGoesWithoutATime(t *testing.T) {
	freeze := budget.Budget{Nodes: "0", Schedule: "0 9 * * mon-fri", Duration: "8h"}
	in := disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "50%"}, freeze)}, Nodes: fixture.Fleet(1, 1)}
	const want = `default Drifted: 2 nodes, 0 disrupting, 0 allowed by [] for good, 0 remain
- a-1 Drifted node/no-time: the time of the decision is missing: set it to the current time
- a-1 Drifted pod/no-time: the time of the decision is missing: set it to the current time
- a-1 Drifted budget/no-time: no node may be disrupted: now: the time of the decision is missing: set it to the current time
! no-time: Input.Now: the time of the decision is missing: set it to the current time
next change: never
`
	in.Nodes[slices.IndexFunc(in.Nodes, func(n candidate.Node) bool { return len(n.Conditions) > 0 })].Pods = []candidate.Pod{{Name: "web"}}
	if got := fixture.Story(disruptkit.Decide(in, candidate.Drifted)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestNothingGoesWithoutATimeWhateverElseIsInTheInput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Input).Draw(t, "input")
		in.Now = time.Time{}
		d := disruptkit.Decide(in, testkit.Arbitrary(generate.Asked).Draw(t, "asked"))
		if len(d.Allowed) > 0 || !d.NextChange.IsZero() || d.Warnings[0].Code != candidate.CodeNoTime {
			t.Errorf("%s", fixture.Story(d))
		}
		for _, c := range d.Blocked {
			if !slices.ContainsFunc(c.Blockers, func(b candidate.Blocker) bool { return b.Code == candidate.CodeNoTime }) {
				t.Errorf("%s is blocked by %s", c.Node, c.Blockers)
			}
		}
		for pool, roll := range in.Memory {
			if !d.Memory[pool].Equal(roll) {
				t.Errorf("the roll of %s was %v, and is %v", pool, roll, d.Memory[pool])
			}
		}
	})
}

func TestEveryGateSaysThatTheTimeIsMissing(t *testing.T) {
	var never time.Time
	node := candidate.Node{Name: "a", Pool: "default", Phase: candidate.Running, Pods: []candidate.Pod{{Name: "web"}}}
	drifted := candidate.Condition{Reason: candidate.Drifted}
	set, _ := budget.Compile([]budget.Budget{})
	scope := budget.Budget{Nodes: "1", TopologyKey: "zone"}
	zones, _ := budget.Compile([]budget.Budget{scope})
	domains := []topology.Domain{{Name: "a", Nodes: 9, Allowed: 9, Remaining: 9, ToGo: 1, Free: 1, OldestFree: "a1"}}
	for name, holds := range map[string]func() bool{
		"a node": func() bool {
			return candidate.NodeGate(&node, drifted, candidate.Minimum{}, never)[0].Code == candidate.CodeNoTime
		},
		"its pods": func() bool {
			return candidate.OpenPods(candidate.Rules{}, never).Blockers(&node, drifted)[0].Code == candidate.CodeNoTime
		},
		"a drain": func() bool {
			return drain.Gate(candidate.Rules{}, node, node.Pods[0], never)[0].Code == candidate.CodeNoTime
		},
		"budgets": func() bool {
			allowance, err := budget.AllowedByReason(set, never, 9, "Drifted")
			room, _ := set.Room(never, 9, "Drifted", budget.Usage{})
			return allowance.Nodes == 0 && err != nil && !room
		},
		"a forecast": func() bool {
			_, err := set.Forecast(never, fixture.Noon, 9, "Drifted")
			return err != nil
		},
		"lint": func() bool {
			findings := lint.Run(set, never, lint.Facts{Nodes: 9})
			return len(findings) == 1 && findings[0].Severity == lint.SeverityError
		},
		"zones": func() bool {
			return !topology.SelectActiveZone(zones.Scopes("Drifted")[0], domains, topology.Roll{}, topology.Options{}, never).Allows("a", 0)
		},
		"a verdict of the caller": func() bool {
			b, blocked := probe.Verdict{Allowed: true}.Blocker("Drifted", "default", nil, never)
			return blocked && b.Code == candidate.CodeNoTime
		},
		"a probe": func() bool {
			p := httpget.Spec{Host: "health", Port: 80}
			return probe.ProbeVerdict(p.Probe(), probe.Observation{At: fixture.Noon, Healthy: true}, never).Code == candidate.CodeNoTime
		},
		"a breaker of replacements": func() bool {
			return breaker.Replacement{Failures: 1, Of: 1}.Verdict(nil, never).Code == candidate.CodeNoTime
		},
		"a breaker of scale-downs": func() bool {
			return breaker.ScaleDown{Within: time.Hour}.Verdict(nil, never).Code == candidate.CodeNoTime
		},
	} {
		if !holds() {
			t.Errorf("%s does not", name)
		}
	}
	if !schedule.InWindow(schedule.Window{}, never) {
		t.Error("InWindow has no other answer than its own")
	}
}
