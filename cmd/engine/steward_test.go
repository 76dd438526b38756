package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
)

// What the steward allows, the guard allows as well, and so do disruptkit's own rules for each of its reasons.
func TestTheStewardReleasesWhatMayBeDisruptedForAllReasons(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := generate.Input(func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") })
		karpenters := map[string]budget.Set{}
		for _, p := range in.Pools {
			karpenters[p.Name] = p.Budgets
		}
		for _, reason := range []candidate.Reason{candidate.Requested, candidate.Drifted, candidate.Expired, candidate.Empty, candidate.Underutilized} {
			for _, c := range engine.Stewarded(in, karpenters, reason).Allowed {
				for i := range in.Nodes {
					n := &in.Nodes[i]
					if n.Name != c.Node || n.Pool != c.Pool {
						continue
					}
					for _, other := range []candidate.Reason{candidate.Requested, candidate.Drifted, candidate.Expired, candidate.Empty, candidate.Underutilized} {
						if blocked := closed(in, n, other); blocked != "" {
							t.Errorf("%s goes for %s, and may not for %s: %s", c.Node, reason, other, blocked)
						}
					}
				}
			}
		}
	})
}

// closed returns what blocks a node for a reason, whoever else goes; "" for nothing, and where it has no such reason.
func closed(in disruptkit.Input, n *candidate.Node, reason candidate.Reason) string {
	d := disruptkit.Open(in, reason).Close()
	at := slices.IndexFunc(d.Blocked, func(c candidate.Candidate) bool { return c.Node == n.Name && c.Pool == n.Pool })
	if at < 0 {
		return ""
	}
	return d.Blocked[at].Blockers[0].String()
}

// What has expired, or is requested, has drifted to Karpenter with the steward: its own budgets for that apply, and those for the reason. With the
// guard, Karpenter has a method for the reason, and asks its budgets without reasons.
func TestReasonsOfOursAskBothBudgets(t *testing.T) {
	for _, c := range []struct{ own, drift, whole, steward, guard int }{
		{1, 3, 3, 1, 1}, {3, 1, 3, 1, 3}, {3, 0, 3, 0, 3}, {2, 2, 3, 2, 2}, {3, 3, 1, 1, 1}, {3, 2, 0, 0, 0},
	} {
		for _, reason := range []candidate.Reason{candidate.Expired, candidate.Requested} {
			theirs := []budget.Budget{
				{Nodes: fmt.Sprint(c.drift), Reasons: []candidate.Reason{candidate.Drifted}}, {Nodes: fmt.Sprint(c.whole)},
			}
			karpenters, err := budget.Compile(theirs)
			if err != nil {
				t.Fatal(err)
			}
			set, err := budget.Compile(append(theirs, budget.Budget{Nodes: fmt.Sprint(c.own), Reasons: []candidate.Reason{reason}}))
			if err != nil {
				t.Fatal(err)
			}
			in := disruptkit.Input{Now: noon, Pools: []disruptkit.Pool{{Name: "p", Budgets: set}}}
			for i := range 3 {
				in.Nodes = append(in.Nodes, candidate.Node{
					Name: fmt.Sprint(i), Pool: "p", Phase: candidate.Running, Conditions: []candidate.Condition{{Reason: reason, Since: noon.Add(-time.Hour)}},
				})
			}
			by := map[string]budget.Set{"p": karpenters}
			for as, of := range map[string]struct {
				d    disruptkit.Decision
				want int
			}{
				"steward": {engine.Stewarded(in, by, reason), c.steward}, "guard": {engine.Guarded(in, by, reason), c.guard},
			} {
				if d := of.d; len(d.Allowed) != of.want || d.Pools[0].Remaining != of.want {
					t.Errorf("%s, %s, %+v: %d go, and %d may", as, reason, c, len(d.Allowed), d.Pools[0].Remaining)
				}
			}
		}
	}
}

func TestTheStewardSaysForWhichReasonANodeMayNotBeDisrupted(t *testing.T) {
	set, err := budget.Compile([]budget.Budget{{Nodes: "0", Reasons: []candidate.Reason{candidate.Underutilized}}})
	if err != nil {
		t.Fatal(err)
	}
	in := disruptkit.Input{Now: noon, Pools: []disruptkit.Pool{{Name: "p", Budgets: set}}, Nodes: []candidate.Node{
		{Name: "a", Pool: "p", Phase: candidate.Running, Conditions: []candidate.Condition{{Reason: candidate.Drifted}, {Reason: candidate.Underutilized}}},
		{Name: "b", Pool: "p", Phase: candidate.Running, Conditions: []candidate.Condition{{Reason: candidate.Drifted}}},
	}}
	d := engine.Stewarded(in, map[string]budget.Set{"p": set}, candidate.Drifted)
	if len(d.Allowed) != 1 || d.Allowed[0].Node != "b" || len(d.Blocked) != 1 {
		t.Fatalf("%v may be disrupted, %v may not", d.Allowed, d.Blocked)
	}
	const want = "Underutilized blocks it, and nobody knows which of its reasons Karpenter takes: 0 of 2 nodes may be disrupted now: budgets[0] is 0 (Underutilized)"
	if got := d.Blocked[0].Blockers[0].Message; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
