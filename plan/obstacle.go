package plan

import (
	"slices"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/schedule"
)

// obstruct adds blockers to nodes for what Karpenter checks beyond budgets, so that a decision allows other nodes
// instead. The nodes are a copy with their ids; -1: none.
func (f *fleet) obstruct(nodes []candidate.Node, ids []int, reason candidate.Reason, now time.Time) {
	if !f.obstructs() {
		return
	}
	if len(f.hindered) == 0 && f.model.Room == nil {
		return
	}
	for i, id := range ids {
		if id < 0 || goes(&nodes[i]) || len(nodes[i].Conditions) == 0 {
			continue
		}
		n := &nodes[i]
		if by, is := f.hindered[int32(id)]; is && !waived(n, reason) {
			b := spentBlocker(by.need, by.until)
			b.Source = by.source
			n.Blockers = append(slices.Clip(n.Blockers), b)
		}
		if !candidate.Drifted.Covers(reason) {
			continue
		}
		if end := f.launching.until(f.model.room(n), n, now); !end.IsZero() && !f.movesNone(n) {
			n.Blockers = append(slices.Clip(n.Blockers), roomBlocker(end))
		}
	}
}

// hinder notes which nodes are hindered at the time of a decision, before it starts others.
func (f *fleet) hinder(now time.Time) {
	if f.in.Dialect == dialect.Karpenter { // elsewhere Decide asks what PodDisruptionBudgets allow
		f.hindered = f.busy(now)
	}
}

// obstructs reports whether Karpenter checks more than Decide.
func (f *fleet) obstructs() bool {
	return f.model.Room != nil || f.evictions != nil && f.in.Dialect == dialect.Karpenter
}

// waived reports whether pods do not block nodes for a reason. (Karpenter: EventualDisruptionClass.)
func waived(n *candidate.Node, reason candidate.Reason) bool {
	return candidate.Unhealthy.Covers(reason) || n.HasGracePeriod && candidate.Drifted.Covers(reason)
}

// spentBlocker blocks a node whose pods share a PodDisruptionBudget with pods that are being evicted. Karpenter skips
// the node while that allows nothing. (Karpenter: pdb.Limits.CanEvictPods.)
func spentBlocker(of need, end time.Time) candidate.Blocker {
	return candidate.Blocker{
		Gate: candidate.GatePod, Code: candidate.CodeExhausted, Pod: of.pod, Until: end,
		Message: "pod " + of.pod + " is protected by a PodDisruptionBudget that pods of nodes in flight use up",
	}
}

// roomBlocker blocks a node whose pods fit on a replacement that is being launched.
func roomBlocker(end time.Time) candidate.Blocker {
	return candidate.Blocker{
		Gate: candidate.GateNode, Code: CodeRoom, Until: end,
		Message: "its pods fit on the replacement of another node, which is not Ready yet",
	}
}

// narrow removes from a decision's Allowed the nodes that Karpenter does not start.
func (f *fleet) narrow(d *disruptkit.Decision) {
	f.keepLimits(d)
	f.leaveRoom(d)
}

// withhold removes from a decision's Allowed the nodes that a rule blocks, and adds its blocker to all nodes that it
// blocks. The argument of held is whether the decision allows the node.
func withhold(d *disruptkit.Decision, held func(c candidate.Candidate, may bool) (b candidate.Blocker, holds bool)) {
	allowed, blocked, more := make([]candidate.Candidate, 0, len(d.Allowed)), len(d.Blocked), longer{}
	withheld := map[string][]candidate.Blocker{} // by node
	for _, c := range d.Allowed {
		b, holds := held(c, true)
		if !holds {
			allowed = append(allowed, c)
			continue
		}
		c.Until, c.Blockers = time.Time{}, []candidate.Blocker{b}
		d.Blocked, withheld[c.Node] = append(d.Blocked, c), c.Blockers
		d.NextChange = schedule.First(d.NextChange, b.Until)
	}
	d.Allowed = allowed
	for i := range d.Blocked[:blocked] {
		c := &d.Blocked[i]
		already := len(c.Blockers) > 0 && c.Blockers[0].Code == candidate.CodeAlreadyAllowed
		if by := withheld[c.Node]; by != nil && already {
			c.Blockers = by // for another reason, it is not
		} else if b, holds := held(*c, false); holds {
			more.join(c, b)
		}
	}
}

// leaveRoom removes from a decision's Allowed the nodes whose pods would be put on a replacement that is being
// launched, or on that of a node ahead in line. Karpenter starts no drifted node whose pods it would move to a node
// that is not initialized. (Karpenter: SimulateScheduling, UninitializedNodeError; Drift.ComputeCommands goes on to the
// next candidate.)
func (f *fleet) leaveRoom(d *disruptkit.Decision) {
	if f.model.Room == nil {
		return
	}
	launching := launches{} // of replacements of nodes that the decision allows
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
		if end.IsZero() && !may || f.movesNone(n) {
			return b, false
		}
		if end.IsZero() && may && in != "" {
			ready, how := d.Now.Add(f.model.launch(*n, d.Now)), manner{first: f.drainsFirst(n, false)}
			launching[in] = append(launching[in], f.model.launched(n, d.Now, ready, how))
		}
		return roomBlocker(end), !end.IsZero()
	})
}

// longer are lists of blockers with one more. Nodes that share a list also share the longer one.
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
