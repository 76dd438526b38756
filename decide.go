package disruptkit

import (
	"fmt"
	"maps"
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/gate"
	"github.com/disruptkit/disruptkit/internal/later"
)

// Decide says which nodes may be disrupted now for a reason or its children, and why the others may not. The reason
// "" is all of them. A node is a candidate once for each of its conditions that the reason covers, and is allowed
// once at the most.
//
// Candidates are judged oldest first; of the same age by node, pool and reason. Each is judged at its own reason: a
// budget for Drifted/AMIDrift does not concern a node that has Drifted/SubnetDrift. What may go is subtracted from
// what remains of its pool's budgets, whatever their reasons; where the most specific budgets decide, of those that
// it shares (budget.Set.InUse). As in Karpenter, a candidate that is not Ready counts twice, as such and as allowed,
// until it is in flight.
//
// A node that goes also uses up one disruption of each PodDisruptionBudget of its pods, whatever its pool: where one is spent,
// nodes with such pods stay until those in flight have let them go. (Karpenter asks each node on its own: CanEvictPods.)
//
// Where Input.Now is zero nothing may go, and a warning says so: nobody knows which windows are open.
//
// A second decision on the same input knows nothing of what the first allows; see Input.Apply.
func Decide(in Input, reason candidate.Reason) Decision {
	row := open(in, reason)
	row.Decide()
	d := Decision{
		Now: in.Now, Reason: reason,
		Pools: numbers(row), Memory: remember(row, in.Memory), Warnings: warnings(row, in),
	}
	d.explain(row)
	return d
}

// open opens the gates on the input.
func open(in Input, reason candidate.Reason) *gate.Row {
	policies := make([]gate.Policy, len(in.Pools))
	for i, p := range in.Pools {
		policies[i] = gate.Policy(p)
	}
	return gate.Open(gate.Input{
		Now: in.Now, Reason: reason, Pools: policies, Nodes: in.Nodes, Rules: in.Rules, Verdicts: in.Verdicts, Rolls: rolls(in.Memory),
	})
}

// explain lists the candidates in the order of the line, with their blockers and until when each answer holds.
func (d *Decision) explain(row *gate.Row) {
	reading := later.Read(row)
	d.Blocked = make([]candidate.Candidate, 0, len(row.Line))
	for i := range row.Line {
		r := &row.Line[i]
		c := candidate.Candidate{
			Node: r.Name, Pool: r.PoolName(), Reason: r.Reason(), Since: r.Since, Displaced: r.Displaced,
		}
		c.Blockers, c.Until = reading.Next(r)
		if r.Goes {
			d.Allowed = append(d.Allowed, c)
		} else {
			d.Blocked = append(d.Blocked, c)
		}
	}
	for _, p := range d.Pools {
		reading.Consider(p.Until)
		for _, b := range p.Blockers {
			reading.Consider(b.Until)
		}
	}
	d.NextChange = reading.NextChange()
}

// numbers returns the numbers of each pool and reason.
func numbers(row *gate.Row) []PoolDecision {
	var all []PoolDecision
	for _, p := range row.Pools {
		for _, k := range p.AskedKinds() {
			q := row.Budgets.Quota(k)
			d := PoolDecision{
				Pool: p.Name, Reason: k.Reason, Nodes: p.Nodes, Disrupting: q.InUse,
				Allowance: q.Allowance, Remaining: q.Allowance.Remaining(q.InUse),
			}
			if !p.Ambiguous {
				d.Until = p.Budgets.Until(row.Now, p.Nodes, k.Reason)
				d.Blockers = slices.Concat(p.Blockers, row.Signals.Against(k))
			}
			for _, z := range row.Zones.Of(k) {
				d.Topology = append(d.Topology, z.Turn)
			}
			all = append(all, d)
		}
	}
	return all
}

// warnings returns what is wrong with the input.
func warnings(row *gate.Row, in Input) []candidate.Warning {
	var all []candidate.Warning
	if w, missing := candidate.NoTime(in.Now); missing {
		w.Field = "Input.Now"
		all = append(all, w)
	}
	for _, p := range row.Pools {
		all = append(all, row.Warnings(p)...)
	}
	for _, name := range slices.Sorted(maps.Keys(row.Namesakes)) {
		all = append(all, candidate.Warning{
			Code: candidate.CodeDuplicateNode, Object: "Node/" + name, Field: "name", Value: name,
			Message: fmt.Sprintf("several nodes are called %q, and none of them is disrupted: write each node once", name),
		})
	}
	return slices.Concat(all, in.Rules.Warnings(), row.Signals.Warnings())
}
