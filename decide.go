package disruptkit

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/until"
)

// Decide says which nodes may be disrupted now for a reason or its children, and why the others may not. The reason
// "" is all of them. A node is a candidate once for each of its conditions that the reason covers, and is allowed
// once at the most.
//
// Candidates are judged oldest first; of the same age by node, pool and reason. Each is judged at its own reason: a
// budget for Drifted/AMIDrift does not concern a node that has Drifted/SubnetDrift. What may go is subtracted from
// what remains of its pool's budgets, whatever their reasons; where the most specific budgets decide, of those that
// it shares (budget.InUse). As in Karpenter, a candidate that is not Ready counts twice, as such and as allowed,
// until it is in flight.
//
// It uses up one disruption of each PodDisruptionBudget of its pods, too, whatever the pool: where one is spent, nodes with
// such pods stay until those in flight have let them go. (Karpenter only asks each node on its own: CanEvictPods.)
//
// Where Input.Now is zero nothing may go, and a warning says so: nobody knows which windows are open.
//
// A second decision on the same input knows nothing of what the first allows; see Input.Apply.
func Decide(in Input, reason candidate.Reason) Decision {
	d := Decision{Now: in.Now, Reason: reason}
	counted := countNodes(in)
	names := duplicateNames(counted.Namesakes)
	pods := newPods(in)
	pools, owners := newPools(in, reason, counted, pods)
	requests := newRequests(in, reason, owners, names, pods)
	pools.selectDomains(requests)
	allowed := map[string]bool{}
	line := oldestFirst(requests)
	d.Blocked = make([]candidate.Candidate, 0, len(line))
	for _, r := range line {
		c := candidate.Candidate{Node: r.node.Name, Pool: r.node.Pool, Reason: r.condition.Reason, Since: r.condition.Since}
		c.Blockers, c.Until = r.judge(allowed[r.node.Name])
		c.Displaced = r.displaced
		if len(c.Blockers) > 0 {
			d.Blocked = append(d.Blocked, c)
			continue
		}
		allowed[c.Node] = true
		d.Allowed = append(d.Allowed, c)
	}
	d.Pools = pools.decisions()
	d.Rolls = pools.rolls(in.Rolls)
	if w, missing := candidate.NoTime(in.Now); missing {
		w.Field = "Input.Now"
		d.Warnings = append(d.Warnings, w)
	}
	d.Warnings = slices.Concat(d.Warnings, pools.warnings(), names.warnings(), in.Rules.Warnings(), pools.strayDenials(in))
	for _, t := range []time.Time{
		pools.nextZoneChange(), pools.nextSignal(), pools.nextRegrouping(), nextClosing(requests), nextChange(d),
	} {
		d.NextChange = until.First(d.NextChange, t)
	}
	if in.Now.IsZero() {
		d.NextChange = time.Time{}
	}
	return d
}

// nextChange returns the first time after now that is the end of something.
func nextChange(d Decision) time.Time {
	var next time.Time
	consider := func(t time.Time) {
		if t.After(d.Now) {
			next = until.First(next, t)
		}
	}
	for _, p := range d.Pools {
		consider(p.Until)
		for _, b := range p.Blockers {
			consider(b.Until)
		}
	}
	for _, c := range d.Allowed {
		consider(c.Until)
	}
	for _, c := range d.Blocked {
		for _, b := range c.Blockers {
			consider(b.Until)
		}
	}
	return next
}
