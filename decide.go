package disruptkit

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
)

// Decide says which nodes may be disrupted now for a reason or its children, and why the others may not. The reason
// "" is all of them. A node is a candidate once for each of its conditions that the reason covers, and is allowed
// once at the most.
//
// Candidates are judged oldest first; of the same age by node, pool and reason. Each is judged at its own reason: a
// budget for Drifted/AMIDrift does not concern a node that has Drifted/SubnetDrift. What may go is subtracted from
// what remains of its pool's budgets, whatever their reasons. As in Karpenter, a candidate that is not Ready counts
// twice, as such and as allowed, until it is in flight.
//
// A second decision on the same input knows nothing of what the first allows; see Input.Apply.
func Decide(in Input, reason candidate.Reason) Decision {
	d := Decision{Now: in.Now, Reason: reason}
	names := duplicates(in.Nodes)
	pools := newPools(in, reason, names)
	allowed := map[string]bool{}
	for _, r := range requestsOf(in.Nodes, reason, in.Now) {
		c := candidate.Candidate{Node: r.node.Name, Pool: r.node.Pool, Reason: r.condition.Reason, Since: r.condition.Since}
		pool := pools.of(r.node.Pool)
		c.Blockers = r.blockers(in.Now, pool, names, allowed)
		if pool != nil && !pool.ambiguous {
			c.Blockers = pool.judge(c.Reason, c.Blockers)
		}
		if len(c.Blockers) > 0 {
			d.Blocked = append(d.Blocked, c)
			continue
		}
		allowed[c.Node] = true
		d.Allowed = append(d.Allowed, c)
	}
	pools.setUntil(d.Allowed)
	d.Pools = pools.decisions()
	d.Warnings = append(pools.warnings(), names.warnings()...)
	d.NextChange = nextChange(d)
	return d
}

// A request is a node and one reason to disrupt it.
type request struct {
	node      *candidate.Node
	condition candidate.Condition
}

// requestsOf returns what a reason asks for, oldest first.
func requestsOf(nodes []candidate.Node, reason candidate.Reason, now time.Time) []request {
	var requests []request
	for i := range nodes {
		for _, c := range nodes[i].Conditions {
			if reason.Covers(c.Reason) {
				requests = append(requests, request{&nodes[i], c})
			}
		}
	}
	slices.SortFunc(requests, func(a, b request) int { return a.compare(b, now) })
	return requests
}

// compare puts the oldest first. Nodes that have all of their names in common are ordered by what else there is to
// see of them, lest the order of the input show.
func (r request) compare(other request, now time.Time) int {
	if c := r.condition.Since.Compare(other.condition.Since); c != 0 {
		return c
	}
	if c := strings.Compare(r.node.Name, other.node.Name); c != 0 {
		return c
	}
	if c := strings.Compare(r.node.Pool, other.node.Pool); c != 0 {
		return c
	}
	if c := strings.Compare(string(r.condition.Reason), string(other.condition.Reason)); c != 0 || r.node == other.node {
		return c
	}
	return strings.Compare(fmt.Sprintf("%#v", r.nodeGate(now)), fmt.Sprintf("%#v", other.nodeGate(now)))
}

func (r request) nodeGate(now time.Time) []candidate.Blocker {
	return candidate.NodeGate(*r.node, r.condition, 0, now)
}

// blockers returns all that holds a request back but for what its pool's budgets say.
func (r request) blockers(now time.Time, pool *pool, names duplicateNames, allowed map[string]bool) []candidate.Blocker {
	var blockers []candidate.Blocker
	block := func(code, message string) {
		blockers = append(blockers, candidate.Blocker{Gate: candidate.GateNode, Code: code, Message: message})
	}
	switch {
	case r.node.Pool == "": // the node gate says so
	case pool == nil:
		block(candidate.CodeUnknownPool, fmt.Sprintf("the node's pool %.100q is not in the input", r.node.Pool))
	case pool.ambiguous:
		block(candidate.CodeUnknownPool, "another pool has the name of the node's pool")
	default:
		blockers = append(blockers, pool.Blockers...)
	}
	switch {
	case names[r.node.Name]:
		block(candidate.CodeDuplicateNode, "another node has this name")
	case allowed[r.node.Name]:
		block(candidate.CodeAlreadyAllowed, "the node may go already, for another of its reasons")
	}
	return append(blockers, r.nodeGate(now)...)
}

// nextChange returns the first time after now that is the end of something.
func nextChange(d Decision) time.Time {
	var next time.Time
	consider := func(t time.Time) {
		if t.After(d.Now) {
			next = soonest(next, t)
		}
	}
	for _, p := range d.Pools {
		consider(p.Until)
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

// soonest returns the earlier of two times, of which zero is never.
func soonest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
