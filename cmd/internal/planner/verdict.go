package planner

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/cmd/manifest"
	"github.com/disruptkit/disruptkit/internal/display"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/plan"
	"github.com/disruptkit/disruptkit/schedule"
)

// cause returns the main cause of how a plan ends: what the last pool waits for most of the time, or, if most nodes are blocked, what
// blocks most of them; "" if there is none.
func cause(p plan.Plan) string {
	if mostStay(p) {
		return stays(p)
	}
	i := slices.IndexFunc(p.Pools, func(pool plan.Pool) bool { return pool.Finish.Equal(p.Finish) && len(pool.Clock) > 0 })
	if i < 0 {
		return ""
	}
	pool, w := p.Pools[i], p.Pools[i].Clock[0]
	what, why, found := strings.Cut(said(w), ": ")
	what = strings.TrimSuffix(what, fmt.Sprintf(" (%s/%s)", w.Gate, w.Code))
	what += fmt.Sprintf(" for %s of %s", display.Rough(w.For), display.Rough(pool.Finish.Sub(p.From)))
	if found && len(p.Pools) > 1 {
		what += " in pool " + poolTitle(pool.Name)
	}
	if found {
		what += ": " + why
	}
	return what
}

func mostStay(p plan.Plan) bool {
	c := p.Count(far)
	return 2*(c.Done+c.OnlyExpire) < len(p.Nodes)
}

// stays returns what blocks most of the nodes that are never disrupted, and how many wait for one of these; "" if there are none. If two
// causes block as many, a drain that never ends is first, since others may wait for it.
func stays(p plan.Plan) string {
	var most []plan.Node
	groups := notDone(p)
	for _, g := range groups {
		if len(g) > len(most) || len(g) == len(most) && g[0].Drains() && !most[0].Drains() {
			most = g
		}
	}
	if most == nil {
		return ""
	}
	who := wording.Quote(most[0].Name) + " is blocked"
	if n := len(most); n > 1 {
		who = fmt.Sprintf("%d nodes are blocked", n)
	}
	text := who + ": " + wording.Quote(together(most))
	waiting := only(slices.Concat(groups...), func(n plan.Node) bool { return most[0].Drains() && names(n, most) })
	if len(waiting) > 0 {
		text += ". " + count(len(waiting), "node waits", "nodes wait") + " for that"
	}
	return text
}

// names reports whether what blocks a node is used up by one of some nodes.
func names(n plan.Node, by []plan.Node) bool {
	return slices.ContainsFunc(n.Blockers, func(b candidate.Blocker) bool {
		return slices.ContainsFunc(by, func(by plan.Node) bool { return strings.Contains(b.Message, " "+wording.Quote(by.Name)+" (") })
	})
}

// risk returns what most endangers a plan: what was not given, what uses up budgets until it is repaired, what is never disrupted, what
// may compete for budgets, or how long drains take.
func (r report) risk() string {
	p := r.plans[0]
	for _, m := range r.missing {
		what, _, _ := strings.Cut(m.Message, ": ")
		return what
	}
	if text := unready(p.in, p.plan); text != "" {
		return text
	}
	if text := stays(p.plan); text != "" && !mostStay(p.plan) {
		return text
	}
	if r.launchesTogether(p.cluster, p.plan) {
		return "nodes that are not full: then Karpenter launches one replacement of a NodePool at a time, whatever budgets allow"
	}
	if r.consolidatable > 0 && len(p.plan.Nodes) > 0 {
		return wording.Count(r.consolidatable, "Consolidatable node") + " may use up the same budgets"
	}
	if p.plan.Finish.IsZero() {
		return ""
	}
	return "drains that take longer than assumed"
}

// launchesTogether reports whether a plan for Karpenter launches several replacements of drifted nodes of a NodePool at a time. If nodes have space
// for the pods of others, Karpenter does not: it waits until the replacement on which they fit is Ready. Of a static NodePool it does not look at pods.
func (o *options) launchesTogether(cluster *manifest.Cluster, p plan.Plan) bool {
	ready := map[string]time.Time{}                                                                  // the last replacement of each pool so far
	return o.Policy.As != engine.Disruptkit && slices.ContainsFunc(p.Nodes, func(n plan.Node) bool { // by start
		static, _ := cluster.Static(n.Pool)
		together := !static && candidate.Drifted.Covers(n.Reason) && !n.Ready.IsZero() && n.Start.Before(ready[n.Pool])
		ready[n.Pool] = schedule.Last(ready[n.Pool], n.Ready)
		return together
	})
}

func count(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
}

// unready names the nodes that are not Ready and count against the budgets of pools that have nodes to go, and that nothing in the plan
// repairs.
func unready(in disruptkit.Input, p plan.Plan) string {
	var names []string
	pools := map[string]bool{}
	for i := range in.Nodes {
		n := &in.Nodes[i]
		toGo := slices.ContainsFunc(p.Nodes, func(o plan.Node) bool { return o.Pool == n.Pool })
		repaired := slices.ContainsFunc(n.Conditions, func(c candidate.Condition) bool { return candidate.Unhealthy.Covers(c.Reason) })
		if toGo && n.Counted() && n.Phase == candidate.NotReady && !n.InFlight() && !repaired {
			names = append(names, n.Name)
			pools[n.Pool] = true
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	verb := "is not Ready and uses"
	if len(names) > 1 {
		verb = "are not Ready and use"
	}
	return fmt.Sprintf("%s %s up budgets of %s", wording.List(names, mostUnready, wording.Quote), verb,
		wording.List(slices.Sorted(maps.Keys(pools)), len(pools), wording.Quote))
}

const mostUnready = 2

// leaveOut returns an input without the condition Consolidatable, unless the options name its reasons, and how many nodes have no other
// condition: whether these are disrupted is for others to decide.
func (o *options) leaveOut(in disruptkit.Input) (disruptkit.Input, int) {
	left := 0
	if slices.ContainsFunc(o.model.Reasons, func(r candidate.Reason) bool { return r == "" || candidate.Underutilized.Covers(r) }) {
		return in, left
	}
	in.Nodes = slices.Clone(in.Nodes)
	for i := range in.Nodes {
		n := &in.Nodes[i]
		rest := slices.DeleteFunc(slices.Clone(n.Conditions), func(c candidate.Condition) bool { return candidate.Underutilized.Covers(c.Reason) })
		if len(rest) == 0 && len(n.Conditions) > 0 && !n.InFlight() {
			left++
		}
		n.Conditions = rest
	}
	return in, left
}

// assumes returns what a plan assumes on top of its own assumptions, where some nodes are left out.
func (o *options) assumes(cluster *manifest.Cluster, in disruptkit.Input, r plan.Range, left int) []string {
	texts := slices.Clone(o.assumed)
	if len(r.Draws) > 1 {
		texts = append(texts, fmt.Sprintf("chance decides how long each node takes, and whose launch fails; %d runs draw it anew, and the same input has the same runs", len(r.Draws)))
	}
	if o.pass == "" && o.Policy.As != engine.Disruptkit {
		texts = append(texts, "how long a pass takes is a guess, by the number of nodes; write --pass @metrics.txt")
	}
	if o.launchesTogether(cluster, r.Plan) {
		texts = append(texts, "no node waits for the replacement of another one, which is a guess: if pods of the next node fit there, or are older "+
			"than those that it is for, Karpenter launches one of a NodePool at a time, whatever budgets allow")
	}
	texts = append(texts, unasked(o.Policy.As, cluster)...)
	if left > 0 {
		texts = append(texts, fmt.Sprintf("%s Consolidatable, and none is planned to be disrupted for that; to plan all of them, name Underutilized in --reason",
			count(left, "node is", "nodes are")), manifest.Consolidatable)
	} else if slices.ContainsFunc(in.Nodes, isConsolidatable) {
		texts = append(texts, "all nodes that are Consolidatable are disrupted, which is the most that can happen", manifest.Consolidatable)
	}
	return texts
}

// isConsolidatable reports whether a node is, according to its conditions.
func isConsolidatable(n candidate.Node) bool {
	return slices.ContainsFunc(n.Conditions, func(c candidate.Condition) bool { return candidate.Underutilized.Covers(c.Reason) })
}

// best returns the trials that help most, for each of what they help with.
func best(trials []plan.Trial) (all []helpful) {
	pools := func(t plan.Trial) (most float64) {
		for _, p := range t.Comparison.Pools {
			most = max(most, p.Gain().Seconds())
		}
		return most
	}
	for _, h := range []struct {
		helpful
		helps func(plan.Trial) bool
		order func(a, b plan.Trial) int
	}{
		{helpful{title: "to be done earlier"},
			func(t plan.Trial) bool {
				return t.Comparison.Done >= 0 && (t.Comparison.Gain() > 0 || t.Comparison.Gain() == 0 && pools(t) > 0)
			},
			func(a, b plan.Trial) int {
				return cmp.Or(cmp.Compare(b.Comparison.Gain(), a.Comparison.Gain()), cmp.Compare(pools(b), pools(a)))
			}},
		{helpful{title: "so that more nodes are disrupted"},
			func(t plan.Trial) bool { return t.Comparison.Done > 0 },
			func(a, b plan.Trial) int { return cmp.Compare(b.Comparison.Done, a.Comparison.Done) }},
		{helpful{title: "so that fewer nodes miss their deadlines"},
			func(t plan.Trial) bool { return t.Comparison.Late < 0 },
			func(a, b plan.Trial) int { return cmp.Compare(a.Comparison.Late, b.Comparison.Late) }},
	} {
		h.trials = only(trials, h.helps)
		slices.SortStableFunc(h.trials, h.order)
		h.trials = h.trials[:min(len(h.trials), mostTrials)]
		slices.SortStableFunc(h.trials, func(a, b plan.Trial) int { return cmp.Compare(a.Harm, b.Harm) })
		if len(h.trials) > 0 {
			all = append(all, h.helpful)
		}
	}
	return all
}

// A helpful is the best trials for one purpose.
type helpful struct {
	title  string
	trials []plan.Trial
}
