package disruptkit

import (
	"slices"

	"github.com/disruptkit/disruptkit/candidate"
)

// Decide decides which nodes may be disrupted now for a reason or its children, and why the others may not. The reason
// "" means all reasons. It is a [Session] that disrupts every candidate in line that nothing blocks. With guaranteed
// budgets it does so again and again, until all are blocked: less may be reserved once others are disrupted.
func Decide(in Input, reason candidate.Reason) Decision {
	s := Open(in, reason)
	for before := -1; before < len(s.row.Disrupted); {
		before = len(s.row.Disrupted)
		for c := range s.Candidates() {
			s.Disrupt(c)
		}
		if len(s.row.Budgets.shares) == 0 {
			break
		}
	}
	return s.Close()
}

// numbers returns Decision.Pools or Decision.Groups.
func (row *row) numbers(pools []*scope) (all []PoolDecision) {
	for _, p := range pools {
		for _, k := range p.AskedKinds() {
			q := row.Budgets.Quota(k)
			d := PoolDecision{
				Pool: p.Name, Reason: k.Reason, Nodes: p.Nodes, Disrupting: q.InUse,
				Allowance: q.Allowance, Remaining: q.Allowance.Remaining(q.InUse + q.Reserved), Reserved: q.Reserved,
				MayStart: q.MayStart, NextStart: q.NextStart, Wave: row.Waves.Of(p, k.Reason),
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
