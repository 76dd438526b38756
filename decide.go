package disruptkit

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/gate/budgets"
	"github.com/disruptkit/disruptkit/internal/later"
	"github.com/disruptkit/disruptkit/internal/line"
)

// Decide says which nodes may be disrupted now for a reason or its children, and why the others may not. The reason ""
// means all reasons. A node is a candidate once for each of its conditions that the reason covers, but is allowed at
// most once.
//
// Candidates are judged oldest first; those of the same age by node, pool and reason. As in Karpenter, candidates for
// Unhealthy come before all others: the most urgent first (candidate.Condition.Urgency), and of equally urgent ones the
// cheapest (candidate.Node.Cost). Pools and groups may have another order than by age (budget.Spec.Order): their
// candidates share the places in line that they have by age, a group's first, and then each pool's own. Turns of zones
// do not depend on it. Those with which a roll in waves begins (budget.Rollout.From) come before others without a
// deadline. In Karpenter's dialect, nodes without pods to move come first where Drifted is asked for
// (candidate.Node.Vacant).
//
// A candidate may have a deadline (candidate.Condition.Deadline, budget.Control.Deadline). Candidates with a deadline
// come before those without, the earliest deadline first. For Unhealthy, the deadline of a candidate with an Urgency
// does not count for that. Before the deadline, this is its only effect on which nodes go. From the deadline on, the
// node is overdue (candidate.Candidate.Overdue): windows, paces, soaks, back-offs and even a budget that is always 0 no
// longer block it. It may go whenever it could without a deadline. It may also go while fewer nodes of its pool are in
// flight or not Ready than [budget.Set.Overdue] allows: the lowest limit above 0 of the pool's budgets for the reason,
// active or not, or 1 if there is none.
//
// These still block an overdue node: turns and limits of zones (their windows, too), waves (budget.Rollout), probes,
// pauses, invalid budgets, and the blockers of the node itself (do-not-disrupt, disruptAfter, minAge, the caller's own
// blockers). Its pods do, too, unless the node has a termination grace period.
//
// Each candidate is judged by its own reason: a budget for Drifted/AMIDrift does not apply to a node with
// Drifted/SubnetDrift. A sequential one does apply to a node that is only known to have Drifted, because two zones
// would roll at once if the two nodes had drifted for the same reason ([topology.Options.Applies]). Each allowed
// candidate uses up one node of every budget of its pool, whatever reasons the budget names. If the most specific
// budgets decide, it takes one only from the budgets that apply to it ([budget.Set]). As in Karpenter, a
// candidate that is not Ready counts twice until it is in flight: once because it is not Ready, and once because it is
// allowed. For Unhealthy it counts once, because repair is for nodes that are not Ready.
//
// A node that goes also uses up one disruption of each PodDisruptionBudget of its pods, across pools. Once such a
// budget is used up, other nodes with its pods are blocked until the nodes in flight have released their pods.
// (Karpenter checks each node separately: CanEvictPods.)
//
// If Input.Now is zero, every node is blocked, and a warning says so. Without a time, Decide cannot know which windows
// are open.
//
// A second decision on the same input does not know what the first one allowed; see [Input.Apply].
func Decide(in Input, reason candidate.Reason) Decision {
	in, noEffect := in.inDialect()
	in, negative := in.withoutNegatives()
	// Two readings of the same gates: row.Decide says which nodes go (package gate has the map), and explain, last,
	// until when, and what holds back the others (package later).
	row := open(in, reason)
	defer row.Close()
	row.Decide()
	d := Decision{
		Now: in.Now, Reason: reason,
		Pools: numbers(row, row.Pools), Groups: numbers(row, row.Groups), Memory: remember(row, in),
		Warnings: slices.Concat(warnings(row, in), noEffect, negative),
	}
	d.explain(row)
	return d
}

// open opens the gates for the input.
func open(in Input, reason candidate.Reason) *line.Row {
	policies := make([]gate.Policy, len(in.Pools))
	for i, p := range in.Pools {
		policies[i] = gate.Policy(p)
	}
	groups := make([]gate.Group, len(in.Groups))
	for i, g := range in.Groups {
		groups[i] = gate.Group(g)
	}
	return line.Open(gate.Input{
		Now: in.Now, Reason: reason, Policies: policies, Groups: groups, Nodes: in.Nodes, Rules: in.Rules,
		Verdicts: in.Verdicts, Pauses: in.Pauses,
		Rolls: rolls(in.Memory), Starts: starts(in.Memory), Waits: in.waits(), Waves: waves(in.Memory),
		Soaks: soaks(in.Memory), Dialect: in.Dialect,
	})
}

// explain lists the candidates in order, with their blockers, and computes until when each answer holds.
func (d *Decision) explain(row *line.Row) {
	reading := later.Read(row)
	d.Blocked = make([]candidate.Candidate, 0, len(row.Line))
	for r := range row.Walk() {
		blockers, until := reading.Next(r)
		list := &d.Blocked
		if r.Goes {
			list = &d.Allowed
		}
		*list = append(*list, candidate.Candidate{
			Node: r.Name, Pool: r.PoolName(), Reason: r.Reason(), Since: r.Since, Deadline: r.Deadline(),
			Until: until, Blockers: blockers, Displaced: r.Displaced, Overdue: r.Overdue(d.Now),
		})
	}
	for _, p := range slices.Concat(d.Pools, d.Groups) {
		reading.Consider(p.Until)
		reading.Consider(p.NextStart)
		for _, b := range p.Blockers {
			reading.Consider(b.Until)
		}
	}
	d.NextChange = reading.NextChange()
}

// numbers returns Decision.Pools or Decision.Groups.
func numbers(row *line.Row, pools []*gate.Pool) []PoolDecision {
	var all []PoolDecision
	for _, p := range pools {
		for _, k := range p.AskedKinds() {
			q := row.Budgets.Quota(k)
			d := PoolDecision{
				Pool: p.Name, Reason: k.Reason, Nodes: p.Nodes, Disrupting: q.InUse,
				Allowance: q.Allowance, Remaining: q.Allowance.Remaining(q.InUse), MayStart: q.MayStart,
			}
			if !candidate.Unhealthy.Covers(k.Reason) {
				d.Missing = p.InUse.Missing()
			}
			if !p.Ambiguous {
				d.NextStart = nextStart(row, q)
				d.Until = p.Budgets.Until(row.Now, p.Nodes, k.Reason)
				d.Blockers = slices.Concat(p.Blockers, row.Signals.Against(k), row.Backoff.Against(k))
			}
			if r := row.Waves.Of(p, k.Reason); r != nil {
				d.Wave = new(Wave(r.Stand()))
			}
			for _, z := range row.Zones.Own(k) {
				d.Topology = append(d.Topology, z.Turn)
			}
			all = append(all, d)
		}
	}
	return all
}

// nextStart returns when a node may start for a reason if paces let none start now.
func nextStart(row *line.Row, q *budgets.Quota) (next time.Time) {
	if q.MayStart.Nodes > 0 || row.Now.IsZero() {
		return next
	}
	return row.Budgets.Pacer(q.Pool).NextStart(row.Now, q.Reason)
}

// warnings returns what is wrong with the input.
func warnings(row *line.Row, in Input) []candidate.Warning {
	var all []candidate.Warning
	if w, missing := candidate.NoTime(in.Now); missing {
		w.Field = "Input.Now"
		all = append(all, w)
	}
	for _, p := range row.Pools {
		all = append(all, row.Warnings(p)...)
		all = append(all, in.Memory[p.MemoryKey()].warnings(p.Object())...)
	}
	all = append(all, row.GroupWarnings()...)
	for _, p := range row.Groups {
		all = append(all, row.Warnings(p)...)
		all = append(all, in.Memory[p.MemoryKey()].warnings(p.Object())...)
	}
	all = append(all, row.NodeWarnings()...)
	for _, name := range slices.Sorted(maps.Keys(row.Namesakes)) {
		if name == "" {
			continue // said above
		}
		all = append(all, candidate.Warning{
			Code: candidate.CodeDuplicateNode, Object: "Node/" + name, Field: "name", Value: name,
			Message: fmt.Sprintf("several nodes are called %q, and none of them is disrupted: write each node once",
				name),
		})
	}
	return slices.Concat(all, row.AskedWarnings(), row.DeadlineWarnings(), in.Rules.Warnings(), row.Signals.Warnings())
}
