package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Model is what happens to nodes, and when decisions are made. The package comment describes the zero Model.
type Model struct {
	Every time.Duration // between two decisions; 0 or less: 10 seconds, as in Karpenter
	// Reasons are decided in this order, except those that no node has. None: the methods of all nodes' reasons, in
	// Karpenter's order.
	Reasons []candidate.Reason

	Launch Takes // from the launch of a replacement until it is Ready; nil: 2 minutes
	Drain  Takes // from the first eviction until the node is gone; nil: 3 minutes
	// DrainFirst drains a node before its replacement is launched. Otherwise, the replacement is first, as in
	// Karpenter. In a plan, decisions include the replacement from the start of its node on, so that a zone keeps its
	// turn until the replacement is Ready. A real autoscaler that lists the replacement later may leave the zone
	// earlier (topology.Options).
	DrainFirst bool
	// Recovery is the time from the start of the pods on their new node until their PodDisruptionBudgets allow as much
	// as before; nil: no time.
	Recovery Takes
	// Eviction is the time from the eviction of a pod until its replacement is Ready. As many pods are evicted at once
	// as their PodDisruptionBudget allows; the others follow one after the other, whatever nodes they are on. In
	// Karpenter's dialect, no other node with such pods starts meanwhile, but nodes that start together also drain
	// together. nil: no time.
	Eviction Takes

	// Room returns where else the pods of a node fit: on the replacements of all nodes for which it returns the same
	// text, such as the name of the pool. Karpenter starts no drifted node whose pods it would put on a replacement
	// that is not Ready yet. So only one of these replacements is launched at a time, whatever budgets allow. It is not
	// used for static pools, where Karpenter ignores pods. "" or a nil Room: the pods fit on no other replacement.
	Room func(candidate.Node) string
	// Full is whether a replacement has space only for as many pods as its node had. Karpenter then gives it to the
	// oldest pods, if all are of the same size. So a drifted node waits while the replacement of another node is
	// launched, if a pod of that node started after one of its own, or is already evicted, as those of expired nodes
	// are. (Karpenter: byCPUAndMemoryDescending.) Exported for models that know what pods request.
	Full bool
	// Static has the pools with a fixed number of nodes (spec.replicas), and how many nodes they may have at most
	// (spec.limits.nodes); 0: no limit. Karpenter gives each of their nodes its own replacement, whatever pods are on
	// it, and starts all allowed nodes in one pass, but none whose replacement would exceed the limit while the old
	// node exists. So a pool at its limit never rolls. nil: no pool is static. (Karpenter: StaticDrift.)
	Static func(pool string) (static bool, most int)
	// TerminateFirst is whether Karpenter's feature gate TerminateFirstDrift is on: nodes of static pools at their
	// limit drain first, and their replacements are launched when they are gone.
	TerminateFirst bool
	// Replaces reports whether a node that drifts gets a replacement. Karpenter launches none for a node that has no
	// pods to move, unless its pool is static. nil: each node gets one. (Karpenter: SimulateScheduling.)
	Replaces func(candidate.Node) bool
	// Spares reports whether a PodDisruptionBudget, "namespace/name", allows nothing by its spec, however many pods
	// are Ready. Before such a pod is evicted, Karpenter launches nothing for it, nor for one with do-not-disrupt. A
	// node without other pods to move drains at once, and is replaced once one of them is evicted, or killed. nil: each
	// node gets its replacement first. (Karpenter: IsCurrentlyReschedulable.)
	Spares func(pdb string) bool

	// Expires returns when a node expires: its creation plus its expireAfter. Zero: never. Whatever Decide returns, the
	// drain of the node then begins at once, while its replacement is launched. Run calls Expires for the nodes of the
	// input, not for replacements. nil: no node expires. Leave it nil for an autoscaler that checks budgets before it
	// expires nodes: there, Expired is a condition like others. (Karpenter, with or without the guard:
	// nodeclaim/expiration.Controller.Reconcile.)
	Expires func(candidate.Node) time.Time
	// Grace is how long a drain may take at most (terminationGracePeriod): then it ends, whatever pods hold it up. 0
	// means without limit. nil: a drain takes what Drain and Eviction say, and that of an expired node has no limit.
	Grace func(candidate.Node) time.Duration

	// PodGrace returns how long a pod, "namespace/name", may take to end (terminationGracePeriodSeconds). Karpenter
	// deletes a pod that still is there so long before the grace period of its node ends, whatever holds it. nil: all
	// pods end at once. (Karpenter: needsForceDelete.)
	PodGrace func(pod string) time.Duration
	// Terminates returns when the last pod of a node that terminates already is gone, at the latest. A drain does not
	// end before that, unless its grace period does. Zero: no pod terminates. nil: none does on any node. (Karpenter:
	// Terminator.Drain waits for pods up to a minute beyond their deletionTimestamp.)
	Terminates func(candidate.Node) time.Time
	// Recovers reports whether a PodDisruptionBudget, "namespace/name", that allows nothing now will allow something
	// once its pods are Ready, and whether that is known. One that recovers holds up no drain for ever. If it is not
	// known, it holds up only drains that have yet to begin. nil: none recovers.
	Recovers func(pdb string) (recovers, known bool)
	// Begun reports whether the drain of a node that is in flight has begun, and when, if that is known. If it has not,
	// its replacement is being launched, and the drain begins after a launch. nil: each has begun.
	Begun func(candidate.Node) (since time.Time, begun bool)

	// Pass is how long a pass of Karpenter's disruption controller takes, with or without the guard. If it is above 0,
	// a pass starts one drifted node of the whole cluster, or all allowed nodes for another reason, and the next pass
	// follows at once. After a pass that starts nothing, the next one is after Every. Below 0, a decision starts all
	// nodes that it allows. 0 means PassOf the nodes in Karpenter's dialect, and otherwise the same as below 0.
	// (Karpenter: Drift.ComputeCommands, Controller.Reconcile.)
	Pass time.Duration
	// Batched makes a pass start all drifted nodes that are allowed, as has been proposed for Karpenter
	// (kubernetes-sigs/karpenter#3320).
	Batched bool

	// Seed determines what depends on chance: the durations of Takes for each node. With the same seed, the same node
	// takes the same time. [Sample] plans with many seeds.
	Seed uint64

	// Unsure is for models whose durations are not known for sure, such as after a few measurements. It returns the
	// model to plan with, given one with a Seed: with one seed, all drains may be slower than with another. It is
	// called once for each plan. nil: the model is used as it is.
	Unsure func(Model) Model

	// Outages are what-if questions: times at which a probe would deny everything. They have no effect in Karpenter's
	// dialect, which has no probes.
	Outages []schedule.Window
}

// Takes returns how long a step takes for a node that is disrupted, if the step begins at a time. Results below 0 count
// as 0, and those above 10 years as 10 years.
//
// Chance is drawn for each step of each node, from 0 to less than 1 (Model.Seed): at 0.5, half of all such steps end
// sooner. For a greater chance, the result must not be smaller. If you know the duration for each node, ignore chance.
// The function must be deterministic.
type Takes func(n candidate.Node, at time.Time, chance float64) time.Duration

// Constant returns a Takes that always returns d.
func Constant(d time.Duration) Takes {
	return func(candidate.Node, time.Time, float64) time.Duration { return d }
}

const (
	defaultEvery  = 10 * time.Second
	defaultLaunch = 2 * time.Minute
	defaultDrain  = 3 * time.Minute
	longest       = 10 * 365 * 24 * time.Hour
)

func (m Model) every() time.Duration { return cmp.Or(max(m.Every, 0), defaultEvery) }

func (t Takes) of(n candidate.Node, at time.Time, otherwise time.Duration, chance float64) time.Duration {
	if t == nil {
		return otherwise
	}
	return min(max(t(n, at, chance), 0), longest)
}

func (m Model) launch(n candidate.Node, at time.Time) time.Duration {
	return m.Launch.of(n, at, defaultLaunch, m.chance(launching, n))
}
func (m Model) drain(n candidate.Node, at time.Time) time.Duration {
	return m.Drain.of(n, at, defaultDrain, m.chance(draining, n))
}
func (m Model) recovery(n candidate.Node, at time.Time) time.Duration {
	return m.Recovery.of(n, at, 0, m.chance(recovering, n))
}
func (m Model) eviction(n candidate.Node, at time.Time) time.Duration {
	return m.Eviction.of(n, at, 0, m.chance(evicting, n))
}
func (m Model) grace(n candidate.Node) time.Duration {
	if m.Grace == nil {
		return 0
	}
	return min(m.Grace(n), longest)
}

// A course is what happens to a node after it starts. All of it is known at the start.
type course struct {
	replaced  bool
	ready     time.Time // when its replacement is Ready
	gone      time.Time // when it is drained and gone; zero: never
	recovered time.Time // when its PodDisruptionBudgets allow as much as before; zero: never
	queue     queue

	killed   time.Time           // when its grace period ends before its drain does; zero: it does not
	blockers []candidate.Blocker // of its drain, if it is never gone, or killed
}

// A manner is how a node is disrupted.
type manner struct {
	deleted bool // its drain begins at once
	first   bool // its replacement is launched once it is gone
	// spared is when the first of its pods that move is evicted, if that is when its replacement is launched; zero: it
	// is not; farAway: never.
	spared time.Time
}

// course returns what happens to a node that starts at a time for a reason.
func (m Model) course(n candidate.Node, c candidate.Condition, at time.Time, how manner, empty emptying) course {
	k := course{replaced: m.replaced(n, c) && !how.spared.Equal(farAway)}
	drains, deleted := at, how.deleted
	switch {
	case !k.replaced || how.first:
	case !how.spared.IsZero():
		k.ready = m.joined(n, how.spared)
	default:
		k.ready = m.joined(n, at)
		if !deleted {
			drains = m.drainsFrom(n, at, k.ready)
		}
	}
	takes := m.drain(n, drains)
	if c.Bound != nil && candidate.Unhealthy.Covers(c.Reason) {
		k.gone = drains.Add(min(takes, max(*c.Bound, 0)))
	} else {
		var last, end time.Time
		if grace := m.grace(n); grace > 0 {
			end = drains.Add(grace)
		}
		last, k.queue, k.blockers = empty(drain{drains, k.ready, end})
		k.drained(m.drainedAt(n, last, takes), end)
		if k.gone.IsZero() {
			return k
		}
	}
	if k.replaced && k.ready.IsZero() {
		k.ready = m.joined(n, k.gone)
	}
	k.recovered = schedule.Last(k.gone, k.ready)
	k.recovered = k.recovered.Add(m.recovery(n, k.recovered))
	return k
}

// drainedAt returns when a node is gone whose last pod is evicted at a time. Zero: never.
func (m Model) drainedAt(n candidate.Node, last time.Time, drain time.Duration) time.Time {
	if last.IsZero() {
		return last
	}
	gone := last.Add(drain)
	if m.Terminates != nil {
		gone = schedule.Last(gone, m.Terminates(n))
	}
	return gone
}

// drained sets when a node is gone: when it is drained, or when its grace period ends, if that is earlier. By then, the
// pods that hold up its drain are killed. Zero: the drain never ends, or the grace period does not.
func (k *course) drained(gone, end time.Time) {
	if k.gone = gone; !end.IsZero() && (gone.IsZero() || end.Before(gone)) {
		k.gone = end
	}
	if len(k.blockers) > 0 && !end.IsZero() {
		k.killed = k.gone
	}
}

// cut returns when Karpenter deletes a pod of a draining node at the latest. Zero: it does not.
func (m Model) cut(pod string, d drain) time.Time {
	if d.end.IsZero() || m.PodGrace == nil {
		return d.end
	}
	return schedule.Last(d.at, d.end.Add(-m.PodGrace(pod)))
}

// replaced reports whether a node that is disrupted for a reason gets a replacement.
func (m Model) replaced(n candidate.Node, c candidate.Condition) bool {
	switch c.Reason.Method() {
	case candidate.Empty, candidate.Underutilized:
		return false
	case candidate.Drifted:
		return m.Replaces == nil || m.Replaces(n)
	}
	return true
}

// joined returns when the replacement of a node is Ready whose launch begins at a time.
func (m Model) joined(n candidate.Node, at time.Time) time.Time { return at.Add(m.launch(n, at)) }

// An emptying returns when the last pod of a node is evicted, what that pod waits for, and what holds up the drain.
// Zero: some pods are never evicted.
type emptying func(drain) (last time.Time, waits queue, holds []candidate.Blocker)

// drainsFrom returns when the drain of a node begins that starts at a time: when its replacement is Ready, or when it
// expires before that.
func (m Model) drainsFrom(n candidate.Node, at, ready time.Time) time.Time {
	if expiry := m.expiry(n); !expiry.IsZero() {
		return schedule.First(ready, schedule.Last(at, expiry))
	}
	return ready
}

// karpentersOrder is the order of Karpenter's methods. (NewMethods; it has none for Requested and Expired.)
var karpentersOrder = []candidate.Reason{
	candidate.Unhealthy, candidate.Empty, candidate.Requested, candidate.Drifted, candidate.Underutilized,
	candidate.Expired,
}

// reasons returns the reasons to decide: those of Reasons that have candidates, and at least one; by default, the
// methods that have. A reason that is not known may be any.
func (m Model) reasons(nodes []candidate.Node) []candidate.Reason {
	methods, given := map[candidate.Reason]bool{}, map[candidate.Reason]bool{}
	for i := range nodes {
		for _, c := range nodes[i].Conditions {
			methods[c.Reason.Method()], given[c.Reason] = true, true
		}
	}
	if len(m.Reasons) > 0 {
		var have []candidate.Reason
		for _, r := range m.Reasons {
			for reason := range given {
				if known, _ := candidate.ParseReason(string(reason)); r.Covers(reason) || known != reason {
					have = append(have, r)
					break
				}
			}
		}
		if len(have) == 0 {
			return m.Reasons[:1]
		}
		return have
	}
	place := func(r candidate.Reason) int {
		switch i := slices.Index(karpentersOrder, r); {
		case i >= 0:
			return i
		case r == "":
			return len(karpentersOrder) + 1
		}
		return len(karpentersOrder)
	}
	return slices.SortedFunc(maps.Keys(methods), func(a, b candidate.Reason) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
	})
}

// assumptions lists what the model assumes, one sentence each.
func (m Model) assumptions(in disruptkit.Input) []string {
	order := "replacements are launched first: a node drains once its replacement is Ready"
	if m.DrainFirst {
		order = "nodes drain first: a replacement is launched once its node is gone"
	}
	names := make([]string, len(m.Reasons))
	for i, r := range m.Reasons {
		names[i] = cmp.Or(string(r), "all reasons")
	}
	texts := []string{
		fmt.Sprintf("a decision is made every %s, for %s%s", wording.Duration(m.every()),
			cmp.Or(strings.Join(names, ", then "), "no reason"), m.passText()),
		fmt.Sprintf("%s; a launch takes %s, a drain %s",
			order, m.Launch.text(in, defaultLaunch), m.Drain.text(in, defaultDrain)),
		"capacity is always there, and no replacement fails",
		m.replacedText(),
	}
	if m.Spares != nil && slices.ContainsFunc(in.Nodes, func(n candidate.Node) bool { return n.HasGracePeriod }) {
		texts = append(texts, "nothing is launched for pods with do-not-disrupt, or of a PodDisruptionBudget that "+
			"allows nothing by its spec, before they are evicted or killed: a node without other pods to move "+
			"drains at once")
	}
	if m.Recovery != nil {
		texts = append(texts, "the pods of a node then take "+m.Recovery.text(in, 0)+
			" until their PodDisruptionBudgets allow as much as before")
	}
	texts = append(texts, "nodes that are in flight now are gone after a drain, "+
		"and nodes that reboot or join now are Ready after a launch")
	if slices.ContainsFunc(in.Nodes, func(n candidate.Node) bool { return n.InFlight() }) {
		texts = append(texts, "PodDisruptionBudgets that allow nothing, pods with do-not-disrupt and pods that "+
			"terminate hold up the drains that have begun, until a grace period ends")
	}
	switch {
	case m.Eviction != nil:
		texts = append(texts, "pods that share a PodDisruptionBudget are evicted as it allows now, "+
			"and one after the other where that is less: the next one "+
			m.Eviction.text(in, 0)+" after an earlier one; which node's pods are first is a guess, and if a "+
			"budget allows several such nodes, the roll may be done earlier")
	case in.Dialect == dialect.Karpenter:
		texts = append(texts, "nodes that share a PodDisruptionBudget may drain at once, as in Karpenter, "+
			"and their drains take no longer for it")
	}
	switch {
	case m.Room != nil && m.Full:
		texts = append(texts, "nodes are full of pods that are as large as each other: Karpenter gives a replacement "+
			"that is not Ready yet to the oldest of them, and starts no drifted node whose pods it would put there")
	case m.Room != nil:
		texts = append(texts, "replacements have space for pods of other nodes: Karpenter starts the next drifted "+
			"node when the replacement of the one before is Ready")
	}
	for _, w := range m.Outages {
		texts = append(texts, "what if: an outage blocks all pools: "+wording.Short(w.String(), 200))
	}
	if m.Expires != nil {
		texts = append(texts, m.expiryText())
	}
	return append(texts,
		"nothing else changes: no other node drifts, empties or fails, "+
			"PodDisruptionBudgets recover only as their nodes do, and probes say what they say now")
}

// replacedText describes which nodes are replaced.
func (m Model) replacedText() string {
	if m.Replaces == nil {
		return "nodes that are Empty or Underutilized are not replaced; all others are, with the same labels and pods"
	}
	return "nodes that are Empty or Underutilized are not replaced, nor drifted ones without pods to move; all " +
		"others are, with the same labels and pods, also where their pods would fit on nodes that are there: then " +
		"Karpenter launches none, and their drains begin at once"
}

// passText describes what a pass does.
func (m Model) passText() string {
	if m.Pass <= 0 {
		return ""
	}
	starts := "one drifted node of the cluster"
	if m.Batched {
		starts = "all drifted nodes that are allowed"
	}
	return ", and at once after one that starts a node: it starts " + starts + ", and takes " + m.Pass.String()
}

// text describes how long a step takes for the nodes that are to go or in flight: "3m", or "1m to 15m".
func (t Takes) text(in disruptkit.Input, otherwise time.Duration) string {
	if t == nil {
		return wording.Duration(otherwise)
	}
	var all []time.Duration
	for i := range in.Nodes {
		if n := &in.Nodes[i]; len(n.Conditions) > 0 || n.InFlight() {
			all = append(all, t.of(*n, in.Now, otherwise, 0), t.of(*n, in.Now, otherwise, highest))
		}
	}
	switch {
	case len(all) == 0:
		return "what is given for each node"
	case slices.Min(all) == slices.Max(all):
		return wording.Duration(all[0])
	}
	return wording.Duration(slices.Min(all)) + " to " + wording.Duration(slices.Max(all))
}
