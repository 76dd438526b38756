package plan

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/schedule"
)

// obstruct lets a decision know what Karpenter knows beyond budgets, so that others may go in the place of nodes that
// it does not consider: their blockers say why. The nodes are a copy, whose ids say which they are; -1: none. Where
// nodes that go use up PodDisruptionBudgets, the engine is not Karpenter, and what it decides it does not take back.
func (f *fleet) obstruct(nodes []candidate.Node, ids []int, reason candidate.Reason, now time.Time) {
	if !f.obstructs() {
		return
	}
	busy := f.busy(now)
	if len(busy) == 0 && f.model.Room == nil {
		return
	}
	for i, id := range ids {
		if id < 0 || goes(&nodes[i]) || len(nodes[i].Conditions) == 0 {
			continue
		}
		n := &nodes[i]
		if by, is := busy[int32(id)]; is && !waived(n, reason) {
			n.Blockers = append(slices.Clip(n.Blockers), spentBlocker(by.need, by.until))
		}
		if !candidate.Drifted.Covers(reason) {
			continue
		}
		if end := f.launching.until(f.model.room(n), n, now); !end.IsZero() && !f.movesNone(n) {
			n.Blockers = append(slices.Clip(n.Blockers), roomBlocker(end))
		}
	}
}

// obstructs reports whether Karpenter knows more than Decide.
func (f *fleet) obstructs() bool {
	return (f.evictions != nil || f.model.Room != nil) && f.in.Dialect == dialect.Karpenter
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

// withhold takes nodes out of what a decision allows that a rule holds back. All others that it holds back wait for
// that, too, whatever else they wait for. Held hears whether the node may go otherwise.
func withhold(d *disruptkit.Decision, held func(c candidate.Candidate, may bool) (b candidate.Blocker, holds bool)) {
	allowed, blocked, more := make([]candidate.Candidate, 0, len(d.Allowed)), len(d.Blocked), longer{}
	for _, c := range d.Allowed {
		b, holds := held(c, true)
		if !holds {
			allowed = append(allowed, c)
			continue
		}
		c.Until, c.Blockers = time.Time{}, []candidate.Blocker{b}
		d.Blocked = append(d.Blocked, c)
		d.NextChange = schedule.First(d.NextChange, b.Until)
	}
	d.Allowed = allowed
	for i := range d.Blocked[:blocked] {
		if b, holds := held(d.Blocked[i], false); holds {
			more.join(&d.Blocked[i], b)
		}
	}
}

// leaveRoom takes nodes out of what a decision allows whose pods would be put on a replacement that is being launched,
// or on that of a node that the decision lets go before. Karpenter starts no drifted node whose pods it would move to a
// node that is not initialized. (Karpenter: SimulateScheduling, UninitializedNodeError; Drift.ComputeCommands goes on
// to the next candidate.)
func (f *fleet) leaveRoom(d *disruptkit.Decision) {
	if f.model.Room == nil {
		return
	}
	launching := launches{} // of replacements of nodes that the decision lets go
	withhold(d, func(c candidate.Candidate, may bool) (b candidate.Blocker, holds bool) {
		if !candidate.Drifted.Covers(c.Reason) {
			return b, false
		}
		id, _, found := f.waiting(c)
		if !found {
			return b, false
		}
		n := &f.in.Nodes[f.at[id]]
		in := f.model.room(n)
		end := schedule.Last(f.launching.until(in, n, d.Now), launching.until(in, n, d.Now))
		if f.movesNone(n) {
			return b, false
		}
		if end.IsZero() && may && in != "" {
			ready, how := d.Now.Add(f.model.launch(*n, d.Now)), manner{first: f.drainsFirst(n, false)}
			launching[in] = append(launching[in], f.model.launched(n, d.Now, ready, how))
		}
		return roomBlocker(end), !end.IsZero()
	})
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
