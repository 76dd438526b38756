package disruptkit_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

const zone = "topology.kubernetes.io/zone"

// zoned returns Ready nodes of the pool "default", such as "a1 a2 b1", in the zones that their first letters name. Those
// with a star have drifted, each an hour after the one before: "a1* b1* a2*".
func zoned(names string) []candidate.Node {
	var nodes []candidate.Node
	for i, name := range strings.Fields(names) {
		name, drifted := strings.CutSuffix(name, "*")
		n := candidate.Node{Name: name, Pool: "default", Initialized: true, Ready: true, Labels: map[string]string{zone: name[:1]}}
		if drifted {
			n.Conditions = []candidate.Condition{{Reason: "Drifted", Since: friday.Add(time.Duration(i-99) * time.Hour)}}
		}
		nodes = append(nodes, n)
	}
	return nodes
}

func sequential(nodes string) budget.Budget {
	return budget.Budget{Nodes: nodes, TopologyKey: zone, Sequential: true}
}

// during makes a budget one for some hours.
func during(b budget.Budget, schedule, duration string) budget.Budget {
	b.Schedule, b.Duration = schedule, duration
	return b
}

var (
	freeze = during(budget.Budget{Nodes: "0"}, "0 9 * * *", "8h") // until 17:00
	spent  = []candidate.Blocker{{Gate: candidate.GatePod, Code: "pdb", Message: "PDB web/api allows no disruption"}}
)

// rolling returns the rolls of a pool whose roll is in a zone, where nothing could start since a time.
func rolling(in, idleSince string) map[string]disruptkit.Memory {
	r := topology.Roll{Key: zone, Domain: in}
	if idleSince != "" {
		at, err := time.Parse("15:04", idleSince)
		if err != nil {
			panic(err)
		}
		r.IdleSince = friday.Truncate(24 * time.Hour).Add(at.Sub(at.Truncate(24 * time.Hour)))
	}
	return map[string]disruptkit.Memory{"default": {Roll: r}}
}

// turns tells a decision about zones: what may go, what holds back the others, the roll, and when to look again.
func turns(d disruptkit.Decision) string {
	var s strings.Builder
	for _, c := range d.Allowed {
		fmt.Fprintf(&s, "+ %s %s", c.Node, c.Reason)
		if !c.Until.IsZero() {
			s.WriteString(" until " + c.Until.Format("15:04"))
		}
		s.WriteString("\n")
	}
	for _, c := range d.Blocked {
		for _, b := range c.Blockers {
			fmt.Fprintf(&s, "- %s %s\n", c.Node, b)
		}
	}
	for _, w := range d.Warnings {
		fmt.Fprintf(&s, "! %s: %s\n", w.Code, w)
	}
	for _, pool := range slices.Sorted(maps.Keys(d.Memory)) {
		r := d.Memory[pool].Roll
		fmt.Fprintf(&s, "roll of %s: %s=%s", pool, r.Key, r.Domain)
		if !r.IdleSince.IsZero() {
			s.WriteString(", idle since " + r.IdleSince.Format("15:04"))
		}
		s.WriteString("\n")
	}
	if !d.NextChange.IsZero() {
		s.WriteString("next change: " + d.NextChange.Format("15:04") + "\n")
	}
	return s.String()
}

func TestDecisionsOnZones(t *testing.T) {
	for _, c := range []struct {
		name   string
		in     func(t *testing.T) disruptkit.Input
		reason candidate.Reason
		want   string
	}{
		{"one zone at a time, the one that drifted first", func(t *testing.T) disruptkit.Input {
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("1"))}, Nodes: zoned("b1* a1* b2*")}
		}, "Drifted", `
+ b1 Drifted
- a1 topology/waits-for-domain: a waits for b (0 in flight, 2 to go)
- b2 topology/exhausted: 1 of 2 nodes of b may go at once, 1 allowed before this one: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time
roll of default: topology.kubernetes.io/zone=b
`},
		{"what consolidation has in flight uses up the zone's limit, and is no roll", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1 a2* b1*")
			nodes[0].Deleting, nodes[0].DisruptedFor = true, "Underutilized"
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("1"))}, Nodes: nodes}
		}, "Drifted", `
+ b1 Drifted
- a2 topology/waits-for-domain: a waits for b (0 in flight, 1 to go)
roll of default: topology.kubernetes.io/zone=b
`},
		{"consolidation asks neither for a turn nor for the zone's limit", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* b1 b2")
			nodes[0].Deleting, nodes[0].DisruptedFor = true, "Drifted"
			for i := range 2 {
				nodes[1+i].Conditions = []candidate.Condition{{Reason: "Empty", Since: friday}}
			}
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("1"))}, Nodes: nodes, Memory: rolling("a", "")}
		}, "Empty", `
+ b1 Empty
+ b2 Empty
roll of default: topology.kubernetes.io/zone=a
`},
		{"all reasons at once: each zone's limit counts all that goes", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* a2* b1")
			nodes[2].Conditions = []candidate.Condition{{Reason: "Empty", Since: friday.Add(-200 * time.Hour)}}
			nodes[1].Conditions = []candidate.Condition{{Reason: "Empty", Since: friday.Add(-200 * time.Hour)}}
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("1"))}, Nodes: nodes}
		}, "", `
+ a2 Empty
+ b1 Empty
- a1 topology/exhausted: 1 of 2 nodes of a may go at once, 1 allowed before this one: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time
`},
		{"an idle zone gives way to the next at a time, to as many as may go there", func(t *testing.T) disruptkit.Input {
			nodes := zoned("b1* a1* b2* c1*")
			nodes[1].Blockers = spent
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("1"))}, Nodes: nodes, Memory: rolling("a", "11:50")}
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
		{"where a node comes free before, the time is not known", func(t *testing.T) disruptkit.Input {
			nodes := zoned("b1* a1*")
			nodes[1].NominatedUntil = friday.Add(2 * time.Minute)
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("1"))}, Nodes: nodes, Memory: rolling("a", "11:50")}
		}, "Drifted", `
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: a pending pod is expected on the node
- a1 node/nominated: a pending pod is expected on the node (until 2026-11-20T12:02:00Z)
roll of default: topology.kubernetes.io/zone=a, idle since 11:50
next change: 12:02
`},
		{"a freeze does not make a zone idle", func(t *testing.T) disruptkit.Input {
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, freeze, sequential("1"))}, Nodes: zoned("b1* a1*"), Memory: rolling("a", "08:00")}
		}, "Drifted", `
- b1 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go)
- a1 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
roll of default: topology.kubernetes.io/zone=a
next change: 17:00
`},
		{"outside of its hours a sequential budget orders nothing, and the roll is not idle", func(t *testing.T) disruptkit.Input {
			night := during(sequential("1"), "0 22 * * *", "8h")
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, night)}, Nodes: zoned("b1* a1*"), Memory: rolling("a", "05:59")}
		}, "Drifted", `
+ b1 Drifted until 22:00
+ a1 Drifted until 22:00
roll of default: topology.kubernetes.io/zone=a
next change: 22:00
`},
		{"when its hours end, nobody waits any more", func(t *testing.T) disruptkit.Input {
			day := during(sequential("1"), "0 9 * * *", "8h")
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, day)}, Nodes: zoned("b1* a1*")}
		}, "Drifted", `
+ b1 Drifted until 17:00
- a1 topology/waits-for-domain: a waits for b (0 in flight, 1 to go) (until 2026-11-20T17:00:00Z)
roll of default: topology.kubernetes.io/zone=b
next change: 17:00
`},
		{"not sequential: each zone has the limit on its own, for every reason", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* a2* b1* b2")
			nodes[3].Conditions = []candidate.Condition{{Reason: "Empty", Since: friday}}
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, budget.Budget{Nodes: "1", TopologyKey: zone})}, Nodes: nodes}
		}, "", `
+ a1 Drifted
+ b1 Drifted
- a2 topology/exhausted: 1 of 2 nodes of a may go at once, 1 allowed before this one: budgets[0] is 1 per topology.kubernetes.io/zone
- b2 topology/exhausted: 1 of 2 nodes of b may go at once, 1 allowed before this one: budgets[0] is 1 per topology.kubernetes.io/zone
`},
		{"zones take turns, and racks are limited as well", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* a2* a3* b1*")
			for i := range nodes {
				nodes[i].Labels["rack"] = []string{"7", "7", "8", "8"}[i]
			}
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("2"), budget.Budget{Nodes: "1", TopologyKey: "rack"})}, Nodes: nodes}
		}, "Drifted", `
+ a1 Drifted
+ a3 Drifted
- a2 topology/exhausted: 1 of 2 nodes of 7 may go at once, 1 allowed before this one: budgets[1] is 1 per rack
- b1 topology/waits-for-domain: b waits for a (0 in flight, 3 to go)
- b1 topology/exhausted: 1 of 2 nodes of 8 may go at once, 1 allowed before this one: budgets[1] is 1 per rack
roll of default: topology.kubernetes.io/zone=a
`},
		{"a second sequential budget on the same key is ignored", func(t *testing.T) disruptkit.Input {
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("2"), sequential("0"))}, Nodes: zoned("a1* a2* a3* b1*")}
		}, "Drifted", `
+ a1 Drifted
+ a2 Drifted
- a3 topology/exhausted: 2 of 3 nodes of a may go at once, 2 allowed before this one: budgets[0] is 2 per topology.kubernetes.io/zone, one at a time
- b1 topology/waits-for-domain: b waits for a (0 in flight, 3 to go)
! several-sequential: NodePool/default: budgets[1].sequential: budgets[1] is 0 per topology.kubernetes.io/zone, one at a time: the first active sequential budget, budgets[0], orders the pool, and does so for this one's reasons, too: write one budget for all of them
roll of default: topology.kubernetes.io/zone=a
`},
		{"a second sequential budget on another key limits without an order", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* a2* b1*")
			for i := range nodes {
				nodes[i].Labels["rack"] = fmt.Sprint(i / 2)
			}
			racks := budget.Budget{Nodes: "1", TopologyKey: "rack", Sequential: true}
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("2"), racks)}, Nodes: nodes}
		}, "Drifted", `
+ a1 Drifted
- a2 topology/exhausted: 1 of 2 nodes of 0 may go at once, 1 allowed before this one: budgets[1] is 1 per rack, one at a time
- b1 topology/waits-for-domain: b waits for a (0 in flight, 2 to go)
! several-sequential: NodePool/default: budgets[1].sequential: budgets[1] is 1 per rack, one at a time: the first active sequential budget, budgets[0], orders the pool, and this one limits its domains without an order: leave sequential out
roll of default: topology.kubernetes.io/zone=a
`},
		{"a second sequential budget for other reasons takes turns with the first", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* b1* b2*")
			nodes[1].Conditions[0].Reason, nodes[2].Conditions[0].Reason = "Drifted/AMIDrift", "Drifted/AMIDrift"
			first, second := sequential("1"), sequential("1")
			first.Reasons, second.Reasons = []candidate.Reason{"Drifted/SubnetDrift"}, []candidate.Reason{"Drifted"}
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, first, second)}, Nodes: nodes}
		}, "Drifted", `
+ a1 Drifted
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go)
- b2 topology/waits-for-domain: b waits for a (0 in flight, 1 to go)
! several-sequential: NodePool/default: budgets[1].sequential: budgets[1] is 1 per topology.kubernetes.io/zone, one at a time (Drifted): the first active sequential budget, budgets[0], orders the pool, and does so for this one's reasons, too: write one budget for all of them
roll of default: topology.kubernetes.io/zone=a
`},
		{"a sequential budget for consolidation alone has no effect", func(t *testing.T) disruptkit.Input {
			b := sequential("1")
			b.Reasons = []candidate.Reason{"Empty", "Underutilized"}
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, b)}, Nodes: zoned("a1* b1*")}
		}, "Drifted", `
+ a1 Drifted
+ b1 Drifted
! no-effect: NodePool/default: budgets[0].sequential: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time (Empty, Underutilized): sequential budgets are for drift, and this one limits nothing: leave sequential out, or name Drifted
`},
		{"a typo among the reasons that take turns makes all of them do", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1 b1")
			for i := range nodes {
				nodes[i].Conditions = []candidate.Condition{{Reason: "Empty", Since: friday}}
			}
			p := pool(t, sequential("1"))
			p.Topology.Reasons = []candidate.Reason{"drift"}
			return disruptkit.Input{Pools: []disruptkit.Pool{p}, Nodes: nodes}
		}, "Empty", `
+ a1 Empty
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go)
! unknown-reason: NodePool/default: topology.reasons: reason "drift" is not known, and sequential budgets order all reasons: write Drifted, or what candidate.ParseReason returns
roll of default: topology.kubernetes.io/zone=a
`},
		{"a node of several reasons is free if it is for one of them", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* b1*")
			nodes[0].Conditions = append(nodes[0].Conditions, candidate.Condition{Reason: "Drifted/AMIDrift", Since: friday})
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("1"))}, Nodes: nodes}
		}, "Drifted/AMIDrift", `
+ a1 Drifted/AMIDrift
roll of default: topology.kubernetes.io/zone=a
`},
		{"a child that is asked for waits for what else has drifted", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* b1*")
			nodes[1].Conditions[0].Reason = "Drifted/AMIDrift"
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("1"))}, Nodes: nodes}
		}, "Drifted/AMIDrift", `
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go)
`},
		{"nodes without the label can be exempt, and start no roll", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* b1*")
			nodes[0].Labels = nil
			nodes[1].Blockers = []candidate.Blocker{{Gate: candidate.GateNode, Code: "no-room", Message: "no room for its pods"}}
			p := pool(t, sequential("1"))
			p.Topology.Unlabelled = topology.Exempt
			return disruptkit.Input{Pools: []disruptkit.Pool{p}, Nodes: nodes}
		}, "Drifted", `
+ a1 Drifted
- b1 node/no-room: no room for its pods
`},
		{"nodes without the label can stay", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* b1*")
			nodes[0].Labels = nil
			p := pool(t, sequential("1"))
			p.Topology.Unlabelled = topology.Block
			return disruptkit.Input{Pools: []disruptkit.Pool{p}, Nodes: nodes}
		}, "Drifted", `
+ b1 Drifted
- a1 topology/no-label: the node has no label topology.kubernetes.io/zone: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time
roll of default: topology.kubernetes.io/zone=b
`},
		{"nodes of the same name count once for percentages", func(t *testing.T) disruptkit.Input {
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("50%"))}, Nodes: zoned("a1* a2* a3 a3 a3 a3")}
		}, "Drifted", `
+ a1 Drifted
- a2 topology/exhausted: 1 of 2 nodes of a may go at once, 1 allowed before this one: budgets[0] is 50% per topology.kubernetes.io/zone, one at a time
! duplicate-node: Node/a3: name: several nodes are called "a3", and none of them is disrupted: write each node once
roll of default: topology.kubernetes.io/zone=a
`},
		{"rolls of pools that are not in the input are passed on, those without a key are not", func(t *testing.T) disruptkit.Input {
			rolls := rolling("b", "")
			rolls["gone"] = rolls["default"]
			rolls["other"] = disruptkit.Memory{Roll: topology.Roll{Domain: "b"}}
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("1")), {Name: "other"}}, Nodes: zoned("a1* b1*"), Memory: rolls}
		}, "Drifted", `
+ b1 Drifted
- a1 topology/waits-for-domain: a waits for b (0 in flight, 1 to go)
roll of default: topology.kubernetes.io/zone=b
roll of gone: topology.kubernetes.io/zone=b
`},
		{"what goes for other reasons counts in what is said to the next", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* a2* a3* a4*")
			nodes[2].Conditions[0].Reason = "Empty"
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("1"))}, Nodes: nodes}
		}, "", `
+ a1 Drifted
+ a3 Empty
- a2 topology/exhausted: 1 of 4 nodes of a may go at once, 1 allowed before this one: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time
- a4 topology/exhausted: 1 of 4 nodes of a may go at once, 2 allowed before this one: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time
roll of default: topology.kubernetes.io/zone=a
`},
		{"what goes now for other reasons takes a place in the zone that comes next", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* b2* b1* b3*")
			nodes[0].Blockers = spent
			nodes[1].Conditions[0].Reason = "Empty"
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("1"))}, Nodes: nodes, Memory: rolling("a", "11:50")}
		}, "", `
+ b2 Empty
- a1 pod/pdb: PDB web/api allows no disruption
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
- b1 topology/exhausted: after that, 1 of 3 nodes of b may go at once, 1 allowed before this one: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time
- b3 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
- b3 topology/exhausted: after that, 1 of 3 nodes of b may go at once, 1 allowed before this one: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time
roll of default: topology.kubernetes.io/zone=a, idle since 11:50
next change: 12:05
`},
		{"a node without the label stays for good, though the budget's hours end", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1*")
			nodes[0].Labels = nil
			day := during(sequential("1"), "0 9 * * *", "8h")
			p := pool(t, day)
			p.Topology.Unlabelled = topology.Block
			return disruptkit.Input{Pools: []disruptkit.Pool{p}, Nodes: nodes}
		}, "Drifted", `
- a1 topology/no-label: the node has no label topology.kubernetes.io/zone: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time (0 9 * * * for 8h, UTC)
next change: 17:00
`},
		{"the zone after the next waits for the end of the budget's hours, too", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* b1* c1*")
			nodes[0].Blockers = spent
			day := during(sequential("1"), "0 9 * * *", "8h")
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, day)}, Nodes: nodes, Memory: rolling("a", "11:50")}
		}, "Drifted", `
- a1 pod/pdb: PDB web/api allows no disruption
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
- c1 topology/waits-for-domain: c waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
- c1 topology/waits-for-domain: after that, c waits for b (0 in flight, 1 to go) (until 2026-11-20T17:00:00Z)
roll of default: topology.kubernetes.io/zone=a, idle since 11:50
next change: 12:05
`},
		{"who comes next may change until then", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* b1* c1*")
			nodes[0].Blockers = spent
			nodes[1].NominatedUntil = friday.Add(5 * time.Minute)
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("1"))}, Nodes: nodes, Memory: rolling("a", "11:50")}
		}, "Drifted", `
- a1 pod/pdb: PDB web/api allows no disruption
- b1 node/nominated: a pending pod is expected on the node (until 2026-11-20T12:05:00Z)
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
- b1 topology/waits-for-domain: whose turn it is after that depends on what happens until then
- c1 topology/waits-for-domain: c waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
- c1 topology/waits-for-domain: whose turn it is after that depends on what happens until then
roll of default: topology.kubernetes.io/zone=a, idle since 11:50
next change: 12:05
`},
		{"who waits for a zone without an end takes no place when a freeze ends", func(t *testing.T) disruptkit.Input {
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, freeze, budget.Budget{Nodes: "1"}, sequential("1"))}, Nodes: zoned("b1* a1*"), Memory: rolling("a", "")}
		}, "Drifted", `
- b1 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go)
- a1 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
roll of default: topology.kubernetes.io/zone=a
next change: 17:00
`},
		{"when a freeze ends, the zone's limit still holds", func(t *testing.T) disruptkit.Input {
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, freeze, sequential("1"))}, Nodes: zoned("a1* a2*")}
		}, "Drifted", `
- a1 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- a2 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- a2 topology/exhausted: nodes in flight and older candidates use up what may go in a after that
next change: 17:00
`},
		{"when a freeze ends, it may be another zone's turn", func(t *testing.T) disruptkit.Input {
			nodes := zoned("b1* a1*")
			nodes[0].NominatedUntil = friday.Add(5 * time.Minute)
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, freeze, sequential("1"))}, Nodes: nodes}
		}, "Drifted", `
- b1 node/nominated: a pending pod is expected on the node (until 2026-11-20T12:05:00Z)
- b1 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go)
- a1 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- a1 topology/waits-for-domain: whose turn it is after that depends on what happens until then
next change: 12:05
`},
		{"when the budget's hours end, the pool's limit still holds", func(t *testing.T) disruptkit.Input {
			day := during(sequential("1"), "0 9 * * *", "8h")
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, day, budget.Budget{Nodes: "2"})}, Nodes: zoned("a1* b1* b2*")}
		}, "Drifted", `
+ a1 Drifted until 17:00
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go) (until 2026-11-20T17:00:00Z)
- b2 topology/waits-for-domain: b waits for a (0 in flight, 1 to go) (until 2026-11-20T17:00:00Z)
- b2 budget/exhausted: nodes in flight and older candidates use up what may go after that
roll of default: topology.kubernetes.io/zone=a
next change: 17:00
`},
		{"what was not asked for, and stays for good, is not waited for", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* b1*")
			nodes[0].DoNotDisrupt = true
			nodes[1].Conditions[0].Reason = "Drifted/AMIDrift"
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("1"))}, Nodes: nodes}
		}, "Drifted/AMIDrift", `
+ b1 Drifted/AMIDrift
roll of default: topology.kubernetes.io/zone=b
`},
		{"a caller's blocker that should have lifted changes nothing in time", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1*")
			nodes[0].Blockers = []candidate.Blocker{{Gate: candidate.GatePod, Code: "pdb", Message: "PDB web/api allows no disruption", Until: friday.Add(-time.Hour)}}
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("1"))}, Nodes: nodes}
		}, "Drifted", `
- a1 pod/pdb: PDB web/api allows no disruption (until 2026-11-20T11:00:00Z)
`},
		{"of nodes of the same name, those in flight use up the zone's limit", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* a2 a2 b1*")
			nodes[1].Deleting, nodes[1].DisruptedFor = true, "Empty"
			nodes[2].Deleting, nodes[2].DisruptedFor = true, "Empty"
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("2"))}, Nodes: nodes, Memory: rolling("a", "")}
		}, "Drifted", `
- a1 topology/exhausted: 2 of 3 nodes of a may go at once, 2 in flight for other reasons: budgets[0] is 2 per topology.kubernetes.io/zone, one at a time
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up: 2 of 3 nodes of a may go at once, 2 in flight for other reasons (until 2026-11-20T12:15:00Z)
! duplicate-node: Node/a2: name: several nodes are called "a2", and none of them is disrupted: write each node once
roll of default: topology.kubernetes.io/zone=a, idle since 12:00
next change: 12:15
`},
		{"a node that waits takes no place now", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* a2*")
			nodes[0].NominatedUntil = friday.Add(5 * time.Minute)
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("1"))}, Nodes: nodes}
		}, "Drifted", `
+ a2 Drifted until 12:05
- a1 node/nominated: a pending pod is expected on the node (until 2026-11-20T12:05:00Z)
roll of default: topology.kubernetes.io/zone=a
next change: 12:05
`},
		{"when a freeze ends, those that may go now still take their places", func(t *testing.T) disruptkit.Input {
			freeze := budget.Budget{Nodes: "0", Schedule: "0 9 * * *", Duration: "8h", Reasons: []candidate.Reason{"Drifted/AMIDrift"}}
			nodes := zoned("a1* a2* a3*")
			nodes[1].Conditions[0].Reason, nodes[2].Conditions[0].Reason = "Drifted/AMIDrift", "Drifted/AMIDrift"
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, freeze, sequential("2"))}, Nodes: nodes}
		}, "Drifted", `
+ a1 Drifted
- a2 budget/allows-none: 0 of 3 nodes may go now: budgets[0] is 0 (Drifted/AMIDrift; 0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- a3 budget/allows-none: 0 of 3 nodes may go now: budgets[0] is 0 (Drifted/AMIDrift; 0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- a3 topology/exhausted: nodes in flight and older candidates use up what may go in a after that
roll of default: topology.kubernetes.io/zone=a
next change: 17:00
`},
		{"when a freeze ends, and the budget's hours later", func(t *testing.T) disruptkit.Input {
			day := during(sequential("1"), "0 9 * * *", "9h")
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, freeze, day)}, Nodes: zoned("a1* a2*")}
		}, "Drifted", `
- a1 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- a2 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- a2 topology/exhausted: nodes in flight and older candidates use up what may go in a after that
next change: 17:00
`},
		{"when a freeze ends as a pod's nomination does, and the budget's hours later", func(t *testing.T) disruptkit.Input {
			day := during(sequential("1"), "0 9 * * *", "9h")
			nodes := zoned("b1* a1*")
			nodes[0].NominatedUntil = friday.Add(5 * time.Hour)
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, freeze, day)}, Nodes: nodes}
		}, "Drifted", `
- b1 node/nominated: a pending pod is expected on the node (until 2026-11-20T17:00:00Z)
- b1 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go) (until 2026-11-20T18:00:00Z)
- a1 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- a1 topology/waits-for-domain: whose turn it is after that depends on what happens until then
next change: 17:00
`},
		{"what holds back the whole pool does not make a zone idle", func(t *testing.T) disruptkit.Input {
			p := pool(t, sequential("1"))
			p.Blockers = []candidate.Blocker{{Gate: candidate.GateProbe, Code: "unhealthy", Message: "an incident is going on"}}
			return disruptkit.Input{Pools: []disruptkit.Pool{p}, Nodes: zoned("b1* a1*"), Memory: rolling("a", "08:00")}
		}, "Drifted", `
- b1 probe/unhealthy: an incident is going on
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go)
- a1 probe/unhealthy: an incident is going on
roll of default: topology.kubernetes.io/zone=a
`},
		{"a second sequential budget limits what the first does not name", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* a2* a3*")
			nodes[0].Conditions[0].Reason = "Drifted/AMIDrift"
			first, second := sequential("3"), sequential("1")
			first.Reasons, second.Reasons = []candidate.Reason{"Drifted/AMIDrift"}, []candidate.Reason{"Drifted"}
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, first, second)}, Nodes: nodes}
		}, "Drifted", `
+ a1 Drifted/AMIDrift
- a2 topology/exhausted: 1 of 3 nodes of a may go at once, 1 allowed before this one: budgets[1] is 1 per topology.kubernetes.io/zone, one at a time (Drifted)
- a3 topology/exhausted: 1 of 3 nodes of a may go at once, 1 allowed before this one: budgets[1] is 1 per topology.kubernetes.io/zone, one at a time (Drifted)
! several-sequential: NodePool/default: budgets[1].sequential: budgets[1] is 1 per topology.kubernetes.io/zone, one at a time (Drifted): the first active sequential budget, budgets[0], orders the pool, and does so for this one's reasons, too: write one budget for all of them
roll of default: topology.kubernetes.io/zone=a
`},
		{"a zone whose nodes a budget never lets go gives way", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* b1*")
			nodes[0].Conditions[0].Reason = "Drifted/AMIDrift"
			freeze := budget.Budget{Nodes: "0", Reasons: []candidate.Reason{"Drifted/AMIDrift"}}
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, freeze, sequential("1"))}, Nodes: nodes, Memory: rolling("a", "11:50")}
		}, "Drifted", `
- a1 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0 (Drifted/AMIDrift)
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: budgets never let it go for Drifted/AMIDrift (until 2026-11-20T12:05:00Z)
roll of default: topology.kubernetes.io/zone=a, idle since 11:50
next change: 12:05
`},
		{"a zone whose nodes have a reason that no budget can know gives way", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* b1*")
			nodes[0].Conditions[0].Reason = "Drifted/AMI Drift"
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("1"))}, Nodes: nodes, Memory: rolling("a", "11:45")}
		}, "Drifted", `
+ b1 Drifted
- a1 budget/unknown-reason: no node may go: reason "Drifted/AMI Drift" has a malformed child: write the reason of a condition, such as Drifted/AMIDrift
- a1 topology/waits-for-domain: a waits for b (0 in flight, 1 to go)
roll of default: topology.kubernetes.io/zone=b
`},
		{"while a budget of 0 stops everything, the turn stays where it is", func(t *testing.T) disruptkit.Input {
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, budget.Budget{Nodes: "0"}, sequential("1"))}, Nodes: zoned("b1* a1*"), Memory: rolling("a", "")}
		}, "Drifted", `
- b1 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: budgets never let it go for Drifted (until 2026-11-20T12:15:00Z)
- a1 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0
roll of default: topology.kubernetes.io/zone=a, idle since 12:00
next change: 12:15
`},
		{"a zone whose nodes lack the label of another budget is not waited for", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* b1*")
			nodes[1].Labels["rack"] = "7"
			p := pool(t, sequential("1"), budget.Budget{Nodes: "1", TopologyKey: "rack"})
			p.Topology.Unlabelled = topology.Block
			return disruptkit.Input{Pools: []disruptkit.Pool{p}, Nodes: nodes, Memory: rolling("a", "")}
		}, "Drifted", `
+ b1 Drifted
- a1 topology/waits-for-domain: a waits for b (0 in flight, 1 to go)
- a1 topology/no-label: the node has no label rack: budgets[1] is 1 per rack
roll of default: topology.kubernetes.io/zone=b
`},
		{"a zone whose racks are used up is idle", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* b1* c1")
			for i := range nodes {
				nodes[i].Labels["rack"] = []string{"7", "8", "7"}[i]
			}
			nodes[2].Deleting, nodes[2].DisruptedFor = true, "Empty"
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("1"), budget.Budget{Nodes: "1", TopologyKey: "rack"})}, Nodes: nodes, Memory: rolling("a", "")}
		}, "Drifted", `
- a1 topology/exhausted: 1 of 2 nodes of 7 may go at once, 1 in flight: budgets[1] is 1 per rack
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: 1 of 2 nodes of 7 may go at once, 1 in flight: budgets[1] is 1 per rack (until 2026-11-20T12:15:00Z)
roll of default: topology.kubernetes.io/zone=a, idle since 12:00
next change: 12:15
`},
		{"a freeze begins when the budget's hours end", func(t *testing.T) disruptkit.Input {
			day := during(sequential("1"), "0 9 * * *", "8h")
			freeze := budget.Budget{Nodes: "0", Schedule: "0 17 * * *", Duration: "16h"}
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, day, freeze)}, Nodes: zoned("a1* b1*")}
		}, "Drifted", `
+ a1 Drifted until 17:00
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go) (until 2026-11-20T17:00:00Z)
- b1 budget/allows-none: 0 of 2 nodes may go after that: budgets[1] is 0 (0 17 * * * for 16h, UTC)
roll of default: topology.kubernetes.io/zone=a
next change: 17:00
`},
		{"the budget's hours begin when a freeze ends", func(t *testing.T) disruptkit.Input {
			night := during(sequential("1"), "0 17 * * *", "16h")
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, night, freeze)}, Nodes: zoned("a1* b1*")}
		}, "Drifted", `
- a1 budget/allows-none: 0 of 2 nodes may go now: budgets[1] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- a1 topology/waits-for-domain: whose turn it is after that depends on what happens until then
- b1 budget/allows-none: 0 of 2 nodes may go now: budgets[1] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- b1 topology/waits-for-domain: whose turn it is after that depends on what happens until then
next change: 17:00
`},
		{"a node that leaves for another reason need not be Ready", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1 b1*")
			nodes[0].Deleting, nodes[0].DisruptedFor, nodes[0].Ready = true, "Underutilized", false
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("1"))}, Nodes: nodes, Memory: rolling("a", "")}
		}, "Drifted", `
+ b1 Drifted
roll of default: topology.kubernetes.io/zone=b
`},
		{"a choice for nodes without the label that is none makes them stay", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* b1*")
			nodes[0].Labels = nil
			p := pool(t, sequential("1"))
			p.Topology.Unlabelled = 7
			return disruptkit.Input{Pools: []disruptkit.Pool{p}, Nodes: nodes}
		}, "Drifted", `
+ b1 Drifted
- a1 topology/no-label: the node has no label topology.kubernetes.io/zone: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time
roll of default: topology.kubernetes.io/zone=b
`},
		{"two sequential budgets on one key order what both of them name", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* b1* a2* b2*")
			for i := range nodes {
				nodes[i].Conditions[0].Reason = []candidate.Reason{"Drifted/AMIDrift", "Drifted/SubnetDrift"}[i/2]
			}
			first, second := sequential("1"), sequential("1")
			first.Reasons, second.Reasons = []candidate.Reason{"Drifted/AMIDrift"}, []candidate.Reason{"Drifted/SubnetDrift"}
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, first, second)}, Nodes: nodes}
		}, "Drifted", `
+ a1 Drifted/AMIDrift
- b1 topology/waits-for-domain: b waits for a (0 in flight, 2 to go)
- a2 topology/exhausted: 1 of 2 nodes of a may go at once, 1 allowed before this one: budgets[0] is 1 per topology.kubernetes.io/zone, one at a time (Drifted/AMIDrift)
- a2 topology/exhausted: 1 of 2 nodes of a may go at once, 1 allowed before this one: budgets[1] is 1 per topology.kubernetes.io/zone, one at a time (Drifted/SubnetDrift)
- b2 topology/waits-for-domain: b waits for a (0 in flight, 2 to go)
! several-sequential: NodePool/default: budgets[1].sequential: budgets[1] is 1 per topology.kubernetes.io/zone, one at a time (Drifted/SubnetDrift): the first active sequential budget, budgets[0], orders the pool, and does so for this one's reasons, too: write one budget for all of them
roll of default: topology.kubernetes.io/zone=a
`},
		{"two sequential budgets on one key, and the second names nothing", func(t *testing.T) disruptkit.Input {
			first, second := sequential("1"), sequential("1")
			first.Reasons = []candidate.Reason{"Drifted/AMIDrift"}
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, first, second)}, Nodes: zoned("a1* b1*")}
		}, "Drifted", `
+ a1 Drifted
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go)
! several-sequential: NodePool/default: budgets[1].sequential: budgets[1] is 1 per topology.kubernetes.io/zone, one at a time: the first active sequential budget, budgets[0], orders the pool, and does so for this one's reasons, too: write one budget for all of them
roll of default: topology.kubernetes.io/zone=a
`},
		{"a second sequential budget on another key orders nothing", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* b1*")
			for i := range nodes {
				nodes[i].Conditions[0].Reason = "Drifted/SubnetDrift"
				nodes[i].Labels["rack"] = fmt.Sprint(i)
			}
			first, second := sequential("1"), budget.Budget{Nodes: "1", TopologyKey: "rack", Sequential: true, Reasons: []candidate.Reason{"Drifted/SubnetDrift"}}
			first.Reasons = []candidate.Reason{"Drifted/AMIDrift"}
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, first, second)}, Nodes: nodes}
		}, "Drifted", `
+ a1 Drifted/SubnetDrift
+ b1 Drifted/SubnetDrift
! several-sequential: NodePool/default: budgets[1].sequential: budgets[1] is 1 per rack, one at a time (Drifted/SubnetDrift): the first active sequential budget, budgets[0], orders the pool, and this one limits its domains without an order: leave sequential out
`},
		{"a node that stays for one of its reasons is to go for the other", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* b1*")
			nodes[0].Conditions = []candidate.Condition{
				{Reason: "Drifted/AMIDrift", Since: friday.Add(-200 * time.Hour)}, {Reason: "Drifted/SubnetDrift", Since: friday.Add(-190 * time.Hour)},
			}
			nodes[0].NominatedUntil, nodes[1].Labels["rack"] = friday.Add(5*time.Minute), "7"
			p := pool(t, sequential("1"), budget.Budget{Nodes: "1", TopologyKey: "rack", Reasons: []candidate.Reason{"Drifted/AMIDrift"}})
			p.Topology.Unlabelled = topology.Block
			return disruptkit.Input{Pools: []disruptkit.Pool{p}, Nodes: nodes, Memory: rolling("a", "")}
		}, "Drifted", `
- a1 node/nominated: a pending pod is expected on the node (until 2026-11-20T12:05:00Z)
- a1 topology/no-label: the node has no label rack: budgets[1] is 1 per rack (Drifted/AMIDrift)
- a1 node/nominated: a pending pod is expected on the node (until 2026-11-20T12:05:00Z)
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: a pending pod is expected on the node
roll of default: topology.kubernetes.io/zone=a, idle since 12:00
next change: 12:05
`},
		{"the numbers of a zone change when a node comes free, asked for or not", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* a2*")
			nodes[0].Deleting, nodes[0].DisruptedFor = true, "Drifted"
			nodes[1].NominatedUntil = friday.Add(5 * time.Minute)
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("1"))}, Nodes: nodes, Memory: rolling("a", "")}
		}, "Drifted/AMIDrift", `
roll of default: topology.kubernetes.io/zone=a
next change: 12:05
`},
		{"of a node that is held back by itself, only that is said", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1*")
			nodes[0].NominatedUntil = friday.Add(5 * time.Hour)
			freeze := budget.Budget{Nodes: "0", Schedule: "0 16 * * *", Duration: "8h"}
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("1"), freeze)}, Nodes: nodes, Memory: rolling("a", "")}
		}, "Drifted", `
- a1 node/nominated: a pending pod is expected on the node (until 2026-11-20T17:00:00Z)
roll of default: topology.kubernetes.io/zone=a, idle since 12:00
next change: 12:15
`},
		{"a rack's limit holds for those who wait for a zone", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* b1* b2*")
			nodes[0].Blockers = spent
			for i := range nodes {
				nodes[i].Labels["rack"] = []string{"7", "8", "8"}[i]
			}
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("2"), budget.Budget{Nodes: "1", TopologyKey: "rack"})}, Nodes: nodes, Memory: rolling("a", "11:50")}
		}, "Drifted", `
- a1 pod/pdb: PDB web/api allows no disruption
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
- b2 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
- b2 topology/exhausted: nodes in flight and older candidates use up what may go in 8 after that
roll of default: topology.kubernetes.io/zone=a, idle since 11:50
next change: 12:05
`},
		{"where a budget lifts after a zone gives way, and a node comes free in between", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1 b1* c1*")
			nodes[1].NominatedUntil = friday.Add(20 * time.Minute)
			p := pool(t, sequential("1"), freeze)
			p.Topology.Soak = 10 * time.Minute
			return disruptkit.Input{Pools: []disruptkit.Pool{p}, Nodes: nodes, Memory: rolling("a", "11:55")}
		}, "Drifted", `
- b1 node/nominated: a pending pod is expected on the node (until 2026-11-20T12:20:00Z)
- b1 budget/allows-none: 0 of 3 nodes may go now: budgets[1] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- b1 topology/waits-for-domain: b waits for a to settle (until 2026-11-20T12:05:00Z)
- b1 topology/waits-for-domain: after that, b waits for c (0 in flight, 1 to go)
- c1 budget/allows-none: 0 of 3 nodes may go now: budgets[1] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- c1 topology/waits-for-domain: c waits for a to settle (until 2026-11-20T12:05:00Z)
- c1 topology/waits-for-domain: whose turn it is after that depends on what happens until then
roll of default: topology.kubernetes.io/zone=a, idle since 11:55
next change: 12:05
`},
		{"a node with a reason that time lets go is to go then, whatever its others say", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* b1*")
			nodes[0].Conditions = append(nodes[0].Conditions, candidate.Condition{Reason: "Drifted/AMIDrift", Since: friday.Add(-200 * time.Hour)})
			nodes[0].NominatedUntil = friday.Add(5 * time.Minute)
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("1"), budget.Budget{Nodes: "0", Reasons: []candidate.Reason{"Drifted/AMIDrift"}})}, Nodes: nodes, Memory: rolling("a", "11:50")}
		}, "Drifted", `
- a1 node/nominated: a pending pod is expected on the node (until 2026-11-20T12:05:00Z)
- a1 budget/allows-none: 0 of 2 nodes may go now: budgets[1] is 0 (Drifted/AMIDrift)
- a1 node/nominated: a pending pod is expected on the node (until 2026-11-20T12:05:00Z)
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: a pending pod is expected on the node
roll of default: topology.kubernetes.io/zone=a, idle since 11:50
next change: 12:05
`},
		{"what a rack allows those who are not asked for makes their zone idle", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* b1*")
			nodes[0].Conditions[0].Reason, nodes[1].Conditions[0].Reason = "Drifted/AMIDrift", "Drifted/SubnetDrift"
			for i := range nodes {
				nodes[i].Labels["rack"] = fmt.Sprint(i)
			}
			racks := budget.Budget{Nodes: "0", TopologyKey: "rack", Reasons: []candidate.Reason{"Drifted/AMIDrift"}}
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("1"), racks)}, Nodes: nodes, Memory: rolling("a", "11:45")}
		}, "Drifted/SubnetDrift", `
+ b1 Drifted/SubnetDrift
roll of default: topology.kubernetes.io/zone=b
`},
		{"a second sequential budget takes nothing away from the first", func(t *testing.T) disruptkit.Input {
			second := sequential("1")
			second.Reasons = []candidate.Reason{"Drifted/AMIDrift"}
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("1"), second)}, Nodes: zoned("a1* b1*")}
		}, "Drifted", `
+ a1 Drifted
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go)
! several-sequential: NodePool/default: budgets[1].sequential: budgets[1] is 1 per topology.kubernetes.io/zone, one at a time (Drifted/AMIDrift): the first active sequential budget, budgets[0], orders the pool, and does so for this one's reasons, too: write one budget for all of them
roll of default: topology.kubernetes.io/zone=a
`},
		{"the budget's hours end before an idle zone gives way", func(t *testing.T) disruptkit.Input {
			morning := during(sequential("1"), "0 9 * * *", "3h5m")
			nodes := zoned("a1* b1* b2*")
			nodes[0].Blockers = spent
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, morning)}, Nodes: nodes, Memory: rolling("a", "11:55")}
		}, "Drifted", `
- a1 pod/pdb: PDB web/api allows no disruption
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
- b2 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
roll of default: topology.kubernetes.io/zone=a, idle since 11:55
next change: 12:05
`},
		{"all reasons can take turns, and that is no mistake", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* b1*")
			nodes[1].Conditions[0].Reason = "Empty"
			p := pool(t, sequential("1"))
			p.Topology.Reasons = []candidate.Reason{""}
			return disruptkit.Input{Pools: []disruptkit.Pool{p}, Nodes: nodes}
		}, "", `
+ a1 Drifted
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go)
roll of default: topology.kubernetes.io/zone=a
`},
		{"another budget's hours begin before an idle zone gives way", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* b1*")
			nodes[0].Blockers = spent
			racks := budget.Budget{Nodes: "1", TopologyKey: "rack", Schedule: "3 12 * * *", Duration: "1h"}
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("1"), racks)}, Nodes: nodes, Memory: rolling("a", "11:50")}
		}, "Drifted", `
- a1 pod/pdb: PDB web/api allows no disruption
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
- b1 topology/waits-for-domain: whose turn it is after that depends on what happens until then
roll of default: topology.kubernetes.io/zone=a, idle since 11:50
next change: 12:03
`},
		{"a node that stays for one of its reasons is to go for another, though a budget never lets it", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* b1*")
			nodes[0].Conditions = []candidate.Condition{
				{Reason: "Drifted/AMIDrift", Since: friday.Add(-200 * time.Hour)}, {Reason: "Drifted/SubnetDrift", Since: friday.Add(-190 * time.Hour)},
			}
			nodes[1].Labels["rack"] = "7"
			p := pool(t, sequential("1"), budget.Budget{Nodes: "1", TopologyKey: "rack", Reasons: []candidate.Reason{"Drifted/AMIDrift"}},
				budget.Budget{Nodes: "0", Reasons: []candidate.Reason{"Drifted/SubnetDrift"}})
			p.Topology.Unlabelled = topology.Block
			return disruptkit.Input{Pools: []disruptkit.Pool{p}, Nodes: nodes, Memory: rolling("a", "")}
		}, "Drifted", `
- a1 topology/no-label: the node has no label rack: budgets[1] is 1 per rack (Drifted/AMIDrift)
- a1 budget/allows-none: 0 of 2 nodes may go now: budgets[2] is 0 (Drifted/SubnetDrift)
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: budgets never let it go for Drifted/SubnetDrift (until 2026-11-20T12:15:00Z)
roll of default: topology.kubernetes.io/zone=a, idle since 12:00
next change: 12:15
`},
		{"when a freeze ends, the zone that has the turn keeps it, whoever comes free in another", func(t *testing.T) disruptkit.Input {
			nodes := zoned("b1* a1*")
			nodes[0].NominatedUntil = friday.Add(5 * time.Minute)
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, freeze, sequential("1"))}, Nodes: nodes, Memory: rolling("a", "")}
		}, "Drifted", `
- b1 node/nominated: a pending pod is expected on the node (until 2026-11-20T12:05:00Z)
- b1 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go)
- a1 budget/allows-none: 0 of 2 nodes may go now: budgets[0] is 0 (0 9 * * * for 8h, UTC) (until 2026-11-20T17:00:00Z)
roll of default: topology.kubernetes.io/zone=a
next change: 12:05
`},
		{"who waits for a zone may take the place of who may go now for another reason", func(t *testing.T) disruptkit.Input {
			nodes := zoned("b1* a1* c1*")
			nodes[1].Blockers = spent
			nodes[2].Conditions[0].Reason = "Empty"
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, sequential("1"), budget.Budget{Nodes: "1"})}, Nodes: nodes, Memory: rolling("a", "11:50")}
		}, "", `
+ c1 Empty until 12:05
- b1 topology/waits-for-domain: b waits for a (0 in flight, 1 to go), held up by a1: PDB web/api allows no disruption (until 2026-11-20T12:05:00Z)
- a1 pod/pdb: PDB web/api allows no disruption
roll of default: topology.kubernetes.io/zone=a, idle since 11:50
next change: 12:05
`},
		{"who waits longer for others than for a budget may take the place when that opens", func(t *testing.T) disruptkit.Input {
			nodes := zoned("a1* a2* a3*")
			nodes[0].NominatedUntil, nodes[1].NominatedUntil = friday.Add(66*time.Minute), friday.Add(time.Minute)
			for i, r := range []candidate.Reason{"Drifted/AMIDrift", "Drifted/AMIDrift", "Drifted/SubnetDrift"} {
				nodes[i].Conditions[0].Reason = r
			}
			freeze := budget.Budget{Nodes: "0", Schedule: "0 9 * * *", Duration: "4h", Reasons: []candidate.Reason{"Drifted/AMIDrift"}}
			afternoon := budget.Budget{Nodes: "1", Schedule: "0 13 * * *", Duration: "4h", Reasons: []candidate.Reason{"Drifted"}}
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, freeze, afternoon)}, Nodes: nodes}
		}, "Drifted", `
+ a3 Drifted/SubnetDrift until 13:00
- a1 node/nominated: a pending pod is expected on the node (until 2026-11-20T13:06:00Z)
- a1 budget/allows-none: 0 of 3 nodes may go now: budgets[0] is 0 (Drifted/AMIDrift; 0 9 * * * for 4h, UTC) (until 2026-11-20T13:00:00Z)
- a2 node/nominated: a pending pod is expected on the node (until 2026-11-20T12:01:00Z)
- a2 budget/allows-none: 0 of 3 nodes may go now: budgets[0] is 0 (Drifted/AMIDrift; 0 9 * * * for 4h, UTC) (until 2026-11-20T13:00:00Z)
- a2 budget/exhausted: nodes in flight and older candidates use up what may go after that (until 2026-11-20T17:00:00Z)
next change: 12:01
`},
		{"a node that may be part of the roll once it is in flight lets no other zone start beside it", func(t *testing.T) disruptkit.Input {
			b := sequential("1")
			b.Reasons = []candidate.Reason{"Drifted/AMIDrift"}
			nodes := zoned("a1* b1*")
			nodes[1].Conditions[0].Reason = "Drifted/AMIDrift"
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, b)}, Nodes: nodes}
		}, "Drifted", `
+ a1 Drifted
- b1 topology/waits-for-domain: b waits for a, where a node may go now that may be part of the roll
`},
		{"nor does it hold back its own zone", func(t *testing.T) disruptkit.Input {
			b := sequential("2")
			b.Reasons = []candidate.Reason{"Drifted/AMIDrift"}
			nodes := zoned("b1* b2*")
			nodes[1].Conditions[0].Reason = "Drifted/AMIDrift"
			return disruptkit.Input{Pools: []disruptkit.Pool{pool(t, b)}, Nodes: nodes}
		}, "Drifted", `
+ b1 Drifted
+ b2 Drifted/AMIDrift
roll of default: topology.kubernetes.io/zone=b
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := c.in(t)
			in.Now = friday
			if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), turns(disruptkit.Decide(in, c.reason))); diff != "" {
				t.Error(diff)
			}
		})
	}
}
