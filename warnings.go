package disruptkit

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/topology"
)

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
	unordered := row.withoutOrder()
	for _, p := range row.Pools {
		all = append(all, row.warningsOf(p, unordered[p.Index])...)
	}
	all = append(all, slices.Compact(sorted(row.groupFaults))...)
	for _, p := range row.Groups {
		all = append(all, row.warningsOf(p, unordered[p.Index])...)
	}
	all = append(all, row.nodeWarnings()...)
	if row.misspelt != "" {
		all = append(all, warningf(candidate.CodeUnknownReason, "", "reason", string(row.Reason),
			"nodes with the reason %.100q are no candidates for %.100q, which is one letter from it: "+
				"write the same name in both, if they are one reason", row.misspelt, row.Reason))
	}
	return slices.Concat(all, sorted(row.deadlineFaults), row.unitFaults, row.Rules.Warnings(), row.Signals.Warnings())
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
	if p.unknown > 0 && !p.Ambiguous { // one warning for all of them, so that it is read
		nodes, verb, them := wording.Quote(p.firstUnknown), "is", "the node is blocked and counts"
		if p.unknown > 1 {
			nodes += " and " + wording.Count(p.unknown-1, "more node")
			verb, them = "are", "these nodes are blocked and count"
		}
		all = append(all, warningf(candidate.CodeUnknownPhase, "", "Node.Phase", p.firstUnknown,
			"%s %s in an unknown phase, so %s as in flight: set Node.Phase, such as to candidate.Running",
			nodes, verb, them))
	}
	for i, s := range row.Memory[p.MemoryKey()].Starts {
		if s.At.IsZero() {
			all = append(all, warningf(candidate.CodeNoTime, "", fmt.Sprintf("memory.starts[%d].at", i), "",
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
	return map[string]string{"cheapest": "Cost", "rank": "Rank"}[p.Budgets.Order()]
}

// withoutOrder reports, for each pool and group, whether it has nodes, but none with the field of its order.
func (f *fleet) withoutOrder() []bool {
	without, told := make([]bool, len(f.Scopes)), make([]bool, len(f.Scopes))
	if !slices.ContainsFunc(f.Scopes, func(p *scope) bool { return !p.Ambiguous && orderField(p) != "" }) {
		return without
	}
	for i := range f.Nodes {
		if p := f.Pool(i); p != nil {
			for _, scope := range p.Scopes {
				at := scope.Index
				field, n := orderField(scope), &f.Nodes[i]
				told[at] = told[at] || scope.Ambiguous || field == "" || field == "Cost" && n.Cost != 0 ||
					field == "Rank" && n.Rank != 0
				without[at] = !told[at]
			}
		}
	}
	return without
}

// nodeWarnings warns of nodes without a name, of those whose pool is probably misspelt, since it is not in the input,
// and of those that share a name.
func (f *fleet) nodeWarnings() (all []candidate.Warning) {
	if f.Nameless > 0 {
		all = append(all, warningf(candidate.CodeNoName, "Node/", "name", "",
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

// warnDeadline warns of a deadline before its reason began to hold.
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
			w := warningf(candidate.CodeNegative, object, field, fmt.Sprint(value),
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
