package disruptkit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/mistake"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/topology"
)

// Input is everything that a decision depends on. Functions never modify it.
type Input struct {
	Now    time.Time        // the time of the decision; zero is a mistake, and nothing is allowed
	Pools  []Pool           // all pools; nodes of other pools are never disrupted
	Groups []Group          // policies of several pools together
	Nodes  []candidate.Node // all nodes, even those without a reason to be disrupted, since budgets count them
	Rules  candidate.Rules  // the cluster's PodDisruptionBudgets, and other rules for pods
	// Verdicts are the verdicts of probes and breakers for the whole cluster. They apply to every pool.
	Verdicts []probe.Verdict
	// Pauses are people's requests not to disrupt nodes, such as during an incident. They apply in addition to
	// Verdicts.
	Pauses []probe.Pause
	// Gates are limits of the caller's own. Each function opens one for a session, on the input as the session reads
	// it: nodes in flight already use up its limit. They can only block more, overdue nodes included. But a share
	// (budget.Budget.Guaranteed) that a reason cannot use because of them is lent to others. Their order makes no
	// difference.
	Gates []func(Input) Gate
	// Memory is the Memory of the last decision, by pool, and by Group.Key.
	Memory map[string]Memory
	// Dialect selects the rules. With dialect.Karpenter, the decision is that of stock Karpenter with the same objects,
	// whatever the dialect in which Budgets and Rules were compiled: there are no groups, probes, pauses, deadlines,
	// turns, waves, paces, soaks, back-off or Memory, nodes with the same name are distinct, and expired nodes are
	// always allowed. Leave out pools without instance types, since Karpenter ignores them. Pod annotations are parsed
	// earlier, with the dialect of the kube.Parser. Package budget/admission has what Karpenter's API server drops and
	// rejects of Budgets.
	Dialect dialect.Dialect
}

// A Pool is a node pool and its policy. The zero policy is Karpenter's default: at most 10 % of the nodes at once.
type Pool struct {
	Name     string            // unique
	Labels   map[string]string // for probes that deny by label: the pool's labels, and those that all its nodes get
	Budgets  budget.Set
	Topology topology.Options    // for budgets with a topology key
	Verdicts []probe.Verdict     // of probes and breakers: all must allow a node; a roll that waits keeps its zone
	Blockers []candidate.Blocker // the caller's, for all nodes of the pool, such as a policy that cannot be read

	// Desired is how many nodes the pool should have, such as the replicas of a static NodePool. 0 means unknown. Nodes
	// that are missing (Desired less those that count, and less those that join) use up every budget except those for
	// Unhealthy. Otherwise a pool whose nodes are terminated before their replacements launch would be emptied, if the
	// replacements never launch. A negative number blocks all nodes of the pool. (Not in Karpenter.)
	Desired int
	// RepairBacksOff makes repair also wait while the pool's replacements fail (Memory.Backoff). By default only drift
	// and expiration wait, since keeping a broken node is worse than one more attempt.
	RepairBacksOff bool
	// Revision identifies the template of new nodes, such as the hash of the NodePool and its NodeClass. When it
	// changes, a roll in waves starts over with the first wave (budget.Rollout). "" means unknown.
	Revision string
}

// A Group is several pools with a policy of their own: "at most 3 nodes at once in all pools of prod", "one pool after
// the other", "one zone at a time, across pools". Groups may overlap. A node may be disrupted only if its pool and all
// groups of that pool allow it.
//
// A group may have all kinds of budgets. Percentages are of the nodes of all its pools. A sequential budget with the
// topologyKey karpenter.sh/nodepool disrupts one pool after the other, if nodes have that label. With the key of zones
// it rolls the same zone in all pools.
//
// If overlapping groups make domains take turns, the groups with the most pools decide first, and among these the first
// by name. In a later group, a domain loses its turn if an earlier group blocks all of its nodes. The pools' own turns
// are last. So no two groups wait for each other for ever.
//
// A group that names a pool that is not in the input, or that shares its name with another group, cannot be enforced:
// it blocks all nodes of its pools, with a warning (candidate.CodeInvalidGroup). Karpenter has no groups.
type Group struct {
	Name  string   // unique among groups; a pool may have the same name
	Pools []string // their names; a group without pools limits nothing, with a warning
	// Budgets limit all its pools together. Exported for callers of Decide, who write groups.
	Budgets budget.Set
	// Topology has the options for budgets with a topology key. Exported for callers of Decide, who write groups.
	Topology topology.Options
	Verdicts []probe.Verdict     // of probes and breakers, for all its pools
	Blockers []candidate.Blocker // the caller's, for all nodes of its pools
}

// Key returns the group's key in Input.Memory and Decision.Memory. No pool of Kubernetes has a slash in its name.
func (g Group) Key() string { return "group/" + g.Name }

// Apply returns the input with d's Memory and all nodes that d allows in flight. Decide the next reason on it, and no
// budget and no PodDisruptionBudget is spent twice. It keeps Now, and does not modify in.
//
// Apply identifies nodes by name and pool. In Karpenter's dialect several nodes may share both: if one of them is
// allowed, all of them count as in flight.
func (in Input) Apply(d Decision) Input {
	in.Memory = d.Memory
	if len(d.Allowed) == 0 {
		return in
	}
	reasons := make(map[node]candidate.Reason, len(d.Allowed))
	for _, c := range d.Allowed {
		reasons[node{c.Node, c.Pool}] = c.Reason
	}
	in.Nodes = slices.Clone(in.Nodes)
	for i := range in.Nodes {
		n := &in.Nodes[i]
		if reason, ok := reasons[node{n.Name, n.Pool}]; ok {
			n.Leaving, n.DisruptedFor = max(n.Leaving, candidate.Draining), reason
		}
	}
	return in
}

// asKarpenterReads returns the input without what stock Karpenter does not have: groups, pauses, probes (except the
// breaker of repairs), maintenance, units, deadlines, turns, missing nodes, and memories except starts, paces and
// slots. A Warning (candidate.CodeNoEffect) names what has no effect.
func (in Input) asKarpenterReads() (_ Input, noEffect []candidate.Warning) {
	warn := func(written bool, object, field, message string) {
		if written {
			noEffect = append(noEffect,
				candidate.Warning{Code: candidate.CodeNoEffect, Object: object, Field: field, Message: message})
		}
	}
	breakers := func(verdicts []probe.Verdict, object string) []probe.Verdict {
		kept := slices.DeleteFunc(slices.Clone(verdicts), func(v probe.Verdict) bool {
			return v.Code != candidate.CodeTooManyUnhealthy // Karpenter: Repair.breakerTrippedPools
		})
		warn(len(kept) < len(verdicts), object, "disruptionProbes", "Karpenter asks no probes, so they block nothing")
		return kept
	}
	warn(len(in.Pauses) > 0, "", "pauses", "Karpenter has no pauses, so they block nothing")
	warn(len(in.Groups) > 0, "", "groups", "Karpenter has no groups of pools, so they limit nothing")
	in.Pauses, in.Groups, in.Rules.Dialect = nil, nil, dialect.Karpenter
	dated := func(c candidate.Condition) bool { return !c.Deadline.IsZero() }
	hasDeadline := func(n candidate.Node) bool { return slices.ContainsFunc(n.Conditions, dated) }
	warn(slices.ContainsFunc(in.Nodes, hasDeadline), "", "deadline",
		"Karpenter has no deadlines, so no node is overdue, and windows apply as long as they are closed")
	maintained := func(n candidate.Node) bool { return n.Maintenance.Condition != "" }
	warn(slices.ContainsFunc(in.Nodes, maintained), "", "maintenance",
		"Karpenter does not look at conditions such as DrainInProgress, so they put no node in flight")
	if slices.ContainsFunc(in.Nodes, func(n candidate.Node) bool {
		return n.Unit != "" || maintained(n) || hasDeadline(n)
	}) {
		in.Nodes = slices.Clone(in.Nodes)
		for i := range in.Nodes {
			n := &in.Nodes[i]
			if n.Unit = ""; maintained(*n) {
				n.Leaving, n.Maintenance = candidate.Staying, candidate.Maintenance{}
			}
			if hasDeadline(*n) {
				n.Conditions = slices.Clone(n.Conditions)
				for j := range n.Conditions {
					n.Conditions[j].Deadline = time.Time{}
				}
			}
		}
	}
	in.Memory = maps.Clone(in.Memory)
	for key, m := range in.Memory {
		in.Memory[key] = Memory{Starts: m.Starts, Paces: m.Paces, Soak: m.Soak}
	}
	in.Verdicts, in.Pools = breakers(in.Verdicts, ""), slices.Clone(in.Pools)
	for i := range in.Pools {
		p := &in.Pools[i]
		p.Budgets, p.Verdicts = p.Budgets.In(dialect.Karpenter), breakers(p.Verdicts, "NodePool/"+p.Name)
		p.Desired, p.Topology = 0, topology.Options{}
	}
	slices.SortStableFunc(noEffect, func(a, b candidate.Warning) int { return strings.Compare(a.Object, b.Object) })
	return in, noEffect
}

func warningf(code candidate.Code, object, field, value, format string, args ...any) candidate.Warning {
	return candidate.Warning{
		Code: code, Object: object, Field: field, Value: value, Message: fmt.Sprintf(format, args...),
	}
}

func (row *row) warnings() (all []candidate.Warning) {
	if w, missing := candidate.NoTime(row.Now); missing {
		w.Field = "Input.Now"
		all = append(all, w)
	}
	unordered := row.without(func(p *scope, n *candidate.Node) bool { // no node has what its order uses
		return p.Ambiguous || orderField(p) == "" || n.Cost != 0 && orderField(p) == "Cost" ||
			n.Rank != 0 && orderField(p) == "Rank"
	})
	for _, p := range row.Pools {
		all = append(all, row.warningsOf(p, unordered[p.Index])...)
	}
	all = append(all, slices.Compact(sorted(row.groupFaults))...)
	for _, p := range row.Groups {
		all = append(all, row.warningsOf(p, unordered[p.Index])...)
	}
	all = append(all, row.nodeWarnings()...)
	if near := row.misspelt(); near != "" {
		all = append(all, warningf(candidate.CodeUnknownReason, "", "reason", string(row.Reason),
			"nodes with the reason %.100q are no candidates for %.100q, which is one letter from it: "+
				"write the same name in both, if they are one reason", near, row.Reason))
	}
	return slices.Concat(all, sorted(row.deadlineFaults), row.unitFaults, row.Rules.Warnings(), row.Signals.Warnings())
}

// misspelt returns the first child, by name, that nodes have and that is one letter from the decision's reason, or "".
func (row *row) misspelt() (first candidate.Reason) {
	if row.Reason == row.Reason.Method() || row.Dialect == dialect.Karpenter {
		return ""
	}
	for i := range row.Nodes {
		if p := row.Pool(i); p == nil || p.Ambiguous {
			continue
		}
		for _, c := range row.Nodes[i].Conditions {
			if wording.Misspelt(row.Reason, c.Reason) && (first == "" || c.Reason < first) {
				first = c.Reason
			}
		}
	}
	return first
}

// sorted sorts warnings, so that the order of the input makes no difference.
func sorted(all []candidate.Warning) []candidate.Warning {
	slices.SortStableFunc(all, func(a, b candidate.Warning) int {
		return cmp.Or(strings.Compare(a.Object, b.Object), strings.Compare(a.Field, b.Field),
			strings.Compare(a.Value, b.Value), strings.Compare(a.Message, b.Message))
	})
	return all
}

// warningsOf returns the warnings about a pool or a group, and about its memory.
func (row *row) warningsOf(p *scope, unordered bool) (all []candidate.Warning) {
	if p.Ambiguous {
		all = append(all, warningf(candidate.CodeUnknownPool, "", "name", p.Name,
			"several pools are called %q, and it is unclear whose budgets apply: write each pool once", p.Name))
	} else {
		all = slices.Concat(p.Budgets.Warnings(), row.Zones.Warnings(p), row.Budgets.ReasonWarnings(p))
	}
	if unordered {
		field, written := orderField(p), p.Budgets.Spec().Order
		all = append(all, warningf(candidate.CodeNoEffect, "", "order", written,
			"order %q has no effect, since no node has a %s, so the oldest is first: set Node.%[2]s, "+
				"or leave order out", written, field))
	}
	if p.unknown > 0 { // one warning for all of them, so that it is read
		nodes, verb, them := wording.Quote(p.firstUnknown), "is", "the node is blocked and counts"
		if p.unknown > 1 {
			nodes += " and " + wording.Count(p.unknown-1, "more node")
			verb, them = "are", "these nodes are blocked and count"
		}
		all = append(all, warningf(mistake.CodeUnknownPhase, "", "Node.Phase", p.firstUnknown,
			"%s %s in an unknown phase, so %s as in flight: set Node.Phase, such as to candidate.Running",
			nodes, verb, them))
	}
	for i, s := range row.Memory[p.MemoryKey()].Starts {
		if s.At.IsZero() {
			all = append(all, warningf(mistake.CodeNoTime, "", fmt.Sprintf("memory.starts[%d].at", i), "",
				"the start of node %q has no time, and counts as now: write when it started, "+
					"such as 2026-11-20T12:00:00Z", s.Node))
		}
	}
	for i := range all {
		all[i].Object = p.Object()
	}
	return all
}

// orderField returns the field of nodes that a pool's order uses, if callers have to set it.
func orderField(p *scope) string {
	switch p.Budgets.Order() {
	case "cheapest":
		return "Cost"
	case "rank":
		return "Rank"
	}
	return ""
}

// nodeWarnings warns of nodes without a name, of those whose pool is probably misspelt, since it is not in the input,
// and of those that share a name.
func (f *fleet) nodeWarnings() (all []candidate.Warning) {
	if f.Nameless > 0 {
		all = append(all, warningf(mistake.CodeNoName, "Node/", "name", "",
			"%s without a name, which are never disrupted: set Node.Name", wording.Count(f.Nameless, "node")))
	}
	if f.Dialect == dialect.Karpenter {
		return all
	}
	strays := map[string]int{}
	for i, at := range f.Owners {
		if at < 0 && f.Nodes[i].Pool != "" {
			strays[f.Nodes[i].Pool]++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(strays)) {
		if meant := f.near(name); len(meant) > 0 {
			all = append(all, warningf(candidate.CodeUnknownPool, meant[0].Object(), "Node.Pool", name,
				"%s of pool %.100q, which is not in the input and is one letter from %s: they are not counted in "+
					"%[3]s, and not disrupted: write the same name in both, or also pass that pool",
				wording.Count(strays[name], "node"), name, wording.Quote(meant[0].Name)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Namesakes)) {
		if name != "" { // else it is reported above
			all = append(all, warningf(candidate.CodeDuplicateNode, "Node/"+name, "name", name,
				"several nodes are called %q, and none of them is disrupted: write each node once", name))
		}
	}
	return all
}

// codeInvalidDeadline is the code of a Warning: a deadline before the reason began is ignored. It is stable.
const codeInvalidDeadline candidate.Code = "invalid-deadline"

func (f *fleet) warnDeadline(node string, c candidate.Condition) {
	deadline, since := c.Deadline.UTC().Format(time.RFC3339Nano), c.Since.UTC().Format(time.RFC3339Nano)
	f.deadlineFaults = append(f.deadlineFaults, warningf(codeInvalidDeadline, "Node/"+node, "deadline",
		deadline, "deadline %s is before %s, when %s began to hold, and is ignored: write a later one",
		deadline, since, wording.Quote(string(c.Reason))))
}

// withoutNegatives returns the input in which the nodes of each pool and group with a negative number or duration are
// blocked, with a warning for each.
func (in Input) withoutNegatives() (_ Input, warnings []candidate.Warning) {
	block := func(object string, desired int, o topology.Options, blockers *[]candidate.Blocker) {
		*blockers = slices.Clip(*blockers)
		warn := func(negative bool, field string, value any, instead string) {
			if !negative {
				return
			}
			w := warningf(mistake.CodeNegative, object, field, fmt.Sprint(value),
				"%s %v is negative: %s; until then, no node is disrupted", field, value, instead)
			warnings = append(warnings, w)
			*blockers = append(*blockers, nodeBlocker(w.Code, w.Message))
		}
		warn(desired < 0, "Desired", desired, "write how many nodes the pool should have, or 0 for unknown")
		warn(o.Patience < 0 && o.Patience != topology.NoPatience, "Topology.Patience", o.Patience,
			"write 0 for 15 minutes, or topology.NoPatience")
		warn(o.Soak < 0, "Topology.Soak", o.Soak, "write how long a finished domain must soak, or 0 for no time")
	}
	in.Pools, in.Groups = slices.Clone(in.Pools), slices.Clone(in.Groups)
	for i := range in.Pools {
		p := &in.Pools[i]
		block("NodePool/"+p.Name, p.Desired, p.Topology, &p.Blockers)
	}
	for i := range in.Groups {
		g := &in.Groups[i]
		block("Group/"+g.Name, 0, g.Topology, &g.Blockers)
	}
	slices.SortStableFunc(warnings, func(a, b candidate.Warning) int { return strings.Compare(a.Object, b.Object) })
	return in, warnings
}
