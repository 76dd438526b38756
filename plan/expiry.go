package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// expiry returns when a node expires. Zero: never, or it belongs to no pool.
func (m Model) expiry(n candidate.Node) time.Time {
	if m.Expires == nil || n.Pool == "" {
		return time.Time{}
	}
	return m.Expires(n)
}

// deleted reports whether a node that starts for a reason is deleted at once, as Karpenter deletes expired nodes.
func (s *simulation) deleted(reason candidate.Reason) bool {
	return s.in.Dialect == dialect.Karpenter && candidate.Expired.Covers(reason)
}

// expectExpiries schedules the expiry of each node. Nodes that have already expired are disrupted at once.
func (s *simulation) expectExpiries() {
	for id := range s.in.Nodes {
		at, slot := s.Model.expiry(s.in.Nodes[id]), s.slotOf[id]
		switch {
		case at.IsZero(), goes(&s.in.Nodes[id]):
			continue
		case slot >= 0:
			s.slots[slot].Expires = at
		case at.Before(s.horizon):
			s.idle++
		default:
			continue
		}
		s.expect(event{at: schedule.Last(at, s.from), what: expires, id: id, slot: slot})
	}
}

// expire disrupts a node that expires, unless it is in flight. If it is not to go otherwise, it is listed apart.
func (s *simulation) expire(e event) {
	if e.slot < 0 {
		s.idle--
	}
	if s.at[e.id] < 0 || goes(&s.in.Nodes[s.at[e.id]]) {
		return
	}
	n := s.in.Nodes[s.at[e.id]]
	reason := candidate.Condition{Reason: candidate.Expired, Since: e.at}
	s.in.Now = e.at
	k, replacement := s.begin(e.id, e.slot, reason, true)
	if e.slot >= 0 {
		s.starts(e.slot, reason.Reason, k, replacement, e.at)
		return
	}
	other := Node{
		Name: n.Name, Pool: n.Pool, Zone: n.Labels[zoneLabel], Expires: s.Model.expiry(n),
	}
	other.goes(reason.Reason, k, replacement, e.at)
	other.Queue = s.queued(queue{lasts: k.queue.lasts})
	s.expired = append(s.expired, other)
}

// expireUntil expires nodes that are not to go otherwise, up to a time. Nodes in flight finish.
func (s *simulation) expireUntil(end time.Time) {
	for len(s.events) > 0 {
		if e := s.next(); e.what != expires || e.at.Before(end) {
			s.apply(e)
		}
	}
}

// drainOf returns when the last pod of a node that starts is evicted, if its drain begins at a time, what that pod
// waits for, and what holds up the drain: the pods that are never evicted, or that are killed. Its PodDisruptionBudgets
// are used up until its replacement is Ready. Zero: some pods are never evicted.
func (f *fleet) drainOf(id int, n candidate.Node, d drain) (
	last time.Time, waits queue, holds []candidate.Blocker,
) {
	waits, holds = f.drains(id, n, d, f.in.Now)
	last = d.at.Add(waits.lasts)
	never := false
	for _, b := range drainHolds(f.in, n, d.at) {
		cut := f.model.cut(b.Pod, d)
		switch {
		case f.model.recovers(b, goes(&n)):
		case !b.Until.IsZero() && (cut.IsZero() || !b.Until.After(cut)):
			last = schedule.Last(last, b.Until)
		default:
			holds = append(holds, b)
			last, never = schedule.Last(last, cut), never || cut.IsZero()
		}
	}
	if never {
		last = time.Time{}
	}
	return last, waits, append(holds, f.model.tooSlow(n, d)...)
}

// tooSlow returns which pods may take longer to end than the grace period of their node lasts, if its drain does.
func (m Model) tooSlow(n candidate.Node, d drain) (all []candidate.Blocker) {
	if m.PodGrace == nil || d.end.IsZero() || !d.at.Add(m.drain(n, d.at)).After(d.end) {
		return nil
	}
	for _, p := range n.Pods {
		grace := m.PodGrace(p.String())
		if !p.Inactive && !p.Unevictable && d.at.Add(grace).After(d.end) {
			all = append(all, candidate.Blocker{
				Gate: candidate.GatePod, Code: CodeDrain, Pod: p.String(), Until: d.at.Add(grace),
				Message: fmt.Sprintf("pod %s may take %s to end, longer than its node's grace period lasts",
					p, wording.Duration(grace)),
			})
		}
	}
	return all
}

// recovers reports whether a PodDisruptionBudget that allows nothing now will allow something again. If that is
// unknown, it is assumed for drains that have begun.
func (m Model) recovers(b candidate.Blocker, begun bool) bool {
	if m.Recovers == nil || b.Code != candidate.CodeAllowsNone || b.Source == nil || len(b.Source.PDBs) == 0 {
		return false
	}
	recovers, known := m.Recovers(b.Source.PDBs[0])
	return recovers || begun && !known
}

// drainBlockers are what holds up the drain of a node that is deleted. (Karpenter: Terminator.Drain; the API server
// refuses to evict a pod of several PodDisruptionBudgets.)
var drainBlockers = []candidate.Code{
	candidate.CodeDoNotDisrupt, candidate.CodeAllowsNone, candidate.CodeSeveralPDBs, candidate.CodeInvalidPDB,
}

// expiryText describes what a plan assumes of nodes that expire.
func (m Model) expiryText() string {
	grace := ""
	if m.Grace != nil {
		grace = " up to its terminationGracePeriod"
	}
	return "a node that expires is disrupted at that time at the latest, whatever budgets, windows and " +
		"PodDisruptionBudgets say: its drain begins at once, while its replacement is launched; PodDisruptionBudgets " +
		"and do-not-disrupt hold up its drain" + grace + "; replacements do not expire"
}

// tellExpired lists the nodes that expire: in a plan first those that are to go, then the others.
func (p Plan) tellExpired(s *strings.Builder) {
	all := which(func(n *Node) bool { return n.OnlyExpires() }, p.Nodes, p.Expiring)
	slices.SortStableFunc(all, func(a, b *Node) int { return a.Start.Compare(b.Start) })
	tell(s, all, mostHeld, func(n *Node) string {
		return fmt.Sprintf("expires: node %s at %s, %s", wording.Quote(n.Name), day(n.Start), n.afterExpiry())
	}, func(left int) string { return fmt.Sprintf("and %d more expire", left) })
}

// afterExpiry describes the result of a node that has expired.
func (n *Node) afterExpiry() string {
	if !n.Gone.IsZero() {
		return "gone at " + day(n.Gone)
	}
	why := "pods hold up its drain"
	if len(n.Blockers) > 0 {
		why = n.Blockers[0].Message
	}
	return "and never gone: " + why
}

// Holds returns what holds up the drain of a node from in.Now on up to a time at least, such as the end of its grace
// period: PodDisruptionBudgets that allow nothing, pods with do-not-disrupt, and pods of several PodDisruptionBudgets.
func Holds(in disruptkit.Input, n candidate.Node, end time.Time) (holds []candidate.Blocker) {
	for _, b := range drainHolds(in, n, in.Now) {
		if b.Until.IsZero() || !b.Until.Before(end) {
			holds = append(holds, b)
		}
	}
	return holds
}

// drainHolds returns what holds up the drain of a node at a time.
func drainHolds(in disruptkit.Input, n candidate.Node, at time.Time) (holds []candidate.Blocker) {
	in.Now = at
	gate := openPDBs(in)
	holds = heldUp(gate, &n)
	nameOthers(holds, gate, &n)
	return holds
}

// nameOthers adds to the messages which other pods of the node are held by the same thing, each for good or for a time.
func nameOthers(holds []candidate.Blocker, gate *candidate.PodGate, n *candidate.Node) {
	if len(holds) == 0 || len(n.Pods) < 2 {
		return
	}
	pdbs := func(b candidate.Blocker) (all []string) {
		if b.Source != nil {
			all = b.Source.PDBs
		}
		return all
	}
	others := make([][]string, len(holds))
	for i := range n.Pods {
		one := *n
		one.Digest, one.Pods = nil, n.Pods[i:i+1:i+1]
		for _, other := range heldUp(gate, &one) {
			for j, b := range holds {
				if b.Code == other.Code && b.Until.IsZero() == other.Until.IsZero() && b.Pod != other.Pod &&
					slices.Equal(pdbs(b), pdbs(other)) {
					others[j] = append(others[j], other.Pod)
				}
			}
		}
	}
	for j, names := range others {
		if len(names) > 0 {
			holds[j].Message += ", and so for " + wording.Some(names, mostNamed)
		}
	}
}

// mostNamed is how many of the other pods are named that the same thing holds.
const mostNamed = 3

// heldUp returns what holds up the drain of a node when a gate is open.
func heldUp(gate *candidate.PodGate, n *candidate.Node) (holds []candidate.Blocker) {
	for _, b := range gate.Blockers(n, candidate.Condition{}) {
		if slices.Contains(drainBlockers, b.Code) { // others block the start, not the drain
			holds = append(holds, b)
		}
	}
	return holds
}
