package plan

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/trait"
	"github.com/disruptkit/disruptkit/internal/until"
)

// obstruct lets a decision know what Karpenter knows beyond budgets, so that others may go in the place of nodes that
// it does not consider: their blockers say why. The nodes are a copy, whose ids say which they are; -1: none. Where
// nodes that go use up PodDisruptionBudgets, the engine is not Karpenter, and what it decides it does not take back.
func (f *fleet) obstruct(nodes []candidate.Node, ids []int, reason candidate.Reason, now time.Time) {
	if !f.obstructs() {
		return
	}
	for i, id := range ids {
		if id < 0 || goes(&nodes[i]) || len(nodes[i].Conditions) == 0 {
			continue
		}
		n := &nodes[i]
		if of, end := f.busy(id, now); !end.IsZero() && !waived(n, reason) {
			n.Blockers = append(slices.Clip(n.Blockers), spentBlocker(of, end))
		}
		if !candidate.Drifted.Covers(reason) {
			continue
		}
		if end := f.launching.until(f.model.room(n), n, now); !end.IsZero() {
			n.Blockers = append(slices.Clip(n.Blockers), roomBlocker(end))
		}
	}
}

// obstructs reports whether Karpenter knows more than Decide.
func (f *fleet) obstructs() bool {
	return (f.evictions != nil || f.model.Room != nil) && !trait.SharedPDBs.In(f.in.Dialect)
}

// waived reports whether pods hold back no node that goes for a reason. (Karpenter: EventualDisruptionClass.)
func waived(n *candidate.Node, reason candidate.Reason) bool {
	return candidate.Unhealthy.Covers(reason) || n.HasGracePeriod && candidate.Drifted.Covers(reason)
}

// spentBlocker holds back a node whose pods share a PodDisruptionBudget with pods that are being evicted. Karpenter
// considers no node while that allows nothing. (Karpenter: pdb.Limits.CanEvictPods.)
func spentBlocker(of need, end time.Time) candidate.Blocker {
	return candidate.Blocker{
		Gate: candidate.GatePod, Code: candidate.CodeExhausted, Pod: of.pod, Until: end,
		Message: "pod " + of.pod + " is protected by a PodDisruptionBudget that pods of nodes in flight use up",
	}
}

// roomBlocker holds back a node whose pods fit on a replacement that is being launched.
func roomBlocker(end time.Time) candidate.Blocker {
	return candidate.Blocker{
		Gate: candidate.GateNode, Code: CodeRoom, Until: end,
		Message: "its pods fit on the replacement of another node, which is not Ready yet",
	}
}

// narrow takes nodes out of what a decision allows that Karpenter does not start.
func (f *fleet) narrow(d *disruptkit.Decision) {
	f.keepLimits(d)
	f.leaveRoom(d)
}

// leaveRoom takes nodes out of what a decision allows whose pods would be put on a replacement that is being launched,
// or on that of a node that the decision lets go before. Karpenter starts no drifted node whose pods it would move to a
// node that is not initialized. All others with such pods wait for it, too, whatever else they wait for. (Karpenter:
// SimulateScheduling, UninitializedNodeError; Drift.ComputeCommands goes on to the next candidate.)
func (f *fleet) leaveRoom(d *disruptkit.Decision) {
	if f.model.Room == nil {
		return
	}
	l := leaving{fleet: f, now: d.Now, launching: launches{}}
	allowed, blocked, more := make([]candidate.Candidate, 0, len(d.Allowed)), len(d.Blocked), longer{}
	for _, c := range d.Allowed {
		in, n := l.room(c)
		end := l.end(in, n)
		if end.IsZero() {
			allowed = append(allowed, c)
			if in != "" {
				ready, how := d.Now.Add(f.model.launch(*n, d.Now)), manner{first: f.drainsFirst(n, false)}
				l.launching[in] = append(l.launching[in], f.model.launched(n, d.Now, ready, how))
			}
			continue
		}
		c.Until, c.Blockers = time.Time{}, []candidate.Blocker{roomBlocker(end)}
		d.Blocked = append(d.Blocked, c)
		d.NextChange = until.First(d.NextChange, end)
	}
	d.Allowed = allowed
	for i := range d.Blocked[:blocked] {
		in, n := l.room(d.Blocked[i])
		if end := l.end(in, n); !end.IsZero() {
			more.join(&d.Blocked[i], roomBlocker(end))
		}
	}
}

// A leaving is how one decision leaves room.
type leaving struct {
	*fleet
	now       time.Time
	launching launches // of replacements of nodes that it lets go
}

// room returns on whose replacements the pods of a candidate fit, and its node. "": on none.
func (l leaving) room(c candidate.Candidate) (in string, n *candidate.Node) {
	if !candidate.Drifted.Covers(c.Reason) {
		return "", nil
	}
	id, _, found := l.waiting(c)
	if !found {
		return "", nil
	}
	n = &l.in.Nodes[l.at[id]]
	return l.model.room(n), n
}

// end returns until when replacements are launched on which pods of a node would be put. Zero: none is.
func (l leaving) end(in string, n *candidate.Node) time.Time {
	return until.Latest(l.fleet.launching.until(in, n, l.now), l.launching.until(in, n, l.now))
}

// longer are lists of blockers with one more. Nodes that share a list share the longer one, too.
type longer map[joined][]candidate.Blocker

type joined struct {
	first *candidate.Blocker
	many  int
	code  candidate.Code
	until time.Time
}

// join adds a blocker to those of a candidate, unless it has one of its code.
func (j longer) join(c *candidate.Candidate, b candidate.Blocker) {
	if slices.ContainsFunc(c.Blockers, func(other candidate.Blocker) bool { return other.Code == b.Code }) {
		return
	}
	k := joined{many: len(c.Blockers), code: b.Code, until: b.Until}
	if len(c.Blockers) > 0 {
		k.first = &c.Blockers[0]
	}
	if j[k] == nil {
		j[k] = append(slices.Clip(c.Blockers), b)
	}
	c.Blockers = j[k]
}
