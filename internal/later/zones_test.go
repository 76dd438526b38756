package later_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/fixture"
	"github.com/disruptkit/disruptkit/internal/generate"
	"github.com/disruptkit/disruptkit/topology"
)

func TestUntilWhenZonesWait(t *testing.T) {
	for _, c := range []struct {
		name   string
		in     func(t *testing.T) disruptkit.Input
		reason candidate.Reason
		want   string
	}{
		{"an idle zone gives way to the next at a time, to as many as may go there", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("b1* a1* b2* c1*")
			nodes[1].Blockers = fixture.Spent
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("1"))}, Nodes: nodes, Memory: fixture.Rolling("a", "11:50")}
		}, "Drifted", `
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
- a1 pod/pdb: PDB web/api allows no disruption
- b2 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
- b2 topology/exhausted: after that, 1 of 2 nodes of b may go at once, 1 allowed before this one: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time
- c1 topology/waits-for-domain: c waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
- c1 topology/waits-for-domain: after that, c waits for b (0 in flight, 2 to go)
roll of default: topology.kubernetes.io/zone=a, idle since 11:50
next change: 12:05
`},
		{"a node that comes for either of two reasons takes one place in the next zone", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("b1* b2* a1*")
			nodes[0].Conditions = append(nodes[0].Conditions, candidate.Condition{Reason: "Drifted/AMIDrift", Since: nodes[0].Conditions[0].Since})
			nodes[2].Blockers = fixture.Spent
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("2"))}, Nodes: nodes, Memory: fixture.Rolling("a", "11:50")}
		}, "Drifted", `
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
- b2 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
- a1 pod/pdb: PDB web/api allows no disruption
roll of default: topology.kubernetes.io/zone=a, idle since 11:50
next change: 12:05
`},
		{"where a node comes free before, the time is unknown", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("b1* a1*")
			nodes[1].NominatedUntil = fixture.Noon.Add(2 * time.Minute)
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("1"))}, Nodes: nodes, Memory: fixture.Rolling("a", "11:50")}
		}, "Drifted", `
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: a pending pod is expected on the node
- a1 node/nominated: a pending pod is expected on the node (until 2026-11-20T12:02:00Z)
roll of default: topology.kubernetes.io/zone=a, idle since 11:50
next change: 12:02
`},
		{"where a node of the zone that has its turn goes for another reason, the turn may end at any time", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1* b1* a2")
			nodes[0].Conditions = append(nodes[0].Conditions, candidate.Condition{Reason: candidate.Empty, Since: nodes[0].Conditions[0].Since})
			nodes[2].Leaving, nodes[2].DisruptedFor = candidate.Draining, candidate.Empty
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("1"))}, Nodes: nodes, Memory: fixture.Rolling("a", "11:50")}
		}, "", `
+ a1 Empty
- a1 topology/exhausted: 1 of 2 nodes of a may go at once, 1 in flight for other reasons: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up: 1 of 2 nodes of a may go at once, 1 in flight for other reasons
roll of default: topology.kubernetes.io/zone=a, idle since 11:50
next change: 12:05
`},
		{"where the node that would be next goes for another reason, who is next is unknown", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("b1* a1* c1* a2")
			nodes[0].Conditions = append(nodes[0].Conditions, candidate.Condition{Reason: candidate.Empty, Since: nodes[0].Conditions[0].Since})
			nodes[3].Leaving, nodes[3].DisruptedFor = candidate.Draining, candidate.Empty
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("1"))}, Nodes: nodes, Memory: fixture.Rolling("a", "11:50")}
		}, "", `
+ b1 Empty
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up: 1 of 2 nodes of a may go at once, 1 in flight for other reasons (until 2026-11-20T12:05:00Z)
- a1 topology/exhausted: 1 of 2 nodes of a may go at once, 1 in flight for other reasons: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time
- c1 topology/waits-for-domain: c waits for a (0 in flight, 1 to go), held up: 1 of 2 nodes of a may go at once, 1 in flight for other reasons (until 2026-11-20T12:05:00Z)
- c1 topology/waits-for-domain: the turn after that depends on events until then
roll of default: topology.kubernetes.io/zone=a, idle since 11:50
next change: 12:05
`},
		{"when its hours end, nobody waits any more", func(t *testing.T) disruptkit.Input {
			day := fixture.During(fixture.Sequential("1"), "0 9 * * *", "8h")
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, day)}, Nodes: fixture.Zoned("b1* a1*")}
		}, "Drifted", `
+ b1 Drifted until 17:00
- a1 topology/waits-for-domain: a waits for b (0 in flight, 1 to go) (until 2026-11-20T17:00:00Z)
roll of default: topology.kubernetes.io/zone=b
next change: 17:00
`},
		{"what goes now for other reasons takes a place in the zone that comes next", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1* b2* b1* b3*")
			nodes[0].Blockers = fixture.Spent
			nodes[1].Conditions[0].Reason = "Empty"
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("1"))}, Nodes: nodes, Memory: fixture.Rolling("a", "11:50")}
		}, "", `
+ b2 Empty
- a1 pod/pdb: PDB web/api allows no disruption
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
- b1 topology/waits-for-domain: the turn after that depends on events until then
- b3 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
- b3 topology/waits-for-domain: the turn after that depends on events until then
roll of default: topology.kubernetes.io/zone=a, idle since 11:50
next change: 12:05
`},
		{"and its last place, so that another zone comes next", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1* b2* b1* c1*")
			nodes[0].Blockers = fixture.Spent
			nodes[1].Conditions[0].Reason = "Empty"
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("1"))}, Nodes: nodes, Memory: fixture.Rolling("a", "11:50")}
		}, "", `
+ b2 Empty
- a1 pod/pdb: PDB web/api allows no disruption
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
- b1 topology/waits-for-domain: after that, b waits for c (0 in flight, 1 to go)
- c1 topology/waits-for-domain: c waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
roll of default: topology.kubernetes.io/zone=a, idle since 11:50
next change: 12:05
`},
		{"the zone after the next waits for the end of the budget's hours, too", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1* b1* c1*")
			nodes[0].Blockers = fixture.Spent
			day := fixture.During(fixture.Sequential("1"), "0 9 * * *", "8h")
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, day)}, Nodes: nodes, Memory: fixture.Rolling("a", "11:50")}
		}, "Drifted", `
- a1 pod/pdb: PDB web/api allows no disruption
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
- c1 topology/waits-for-domain: c waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
- c1 topology/waits-for-domain: after that, c waits for b (0 in flight, 1 to go) (until 2026-11-20T17:00:00Z)
roll of default: topology.kubernetes.io/zone=a, idle since 11:50
next change: 12:05
`},
		{"who comes next may change until then", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1* b1* c1*")
			nodes[0].Blockers = fixture.Spent
			nodes[1].NominatedUntil = fixture.Noon.Add(5 * time.Minute)
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("1"))}, Nodes: nodes, Memory: fixture.Rolling("a", "11:50")}
		}, "Drifted", `
- a1 pod/pdb: PDB web/api allows no disruption
- b1 node/nominated: a pending pod is expected on the node (until 2026-11-20T12:05:00Z)
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
- b1 topology/waits-for-domain: the turn after that depends on events until then
- c1 topology/waits-for-domain: c waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
- c1 topology/waits-for-domain: the turn after that depends on events until then
roll of default: topology.kubernetes.io/zone=a, idle since 11:50
next change: 12:05
`},
		{"who waits for a zone without an end takes no place when a freeze ends", func(t *testing.T) disruptkit.Input {
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Freeze, budget.Budget{Nodes: "1"}, fixture.Sequential("1"))}, Nodes: fixture.Zoned("b1* a1*"), Memory: fixture.Rolling("a", "")}
		}, "Drifted", `
- b1 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go)
- a1 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
roll of default: topology.kubernetes.io/zone=a
next change: 17:00
`},
		{"when a freeze ends, the zone's limit still holds", func(t *testing.T) disruptkit.Input {
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Freeze, fixture.Sequential("1"))}, Nodes: fixture.Zoned("a1* a2*")}
		}, "Drifted", `
- a1 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- a2 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- a2 topology/exhausted: nodes in flight and candidates before it use up the budget of a after that
next change: 17:00
`},
		{"when a freeze ends, it may be another zone's turn", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("b1* a1*")
			nodes[0].NominatedUntil = fixture.Noon.Add(5 * time.Minute)
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Freeze, fixture.Sequential("1"))}, Nodes: nodes}
		}, "Drifted", `
- b1 node/nominated: a pending pod is expected on the node (until 2026-11-20T12:05:00Z)
- b1 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go)
- a1 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- a1 topology/waits-for-domain: the turn after that depends on events until then
next change: 12:05
`},
		{"when the budget's hours end, the pool's limit still holds", func(t *testing.T) disruptkit.Input {
			day := fixture.During(fixture.Sequential("1"), "0 9 * * *", "8h")
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, day, budget.Budget{Nodes: "2"})}, Nodes: fixture.Zoned("a1* b1* b2*")}
		}, "Drifted", `
+ a1 Drifted until 17:00
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go) (until 2026-11-20T17:00:00Z)
- b2 topology/waits-for-domain: b waits for a (0 in flight, 1 to go) (until 2026-11-20T17:00:00Z)
- b2 budget/exhausted: nodes in flight and candidates before it use up the budget after that
roll of default: topology.kubernetes.io/zone=a
next change: 17:00
`},
		{"a caller's blocker that should have lifted changes nothing in time", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1*")
			nodes[0].Blockers = []candidate.Blocker{{Gate: candidate.GatePod, Code: "pdb", Message: "PDB web/api allows no disruption", Until: fixture.Noon.Add(-time.Hour)}}
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("1"))}, Nodes: nodes}
		}, "Drifted", `
- a1 pod/pdb: PDB web/api allows no disruption (until 2026-11-20T11:00:00Z)
`},
		{"a node that waits takes no place now", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1* a2*")
			nodes[0].NominatedUntil = fixture.Noon.Add(5 * time.Minute)
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("1"))}, Nodes: nodes}
		}, "Drifted", `
+ a2 Drifted until 12:05
- a1 node/nominated: a pending pod is expected on the node (until 2026-11-20T12:05:00Z)
roll of default: topology.kubernetes.io/zone=a
next change: 12:05
`},
		{"when a freeze ends, those that may go now still take their places", func(t *testing.T) disruptkit.Input {
			freeze := budget.Budget{Nodes: "0", Schedule: "0 9 * * *", Duration: "8h", Reasons: []candidate.Reason{"Drifted/AMIDrift"}}
			nodes := fixture.Zoned("a1* a2* a3*")
			nodes[1].Conditions[0].Reason, nodes[2].Conditions[0].Reason = "Drifted/AMIDrift", "Drifted/AMIDrift"
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, freeze, fixture.Sequential("2"))}, Nodes: nodes}
		}, "Drifted", `
+ a1 Drifted
- a2 budget/allows-none: 0 of 3 nodes may go now: budgets[0] is 0 (Drifted/AMIDrift; 0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- a3 budget/allows-none: 0 of 3 nodes may go now: budgets[0] is 0 (Drifted/AMIDrift; 0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- a3 topology/exhausted: nodes in flight and candidates before it use up the budget of a after that
roll of default: topology.kubernetes.io/zone=a
next change: 17:00
`},
		{"when a freeze ends, and the budget's hours later", func(t *testing.T) disruptkit.Input {
			day := fixture.During(fixture.Sequential("1"), "0 9 * * *", "9h")
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Freeze, day)}, Nodes: fixture.Zoned("a1* a2*")}
		}, "Drifted", `
- a1 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- a2 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- a2 topology/exhausted: nodes in flight and candidates before it use up the budget of a after that
next change: 17:00
`},
		{"when a freeze ends as a pod's nomination does, and the budget's hours later", func(t *testing.T) disruptkit.Input {
			day := fixture.During(fixture.Sequential("1"), "0 9 * * *", "9h")
			nodes := fixture.Zoned("b1* a1*")
			nodes[0].NominatedUntil = fixture.Noon.Add(5 * time.Hour)
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Freeze, day)}, Nodes: nodes}
		}, "Drifted", `
- b1 node/nominated: a pending pod is expected on the node (until 2026-11-20T17:00:00Z)
- b1 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go)
- a1 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- a1 topology/waits-for-domain: the turn after that depends on events until then
next change: 17:00
`},
		{"where a node of the zone that has its turn goes for another reason once a freeze ends, the turn may end at any time", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a2* a1* b1*")
			nodes[0].Conditions[0].Reason = candidate.Empty
			day := fixture.During(fixture.Sequential("1"), "0 9 * * *", "9h")
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Freeze, day)}, Nodes: nodes, Memory: fixture.Rolling("a", "")}
		}, "", `
- a2 budget/allows-none: 0 of 3 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- a1 budget/allows-none: 0 of 3 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- a1 topology/exhausted: nodes in flight and candidates before it use up the budget of a after that
- b1 budget/allows-none: 0 of 3 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go)
roll of default: topology.kubernetes.io/zone=a
next change: 17:00
`},
		{"a freeze begins when the budget's hours end", func(t *testing.T) disruptkit.Input {
			day := fixture.During(fixture.Sequential("1"), "0 9 * * *", "8h")
			freeze := budget.Budget{Nodes: "0", Schedule: "0 17 * * *", Duration: "16h"}
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, day, freeze)}, Nodes: fixture.Zoned("a1* b1*")}
		}, "Drifted", `
+ a1 Drifted until 17:00
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go) (until 2026-11-20T17:00:00Z)
- b1 budget/allows-none: 0 of 2 nodes may go after that: budgets[1] is 0 (0 17 * * * for 16h, UTC) (until 2026-11-21T09:00:00Z)
- b1 topology/waits-for-domain: the turn after that depends on events until then
roll of default: topology.kubernetes.io/zone=a
next change: 17:00
`},
		{"the freeze holds back no overdue nodes, which still take turns then", func(t *testing.T) disruptkit.Input {
			day := fixture.During(fixture.Sequential("1"), "0 9 * * *", "8h")
			freeze := budget.Budget{Nodes: "0", Schedule: "0 17 * * *", Duration: "16h"}
			nodes := fixture.Zoned("a1* b1*")
			for i := range nodes {
				nodes[i].Conditions[0].Deadline = fixture.Clock("11:00")
			}
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, day, freeze, budget.Budget{Nodes: "2"})}, Nodes: nodes}
		}, "Drifted", `
+ a1 Drifted until 17:00
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go)
roll of default: topology.kubernetes.io/zone=a
next change: 17:00
`},
		{"the budget's hours begin when a freeze ends", func(t *testing.T) disruptkit.Input {
			night := fixture.During(fixture.Sequential("1"), "0 17 * * *", "16h")
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, night, fixture.Freeze)}, Nodes: fixture.Zoned("a1* b1*")}
		}, "Drifted", `
- a1 budget/allows-none: 0 of 2 nodes may go now: budgets[1] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- a1 topology/waits-for-domain: the turn after that depends on events until then
- b1 budget/allows-none: 0 of 2 nodes may go now: budgets[1] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- b1 topology/waits-for-domain: the turn after that depends on events until then
next change: 17:00
`},
		{"of a node that is held back by itself, only that is said", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1*")
			nodes[0].NominatedUntil = fixture.Noon.Add(5 * time.Hour)
			freeze := budget.Budget{Nodes: "0", Schedule: "0 16 * * *", Duration: "8h"}
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("1"), freeze)}, Nodes: nodes, Memory: fixture.Rolling("a", "")}
		}, "Drifted", `
- a1 node/nominated: a pending pod is expected on the node (until 2026-11-20T17:00:00Z)
roll of default: topology.kubernetes.io/zone=a, idle since 12:00
next change: 12:15
`},
		{"a rack's limit holds for those who wait for a zone", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1* b1* b2*")
			nodes[0].Blockers = fixture.Spent
			for i := range nodes {
				nodes[i].Labels["rack"] = []string{"7", "8", "8"}[i]
			}
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("2"), budget.Budget{Nodes: "1", TopologyKey: "rack"})}, Nodes: nodes, Memory: fixture.Rolling("a", "11:50")}
		}, "Drifted", `
- a1 pod/pdb: PDB web/api allows no disruption
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
- b2 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
- b2 topology/exhausted: nodes in flight and candidates before it use up the budget of 8 after that
roll of default: topology.kubernetes.io/zone=a, idle since 11:50
next change: 12:05
`},
		{"where a budget lifts after a zone gives way, and a node comes free in between", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1 b1* c1*")
			nodes[1].NominatedUntil = fixture.Noon.Add(20 * time.Minute)
			p := fixture.Pool(t, fixture.Sequential("1"), fixture.Freeze)
			p.Topology.Soak = 10 * time.Minute
			return disruptkit.Input{Pools: []disruptkit.Pool{p}, Nodes: nodes, Memory: fixture.Rolling("a", "11:55")}
		}, "Drifted", `
- b1 node/nominated: a pending pod is expected on the node (until 2026-11-20T12:20:00Z)
- b1 budget/allows-none: 0 of 3 nodes may go now: budgets[1] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- b1 topology/waits-for-domain: b waits for a to settle (until 2026-11-20T12:05:00Z)
- b1 topology/waits-for-domain: after that, b waits for c (0 in flight, 1 to go)
- c1 budget/allows-none: 0 of 3 nodes may go now: budgets[1] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- c1 topology/waits-for-domain: c waits for a to settle (until 2026-11-20T12:05:00Z)
- c1 topology/waits-for-domain: the turn after that depends on events until then
roll of default: topology.kubernetes.io/zone=a, idle since 11:55
next change: 12:05
`},
		{"a node with a reason that time lets go is to go then, whatever its others say", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1* b1*")
			nodes[0].Conditions = append(nodes[0].Conditions, candidate.Condition{Reason: "Drifted/AMIDrift", Since: fixture.Noon.Add(-200 * time.Hour)})
			nodes[0].NominatedUntil = fixture.Noon.Add(5 * time.Minute)
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("1"), budget.Budget{Nodes: "0", Reasons: []candidate.Reason{"Drifted/AMIDrift"}})}, Nodes: nodes, Memory: fixture.Rolling("a", "11:50")}
		}, "Drifted", `
- a1 node/nominated: a pending pod is expected on the node (until 2026-11-20T12:05:00Z)
- a1 budget/allows-none: 0 of 2 nodes may go now: budgets[1] is 0 (Drifted/AMIDrift)
- a1 node/nominated: a pending pod is expected on the node (until 2026-11-20T12:05:00Z)
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: a pending pod is expected on the node
roll of default: topology.kubernetes.io/zone=a, idle since 11:50
next change: 12:05
`},
		{"the budget's hours end before an idle zone gives way", func(t *testing.T) disruptkit.Input {
			morning := fixture.During(fixture.Sequential("1"), "0 9 * * *", "3h5m")
			nodes := fixture.Zoned("a1* b1* b2*")
			nodes[0].Blockers = fixture.Spent
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, morning)}, Nodes: nodes, Memory: fixture.Rolling("a", "11:55")}
		}, "Drifted", `
- a1 pod/pdb: PDB web/api allows no disruption
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
- b2 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
roll of default: topology.kubernetes.io/zone=a, idle since 11:55
next change: 12:05
`},
		{"another budget's hours begin before an idle zone gives way", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1* b1*")
			nodes[0].Blockers = fixture.Spent
			racks := budget.Budget{Nodes: "1", TopologyKey: "rack", Schedule: "3 12 * * *", Duration: "1h"}
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("1"), racks)}, Nodes: nodes, Memory: fixture.Rolling("a", "11:50")}
		}, "Drifted", `
- a1 pod/pdb: PDB web/api allows no disruption
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
- b1 topology/waits-for-domain: the turn after that depends on events until then
roll of default: topology.kubernetes.io/zone=a, idle since 11:50
next change: 12:03
`},
		{"a node that stays for one of its reasons is to go for another, though a budget never lets it", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1* b1*")
			nodes[0].Conditions = []candidate.Condition{
				{Reason: "Drifted/AMIDrift", Since: fixture.Noon.Add(-200 * time.Hour)}, {Reason: "Drifted/SubnetDrift", Since: fixture.Noon.Add(-190 * time.Hour)},
			}
			nodes[1].Labels["rack"] = "7"
			p := fixture.Pool(t, fixture.Sequential("1"), budget.Budget{Nodes: "1", TopologyKey: "rack", Reasons: []candidate.Reason{"Drifted/AMIDrift"}},
				budget.Budget{Nodes: "0", Reasons: []candidate.Reason{"Drifted/SubnetDrift"}})
			p.Topology.Unlabelled, p.Topology.LabelOptional = topology.Block, true
			return disruptkit.Input{Pools: []disruptkit.Pool{p}, Nodes: nodes, Memory: fixture.Rolling("a", "")}
		}, "Drifted", `
- a1 topology/no-label: the node has no label rack: budgets[1] is 1 per rack (Drifted/AMIDrift)
- a1 budget/allows-none: 0 of 2 nodes may go now: budgets[2] is 0 (Drifted/SubnetDrift)
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: budgets never let it go for Drifted/SubnetDrift (until 2026-11-20T12:15:00Z)
roll of default: topology.kubernetes.io/zone=a, idle since 12:00
next change: 12:15
`},
		{"when a freeze ends, the zone that has the turn keeps it, whoever comes free in another", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("b1* a1*")
			nodes[0].NominatedUntil = fixture.Noon.Add(5 * time.Minute)
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Freeze, fixture.Sequential("1"))}, Nodes: nodes, Memory: fixture.Rolling("a", "")}
		}, "Drifted", `
- b1 node/nominated: a pending pod is expected on the node (until 2026-11-20T12:05:00Z)
- b1 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go)
- a1 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
roll of default: topology.kubernetes.io/zone=a
next change: 12:05
`},
		{"who waits for a zone may take the place of who may go now for another reason", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("b1* a1* c1*")
			nodes[1].Blockers = fixture.Spent
			nodes[2].Conditions[0].Reason = "Empty"
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("1"), budget.Budget{Nodes: "1"})}, Nodes: nodes, Memory: fixture.Rolling("a", "11:50")}
		}, "", `
+ c1 Empty until 12:05
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
- a1 pod/pdb: PDB web/api allows no disruption
roll of default: topology.kubernetes.io/zone=a, idle since 11:50
next change: 12:05
`},
		{"who waits longer for others than for a budget may take the place when that opens, and leaves it to others until then", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1* a2* a3*")
			nodes[0].NominatedUntil, nodes[1].NominatedUntil = fixture.Noon.Add(66*time.Minute), fixture.Noon.Add(time.Minute)
			for i, r := range []candidate.Reason{"Drifted/AMIDrift", "Drifted/AMIDrift", "Drifted/SubnetDrift"} {
				nodes[i].Conditions[0].Reason = r
			}
			freeze := budget.Budget{Nodes: "0", Schedule: "0 9 * * *", Duration: "4h", Reasons: []candidate.Reason{"Drifted/AMIDrift"}}
			afternoon := budget.Budget{Nodes: "1", Schedule: "0 13 * * *", Duration: "4h", Reasons: []candidate.Reason{"Drifted"}}
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, freeze, afternoon)}, Nodes: nodes}
		}, "Drifted", `
+ a3 Drifted/SubnetDrift until 13:00
- a1 node/nominated: a pending pod is expected on the node (until 2026-11-20T13:06:00Z)
- a1 budget/allows-none: 0 of 3 nodes may go now: budgets[0] is 0 (Drifted/AMIDrift; 0 9 * * * for 4h, UTC) (until 2026-11-20T13:00:00Z)
- a2 node/nominated: a pending pod is expected on the node (until 2026-11-20T12:01:00Z)
- a2 budget/allows-none: 0 of 3 nodes may go now: budgets[0] is 0 (Drifted/AMIDrift; 0 9 * * * for 4h, UTC) (until 2026-11-20T13:00:00Z)
next change: 12:01
`},
		{"where zones do not take turns, a window that closes elsewhere changes nothing", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("b1* a1*")
			nodes[0] = fixture.GoesFrom(nodes[0], 11, 2)
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Freeze, budget.Budget{Nodes: "1", TopologyKey: fixture.Zone})}, Nodes: nodes}
		}, "Drifted", `
- b1 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- b1 pod/outside-schedule: after that, pod shop/b1-w may go only when its disruption schedule lets it: 0 11 * * * for 2h, UTC
- a1 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
next change: 13:00
`},
		{"a node in no zone only waits for the end of a freeze", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1*")
			nodes[0].Labels = nil
			p := fixture.Pool(t, fixture.Freeze, budget.Budget{Nodes: "1", TopologyKey: fixture.Zone})
			p.Topology.Unlabelled, p.Topology.LabelOptional = topology.Exempt, true
			return disruptkit.Input{Pools: []disruptkit.Pool{p}, Nodes: nodes}
		}, "Drifted", `
- a1 budget/allows-none: 0 of 1 node may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
next change: 17:00
`},
		{"who may go stays allowed when a node of another zone comes that may have drifted for the same reason", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1* b1*")
			nodes[0].NominatedUntil = fixture.Noon.Add(5 * time.Minute)
			nodes[1].Conditions[0].Reason = "Drifted/AMIDrift"
			amis := fixture.Sequential("1")
			amis.Reasons = []candidate.Reason{"Drifted/AMIDrift"}
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, amis)}, Nodes: nodes}
		}, "Drifted", `
+ b1 Drifted/AMIDrift
- a1 node/nominated: a pending pod is expected on the node (until 2026-11-20T12:05:00Z)
- a1 topology/waits-for-domain: a waits for b (0 in flight, 1 to go)
roll of default: topology.kubernetes.io/zone=b
next change: 12:05
`},
		{"whose turn it is after a freeze is unknown if a window closes on a node that another budget on the key limits", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1* b1*")
			nodes[1] = fixture.GoesFrom(nodes[1], 11, 2)
			nodes[1].Conditions[0].Reason = "Drifted/AMIDrift"
			nodes[0].Conditions[0].Reason = "Drifted/SubnetDrift"
			first, second := fixture.Sequential("1"), fixture.Sequential("1")
			first.Reasons, second.Reasons = []candidate.Reason{"Drifted/AMIDrift"}, []candidate.Reason{"Drifted/SubnetDrift"}
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Freeze, first, second)}, Nodes: nodes}
		}, "Drifted", `
- a1 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- a1 topology/waits-for-domain: the turn after that depends on events until then
- b1 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go)
! several-sequential: NodePool/default: budgets[2].sequential: budgets[2] is 1 per topology.kubernetes.io/zone, one at a time (Drifted/SubnetDrift): the first active sequential budget, budgets[1], orders the pool, and does so for this one's reasons, too: write one budget for all of them
next change: 13:00
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := c.in(t)
			in.Now = fixture.Noon
			if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), fixture.Turns(disruptkit.Decide(in, c.reason))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Turns hold also for nodes that only may have drifted for the reason that zones take turns for.
func TestUntilIsKeptWhereZonesTakeTurnsForAChild(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := arbitrary(generate.Turning).Draw(t, "input")
		asked := rapid.SampledFrom([]candidate.Reason{"Drifted", "Drifted/AMIDrift", ""}).Draw(t, "asked")
		d := disruptkit.Decide(in, asked)
		in.Memory = d.Memory
		keepsUntil(t, in, asked, d)
		for _, c := range d.Blocked {
			at, lifts := candidate.LiftsAt(c.Blockers)
			if lifts && c.Blockers[0].Gate != candidate.GateNode && !mayGo(in, asked, at, c) {
				t.Fatalf("%s is held back until %v, and then, too: %v", c.Node, at, c.Blockers)
			}
		}
	})
}

// Whose turn is next depends on which nodes are free then. What goes before that may take what they need.
func TestTheNextTurnDependsOnWhatOthersTake(t *testing.T) {
	pod := candidate.Pod{Namespace: "shop", Name: "web-0", Labels: map[string]string{"app": "web"}}
	pdb := fixture.PDB("web")
	pdb.Namespace = "shop"
	rules, errs := candidate.CompileRules([]candidate.PDB{pdb}, nil)
	if errs != nil {
		t.Fatal(errs)
	}
	for name, take := range map[string]func(in *disruptkit.Input, goes, next *candidate.Node){
		"the last place of their zone": func(_ *disruptkit.Input, goes, _ *candidate.Node) { goes.Labels["topology.kubernetes.io/zone"] = "b" },
		"the last place of their rack": func(in *disruptkit.Input, goes, next *candidate.Node) {
			goes.Labels["rack"], next.Labels["rack"] = "r", "r"
			in.Pools[0] = fixture.Pool(t, fixture.Sequential("1"), budget.Budget{Nodes: "1", TopologyKey: "rack"})
		},
		"their PodDisruptionBudget": func(_ *disruptkit.Input, goes, next *candidate.Node) {
			goes.Pods, next.Pods = []candidate.Pod{pod}, []candidate.Pod{pod}
		},
		"their PodDisruptionBudget, from another pool": func(in *disruptkit.Input, goes, next *candidate.Node) {
			goes.Pool, goes.Pods, next.Pods = "other", []candidate.Pod{pod}, []candidate.Pod{pod}
			in.Pools = append(in.Pools, disruptkit.Pool{Name: "other"})
		},
	} {
		for _, comes := range []string{"", "12:03", "12:05"} { // it goes now, before the zone gives way, or with it
			t.Run(name+" "+comes, func(t *testing.T) {
				nodes := fixture.Zoned("a1* d1* b1* c1*")
				nodes[0].Blockers = fixture.Spent
				nodes[1].Conditions[0].Reason = candidate.Empty
				if comes != "" {
					nodes[1].NominatedUntil = fixture.Clock(comes)
				}
				in := disruptkit.Input{
					Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("1"))}, Nodes: nodes, Rules: rules,
					Memory: fixture.Rolling("a", "11:50"),
				}
				take(&in, &nodes[1], &nodes[2])
				if fault := tellsTheTruth(in, ""); fault != "" {
					t.Error(fault)
				}
			})
		}
	}
}

// The last places of all zones that could be next go to others, some of which are behind in line: so nobody knows yet whose turn is next.
func TestWithoutAZoneThatCouldBeNextNothingIsKnown(t *testing.T) {
	nodes := fixture.Zoned("a1* d2* d3* b2* b1* d1*")
	nodes[0].Blockers = fixture.Spent
	nodes[1].Conditions[0].Reason, nodes[1].NominatedUntil = candidate.Unhealthy, fixture.Clock("12:04")
	nodes[4].Conditions[0].Reason = candidate.Unhealthy
	nodes[5].Conditions[0].Reason = candidate.Expired
	in := disruptkit.Input{
		Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("1"))}, Nodes: nodes, Memory: fixture.Rolling("a", "11:59"),
	}
	if fault := tellsTheTruth(in, ""); fault != "" {
		t.Error(fault)
	}
}

// Zone a has the turn because a2 could go, and the PodDisruptionBudget of its pod lets one go. a1, of another pool, goes first and uses it up:
// then no node of zone a can go, and it is the turn of the node without a zone. So when that one's wait ends is unknown.
func TestATurnThatOthersMayEndIsNotToldToLast(t *testing.T) {
	web := []candidate.Pod{{Namespace: "shop", Name: "web-0", Labels: map[string]string{"app": "web"}}}
	pdb := fixture.PDB("web")
	pdb.Namespace, pdb.DisruptionsAllowed = "shop", 1
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{
		fixture.Pool(t, fixture.During(fixture.Sequential("1"), "45 10 * * *", "90m")), {Name: "other"},
	}}
	in.Rules, _ = candidate.CompileRules([]candidate.PDB{pdb}, nil)
	for name, pool := range map[string]string{"a1": "other", "a2": "default", "x": "default"} {
		n := fixture.Wanted(name, fixture.Noon, candidate.Drifted)
		if n.Pool = pool; name != "x" {
			n.Labels, n.Pods = map[string]string{"topology.kubernetes.io/zone": "a"}, web
		}
		in.Nodes = append(in.Nodes, n)
	}
	if fault := tellsTheTruth(in, ""); fault != "" {
		t.Error(fault)
	}
	d := disruptkit.Decide(in, "")
	i := slices.IndexFunc(d.Blocked, func(c candidate.Candidate) bool { return c.Node == "x" })
	if b := d.Blocked[i].Blockers; len(b) != 1 || b[0].Code != candidate.CodeWaitsForDomain || !b[0].Until.IsZero() {
		t.Errorf("x is held back by %s", b)
	}
}
