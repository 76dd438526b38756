package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// expiry returns when a node expires. Zero: never, or it is leaving already, or belongs to no pool.
func (m Model) expiry(n candidate.Node) time.Time {
	if m.Expires == nil || goes(&n) || n.Pool == "" {
		return time.Time{}
	}
	return m.Expires(n)
}

// deleted reports whether a node that starts for a reason is deleted at once, as Karpenter deletes expired nodes.
func (s *simulation) deleted(reason candidate.Reason) bool {
	return s.in.Dialect == dialect.Karpenter && candidate.Expired.Covers(reason)
}

// expectExpiries schedules the expiry of each node. Nodes that have expired already go at once.
func (s *simulation) expectExpiries() {
	for id := range s.in.Nodes {
		at, slot := s.Model.expiry(s.in.Nodes[id]), s.slotOf[id]
		switch {
		case at.IsZero():
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

// expire lets a node go that expires, unless it is going already. If it is not to go otherwise, it is listed apart.
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
		Name: n.Name, Pool: n.Pool, Zone: n.Labels[s.Zone], Expires: s.Model.expiry(n),
	}
	other.goes(reason.Reason, k, replacement, e.at)
	other.Queue = s.queued(k.queue)
	s.expired = append(s.expired, other)
}

// expireUntil lets nodes expire that are not to go otherwise, up to a time. Nodes in flight finish.
func (s *simulation) expireUntil(end time.Time) {
	for len(s.events) > 0 {
		if e := s.next(); e.what != expires || e.at.Before(end) {
			s.apply(e)
		}
	}
}

// drainOf returns when the last pod of a node that starts is evicted, if its drain begins at a time, and what that pod
// waits for. Its PodDisruptionBudgets are used up until its replacement is Ready. Zero: some pods are never evicted,
// and blockers says which.
func (f *fleet) drainOf(id int, n candidate.Node, at, ready time.Time) (
	last time.Time, waits queue, blockers []candidate.Blocker,
) {
	waits = f.drains(id, n, at, ready)
	last = at.Add(waits.lasts)
	rules := f.in.Rules
	rules.Dialect = dialect.Disruptkit // the API server asks the PodDisruptionBudgets of each pod
	for _, b := range candidate.OpenPods(rules, at).Blockers(&n, candidate.Condition{}) {
		switch {
		case !slices.Contains(drainBlockers, b.Code): // it holds back the start, and not the drain
		case b.Until.IsZero():
			blockers = append(blockers, b)
		default:
			last = schedule.Last(last, b.Until)
		}
	}
	if len(blockers) > 0 {
		last = time.Time{}
	}
	return last, waits, blockers
}

// drainBlockers are what holds up the drain of a node that is deleted. (Karpenter: Terminator.Drain; the API server
// refuses to evict a pod of several PodDisruptionBudgets.)
var drainBlockers = []candidate.Code{
	candidate.CodeDoNotDisrupt, candidate.CodeAllowsNone, candidate.CodeSeveralPDBs, candidate.CodeInvalidPDB,
}

// expiryEnd returns until when a plan lists nodes that expire and are not to go otherwise: until the last of the
// others is done, or up to the horizon if some are still open, or if the plan is of expired nodes. Zero: it lists none.
func expiryEnd(all []*simulation, reasons []candidate.Reason, horizon time.Time) (end time.Time) {
	if anyCovers(reasons, candidate.Expired) {
		return horizon
	}
	for _, s := range all {
		for i := range s.slots {
			if s.slots[i].Outcome == Open {
				return horizon
			}
			end = schedule.Last(end, s.slots[i].End())
		}
	}
	return end
}

// expiryText says what a plan assumes of nodes that expire.
func (m Model) expiryText() string {
	grace := ""
	if m.Grace != nil {
		grace = " up to its terminationGracePeriod"
	}
	return "a node that expires goes at that time at the latest, whatever budgets, windows and " +
		"PodDisruptionBudgets say: its drain begins at once, while its replacement is launched; PodDisruptionBudgets " +
		"and do-not-disrupt hold up its drain" + grace + "; replacements do not expire"
}

// tellExpired lists the nodes that expire: in a plan first those that are to go, then the others.
func (p Plan) tellExpired(s *strings.Builder) {
	all := which((*Node).expired, p.Nodes, p.Expiring)
	slices.SortStableFunc(all, func(a, b *Node) int { return a.Start.Compare(b.Start) })
	tell(s, all, mostHeld, func(n *Node) string {
		return fmt.Sprintf("expires: node %s at %s, %s", wording.Quote(n.Name), day(n.Start), n.afterExpiry())
	}, func(left int) string { return fmt.Sprintf("and %d more expire", left) })
}

// expired reports whether a node goes because it expires.
func (n *Node) expired() bool {
	return !n.Expires.IsZero() && !n.Start.IsZero() && n.Reason == candidate.Expired
}

// afterExpiry says what becomes of a node that has expired.
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
