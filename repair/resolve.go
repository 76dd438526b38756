package repair

import (
	"cmp"
	"fmt"
	"iter"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// perRank is what one rank of priority is worth: a node waits at most that much longer than a node of the next higher
// rank. (Karpenter: agingConstant.)
const perRank = 30 * time.Minute

// A Condition is one of status.conditions of a Kubernetes Node.
type Condition struct {
	Type               string
	Status             string
	Reason             string
	LastTransitionTime time.Time // when Status last changed; zero is unknown
}

// String returns "Ready=False (KubeletDown)". Long texts are cut, and quoted if they would not read well on one line.
func (c Condition) String() string {
	short := func(text string) string { return wording.Quote(fmt.Sprintf("%.100s", text)) }
	text := short(c.Type) + "=" + short(c.Status)
	if c.Reason != "" {
		text += " (" + short(c.Reason) + ")"
	}
	return text
}

// A Node is what repair needs to know about one machine. Functions never modify it.
type Node struct {
	Conditions []Condition // in any order
	Created    time.Time   // when the Node was created; no condition counts as older
	// RebootEnded is when its last reboot succeeded or failed. Conditions are slow to follow a reboot, so their
	// toleration starts again then. Zero: no reboot. (Karpenter: when the NodeClaim's condition Rebooting became
	// False.)
	RebootEnded time.Time
	Reboots     Reboots // the reboots of its NodeClaim
}

// A Result says what to do with one node. The zero Result means nothing.
type Result struct {
	Action Action // what to do now; "" means nothing
	Why    string // why nothing; "" if there is an Action

	// Since is when the policy became eligible. If nothing is to be done now, Since is the first time at which
	// something will be, by time alone, and the fields below describe that time. Zero means never.
	Since   time.Time
	Cause   Condition // the condition that calls for the repair
	Policy  int       // the index of the deciding policy in the list
	Urgency time.Time // the node's place in line: the earlier, the sooner

	// Escalated reports that the policies ask for a reboot, but the node is replaced because two reboots did not help.
	Escalated bool

	// Bound is the policies' limit for the drain: 0 means no drain, nil means no limit. If the node's own grace period
	// is shorter, that applies instead. BoundBy is the type of the condition whose policy sets the limit; it may
	// differ from Cause.Type.
	Bound   *time.Duration
	BoundBy string

	// Next is when time alone may next change any of this. Zero means never.
	Next time.Time
}

// Condition returns the condition that makes the node a candidate. Its reason is a child of [candidate.Unhealthy] named
// after the type of the node condition, such as Unhealthy/Ready. If that is not a valid name, the reason is Unhealthy
// itself. If the repair is not due yet, Since is in the future. If the node does not need repair, ok is false.
func (r Result) Condition() (c candidate.Condition, ok bool) {
	if r.Since.IsZero() {
		return candidate.Condition{}, false
	}
	reason, err := candidate.ParseReason(string(candidate.Unhealthy) + "/" + r.Cause.Type)
	if err != nil {
		reason = candidate.Unhealthy
	}
	return candidate.Condition{Reason: reason, Since: r.Since, Urgency: r.Urgency, Bound: r.Bound}, true
}

// Resolve reports whether to repair a node at a time, how, and how urgently.
//
// A condition calls for repair if a policy names its type and status. All policies whose expression matches its reason
// apply. If none matches, the fallback applies; a matching policy suppresses the fallback even while it still tolerates
// the condition. A policy becomes eligible when its toleration has passed since the latest of these: the last
// transition of the condition, the creation of the node, and the end of the node's last reboot. Of the eligible
// policies of all conditions
//
//   - one decides the action: Replace comes before Reboot, then the highest priority, then the one that became eligible
//     first, then the first condition type by name;
//   - the shortest grace period limits the drain, even if it is not that of the deciding policy;
//   - the most urgent one gives the node its place in line: the time at which it became eligible, less 30 minutes for
//     each rank of its priority.
//
// After two reboots within 24 hours, a reboot becomes a replacement; see [Reboots].
//
// A condition without a time counts from the creation of the node. If that is unknown as well, the condition repairs
// nothing. The toleration of a condition in the future starts at its time. A zero now repairs nothing. (Karpenter:
// health.Resolve, StateNode.GetRepairResult, RebootHistory.Resolve.)
func Resolve(set Set, n Node, now time.Time) Result {
	switch {
	case set.s == nil:
		return Result{Why: "there are no repair policies"}
	case set.s.broken != "":
		return Result{Why: set.s.broken}
	case now.IsZero():
		return Result{Why: "the current time is missing: now is zero"}
	}
	var next time.Time // when the next policy becomes eligible
	var unknown string
	for m := range set.s.matches(n) {
		switch {
		case m.never():
			unknown = max(unknown, m.unknown()) // of several, always the same one
		case m.since.After(now):
			next = schedule.First(next, m.since)
		}
	}
	r := set.s.at(n, now)
	switch {
	case r.Action != "":
		if r.Escalated {
			next = schedule.First(next, n.Reboots.allowedAgain())
		}
	case next.IsZero():
		r.Why = cmp.Or(unknown, "no policy covers any of its conditions")
	default:
		r = set.s.at(n, next)
		r.Why = fmt.Sprintf("%s is tolerated until %s: %s then", r.Cause, next.UTC().Format(time.RFC3339), r.Action)
		r.Action = ""
	}
	r.Next = next
	return r
}

// at returns what to do at a time. The zero Result means nothing.
func (s *set) at(n Node, now time.Time) Result {
	var r Result
	var decides, bounds match
	for m := range s.matches(n) {
		if m.never() || m.since.After(now) {
			continue
		}
		r.Urgency = schedule.First(r.Urgency, m.since.Add(-time.Duration(m.rank)*perRank))
		if decides.rule == nil || m.compare(decides) < 0 {
			decides = m
		}
		if m.TerminationGracePeriod != nil && (bounds.rule == nil || m.compareBounds(bounds) < 0) {
			bounds = m
		}
	}
	if decides.rule == nil {
		return Result{}
	}
	r.Action, r.Since, r.Cause, r.Policy = decides.Action, decides.since, decides.condition, decides.index
	if bounds.rule != nil {
		r.Bound, r.BoundBy = bounds.TerminationGracePeriod, bounds.condition.Type
	}
	if r.Action == Reboot && n.Reboots.Exhausted(now) {
		r.Action, r.Escalated = Replace, true
	}
	return r
}

// A match is a policy that applies to a condition.
type match struct {
	*rule
	condition Condition
	since     time.Time // when it becomes eligible; zero: never
}

// never reports whether the policy can never become eligible, because the condition has no time.
func (m match) never() bool { return m.since.IsZero() }

// unknown is the message for a match that never becomes eligible.
func (m match) unknown() string {
	return fmt.Sprintf("since when %s holds is unknown: provide its lastTransitionTime, or when the node was created",
		m.condition)
}

// matches yields the policies that apply to the conditions of a node.
func (s *set) matches(n Node) iter.Seq[match] {
	return func(yield func(match) bool) {
		for _, c := range n.Conditions {
			rules, ok := s.rules[state{c.Type, c.Status}]
			if !ok {
				continue
			}
			holds := schedule.Last(schedule.Last(c.LastTransitionTime, n.Created), n.RebootEnded)
			specific := false
			for i := range rules {
				if !rules[i].reason.MatchString(c.Reason) {
					continue
				}
				specific = true
				if !yield(match{&rules[i], c, rules[i].eligible(holds)}) {
					return
				}
			}
			if !specific && !yield(match{&s.fallback, c, s.fallback.eligible(holds)}) {
				return
			}
		}
	}
}

// eligible returns when the policy becomes eligible, for a condition that holds since a time. Zero means never.
func (r *rule) eligible(holds time.Time) time.Time {
	if holds.IsZero() {
		return holds
	}
	return holds.Add(r.TolerationDuration)
}

// compare orders eligible policies. The first one decides.
func (m match) compare(other match) int {
	return cmp.Or(
		-cmp.Compare(disruption[m.Action], disruption[other.Action]),
		-cmp.Compare(m.Priority, other.Priority),
		m.since.Compare(other.since),
		m.compareCause(other),
	)
}

var disruption = map[Action]int{Reboot: 0, Replace: 1} // how disruptive an action is

// compareBounds orders policies with a grace period. The first one limits the drain.
func (m match) compareBounds(other match) int {
	return cmp.Or(
		cmp.Compare(*m.TerminationGracePeriod, *other.TerminationGracePeriod),
		m.since.Compare(other.since),
		m.compareCause(other),
	)
}

// compareCause orders by condition type, then by everything else, so that the order of conditions never matters.
func (m match) compareCause(other match) int {
	a, b := m.condition, other.condition
	return cmp.Or(
		cmp.Compare(a.Type, b.Type),
		cmp.Compare(a.Status, b.Status),
		cmp.Compare(a.Reason, b.Reason),
		cmp.Compare(m.index, other.index),
	)
}
