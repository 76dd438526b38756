package plan

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/wording"
	"github.com/disruptkit/disruptkit/schedule"
)

// A Trial is a change that was tried, and its effect.
type Trial struct {
	Change     string // for people: "budgets[0] of pool default is 20% instead of 10%"
	Harm       Harm   // what it risks
	Comparison Comparison
}

// A Harm is what a change risks. The zero Harm risks least.
type Harm int8

const (
	Mends   Harm = iota // it repairs something
	Adjusts             // it changes a number or a window of a budget
	Removes             // it removes what protects nodes or pods
)

// Try tries single changes, and yields those that help, in the order in which it tries them. Compare orders them. One
// change at a time, it
//
//   - removes each budget that blocks some node,
//   - removes each other thing that blocks nodes in the plan: a PodDisruptionBudget, annotations (also those that hold
//     up drains until pods are killed), turns, probes, pauses, budgets of groups, blockers of the caller,
//   - makes nodes Ready that are not, and so use up budgets,
//   - makes a PodDisruptionBudget that allows no eviction allow one,
//   - doubles each of these budgets,
//   - and makes each of them limit nodes for an hour less: windows an hour longer, freezes an hour shorter.
//
// Try runs a plan for each change: one for each budget, and at most 40 others, usually a dozen or so. It tries only the
// five PodDisruptionBudgets that took the most time, besides those that block for ever. P must be the result of [Run]
// for the same input and options.
//
// Show the changes with the least Trial.Harm first.
func Try(in disruptkit.Input, o Options, p Plan) iter.Seq[Trial] {
	return func(yield func(Trial) bool) {
		same := Compare(p, p)
		out, others := changes(in, p)
		for _, c := range append(out, others[:min(len(others), mostTrials)]...) {
			t := Trial{c.text, c.harm, Compare(p, p.with(c, in, o))}
			if t.Comparison.order(same) < 0 && !yield(t) {
				return
			}
		}
	}
}

// Compare orders trials of one plan, the most helpful first: more nodes done count more than less time.
func (t Trial) Compare(other Trial) int { return t.Comparison.order(other.Comparison) }

// with returns the plan with a change, but only its nodes and pools. It plans only the affected part of the fleet.
func (p Plan) with(c change, in disruptkit.Input, o Options) Plan {
	has := func(in disruptkit.Input, pool string) bool {
		return slices.ContainsFunc(in.Pools, func(p disruptkit.Pool) bool { return p.Name == pool })
	}
	o.Observe, o.Model.Pass = nil, o.Model.pass(in) // of the whole, not of a part
	all := o.Model.parts(in)
	i := slices.IndexFunc(all, func(in disruptkit.Input) bool { return has(in, c.pool) })
	if i < 0 {
		return p
	}
	part := all[i]
	o.Model.Reasons = o.Model.reasons(in.Nodes)
	changed, _ := run(c.apply(part), o)
	for _, n := range p.Nodes {
		if !has(part, n.Pool) {
			changed.Nodes = append(changed.Nodes, n)
		}
	}
	for _, pool := range p.Pools {
		if !has(part, pool.Name) {
			changed.Pools = append(changed.Pools, pool)
			changed.Finish = schedule.Last(changed.Finish, pool.Finish)
		}
	}
	slices.SortFunc(changed.Pools, func(a, b Pool) int { return strings.Compare(a.Name, b.Name) })
	return changed
}

const (
	mostTrials = 40 // that remove no budget
	mostPDBs   = 5  // of those that only took time
)

// A change is something to try.
type change struct {
	pool  string // one of the affected pools; all of them are in one part
	text  string
	apply func(disruptkit.Input) disruptkit.Input
	harm  Harm
}

// as returns a change with what it risks.
func (c change) as(h Harm) change {
	c.harm = h
	return c
}

// changes returns the changes to try, for pools that have nodes to go: budgets that are removed, and others.
func changes(in disruptkit.Input, p Plan) (out, all []change) {
	for _, held := range p.held() {
		if c, ok := mended(held); ok {
			all = append(all, c)
		}
		c, ok := without(in, held)
		if c = c.as(Removes); ok && !slices.ContainsFunc(all, func(o change) bool { return o.text == c.text }) {
			all = append(all, c)
		}
	}
	for _, pool := range in.Pools {
		if p.pool(pool.Name).Nodes == 0 {
			continue
		}
		held := p.holding[pool.Name]
		out = append(out, withoutBudgets(pool, held, in.Dialect)...)
		if c, ok := recovered(in, pool.Name); ok {
			all = append(all, c)
		}
		all = append(all, ofBudgets(pool, held, in.Dialect)...)
	}
	return out, all
}

// withoutBudgets returns the changes that remove a budget of a pool that blocks some node.
func withoutBudgets(p disruptkit.Pool, held budget.Indexes, d dialect.Dialect) (all []change) {
	for i := range p.Budgets.Budgets() {
		if !held.Has(i) {
			continue
		}
		set, err := WithoutBudget(p.Budgets, i)
		if err != nil && len(p.Budgets.Warnings()) == 0 || !admitted(d, p.Budgets, set) {
			continue
		}
		out := ofPool(p.Name, outText(p, i), func(p *disruptkit.Pool) { p.Budgets = set })
		all = append(all, out.as(Removes))
	}
	return all
}

// outText describes the removal of a budget of a pool.
func outText(p disruptkit.Pool, i int) string {
	list, place := p.Budgets.Budgets(), p.Budgets.Place(i)
	if len(list) == 1 && place == "budgets[0]" {
		return fmt.Sprintf("pool %s has budgets: [] instead of %s (no limit; without the field, 10%%)",
			poolTitle(p.Name), list[i])
	}
	return fmt.Sprintf("%s of pool %s, %s, is taken out", place, poolTitle(p.Name), list[i])
}

// otherText describes the change of a budget of a pool.
func otherText(p disruptkit.Pool, i int, other budget.Budget) string {
	return fmt.Sprintf("%s of pool %s is %s instead of %s",
		p.Budgets.Place(i), poolTitle(p.Name), other, p.Budgets.Budgets()[i])
}

// recovered returns the change that makes the nodes of a pool Ready, if some are not. Nodes that will be repaired, or
// that the caller blocks, are left out.
func recovered(in disruptkit.Input, pool string) (c change, ok bool) {
	var names []string
	for i := range in.Nodes {
		if n := &in.Nodes[i]; n.Pool == pool && unready(n) {
			names = append(names, wording.Quote(n.Name))
		}
	}
	if len(names) == 0 {
		return c, false
	}
	text := "is Ready"
	if len(names) > 1 {
		text = "are Ready"
	}
	if more := len(names) - mostUnready; more > 0 {
		names = append(names[:mostUnready], "and "+wording.Count(more, "more node"))
	}
	text = fmt.Sprintf("%s of pool %s %s", strings.Join(names, ", "), poolTitle(pool), text)
	return ofNodes(pool, text, func(n *candidate.Node) {
		if unready(n) {
			n.Phase, n.ReadySince = candidate.Running, in.Now
		}
	}), true
}

const mostUnready = 3 // nodes that a change names

// unready reports whether a node is not Ready, and nothing in a plan changes that.
func unready(n *candidate.Node) bool {
	repaired := slices.ContainsFunc(n.Conditions,
		func(c candidate.Condition) bool { return candidate.Unhealthy.Covers(c.Reason) })
	return n.Counted() && n.Phase == candidate.NotReady && !n.InFlight() && !repaired && len(n.Blockers) == 0
}

// ofBudgets returns the changes to try of those budgets of a pool that block some node.
func ofBudgets(p disruptkit.Pool, held budget.Indexes, d dialect.Dialect) (all []change) {
	for i, b := range p.Budgets.Budgets() {
		if !held.Has(i) {
			continue
		}
		for _, other := range []budget.Budget{doubled(b), widened(b, time.Hour)} {
			set, err := WithBudget(p.Budgets, i, other)
			if err != nil || b.String() == other.String() || !admitted(d, p.Budgets, set) {
				continue
			}
			other := ofPool(p.Name, otherText(p, i, other), func(p *disruptkit.Pool) { p.Budgets = set })
			all = append(all, other.as(Adjusts))
		}
	}
	return all
}

// ofAll returns a change that may affect several pools, and names one.
func ofAll(pool, text string, apply func(disruptkit.Input) disruptkit.Input) change {
	return change{pool: pool, text: text, apply: apply}
}

// ofPool returns a change of a pool.
func ofPool(pool, text string, f func(*disruptkit.Pool)) change {
	return ofAll(pool, text, func(in disruptkit.Input) disruptkit.Input {
		in.Pools = slices.Clone(in.Pools)
		for i := range in.Pools {
			if in.Pools[i].Name == pool {
				f(&in.Pools[i])
			}
		}
		return in
	})
}

// ofGroups returns a change of the groups of a pool.
func ofGroups(pool, text string, f func(*disruptkit.Group)) change {
	return ofAll(pool, text, func(in disruptkit.Input) disruptkit.Input {
		in.Groups = slices.Clone(in.Groups)
		for i := range in.Groups {
			if slices.Contains(in.Groups[i].Pools, pool) {
				f(&in.Groups[i])
			}
		}
		return in
	})
}

// ofNodes returns a change of all nodes of a pool.
func ofNodes(pool, text string, f func(*candidate.Node)) change {
	return ofAll(pool, text, func(in disruptkit.Input) disruptkit.Input {
		in.Nodes = slices.Clone(in.Nodes)
		for i := range in.Nodes {
			if in.Nodes[i].Pool == pool {
				f(&in.Nodes[i])
			}
		}
		return in
	})
}

// ofPods returns a change of all pods of a pool.
func ofPods(pool, text string, f func(*candidate.Pod)) change {
	return ofNodes(pool, text, func(n *candidate.Node) {
		n.Pods = slices.Clone(n.Pods)
		for i := range n.Pods {
			f(&n.Pods[i])
		}
	})
}

// doubled returns a budget that allows twice as many nodes.
func doubled(b budget.Budget) budget.Budget {
	n, percent, ok := number(b)
	if !ok {
		return b
	}
	if n *= 2; percent != "" {
		n = min(n, 100)
	}
	b.Nodes = strconv.Itoa(n) + percent
	return b
}

// number returns the number of nodes of a valid budget, with or without "%" behind it.
func number(b budget.Budget) (n int, percent string, ok bool) {
	text, isPercent := strings.CutSuffix(cmp.Or(b.Nodes, "10%"), "%")
	if isPercent {
		percent = "%"
	}
	n, err := strconv.Atoi(text)
	return n, percent, err == nil && n >= 0 && n <= 1<<20
}

// widened returns a budget that limits nodes for less time: its window is longer if it is active outside of it, else
// shorter.
func widened(b budget.Budget, by time.Duration) budget.Budget {
	d, err := time.ParseDuration(b.Duration)
	if err != nil {
		return b
	}
	if !b.Outside {
		by = -by
	}
	if d += by; d > 0 {
		b.Duration = wording.Duration(d)
	}
	return b
}

// A hold is something that blocks nodes of a pool.
type hold struct {
	pool string
	Wait
}

// held returns what blocks nodes: first what blocks nodes for ever, or their drains until pods are killed, then what
// took time, the longest first.
func (p Plan) held() (all []hold) {
	add := func(h hold) {
		h.For = 0
		if !slices.Contains(all, h) {
			all = append(all, h)
		}
	}
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if n.Outcome != Done {
			for _, w := range n.Waits {
				add(hold{n.Pool, w})
			}
		}
		for _, b := range n.Blockers { // also of one that drains until its pods are killed
			if n.Drains() || !n.Killed.IsZero() && b.Code == candidate.CodeDoNotDisrupt {
				add(hold{n.Pool, drainWait(b)})
			}
		}
	}
	took := map[hold]time.Duration{} // in all pools; a PodDisruptionBudget also while nodes drain
	spend := func(pool string, w Wait) {
		h := hold{pool, w}
		h.For = 0
		took[h] += w.For
	}
	for _, pool := range p.Pools {
		for _, w := range pool.Clock {
			spend(pool.Name, w)
		}
	}
	for i := range p.Nodes {
		spend(p.Nodes[i].Pool, p.Nodes[i].Queue)
	}
	longest := slices.SortedFunc(maps.Keys(took), func(a, b hold) int {
		return cmp.Or(cmp.Compare(took[b], took[a]), cmp.Compare(a.pool, b.pool), cmp.Compare(a.Gate, b.Gate),
			cmp.Compare(a.Code, b.Code), cmp.Compare(a.Cause, b.Cause))
	})
	pdbs := 0
	for _, h := range longest {
		if h.PDB != "" {
			pdbs++
		}
		if took[h] > 0 && (h.PDB == "" || pdbs <= mostPDBs) {
			add(h)
		}
	}
	return all
}

// mended returns the change that repairs what blocks nodes for ever: a PodDisruptionBudget that never allows an
// eviction.
func mended(h hold) (c change, ok bool) {
	pdb, isPDB := strings.CutPrefix(h.Cause, "PDB ")
	if !isPDB || h.Gate != candidate.GatePod || h.Code != candidate.CodeAllowsNone {
		return c, false
	}
	return ofAll(h.pool, "PDB "+pdb+" allows one eviction", func(in disruptkit.Input) disruptkit.Input {
		in.Rules = withPDBs(in.Rules, func(p *candidate.PDB) (keep bool) {
			if pdbName(*p) == pdb {
				p.DisruptionsAllowed = 1
			}
			return true
		})
		return in
	}), true
}

// without returns the change that removes a hold, if there is one.
func without(in disruptkit.Input, h hold) (c change, ok bool) {
	of := "of pool " + poolTitle(h.pool)
	pdb, isPDB := strings.CutPrefix(h.Cause, "PDB ")
	group, isGroup := strings.CutPrefix(h.Cause, "group ")
	switch (Wait{Gate: h.Gate, Code: h.Code}) {
	case Wait{Gate: candidate.GateNode, Code: candidate.CodeDoNotDisrupt}:
		return ofNodes(h.pool, "no node "+of+" is annotated do-not-disrupt",
			func(n *candidate.Node) { n.DoNotDisrupt = false }), true
	case Wait{Gate: candidate.GateNode, Code: candidate.CodeDoNotRepair}:
		return ofNodes(h.pool, "no node "+of+" is annotated do-not-repair",
			func(n *candidate.Node) { n.DoNotRepair = false }), true
	case Wait{Gate: candidate.GatePod, Code: candidate.CodeDoNotDisrupt}:
		return ofPods(h.pool, "no pod "+of+" is annotated do-not-disrupt",
			func(p *candidate.Pod) { p.Terms.Protect = 0 }), true
	case Wait{Gate: candidate.GatePod, Code: candidate.CodeOutsideSchedule}:
		return ofPods(h.pool, "no pod "+of+" has a disruption schedule", func(p *candidate.Pod) {
			p.Terms = candidate.Terms{Protect: p.Terms.Protect}
		}), true
	case Wait{Gate: candidate.GateTopology, Code: candidate.CodeWaitsForDomain}:
		return ofPool(h.pool, "the zones "+of+" do not take turns", withoutTurns), true
	}
	switch {
	case isPDB && h.Gate == candidate.GatePod:
		text := "PDB " + pdb + " is taken out, so that its pods may all be evicted at once"
		return ofAll(h.pool, text, func(in disruptkit.Input) disruptkit.Input {
			in.Rules = withoutPDB(in.Rules, pdb)
			return in
		}), true
	case isGroup && h.Gate == candidate.GateBudget:
		without := "the budgets of group " + wording.Quote(group) + " are taken out"
		return ofGroups(h.pool, without, func(g *disruptkit.Group) {
			if g.Name == group {
				g.Budgets = limitless(g.Budgets)
			}
		}), true
	case h.Gate == candidate.GateProbe && h.Code == candidate.CodePaused:
		return ofAll(h.pool, "no pause blocks nodes "+of, func(in disruptkit.Input) disruptkit.Input {
			return withoutPauses(in, h.pool)
		}), true
	case h.Gate == candidate.GateProbe:
		return ofAll(h.pool, "no probe blocks nodes "+of, func(in disruptkit.Input) disruptkit.Input {
			return withoutVerdicts(in, h.pool)
		}), true
	}
	its := func(b candidate.Blocker) bool { return b.Gate == h.Gate && b.Code == h.Code }
	ofCaller := slices.ContainsFunc(in.Nodes, func(n candidate.Node) bool {
		return n.Pool == h.pool && slices.ContainsFunc(n.Blockers, its)
	})
	return ofNodes(h.pool, fmt.Sprintf("%s/%s blocks no node %s", h.Gate, h.Code, of), func(n *candidate.Node) {
		n.Blockers = slices.DeleteFunc(slices.Clone(n.Blockers), its)
	}), ofCaller
}

// withoutPauses removes all pauses, and those among the caller's blockers of a pool.
func withoutPauses(in disruptkit.Input, pool string) disruptkit.Input {
	in.Pauses = nil
	paused := func(b candidate.Blocker) bool { return b.Code == candidate.CodePaused }
	return ofPool(pool, "", func(p *disruptkit.Pool) {
		p.Blockers = slices.DeleteFunc(slices.Clone(p.Blockers), paused)
	}).apply(in)
}

// withoutVerdicts removes the verdicts of a pool, of its groups, and of all pools.
func withoutVerdicts(in disruptkit.Input, pool string) disruptkit.Input {
	in.Verdicts = nil
	in = ofPool(pool, "", func(p *disruptkit.Pool) { p.Verdicts = nil }).apply(in)
	return ofGroups(pool, "", func(g *disruptkit.Group) { g.Verdicts = nil }).apply(in)
}

// limitless returns a Set without its budgets.
func limitless(s budget.Set) budget.Set {
	for i := len(s.Budgets()) - 1; i >= 0; i-- {
		s, _ = WithoutBudget(s, i)
	}
	return s
}

// withoutTurns makes all domains of a pool roll at once, each within its limit.
func withoutTurns(p *disruptkit.Pool) {
	for i, b := range p.Budgets.Budgets() {
		if b.Sequential {
			b.Sequential = false
			p.Budgets, _ = WithBudget(p.Budgets, i, b)
		}
	}
}

// withoutPDB returns rules without one of their PodDisruptionBudgets.
func withoutPDB(rules candidate.Rules, name string) candidate.Rules {
	return withPDBs(rules, func(p *candidate.PDB) (keep bool) { return pdbName(*p) != name })
}

// withPDBs returns rules with other PodDisruptionBudgets.
func withPDBs(rules candidate.Rules, change func(*candidate.PDB) (keep bool)) candidate.Rules {
	var pdbs []candidate.PDB
	for _, p := range rules.PDBs() {
		if change(&p) {
			pdbs = append(pdbs, p)
		}
	}
	_, schedules := rules.Written()
	changed, _ := candidate.CompileRules(pdbs, schedules)
	changed.FailClosed, changed.Dialect = rules.FailClosed, rules.Dialect
	return changed
}

// pdbName returns "namespace/name".
func pdbName(p candidate.PDB) string {
	return candidate.Pod{Namespace: p.Namespace, Name: p.Name}.String()
}
