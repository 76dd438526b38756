package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/duration"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Model says what happens to nodes, and when decisions are made. The zero Model is described in the package comment.
type Model struct {
	Every   time.Duration      // between two decisions; 0 or less: 10 seconds, as in Karpenter
	Reasons []candidate.Reason // to decide, in order; none: the methods of all nodes' reasons, in Karpenter's order

	Launch Takes // from the launch of a replacement until it is Ready; nil: 2 minutes
	Drain  Takes // from the first eviction until the node is gone; nil: 3 minutes
	// DrainFirst lets a node drain before its replacement is launched. Otherwise, the replacement comes first, as in
	// Karpenter.
	DrainFirst bool
	// Recovery is the time from the start of the pods on their new node until their PodDisruptionBudgets allow as much
	// as before; nil: no time.
	Recovery Takes
	// Eviction is the time from the eviction of a pod until its replacement is Ready. As many pods are on their way at
	// once as their PodDisruptionBudget allows now; the others are evicted one after the other, whichever nodes they
	// are on. In Karpenter's dialect, no other node with such pods starts meanwhile, but those that start at once
	// drain together. nil: no time.
	Eviction Takes

	// Pass is how long a pass of Karpenter's disruption controller takes, with or without the guard. If it is above
	// 0, a pass starts one drifted node of the whole cluster, or all nodes that may go for another reason, and the
	// next pass follows at once. After a pass that starts nothing, the next one comes after Every. 0 or less: a
	// decision starts all nodes that it allows. (Karpenter: Drift.ComputeCommands, Controller.Reconcile.)
	Pass time.Duration

	// Outages are what-if questions: times at which a probe would deny everything. They have no effect in Karpenter's
	// dialect, which has no probes.
	Outages []Outage
}

// Takes returns how long a step takes for a node that goes, if the step begins at a time. Results below 0 count as 0,
// and those above 10 years as 10 years. The function must be deterministic.
type Takes func(n candidate.Node, at time.Time) time.Duration

// Constant returns a Takes that always returns d.
func Constant(d time.Duration) Takes {
	return func(candidate.Node, time.Time) time.Duration { return d }
}

// An Outage holds back all nodes of some pools while a window is open, like a probe that denies everything.
type Outage struct {
	Pools  []string        // by name; none: all pools
	Window schedule.Window // when; the zero Window means always
	Why    string          // for people
}

const (
	defaultEvery  = 10 * time.Second
	defaultLaunch = 2 * time.Minute
	defaultDrain  = 3 * time.Minute
	longest       = 10 * 365 * 24 * time.Hour
)

func (m Model) every() time.Duration {
	if m.Every <= 0 {
		return defaultEvery
	}
	return m.Every
}

func (t Takes) of(n candidate.Node, at time.Time, otherwise time.Duration) time.Duration {
	if t == nil {
		return otherwise
	}
	return min(max(t(n, at), 0), longest)
}

func (m Model) launch(n candidate.Node, at time.Time) time.Duration {
	return m.Launch.of(n, at, defaultLaunch)
}
func (m Model) drain(n candidate.Node, at time.Time) time.Duration {
	return m.Drain.of(n, at, defaultDrain)
}
func (m Model) recovery(n candidate.Node, at time.Time) time.Duration {
	return m.Recovery.of(n, at, 0)
}

// A course is what happens to a node after it starts. All of it is known at the start.
type course struct {
	replaced  bool
	ready     time.Time // when its replacement is Ready
	gone      time.Time // when it is drained and gone
	recovered time.Time // when its PodDisruptionBudgets allow as much as before
}

// course returns what happens to a node that starts at a time for a reason. Its last pod is evicted some time after its
// drain begins.
func (m Model) course(n candidate.Node, c candidate.Condition, at time.Time, last func(time.Time) time.Time) course {
	k := course{replaced: c.Reason.Method() != candidate.Empty && c.Reason.Method() != candidate.Underutilized}
	if k.replaced && !m.DrainFirst {
		k.ready = at.Add(m.launch(n, at))
		at = k.ready
	}
	drain := m.drain(n, at)
	if c.Bound != nil && candidate.Unhealthy.Covers(c.Reason) {
		drain = min(drain, max(*c.Bound, 0))
	} else {
		at = last(at)
	}
	k.gone = at.Add(drain)
	k.recovered = k.gone
	if k.replaced && m.DrainFirst {
		k.ready = k.gone.Add(m.launch(n, k.gone))
		k.recovered = k.ready
	}
	k.recovered = k.recovered.Add(m.recovery(n, k.recovered))
	return k
}

// karpentersOrder is the order of Karpenter's methods. (NewMethods; it has none for Expired.)
var karpentersOrder = []candidate.Reason{
	candidate.Unhealthy, candidate.Empty, candidate.Drifted, candidate.Underutilized, candidate.Expired,
}

// reasons returns the reasons to decide. By default, these are the methods that have candidates.
func (m Model) reasons(nodes []candidate.Node) []candidate.Reason {
	methods := map[candidate.Reason]bool{}
	for i := range nodes {
		for _, c := range nodes[i].Conditions {
			methods[c.Reason.Method()] = true
		}
	}
	if len(m.Reasons) > 0 {
		return slices.Clone(m.Reasons)
	}
	reasons := make([]candidate.Reason, 0, len(methods))
	for r := range methods {
		reasons = append(reasons, r)
	}
	place := func(r candidate.Reason) int {
		if i := slices.Index(karpentersOrder, r); i >= 0 {
			return i
		}
		if r == "" {
			return len(karpentersOrder) + 1
		}
		return len(karpentersOrder)
	}
	slices.SortFunc(reasons, func(a, b candidate.Reason) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
	})
	return reasons
}

// assumptions lists what the model assumes, one sentence each.
func (m Model) assumptions(in disruptkit.Input, reasons []candidate.Reason) []string {
	order := "replacements are launched first: a node drains once its replacement is Ready"
	if m.DrainFirst {
		order = "nodes drain first: a replacement is launched once its node is gone"
	}
	names := make([]string, len(reasons))
	for i, r := range reasons {
		names[i] = cmp.Or(string(r), "all reasons")
	}
	texts := []string{
		fmt.Sprintf("a decision is made every %s, for %s%s", duration.Text(m.every()),
			cmp.Or(strings.Join(names, ", then "), "no reason"), m.passText()),
		fmt.Sprintf("%s; a launch takes %s, a drain %s",
			order, m.Launch.text(in, defaultLaunch), m.Drain.text(in, defaultDrain)),
		"capacity is always there, and no replacement fails",
		"nodes that are Empty or Underutilized are not replaced; all others are, with the same labels and pods",
	}
	if m.Recovery != nil {
		texts = append(texts, "the pods of a node then take "+m.Recovery.text(in, 0)+
			" until their PodDisruptionBudgets allow as much as before")
	}
	texts = append(texts, "nodes that are in flight now are gone after a drain, "+
		"and nodes that reboot or join now are Ready after a launch")
	switch {
	case m.Eviction != nil:
		texts = append(texts, "pods that share a PodDisruptionBudget are evicted as it allows now, "+
			"and one after the other where that is less: the next one "+
			m.Eviction.text(in, 0)+" after an earlier one")
	case in.Dialect == dialect.Karpenter:
		texts = append(texts, "nodes that share a PodDisruptionBudget may drain at once, as Karpenter lets them, "+
			"and their drains take no longer for it")
	}
	for _, o := range m.Outages {
		texts = append(texts, "what if: "+o.text())
	}
	return append(texts,
		"nothing else changes: no other node drifts, empties or fails, "+
			"PodDisruptionBudgets recover only as their nodes do, and probes say what they say now")
}

// passText says what a pass does.
func (m Model) passText() string {
	if m.Pass <= 0 {
		return ""
	}
	return ", and at once after one that starts a node: it starts one drifted node of the cluster, " +
		"and takes " + m.Pass.String()
}

// text says how long a step takes for the nodes that are to go or in flight: "3m", or "1m to 15m".
func (t Takes) text(in disruptkit.Input, otherwise time.Duration) string {
	var all []time.Duration
	for i := range in.Nodes {
		if n := &in.Nodes[i]; len(n.Conditions) > 0 || n.InFlight() {
			all = append(all, t.of(*n, in.Now, otherwise))
		}
	}
	switch {
	case t == nil:
		return duration.Text(otherwise)
	case len(all) == 0:
		return "what is given for each node"
	case slices.Min(all) == slices.Max(all):
		return duration.Text(all[0])
	}
	return duration.Text(slices.Min(all)) + " to " + duration.Text(slices.Max(all))
}

// text describes an outage.
func (o Outage) text() string {
	pools := "all pools"
	if len(o.Pools) > 0 {
		pools = strings.Join(o.Pools, ", ")
	}
	return fmt.Sprintf("an outage blocks %s: %s (%s)",
		pools, cmp.Or(o.Why, "no reason given"), o.Window.Abbreviated(200))
}

// verdict returns the verdict of the outage on a pool at a time, whether it is in effect, and when that next changes.
func (o Outage) verdict(pool string, now time.Time) (v probe.Verdict, holds bool, next time.Time) {
	if len(o.Pools) > 0 && !slices.Contains(o.Pools, pool) {
		return v, false, next
	}
	holds, next, _ = o.Window.UntilAtLeast(now)
	return probe.Verdict{Probe: "outage", Code: candidate.CodeDenied, Cause: cmp.Or(o.Why, "an outage")}, holds, next
}
