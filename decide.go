package disruptkit

import (
	"fmt"
	"maps"
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
)

// Decide decides which nodes may be disrupted now for a reason or its children, and why the others may not. The reason
// "" means all reasons. It asks a [Session] for each candidate in line, and disrupts each that nothing blocks.
func Decide(in Input, reason candidate.Reason) Decision {
	s := Open(in, reason)
	for c := range s.Candidates() {
		s.Disrupt(c)
	}
	return s.Close()
}

// numbers returns Decision.Pools or Decision.Groups.
func numbers(row *row, pools []*scope) []PoolDecision {
	var all []PoolDecision
	for _, p := range pools {
		for _, k := range p.AskedKinds() {
			q := row.Budgets.Quota(k)
			d := PoolDecision{
				Pool: p.Name, Reason: k.Reason, Nodes: p.Nodes, Disrupting: q.InUse,
				Allowance: q.Allowance, Remaining: q.Allowance.Remaining(q.InUse), MayStart: q.MayStart,
				NextStart: q.NextStart, Wave: row.Waves.Of(p, k.Reason),
			}
			if !candidate.Unhealthy.Covers(k.Reason) {
				d.Missing = p.InUse.Missing
			}
			if !p.Ambiguous {
				d.Until = p.Budgets.Until(row.Now, p.Nodes, k.Reason)
				d.Blockers = slices.Concat(p.Blockers, row.Signals.Against(k), row.Backoff.Against(k))
			}
			for _, z := range row.Zones.Own(k) {
				d.Topology = append(d.Topology, z.Turn)
			}
			all = append(all, d)
		}
	}
	return all
}

// warnings returns what is wrong with the input.
func warnings(row *row) []candidate.Warning {
	var all []candidate.Warning
	if w, missing := candidate.NoTime(row.Now); missing {
		w.Field = "Input.Now"
		all = append(all, w)
	}
	for _, p := range row.Pools {
		all = append(all, row.Warnings(p)...)
		all = append(all, row.Memory[p.MemoryKey()].warnings(p.Object())...)
	}
	all = append(all, row.GroupWarnings()...)
	for _, p := range row.Groups {
		all = append(all, row.Warnings(p)...)
		all = append(all, row.Memory[p.MemoryKey()].warnings(p.Object())...)
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
	return slices.Concat(all, row.AskedWarnings(), row.DeadlineWarnings(), row.Rules.Warnings(), row.Signals.Warnings())
}
