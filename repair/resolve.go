package repair

import (
	"cmp"
	"fmt"
	"iter"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/until"
)

// perRank is what one rank of priority is worth: a node waits that much longer than one of the next higher rank, and no more.
// (Karpenter: agingConstant.)
const perRank = 30 * time.Minute

// A Condition is one of status.conditions of a Kubernetes Node.
type Condition struct {
	Type               string
	Status             string
	Reason             string
	LastTransitionTime time.Time // since when it has its status; zero is unknown
}

// String returns "Ready=False (KubeletDown)".
func (c Condition) String() string {
	text := fmt.Sprintf("%.100s=%.100s", c.Type, c.Status)
	if c.Reason != "" {
		text += fmt.Sprintf(" (%.100s)", c.Reason)
	}
	return text
}

// A Node is what repair has to know of one machine. Nothing of it is changed.
type Node struct {
	Conditions []Condition // in any order
	Created    time.Time   // when the Node was created: no condition holds for longer
	// RebootEnded is when its last reboot succeeded, or failed: what it is said to suffer from must hold anew from then on, since
	// conditions are slow to follow. Zero: it was not rebooted. (Karpenter: the transition of the NodeClaim's Rebooting to False.)
	RebootEnded time.Time
	Reboots     Reboots // those of its NodeClaim
}

// A Result says what is to be done with one node. The zero Result is nothing.
type Result struct {
	Action Action // what may be done now; "" is nothing
	Why    string // why nothing; "" where there is an Action

	// Since is since when the policy is eligible. Where nothing may be done now it is when something may first, if nothing changes
	// but the time, and all that follows says how it will be then; zero is never.
	Since   time.Time
	Cause   Condition // the condition that drives it
	Policy  int       // what decides: its index in the list of policies
	Urgency time.Time // its place among all nodes that are to be repaired: the earlier, the sooner

	// Escalated says that the policies ask for a reboot, but that the node is replaced, since two reboots did not help it.
	Escalated bool

	// Bounded says that the drain takes Bound at the most, or whatever the node's own grace period is, if that is shorter. 0 is no
	// drain. BoundBy is the type of the condition whose policy says so, which need not be that of Cause.
	Bounded bool
	Bound   time.Duration
	BoundBy string

	// Next is the next time at which time alone may change any of this; zero is never.
	Next time.Time
}

// Condition returns the reason for which the node is a candidate: a child of [candidate.Unhealthy] that is named after the type
// of the condition, such as Unhealthy/Ready; or Unhealthy itself, where the type cannot be the name of one. Where the repair is
// not due yet, Since is in the future. Of a node that is not to be repaired, ok is false.
func (r Result) Condition() (c candidate.Condition, ok bool) {
	if r.Since.IsZero() {
		return candidate.Condition{}, false
	}
	reason, err := candidate.ParseReason(string(candidate.Unhealthy) + "/" + r.Cause.Type)
	if err != nil {
		reason = candidate.Unhealthy
	}
	return candidate.Condition{Reason: reason, Since: r.Since, Urgency: r.Urgency, Bounded: r.Bounded, Bound: r.Bound}, true
}

// Resolve says whether a node is to be repaired at a time, how, and how urgently.
//
// A condition calls for repair where a policy names its type and its status. All policies whose expressions match its reason
// apply, or else the fallback, which one that matches also suppresses while it tolerates the condition. A policy is eligible once
// its toleration is over since the latest of: the last transition of the condition, the creation of the node, and the end of its
// last reboot. Of the eligible policies of all conditions
//
//   - one decides on the action: Replace comes before Reboot, then the highest priority, then the one that was eligible first, then
//     the first type of condition by name;
//   - the shortest grace period bounds the drain, also one of a policy that does not decide;
//   - the most urgent one gives the node its place in line, when it was eligible less 30 minutes for each rank of its priority.
//
// A reboot becomes a replacement after two within 24 hours: see [Reboots].
//
// A condition without a time holds since the node was created; if that is unknown, too, it repairs nothing. One from the future
// is tolerated until its toleration after that time is over. A zero now repairs nothing. (Karpenter: health.Resolve,
// StateNode.GetRepairResult, RebootHistory.Resolve.)
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
			unknown = max(unknown, m.unknown()) // of two always the same
		case m.since.After(now):
			next = until.First(next, m.since)
		}
	}
	r := set.s.at(n, now)
	switch {
	case r.Action != "":
		if r.Escalated {
			next = until.First(next, n.Reboots.allowedAgain())
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

// at returns what is to be done at a time, if anything is.
func (s *set) at(n Node, now time.Time) Result {
	var r Result
	var decides, bounds match
	for m := range s.matches(n) {
		if m.never() || m.since.After(now) {
			continue
		}
		r.Urgency = until.First(r.Urgency, m.since.Add(-time.Duration(m.rank)*perRank))
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
		r.Bounded, r.Bound, r.BoundBy = true, *bounds.TerminationGracePeriod, bounds.condition.Type
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
	since     time.Time // since when it is eligible; zero is never
}

// never reports whether nobody knows when it is eligible.
func (m match) never() bool { return m.since.IsZero() }

// unknown says so.
func (m match) unknown() string {
	return fmt.Sprintf("since when %s holds is unknown: provide its lastTransitionTime, or when the node was created", m.condition)
}

// matches yields every policy that applies to one of a node's conditions.
func (s *set) matches(n Node) iter.Seq[match] {
	return func(yield func(match) bool) {
		for _, c := range n.Conditions {
			rules, ok := s.rules[state{c.Type, c.Status}]
			if !ok {
				continue
			}
			holds := until.Latest(until.Latest(c.LastTransitionTime, n.Created), n.RebootEnded)
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

// eligible returns since when the policy is, for a condition that holds since a time; zero is never.
func (r *rule) eligible(holds time.Time) time.Time {
	if holds.IsZero() {
		return holds
	}
	return holds.Add(r.TolerationDuration)
}

// compare orders eligible policies: the first decides.
func (m match) compare(other match) int {
	return cmp.Or(
		-cmp.Compare(disruption[m.Action], disruption[other.Action]),
		-cmp.Compare(m.Priority, other.Priority),
		m.since.Compare(other.since),
		m.compareCause(other),
	)
}

var disruption = map[Action]int{Reboot: 0, Replace: 1} // how much of it

// compareBounds orders policies that bound the drain: the first does.
func (m match) compareBounds(other match) int {
	return cmp.Or(
		cmp.Compare(*m.TerminationGracePeriod, *other.TerminationGracePeriod),
		m.since.Compare(other.since),
		m.compareCause(other),
	)
}

// compareCause orders by type; and then, so that no order of conditions ever shows, by all the rest.
func (m match) compareCause(other match) int {
	a, b := m.condition, other.condition
	return cmp.Or(
		cmp.Compare(a.Type, b.Type),
		cmp.Compare(a.Status, b.Status),
		cmp.Compare(a.Reason, b.Reason),
		cmp.Compare(m.index, other.index),
	)
}
