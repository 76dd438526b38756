package naive

import (
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
)

// united returns the input in which the nodes of each unit have the reasons of all, with the same times. It returns
// the name of the first node for each unit and reason as well. What replaces a node in flight is not of the unit.
// Karpenter knows neither units nor deadlines.
func united(in disruptkit.Input) (_ disruptkit.Input, firsts map[string]string) {
	nodes, firsts := slices.Clone(in.Nodes), map[string]string{}
	for i, n := range in.Nodes {
		if in.Dialect == dialect.Karpenter || isNew(n) && oneFlies(withUnit(in, n)) {
			nodes[i].Unit = ""
		}
		if nodes[i].Conditions = slices.Clone(n.Conditions); in.Dialect == dialect.Karpenter {
			for j := range n.Conditions {
				nodes[i].Conditions[j].Deadline = time.Time{}
			}
		}
	}
	in.Nodes = slices.Clone(nodes)
	for i, n := range in.Nodes {
		with := withUnit(in, n)
		if len(with) < 2 || n.InFlight() {
			continue
		}
		sort.SliceStable(with, func(i, j int) bool { return with[i].Name < with[j].Name })
		nodes[i].Cost, nodes[i].Conditions = 0, nil
		type cause struct {
			candidate.Condition
			node string
		}
		var all []cause
		for _, o := range with {
			if o.InFlight() {
				for _, c := range flown(in, o) {
					all = append(all, cause{c, o.Name})
				}
				continue
			}
			nodes[i].Cost, nodes[i].Rank = nodes[i].Cost+o.Cost, min(nodes[i].Rank, o.Rank)
			for _, c := range o.Conditions {
				if at := deadlineAlone(in, o, c); !at.IsZero() {
					c.Deadline = at
				}
				all = append(all, cause{c, o.Name})
			}
		}
		sort.SliceStable(all, func(i, j int) bool { return key(all[i].Condition) < key(all[j].Condition) })
		for _, c := range all {
			has := func(o candidate.Condition) bool { return o.Reason == c.Reason }
			if !slices.ContainsFunc(nodes[i].Conditions, has) {
				if c.Because = ""; !slices.ContainsFunc(n.Conditions, has) {
					c.Because = c.node
				}
				nodes[i].Conditions = append(nodes[i].Conditions, c.Condition)
				firsts[n.Unit+" "+string(c.Reason)] = c.node
			}
		}
	}
	in.Nodes = nodes
	return in, firsts
}

// isNew reports whether a node joins, or replaces another one.
func isNew(n candidate.Node) bool { return n.Replaces != "" || n.Phase.Joining() }

// oneFlies reports whether one of the nodes of a unit is in flight that is not new.
func oneFlies(unit []candidate.Node) bool {
	for _, n := range unit {
		if n.InFlight() && !isNew(n) {
			return true
		}
	}
	return false
}

// withUnit returns the nodes of a node's unit.
func withUnit(in disruptkit.Input, n candidate.Node) (with []candidate.Node) {
	for _, o := range in.Nodes {
		if n.Unit != "" && o.Unit == n.Unit {
			with = append(with, o)
		}
	}
	return with
}

// flown returns why a node of a unit is in flight, if that is known, and it does not come back.
func flown(in disruptkit.Input, n candidate.Node) (all []candidate.Condition) {
	if n.DisruptedFor == "" || n.Leaving == candidate.Staying {
		return nil
	}
	for _, c := range n.Conditions {
		if c.Reason == n.DisruptedFor {
			if at := deadlineAlone(in, n, c); !at.IsZero() {
				c.Deadline = at
			}
			all = append(all, c)
		}
	}
	if len(all) == 0 {
		all = append(all, candidate.Condition{Reason: n.DisruptedFor})
	}
	return all
}

// key sorts before the key of another condition of the same reason if it counts in its place: that with the earliest
// deadline, then the oldest.
func key(c candidate.Condition) string {
	deadline, bound := "never", "none"
	if dated(c) {
		deadline = nanoseconds(c.Deadline)
	}
	if c.Bound != nil {
		bound = fmt.Sprintf("%020d", int64(*c.Bound)+1<<62)
	}
	place := c.Since
	if c.Reason.Method() == "Unhealthy" && !c.Urgency.IsZero() {
		place = c.Urgency
	}
	return fmt.Sprintf("%s %s %s %s %s %s", deadline, nanoseconds(place), nanoseconds(c.Since), nanoseconds(c.Deadline),
		nanoseconds(c.Urgency), bound)
}

func nanoseconds(at time.Time) string {
	return fmt.Sprintf("%020d.%09d", at.Unix()+1<<40, at.Nanosecond())
}

// unit returns the requests that are disrupted together with one, by name, and that one itself.
func unit(in disruptkit.Input, r request) (all []request) {
	if r.node.InFlight() || len(withUnit(in, r.node)) < 2 {
		return []request{r}
	}
	for i, n := range in.Nodes {
		for _, c := range n.Conditions {
			if n.Unit == r.node.Unit && !n.InFlight() && c.Reason == r.c.Reason {
				all = append(all, request{n, c, i})
			}
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].node.Name < all[j].node.Name })
	return all
}

// judge returns the gates and codes of what blocks a request or the rest of its unit: each as if the others were in
// flight.
func (d *decision) judge(r request) (blocked []string) {
	all := unit(d.in, r)
	if r.node.InFlight() || len(withUnit(d.in, r.node)) < 2 {
		blocked, _ = d.judgeAlone(r)
		return blocked
	}
	for i, m := range all {
		others := *d
		others.allowed, others.takenPDBs = slices.Clone(d.allowed), map[string]int{}
		for pdb, n := range d.takenPDBs {
			others.takenPDBs[pdb] = n
		}
		for j, o := range all {
			gone := slices.ContainsFunc(d.allowed, func(g request) bool { return g.node.Name == o.node.Name })
			if _, known := d.pool(o.node.Pool); j != i && known && !gone {
				others.disrupt(o)
				others.together = append(others.together, o)
			}
		}
		said, _ := others.judgeAlone(m)
		blocked = append(blocked, said...)
	}
	if !d.butBudgets && spans(d.in, all) != "" {
		blocked = append(blocked, "topology/unit-spans-domains")
	}
	slices.Sort(blocked)
	return slices.Compact(blocked)
}

// spans returns "stays" if a budget whose domains take turns finds a unit in several of them at all times, "to go" if
// it is only now, and "" if none does.
func spans(in disruptkit.Input, unit []request) (worst string) {
	for _, r := range unit {
		for _, p := range scopes(in, r.node.Pool) {
			z := openZoning(in, p)
			for i, s := range z.scopes {
				if !z.turns(i) || !z.limits(i, r.c.Reason) {
					continue
				}
				_, end := s.Window.Until(in.Now)
				for _, o := range unit {
					switch apart := p.has(o.node) && o.node.Labels[s.Key] != r.node.Labels[s.Key]; {
					case apart && end.IsZero() && !z.lent[i] && !gives(in, p, s):
						worst = "stays"
					case apart && worst == "":
						worst = "to go"
					}
				}
			}
		}
	}
	return worst
}

// gives reports whether another budget may order a pool at some time.
func gives(in disruptkit.Input, p scope, s budget.Limit) bool {
	return slices.ContainsFunc(p.Budgets.Scopes(""), func(o budget.Limit) bool {
		_, change := o.Window.Until(in.Now)
		return o.Index != s.Index && (o.Sequential || o.Key == s.Key) && !change.IsZero()
	})
}

// neverFits reports whether a unit is larger than budgets of some pool or group ever allow.
func neverFits(in disruptkit.Input, unit []request, r request) bool {
	for _, p := range scopes(in, r.node.Pool) {
		var others budget.Usage
		size := 0
		for _, o := range unit {
			if p.has(o.node) && o.node.Counted() {
				size++
			}
		}
		others.Add(r.c.Reason, size-1)
		room, end := p.Budgets.Room(in.Now, counted(in, p), r.c.Reason, others)
		late := overdue(r.c, in.Now) && late(p, in.Now, counted(in, p), r.c.Reason, 0) == nil
		if size > 1 && !p.Budgets.Oversized() && !room && end.IsZero() && !uncounted(r.node, r.c.Reason) && !late {
			return true
		}
	}
	return false
}
