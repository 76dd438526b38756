package engine_test

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
	"github.com/disruptkit/disruptkit/topology"
)

func TestDecisionsOnZones(t *testing.T) {
	for _, c := range []struct {
		name   string
		in     func(t *testing.T) disruptkit.Input
		reason candidate.Reason
		want   string
	}{
		{"one zone at a time, the one that drifted first", func(t *testing.T) disruptkit.Input {
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("1"))}, Nodes: fixture.Zoned("b1* a1* b2*")}
		}, "Drifted", `
+ b1 Drifted
- a1 topology/waits-for-domain: a waits for b (0 in flight, 2 to go)
- b2 topology/exhausted: 1 of 2 nodes of b may be disrupted at once, 1 already allowed: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time
roll of default: topology.kubernetes.io/zone=b
`},
		{"a freeze does not make a zone idle", func(t *testing.T) disruptkit.Input {
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Freeze, fixture.Sequential("1"))}, Nodes: fixture.Zoned("b1* a1*"), Memory: fixture.Rolling("a", "08:00")}
		}, "Drifted", `
- b1 budget/allows-none: 0 of 2 nodes may be disrupted now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go)
- a1 budget/allows-none: 0 of 2 nodes may be disrupted now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
roll of default: topology.kubernetes.io/zone=a
next change: 17:00
`},
		{"not sequential: each zone has the limit on its own, for every reason", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1* a2* b1* b2")
			nodes[3].Conditions = []candidate.Condition{{Reason: "Empty", Since: fixture.Noon}}
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "1", TopologyKey: fixture.Zone})}, Nodes: nodes}
		}, "", `
+ a1 Drifted
+ b1 Drifted
- a2 topology/exhausted: 1 of 2 nodes of a may be disrupted at once, 1 already allowed: budgets[0] is 1 per topology.kubernetes.io/zone
- b2 topology/exhausted: 1 of 2 nodes of b may be disrupted at once, 1 already allowed: budgets[0] is 1 per topology.kubernetes.io/zone
`},
		{"zones take turns, and racks are limited as well", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1* a2* a3* b1*")
			for i := range nodes {
				nodes[i].Labels["rack"] = []string{"7", "7", "8", "8"}[i]
			}
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("2"), budget.Budget{Nodes: "1", TopologyKey: "rack"})}, Nodes: nodes}
		}, "Drifted", `
+ a1 Drifted
+ a3 Drifted
- a2 topology/exhausted: 2 of 3 nodes of a may be disrupted at once, 2 already allowed: budgets[0] is 2 per topology.kubernetes.io/zone, one at a time
- a2 topology/exhausted: 1 of 2 nodes of 7 may be disrupted at once, 1 already allowed: budgets[1] is 1 per rack
- b1 topology/waits-for-domain: b waits for a (0 in flight, 3 to go)
- b1 topology/exhausted: 1 of 2 nodes of 8 may be disrupted at once, 1 already allowed: budgets[1] is 1 per rack
roll of default: topology.kubernetes.io/zone=a
`},
		{"a second sequential budget on the same key is ignored", func(t *testing.T) disruptkit.Input {
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("2"), fixture.Sequential("0"))}, Nodes: fixture.Zoned("a1* a2* a3* b1*")}
		}, "Drifted", `
+ a1 Drifted
+ a2 Drifted
- a3 topology/exhausted: 2 of 3 nodes of a may be disrupted at once, 2 already allowed: budgets[0] is 2 per topology.kubernetes.io/zone, one at a time
- b1 topology/waits-for-domain: b waits for a (0 in flight, 3 to go)
! several-sequential: NodePool/default: budgets[1].sequential: budgets[1] is 0 per topology.kubernetes.io/zone, one at a time: the first active sequential budget, budgets[0], orders the pool, and does so for this one's reasons as well: write one budget for all of them
roll of default: topology.kubernetes.io/zone=a
`},
		{"a second sequential budget on another key limits without an order", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1* a2* b1*")
			for i := range nodes {
				nodes[i].Labels["rack"] = fmt.Sprint(i / 2)
			}
			racks := budget.Budget{Nodes: "1", TopologyKey: "rack", Sequential: true}
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("2"), racks)}, Nodes: nodes}
		}, "Drifted", `
+ a1 Drifted
- a2 topology/exhausted: 1 of 2 nodes of 0 may be disrupted at once, 1 already allowed: budgets[1] is 1 per rack, one at a time
- b1 topology/waits-for-domain: b waits for a (0 in flight, 2 to go)
! several-sequential: NodePool/default: budgets[1].sequential: budgets[1] is 1 per rack, one at a time: the first active sequential budget, budgets[0], orders the pool, and this one limits its domains without an order: leave sequential out
roll of default: topology.kubernetes.io/zone=a
`},
		{"a sequential budget for consolidation alone has no effect", func(t *testing.T) disruptkit.Input {
			b := fixture.Sequential("1")
			b.Reasons = []candidate.Reason{"Empty", "Underutilized"}
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, b)}, Nodes: fixture.Zoned("a1* b1*")}
		}, "Drifted", `
+ a1 Drifted
+ b1 Drifted
! no-effect: NodePool/default: budgets[0].sequential: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time (Empty, Underutilized): sequential budgets are for drift, and this one limits nothing: leave sequential out, or name Drifted
`},
		{"a typo among the reasons that take turns makes all of them do", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1 b1")
			for i := range nodes {
				nodes[i].Conditions = []candidate.Condition{{Reason: "Empty", Since: fixture.Noon}}
			}
			p := fixture.Pool(t, fixture.Sequential("1"))
			p.Topology.Reasons = []candidate.Reason{"drift"}
			return disruptkit.Input{Pools: []disruptkit.Pool{p}, Nodes: nodes}
		}, "Empty", `
+ a1 Empty
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go)
! unknown-reason: NodePool/default: topology.reasons: reason "drift" is not known, and sequential budgets order all reasons: write Drifted, or what candidate.ParseReason returns
roll of default: topology.kubernetes.io/zone=a
`},
		{"nodes without the label can be exempt, and start no roll", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1* b1*")
			nodes[0].Labels = nil
			nodes[1].Blockers = []candidate.Blocker{{Gate: candidate.GateNode, Code: "no-room", Message: "no space for its pods"}}
			p := fixture.Pool(t, fixture.Sequential("1"))
			p.Topology.Unlabelled = topology.Exempt
			return disruptkit.Input{Pools: []disruptkit.Pool{p}, Nodes: nodes}
		}, "Drifted", `
+ a1 Drifted
- b1 node/no-room: no space for its pods
! no-label: NodePool/default: budgets[0].topologyKey: 1 of 2 nodes have no label "topology.kubernetes.io/zone", and the budget does not limit them: label them, or set labelOptional if they really have no such label
`},
		{"nodes without the label can stay", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1* b1*")
			nodes[0].Labels = nil
			p := fixture.Pool(t, fixture.Sequential("1"))
			p.Topology.Unlabelled = topology.Block
			return disruptkit.Input{Pools: []disruptkit.Pool{p}, Nodes: nodes}
		}, "Drifted", `
+ b1 Drifted
- a1 topology/no-label: the node has no label topology.kubernetes.io/zone: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time
! no-label: NodePool/default: budgets[0].topologyKey: 1 of 2 nodes have no label "topology.kubernetes.io/zone", and are blocked: label them, or set labelOptional if they really have no such label
roll of default: topology.kubernetes.io/zone=b
`},
		{"nodes of the same name count once for percentages", func(t *testing.T) disruptkit.Input {
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("50%"))}, Nodes: fixture.Zoned("a1* a2* a3 a3 a3 a3")}
		}, "Drifted", `
+ a1 Drifted
- a2 topology/exhausted: 1 of 2 nodes of a may be disrupted at once, 1 already allowed: budgets[0] is 50% per topology.kubernetes.io/zone, one at a time
! duplicate-node: Node/a3: name: several nodes are called "a3", and none of them is disrupted: write each node once
roll of default: topology.kubernetes.io/zone=a
`},
		{"rolls of pools that are not in the input are passed on, those without a key are not", func(t *testing.T) disruptkit.Input {
			rolls := fixture.Rolling("b", "")
			rolls["gone"] = rolls["default"]
			rolls["other"] = disruptkit.Memory{Roll: topology.Roll{Domain: "b"}}
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("1")), {Name: "other"}}, Nodes: fixture.Zoned("a1* b1*"), Memory: rolls}
		}, "Drifted", `
+ b1 Drifted
- a1 topology/waits-for-domain: a waits for b (0 in flight, 1 to go)
roll of default: topology.kubernetes.io/zone=b
roll of gone: topology.kubernetes.io/zone=b
`},
		{"a node without the label stays for good, though the budget's hours end", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1*")
			nodes[0].Labels = nil
			day := fixture.During(fixture.Sequential("1"), "0 9 * * *", "8h")
			p := fixture.Pool(t, day)
			p.Topology.Unlabelled = topology.Block
			return disruptkit.Input{Pools: []disruptkit.Pool{p}, Nodes: nodes}
		}, "Drifted", `
- a1 topology/no-label: no node has the label topology.kubernetes.io/zone, so nothing is allowed: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time (0 9 * * * for 8h, UTC)
! no-label: NodePool/default: budgets[0].topologyKey: no node has the label "topology.kubernetes.io/zone", and until one has, none is allowed: write a label that nodes have, such as topology.kubernetes.io/zone, or set labelOptional if they really have no such label
next change: 17:00
`},
		{"of nodes of the same name, those in flight use up the zone's limit", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1* a2 a2 b1*")
			nodes[1].Leaving, nodes[1].DisruptedFor = candidate.Draining, "Empty"
			nodes[2].Leaving, nodes[2].DisruptedFor = candidate.Draining, "Empty"
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("2"))}, Nodes: nodes, Memory: fixture.Rolling("a", "")}
		}, "Drifted", `
- a1 topology/exhausted: 2 of 3 nodes of a may be disrupted at once, 2 in flight for other reasons: budgets[0] is 2 per topology.kubernetes.io/zone, one at a time
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up: 2 of 3 nodes of a may be disrupted at once, 2 in flight for other reasons (until 2026-11-20T12:15:00Z)
! duplicate-node: Node/a2: name: several nodes are called "a2", and none of them is disrupted: write each node once
roll of default: topology.kubernetes.io/zone=a, idle since 12:00
next change: 12:15
`},
		{"what blocks the whole pool does not make a zone idle", func(t *testing.T) disruptkit.Input {
			p := fixture.Pool(t, fixture.Sequential("1"))
			p.Blockers = []candidate.Blocker{{Gate: candidate.GateProbe, Code: "unhealthy", Message: "an incident is going on"}}
			return disruptkit.Input{Pools: []disruptkit.Pool{p}, Nodes: fixture.Zoned("b1* a1*"), Memory: fixture.Rolling("a", "08:00")}
		}, "Drifted", `
- b1 probe/unhealthy: an incident is going on
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go)
- a1 probe/unhealthy: an incident is going on
roll of default: topology.kubernetes.io/zone=a
`},
		{"a zone whose nodes a budget never allows gives way", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1* b1*")
			nodes[0].Conditions[0].Reason = "Drifted/AMIDrift"
			freeze := budget.Budget{Nodes: "0", Reasons: []candidate.Reason{"Drifted/AMIDrift"}}
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, freeze, fixture.Sequential("1"))}, Nodes: nodes, Memory: fixture.Rolling("a", "11:50")}
		}, "Drifted", `
- a1 budget/allows-none: 0 of 2 nodes may be disrupted now: budgets[0] is 0 (Drifted/AMIDrift)
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: budgets never allow it for Drifted/AMIDrift (until 2026-11-20T12:05:00Z)
roll of default: topology.kubernetes.io/zone=a, idle since 11:50
next change: 12:05
`},
		{"a zone whose nodes have a reason that no budget can know gives way", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1* b1*")
			nodes[0].Conditions[0].Reason = "Drifted/AMI Drift"
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("1"))}, Nodes: nodes, Memory: fixture.Rolling("a", "11:45")}
		}, "Drifted", `
+ b1 Drifted
- a1 budget/unknown-reason: no node may be disrupted: reason "Drifted/AMI Drift" has a malformed child: write the reason of a condition, such as Drifted/AMIDrift
- a1 topology/waits-for-domain: a waits for b (0 in flight, 1 to go)
! unknown-reason: NodePool/default: Node.Conditions: reason "Drifted/AMI Drift" has a malformed child: write the reason of a condition, such as Drifted/AMIDrift; until then, nodes with this reason are blocked
roll of default: topology.kubernetes.io/zone=b
`},
		{"a zone whose nodes lack the label of another budget is not waited for", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1* b1*")
			nodes[1].Labels["rack"] = "7"
			p := fixture.Pool(t, fixture.Sequential("1"), budget.Budget{Nodes: "1", TopologyKey: "rack"})
			p.Topology.Unlabelled = topology.Block
			return disruptkit.Input{Pools: []disruptkit.Pool{p}, Nodes: nodes, Memory: fixture.Rolling("a", "")}
		}, "Drifted", `
+ b1 Drifted
- a1 topology/waits-for-domain: a waits for b (0 in flight, 1 to go)
- a1 topology/no-label: the node has no label rack: budgets[1] is 1 per rack
! no-label: NodePool/default: budgets[1].topologyKey: 1 of 2 nodes have no label "rack", and are blocked: label them, or set labelOptional if they really have no such label
roll of default: topology.kubernetes.io/zone=b
`},
		{"a zone whose racks are used up is idle", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1* b1* c1")
			for i := range nodes {
				nodes[i].Labels["rack"] = []string{"7", "8", "7"}[i]
			}
			nodes[2].Leaving, nodes[2].DisruptedFor = candidate.Draining, "Empty"
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("1"), budget.Budget{Nodes: "1", TopologyKey: "rack"})}, Nodes: nodes, Memory: fixture.Rolling("a", "")}
		}, "Drifted", `
- a1 topology/exhausted: 1 of 2 nodes of 7 may be disrupted at once, 1 in flight: budgets[1] is 1 per rack
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: 1 of 2 nodes of 7 may be disrupted at once, 1 in flight: budgets[1] is 1 per rack (until 2026-11-20T12:15:00Z)
roll of default: topology.kubernetes.io/zone=a, idle since 12:00
next change: 12:15
`},
		{"a second sequential budget on another key orders nothing", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1* b1*")
			for i := range nodes {
				nodes[i].Conditions[0].Reason = "Drifted/SubnetDrift"
				nodes[i].Labels["rack"] = fmt.Sprint(i)
			}
			first, second := fixture.Sequential("1"), budget.Budget{Nodes: "1", TopologyKey: "rack", Sequential: true, Reasons: []candidate.Reason{"Drifted/SubnetDrift"}}
			first.Reasons = []candidate.Reason{"Drifted/AMIDrift"}
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, first, second)}, Nodes: nodes}
		}, "Drifted", `
+ a1 Drifted/SubnetDrift
+ b1 Drifted/SubnetDrift
! several-sequential: NodePool/default: budgets[1].sequential: budgets[1] is 1 per rack, one at a time (Drifted/SubnetDrift): the first active sequential budget, budgets[0], orders the pool, and this one limits its domains without an order: leave sequential out
`},
		{"a node that stays for one of its reasons is to go for the other", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1* b1*")
			nodes[0].Conditions = []candidate.Condition{
				{Reason: "Drifted/AMIDrift", Since: fixture.Noon.Add(-200 * time.Hour)}, {Reason: "Drifted/SubnetDrift", Since: fixture.Noon.Add(-190 * time.Hour)},
			}
			nodes[0].NominatedUntil, nodes[1].Labels["rack"] = fixture.Noon.Add(5*time.Minute), "7"
			p := fixture.Pool(t, fixture.Sequential("1"), budget.Budget{Nodes: "1", TopologyKey: "rack", Reasons: []candidate.Reason{"Drifted/AMIDrift"}})
			p.Topology.Unlabelled = topology.Block
			return disruptkit.Input{Pools: []disruptkit.Pool{p}, Nodes: nodes, Memory: fixture.Rolling("a", "")}
		}, "Drifted", `
- a1 node/nominated: a pending pod is expected on the node (until 2026-11-20T12:05:00Z)
- a1 topology/no-label: the node has no label rack: budgets[1] is 1 per rack (Drifted/AMIDrift)
- a1 node/nominated: a pending pod is expected on the node (until 2026-11-20T12:05:00Z)
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: a pending pod is expected on the node
! no-label: NodePool/default: budgets[1].topologyKey: 1 of 2 nodes have no label "rack", and are blocked: label them, or set labelOptional if they really have no such label
roll of default: topology.kubernetes.io/zone=a, idle since 12:00
next change: 12:05
`},
		{"such a node waits for a zone in which the ordered reason is in flight", func(t *testing.T) disruptkit.Input {
			in := amiDrift(t, fixture.Sequential("1"), "b1* c1*", "b1")
			in.Nodes[0].Leaving, in.Nodes[0].DisruptedFor = candidate.Draining, "Drifted/AMIDrift"
			return in
		}, "Drifted", `
- b1 node/deleting: the node is already being disrupted for Drifted/AMIDrift
- b1 topology/exhausted: 1 of 1 node of b may be disrupted at once, 1 in flight: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time (Drifted/AMIDrift)
- c1 topology/waits-for-domain: c waits for b (1 in flight, 0 to go)
roll of default: topology.kubernetes.io/zone=b
`},
		{"and for one whose roll is not over", func(t *testing.T) disruptkit.Input {
			in := amiDrift(t, fixture.Sequential("1"), "b1* a1*", "b1")
			in.Nodes[0].NominatedUntil, in.Memory = fixture.Noon.Add(time.Minute), fixture.Rolling("b", "")
			return in
		}, "Drifted", `
- b1 node/nominated: a pending pod is expected on the node (until 2026-11-20T12:01:00Z)
- a1 topology/waits-for-domain: a waits for b (0 in flight, 1 to go), held up by b1: a pending pod is expected on the node
roll of default: topology.kubernetes.io/zone=b, idle since 12:00
next change: 12:01
`},
		{"in its own zone it uses a slot beside those of the ordered reason", func(t *testing.T) disruptkit.Input {
			return amiDrift(t, fixture.Sequential("2"), "b1* b2* b3*", "b2 b3")
		}, "Drifted", `
+ b1 Drifted
+ b2 Drifted/AMIDrift
- b3 topology/exhausted: 2 of 3 nodes of b may be disrupted at once, 2 already allowed: budgets[0] is 2 per topology.kubernetes.io/zone, one at a time (Drifted/AMIDrift)
roll of default: topology.kubernetes.io/zone=b
`},
		{"of two sequential budgets on one key, each limits what it names", func(t *testing.T) disruptkit.Input {
			return nodePoolDrift(t, ordering("1", "Drifted/AMIDrift"), ordering("75%", "Drifted"))
		}, "Drifted", `
+ a1 Drifted/NodePoolDrifted
+ a2 Drifted/NodePoolDrifted
+ a3 Drifted/NodePoolDrifted
- a4 topology/exhausted: 3 of 4 nodes of a may be disrupted at once, 3 already allowed: budgets[1] is 75% per topology.kubernetes.io/zone, one at a time (Drifted)
! several-sequential: NodePool/default: budgets[1].sequential: budgets[1] is 75% per topology.kubernetes.io/zone, one at a time (Drifted): the first active sequential budget, budgets[0], orders the pool, and does so for this one's reasons as well: write one budget for all of them
roll of default: topology.kubernetes.io/zone=a
`},
		{"a sequential budget of 0 for one reason leaves the turns to the reasons of the next", func(t *testing.T) disruptkit.Input {
			in := nodePoolDrift(t, ordering("0", "Drifted/AMIDrift"), ordering("1", "Drifted"))
			in.Nodes[1].Labels, in.Nodes[2].Labels = map[string]string{fixture.Zone: "b"}, map[string]string{fixture.Zone: "c"}
			in.Nodes[3].Conditions[0] = candidate.Condition{Reason: "Drifted/AMIDrift", Since: fixture.Noon.Add(-1000 * time.Hour)}
			return in
		}, "Drifted", `
+ a1 Drifted/NodePoolDrifted
- a4 topology/allows-none: 0 of 2 nodes of a may be disrupted at once, 1 already allowed: budgets[0] is 0 per topology.kubernetes.io/zone, one at a time (Drifted/AMIDrift)
- a2 topology/waits-for-domain: b waits for a (0 in flight, 2 to go)
- a3 topology/waits-for-domain: c waits for a (0 in flight, 2 to go)
! several-sequential: NodePool/default: budgets[1].sequential: budgets[1] is 1 per topology.kubernetes.io/zone, one at a time (Drifted): the first active sequential budget, budgets[0], orders the pool, and does so for this one's reasons as well: write one budget for all of them
roll of default: topology.kubernetes.io/zone=a
`},
		{"a rebooting node that has drifted is in flight, and still to go", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1* b1*")
			nodes[0].Rebooting = true
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("1"))}, Nodes: nodes, Memory: fixture.Rolling("a", "")}
		}, "Drifted", `
- a1 node/rebooting: the node is rebooting
- a1 topology/exhausted: 1 of 1 node of a may be disrupted at once, 1 in flight for other reasons: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up: 1 of 1 node of a may be disrupted at once, 1 in flight for other reasons (until 2026-11-20T12:15:00Z)
roll of default: topology.kubernetes.io/zone=a, idle since 12:00
next change: 12:15
`},
		{"a budget that is not active makes overdue nodes take turns, but blocks none by itself", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1* a2* b1*")
			for i := range nodes {
				nodes[i].Conditions[0].Deadline = fixture.Clock("11:00")
			}
			night := fixture.During(fixture.Sequential("0"), "0 20 * * *", "8h")
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Freeze, budget.Budget{Nodes: "3"}, night)}, Nodes: nodes}
		}, "Drifted", `
+ a1 Drifted until 17:00
- a2 topology/exhausted: 1 of 2 nodes of a may be disrupted at once, 1 already allowed: budgets[2] is 0 per topology.kubernetes.io/zone, one at a time (0 20 * * * for 8h, UTC), not active now, but overdue nodes take its turns, one at a time
- b1 topology/waits-for-domain: b waits for a (0 in flight, 2 to go)
roll of default: topology.kubernetes.io/zone=a
next change: 17:00
`},
		{"and limits how many of them go at once", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1* a2* a3*")
			for i := range nodes {
				nodes[i].Conditions[0].Deadline = fixture.Clock("11:00")
			}
			night := fixture.During(fixture.Sequential("2"), "0 20 * * *", "8h")
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Freeze, budget.Budget{Nodes: "3"}, night)}, Nodes: nodes}
		}, "Drifted", `
+ a1 Drifted until 17:00
+ a2 Drifted until 17:00
- a3 topology/exhausted: 2 of 3 nodes of a may be disrupted at once, 2 already allowed: budgets[2] is 2 per topology.kubernetes.io/zone, one at a time (0 20 * * * for 8h, UTC), not active now, but overdue nodes take its turns
roll of default: topology.kubernetes.io/zone=a
next change: 17:00
`},
		{"overdue nodes take turns where budgets never allow others", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1* b1*")
			for i := range nodes {
				nodes[i].Conditions[0].Deadline = fixture.Clock("11:00")
			}
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "0"}, fixture.Sequential("1"))}, Nodes: nodes}
		}, "Drifted", `
+ a1 Drifted
- b1 budget/exhausted: the node is overdue, and 1 of 2 nodes may be disrupted at once then, 1 already allowed: budgets[0] is 0
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go)
roll of default: topology.kubernetes.io/zone=a
`},
		{"budgets never block repair of a node that none of them counts, so its zone has the turn", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1* b1*")
			for i := range nodes {
				nodes[i].Conditions[0].Reason = candidate.Unhealthy
			}
			nodes[0].Phase = candidate.Registered
			p := fixture.Pool(t, neverFor("Unhealthy"), ordering("1", "Unhealthy"))
			p.Topology.Reasons = []candidate.Reason{"Unhealthy"}
			return disruptkit.Input{Pools: []disruptkit.Pool{p}, Nodes: nodes}
		}, "Unhealthy", `
+ a1 Unhealthy
- b1 budget/allows-none: 0 of 1 node may be disrupted now: budgets[0] is 0 (Unhealthy)
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go)
roll of default: topology.kubernetes.io/zone=a
`},
		{"a deadline before the reason began to hold is no time to look again", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1*")
			nodes[0].Conditions[0] = candidate.Condition{Reason: "Drifted", Since: fixture.Clock("11:00"), Deadline: fixture.Clock("10:00")}
			night := fixture.During(fixture.Sequential("1"), "0 20 * * *", "8h")
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, night)}, Nodes: nodes}
		}, "Drifted", `
+ a1 Drifted until 20:00
! invalid-deadline: Node/a1: deadline: deadline 2026-11-20T10:00:00Z is before 2026-11-20T11:00:00Z, when Drifted began to hold, and is ignored: write a later one
next change: 20:00
`},
		{"where two pools have one name, the roll stays as it is", func(t *testing.T) disruptkit.Input {
			one, other := fixture.Pool(t, fixture.Sequential("1")), fixture.Pool(t)
			return disruptkit.Input{Pools: []disruptkit.Pool{one, other}, Nodes: fixture.Zoned("b1* a1*"), Memory: fixture.Rolling("a", "11:50")}
		}, "Drifted", `
- b1 node/unknown-pool: another pool has the name of the node's pool
- a1 node/unknown-pool: another pool has the name of the node's pool
! unknown-pool: NodePool/default: name: several pools are called "default", and it is unclear whose budgets apply: write each pool once
roll of default: topology.kubernetes.io/zone=a, idle since 11:50
`},
		{"a budget that is not active orders no zones while an active one orders racks", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Zoned("a1* b1* a2* b2*")
			for i, reason := range []candidate.Reason{"Drifted/AMIDrift", "Drifted/AMIDrift", "Drifted/SubnetDrift", "Drifted/SubnetDrift"} {
				nodes[i].Labels["rack"] = fmt.Sprint(i / 2)
				nodes[i].Conditions[0].Reason, nodes[i].Conditions[0].Deadline = reason, fixture.Clock("11:00")
			}
			night, racks := fixture.During(ordering("1", "Drifted/AMIDrift"), "0 22 * * *", "8h"), ordering("1", "Drifted/SubnetDrift")
			racks.TopologyKey = "rack"
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Freeze, budget.Budget{Nodes: "5"}, night, racks)}, Nodes: nodes}
		}, "Drifted", `
+ a1 Drifted/AMIDrift until 17:00
+ b1 Drifted/AMIDrift until 17:00
+ a2 Drifted/SubnetDrift until 17:00
- b2 topology/exhausted: 1 of 2 nodes of 1 may be disrupted at once, 1 already allowed: budgets[3] is 1 per rack, one at a time (Drifted/SubnetDrift)
roll of default: rack=1
next change: 17:00
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

// ordering returns a budget that makes zones take turns for a reason.
func ordering(nodes string, reason candidate.Reason) budget.Budget {
	b := fixture.Sequential(nodes)
	b.Reasons = []candidate.Reason{reason}
	return b
}

// neverFor returns a budget that allows no node for a reason.
func neverFor(reason candidate.Reason) budget.Budget {
	return budget.Budget{Nodes: "0", Reasons: []candidate.Reason{reason}}
}

// subnetAndAMIDrift returns a node in each of two zones: one of SubnetDrift, which drifted first, and one of AMIDrift.
func subnetAndAMIDrift(t *testing.T, budgets ...budget.Budget) disruptkit.Input {
	in := disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, budgets...)}, Nodes: fixture.Zoned("a1* b1*")}
	in.Nodes[0].Conditions[0].Reason, in.Nodes[1].Conditions[0].Reason = "Drifted/SubnetDrift", "Drifted/AMIDrift"
	return in
}

// amiDrift returns nodes that have drifted, and a budget that orders Drifted/AMIDrift. Only the named nodes are known
// to have drifted for that.
func amiDrift(t *testing.T, b budget.Budget, nodes, known string) disruptkit.Input {
	b.Reasons = []candidate.Reason{"Drifted/AMIDrift"}
	in := disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, b)}, Nodes: fixture.Zoned(nodes)}
	for i := range in.Nodes {
		if slices.Contains(strings.Fields(known), in.Nodes[i].Name) {
			in.Nodes[i].Conditions[0].Reason = "Drifted/AMIDrift"
		}
	}
	return in
}

// nodePoolDrift returns four nodes in a zone that have drifted for a reason that no budget names by itself.
func nodePoolDrift(t *testing.T, budgets ...budget.Budget) disruptkit.Input {
	in := disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, budgets...)}, Nodes: fixture.Zoned("a1* a2* a3* a4*")}
	for i := range in.Nodes {
		in.Nodes[i].Conditions[0].Reason = "Drifted/NodePoolDrifted"
	}
	return in
}

// A node is reported with one of its reasons: of those that are blocked alike, the one that has held the longest.
func TestAZoneWaitsForTheOldestReason(t *testing.T) {
	pool := fixture.Pool(t, fixture.Sequential("1"), neverFor("Drifted/AMIDrift"), neverFor("Drifted/SubnetDrift"))
	for _, reasons := range [][]candidate.Reason{{"Drifted/AMIDrift", "Drifted/SubnetDrift"}, {"Drifted/SubnetDrift", "Drifted/AMIDrift"}} {
		for _, oldest := range []int{0, 1} {
			nodes := fixture.Zoned("a1")
			for i, reason := range reasons {
				since := fixture.Noon.Add(-time.Hour)
				if i == oldest {
					since = since.Add(-time.Hour)
				}
				nodes[0].Conditions = append(nodes[0].Conditions, candidate.Condition{Reason: reason, Since: since})
			}
			d := disruptkit.Decide(disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{pool}, Nodes: nodes}, candidate.Drifted)
			want := "a1: budgets never allow it for " + string(reasons[oldest])
			if got := d.Pools[0].Topology[0].Domains[0].HeldUp; got != want {
				t.Errorf("%v: %q, want %q", nodes[0].Conditions, got, want)
			}
		}
	}
}

func TestTurnsAreReportedWithoutNodesToGo(t *testing.T) {
	for _, b := range []budget.Budget{fixture.Sequential("1"), {Nodes: "1", TopologyKey: fixture.Zone}} {
		in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, b)}, Nodes: fixture.Zoned("a1 b1")}
		for _, reason := range []candidate.Reason{"", "Drifted", "Drifted/AMIDrift"} {
			if told := disruptkit.Decide(in, reason).Pools[0].Topology; len(told) != 1 || len(told[0].Domains) != 2 {
				t.Errorf("%v, %q: %v", b, reason, told)
			}
		}
	}
}

// Of two sequential budgets on one key, one never allows nodes of SubnetDrift. So no zone waits for one in which there are no others.
func TestNoZoneWaitsForAReasonThatIsNeverAllowed(t *testing.T) {
	drift, stopped := ordering("1", "Drifted/AMIDrift"), ordering("0", "Drifted/SubnetDrift")
	for _, budgets := range [][]budget.Budget{{drift, stopped}, {stopped, drift}} {
		in := subnetAndAMIDrift(t, budgets...)
		in.Now = fixture.Noon
		d := disruptkit.Decide(in, candidate.Drifted)
		if got := fixture.Fates(d); !slices.Equal(got, []string{"b1 goes", "a1 topology/waits-for-domain"}) {
			t.Fatalf("%v: %q", budgets, got)
		}
		if said := d.Blocked[0].Blockers[0].Message; said != "a waits for b (0 in flight, 1 to go)" { // where b1 may be disrupted: its own limit is 1
			t.Errorf("%v: %q", budgets, said)
		}
	}
}

// Without a time, nobody knows which budgets are active, or how long a domain has been idle.
func TestWithoutATimeNothingIsReportedOfZones(t *testing.T) {
	in := disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("1"))}, Nodes: fixture.Zoned("b1* a1*"), Memory: fixture.Rolling("a", "11:50")}
	d := disruptkit.Decide(in, candidate.Drifted)
	if got := fixture.Fates(d); !slices.Equal(got, []string{"b1 node/no-time budget/no-time", "a1 node/no-time budget/no-time"}) {
		t.Errorf("%q", got)
	}
	if len(d.Pools[0].Topology) > 0 || !d.Memory["default"].Equal(in.Memory["default"]) {
		t.Errorf("%v, %v", d.Pools[0].Topology, d.Memory)
	}
}

// TestWhichInactiveBudgetsOrderOverdueNodes at noon: two nodes of zone a are overdue, one of zone b is, and no window allows them.
func TestWhichInactiveBudgetsOrderOverdueNodes(t *testing.T) {
	night := func(b budget.Budget) budget.Budget { return fixture.During(b, "0 0 * * *", "1h") }
	for _, c := range []struct {
		name    string
		budgets []budget.Budget
		want    string
	}{
		{"a sequential one", []budget.Budget{night(fixture.Sequential("2"))}, "a1 a2"},
		{"not one that only limits each zone", []budget.Budget{night(fixture.Sequential("2")), night(budget.Budget{Nodes: "1", TopologyKey: fixture.Zone})}, "a1 a2"},
		{"one beside an active one for reasons that take no turns", []budget.Budget{
			{Nodes: "1", TopologyKey: "rack", Sequential: true, Reasons: []candidate.Reason{"Empty"}}, night(fixture.Sequential("2"))}, "a1 a2"},
		{"none beside an active one that orders them", []budget.Budget{night(fixture.Sequential("1")), fixture.Sequential("2")}, "a1 a2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Zoned("a1* a2* b1*"),
				Pools: []disruptkit.Pool{fixture.Pool(t, append([]budget.Budget{fixture.Freeze, {Nodes: "5"}}, c.budgets...)...)}}
			for i := range in.Nodes {
				in.Nodes[i].Conditions[0].Deadline = fixture.Clock("11:00")
			}
			if diff := cmp.Diff(c.want, strings.Join(fixture.Allowed(disruptkit.Decide(in, candidate.Drifted)), " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A turn also depends on what other budgets leave in the nodes' racks, where they have one.
func TestANodeWithoutARackTakesItsTurn(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Zoned("a1* b1*"),
		Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("1"), budget.Budget{Nodes: "1", TopologyKey: "rack"})}}
	in.Pools[0].Topology.Unlabelled, in.Pools[0].Topology.LabelOptional = topology.Exempt, true
	if diff := cmp.Diff([]string{"a1"}, fixture.Allowed(disruptkit.Decide(in, candidate.Drifted))); diff != "" {
		t.Error(diff)
	}
}

// A domain that rolls gets the turn when the patience with an idle one ends, which is before the window ends.
func TestADomainThatRollsDoesNotWaitForTheEndOfTheWindow(t *testing.T) {
	b := fixture.Sequential("1")
	b.Schedule, b.Duration = "0 9 * * *", "8h"
	nodes := fixture.Zoned("a1* b1* b2*")
	nodes[0].Blockers = []candidate.Blocker{{Gate: candidate.GateNode, Code: "no-room", Message: "its pods fit nowhere else"}}
	nodes[1].Leaving, nodes[1].DisruptedFor = candidate.Draining, candidate.Drifted
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, b)}, Nodes: nodes, Memory: fixture.Rolling("a", "11:50")}
	for _, c := range disruptkit.Decide(in, candidate.Drifted).Blocked {
		for _, said := range c.Blockers {
			if said.Code == candidate.CodeWaitsForDomain && c.Node == "b2" && said.Until.After(fixture.Noon.Add(15*time.Minute)) {
				t.Errorf("%s: %v", c.Node, said)
			}
		}
	}
}

// Once all that a decision allows is in flight, at most one zone is rolling: all nodes in flight that are, or may be,
// of a reason that zones take turns for are in one zone. If nodes are in flight in several zones already, no more go.
// This holds whoever is the oldest.
func TestOneDecisionLetsOneZoneRoll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Turning).Draw(t, "input")
		var ages []time.Time
		for _, n := range in.Nodes {
			ages = append(ages, n.Conditions[0].Since)
		}
		for i, since := range rapid.Permutation(ages).Draw(t, "ages") {
			in.Nodes[i].Conditions[0].Since = since
		}
		d := disruptkit.Decide(in, candidate.Drifted)
		goes := slices.ContainsFunc(d.Allowed, func(c candidate.Candidate) bool { return takesTurns(in, c.Reason) })
		if zones := rolling(in.Apply(d)); goes && len(zones) > 1 {
			t.Fatalf("these zones roll at once: %q\n%s", zones, fixture.Story(d))
		}
	})
}

// rolling returns the zones with nodes in flight that are, or may be, of a reason that zones take turns for.
func rolling(in disruptkit.Input) (zones []string) {
	for _, n := range in.Nodes {
		if n.Leaving == candidate.Draining && takesTurns(in, n.DisruptedFor) {
			zones = append(zones, n.Labels["zone"])
		}
	}
	slices.Sort(zones)
	return slices.Compact(zones)
}

// takesTurns reports whether a reason is, or may be, one of those that the sequential budgets of the only pool are for.
func takesTurns(in disruptkit.Input, reason candidate.Reason) bool {
	if reason == "" {
		return true
	}
	for _, b := range in.Pools[0].Budgets.Budgets() {
		if b.Sequential && len(b.Reasons) == 0 && strings.HasPrefix(string(reason), "Drifted") {
			return true
		}
		for _, r := range b.Reasons {
			ofAChild := r == "Drifted" && strings.HasPrefix(string(reason), "Drifted/")
			if b.Sequential && (r == reason || ofAChild || reason == "Drifted") {
				return true
			}
		}
	}
	return false
}

// Whatever starts of what may be disrupted, and whenever it arrives: as long as drifted nodes are left, some may be disrupted, or are in
// flight. So no two nodes block each other for ever.
func TestTurnsAllowEveryNodeInTheEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Turning).Draw(t, "input")
		for i := range in.Nodes {
			in.Nodes[i].NominatedUntil = in.Now
		}
		for i := range in.Pools { // in a small pool, no node may have the label
			in.Pools[i].Topology.LabelOptional = true
		}
		for i := range in.Groups {
			in.Groups[i].Topology.LabelOptional = true
		}
		for range 4 * len(in.Nodes) {
			d := disruptkit.Decide(in, candidate.Drifted)
			inFlight := slices.ContainsFunc(in.Nodes, func(n candidate.Node) bool { return n.Leaving == candidate.Draining })
			switch {
			case len(d.Allowed)+len(d.Blocked) == 0:
				return
			case len(d.Allowed) == 0 && !inFlight:
				t.Fatalf("nothing may be disrupted:\n%s", fixture.Story(d))
			}
			d.Allowed = d.Allowed[:rapid.IntRange(min(1, len(d.Allowed)), len(d.Allowed)).Draw(t, "starts")]
			in = in.Apply(d)
			arrives := func(n candidate.Node) bool {
				return n.Leaving == candidate.Draining && (len(d.Allowed) == 0 || rapid.Bool().Draw(t, "arrives"))
			}
			for i := range in.Nodes {
				if n := &in.Nodes[i]; arrives(*n) {
					n.Leaving, n.DisruptedFor, n.Conditions = candidate.Staying, "", nil
				}
			}
		}
		if d := disruptkit.Decide(in, candidate.Drifted); len(d.Allowed)+len(d.Blocked) > 0 {
			t.Fatalf("nodes are left:\n%s", fixture.Story(d))
		}
	})
}

// A sequential budget that limits a reason alone does so beside others: later ones, or any if it is for a child of the reason. Otherwise one
// more budget could raise a limit. (It may still give the turn to another zone, with more nodes.)
func TestWhichSequentialBudgetLimitsAReasonDoesNotDependOnWhetherItIsAlone(t *testing.T) {
	limiting := func(in disruptkit.Input, list []budget.Budget) map[candidate.Reason][]string {
		in.Pools = slices.Clone(in.Pools)
		in.Pools[0].Budgets, _ = budget.Compile(list)
		all := map[candidate.Reason][]string{}
		for _, p := range disruptkit.Decide(in, candidate.Drifted).Pools {
			for _, s := range p.Topology {
				all[p.Reason] = append(all[p.Reason], list[s.Budget].String())
			}
		}
		return all
	}
	rapid.Check(t, func(t *rapid.T) {
		in := testkit.Arbitrary(generate.Turning).Draw(t, "input")
		list := in.Pools[0].Budgets.Budgets()
		before := rapid.IntRange(0, len(list)-1).Draw(t, "before")
		together, alone := limiting(in, list), limiting(in, list[before:before+1])
		first := limiting(in, list[:before+1])
		for reason, one := range alone {
			names := len(list[before].Reasons) == 0 || slices.ContainsFunc(list[before].Reasons, func(r candidate.Reason) bool { return r.Covers(reason) })
			if names && !slices.Contains(first[reason], one[0]) {
				continue // an earlier one names the reason
			}
			if !slices.Contains(together[reason], one[0]) {
				t.Fatalf("%s limits %s alone, and beside others only %q do", one, reason, together[reason])
			}
		}
	})
}

// In a list of budgets the order counts only between sequential ones: those on different keys, since the first orders
// the pool, and those that name the same reason, since the first limits it.
func TestTheOrderOfBudgetsCountsOnlyBetweenSequentialOnesForTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		generator := generate.Turning
		if rapid.Bool().Draw(t, "of any kind") {
			generator = generate.Input
		}
		in := testkit.Arbitrary(generator).Draw(t, "input")
		asked := rapid.SampledFrom([]candidate.Reason{"Drifted", "Drifted/AMIDrift", ""}).Draw(t, "asked")
		drifts := []candidate.Reason{"", "Drifted/NodePoolDrifted", "Drifted/SubnetDrift", "Drifted"}
		alike := rapid.SampledFrom(drifts).Draw(t, "all for one reason")
		var reasons []candidate.Reason // for which nodes may be disrupted
		for i := range in.Nodes {
			for j := range in.Nodes[i].Conditions {
				c := &in.Nodes[i].Conditions[j]
				if alike != "" { // then the order of most lists does not count
					c.Reason = alike
				}
				reasons = append(reasons, c.Reason)
			}
		}
		swapped := in
		swapped.Pools = slices.Clone(in.Pools)
		for i := range in.Pools {
			list, most := in.Pools[i].Budgets.Budgets(), in.Pools[i].Budgets.MostSpecific()
			compile := func() (set budget.Set) {
				set, _ = budget.Spec{Budgets: slices.Clone(list), MostSpecific: most}.Compile()
				return set
			}
			in.Pools[i].Budgets = compile()
			for range 3 * len(list) {
				at := rapid.IntRange(0, max(0, len(list)-2)).Draw(t, "swap")
				if len(list) > 1 && !ordered(reasons, list[at], list[at+1]) {
					list[at], list[at+1] = list[at+1], list[at]
				}
			}
			swapped.Pools[i].Budgets = compile()
		}
		want, got := disruptkit.Decide(in, asked), disruptkit.Decide(swapped, asked)
		if diff := cmp.Diff(keys(want.Allowed), keys(got.Allowed)); diff != "" {
			t.Fatalf("%v\n%s", swapped.Pools, diff)
		}
		if diff := cmp.Diff(want.Memory, got.Memory); diff != "" {
			t.Fatalf("%v\n%s", swapped.Pools, diff)
		}
	})
}

// ordered reports whether it matters which of two budgets comes first.
func ordered(reasons []candidate.Reason, a, b budget.Budget) bool {
	if !a.Sequential || !b.Sequential {
		return false
	}
	if a.TopologyKey != b.TopologyKey {
		return true
	}
	for _, r := range reasons {
		covers := func(n candidate.Reason) bool { return n.Covers(r) }
		names := func(b budget.Budget) bool { return len(b.Reasons) == 0 || slices.ContainsFunc(b.Reasons, covers) }
		if names(a) && names(b) {
			return true
		}
	}
	return false
}

func keys(all []candidate.Candidate) (keys []string) {
	for _, c := range all {
		keys = append(keys, fixture.Key(c))
	}
	return keys
}

// Zone a has the turn because of its oldest node, whose pods' window closes. Then zone b has it.
func TestAnAllowedNodeIsAllowedOnlyAsLongAsItsZoneSurelyHasTheTurn(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Zoned("a1* a2* b1*"), Pools: []disruptkit.Pool{fixture.Pool(t, fixture.Sequential("2"))}}
	for i, hours := range []int{30, 1, 10} {
		in.Nodes[i].Conditions[0].Since = fixture.Noon.Add(-time.Duration(hours) * time.Hour)
	}
	in.Nodes[0] = fixture.GoesFrom(in.Nodes[0], 11, 2)
	for _, c := range disruptkit.Decide(in, candidate.Drifted).Allowed {
		if want := fixture.Clock("13:00"); c.Node == "a2" && !c.Until.Equal(want) {
			t.Errorf("a2 is allowed until %v, want %v", c.Until, want)
		}
	}
	if d := disruptkit.Decide(in, candidate.Drifted); len(d.Allowed) != 2 {
		t.Error(fixture.Story(d))
	}
}
