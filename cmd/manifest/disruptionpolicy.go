package manifest

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	"github.com/disruptkit/disruptkit/cmd/engine"
)

// readDisruptionPolicy reads a DisruptionPolicy. What is wrong with the object is wrong with the policy.
func readDisruptionPolicy(o *object, policy Policy) disruptionpolicy.Policy {
	o.faultRepeated(o.raw)
	p := disruptionpolicy.Read(cmp.Or(o.name, o.where), o.raw, budget.Spec{Calendars: policy.Calendars})
	for _, w := range o.faults {
		if w.Object = p.Object(); !slices.ContainsFunc(p.Faults, func(f candidate.Warning) bool { return f.Field == w.Field }) {
			p.Faults = append(p.Faults, w)
		}
	}
	return p
}

// distinct returns policies. Several that share a name block what any of them selects: it is not known
// which of them applies.
func distinct(policies []disruptionpolicy.Policy) []disruptionpolicy.Policy {
	called := map[string]int{}
	for _, p := range policies {
		called[p.Name]++
	}
	policies = slices.Clone(policies)
	for i := range policies {
		if p := &policies[i]; called[p.Name] > 1 {
			p.Faults = append(slices.Clip(p.Faults), candidate.Warning{
				Code: CodeUnreadable, Object: p.Object(), Field: "metadata.name", Value: p.Name,
				Message: fmt.Sprintf("%d DisruptionPolicies are called %.100q: write each once", called[p.Name], p.Name),
			})
		}
	}
	return policies
}

// addGroups makes a group of each DisruptionPolicy that selects NodePools. Of stock Karpenter, which does not read them, it says so.
func (c *Cluster) addGroups() {
	policies := distinct(c.several)
	if c.policy.As == engine.Karpenter {
		for _, p := range policies {
			c.faults = append(c.faults, candidate.Warning{Code: candidate.CodeNoEffect, Object: p.Object(), Message: unheard})
		}
		return
	}
	labels := map[string][]map[string]string{}
	for _, p := range c.all {
		labels[p.Name] = append(labels[p.Name], p.labels)
	}
	elsewhere := disruptionpolicy.Elsewhere(c.Nodes, labels)
	if !c.has("NodePool") {
		labels = nil
	}
	c.selected = disruptionpolicy.Select(policies, labels, elsewhere)
	c.faults, c.Pauses = append(c.faults, c.selected.Warnings...), slices.Concat(c.Pauses, c.selected.Pauses)
	for _, g := range c.selected.Groups {
		for _, read := range g.Policy.Probes {
			g.Verdicts = append(g.Verdicts, unasked(read))
		}
		if m := g.Policy.Memory; !m.Equal(disruptkit.Memory{}) {
			c.Memory[g.Key()] = m
		}
		if len(g.Policy.Probes) > 0 {
			c.Probing = append(c.Probing, g.Policy.Object())
		}
		c.Groups = append(c.Groups, g.Group)
	}
}

// unheard reports that stock Karpenter does not read DisruptionPolicies.
const unheard = "stock Karpenter reads no DisruptionPolicy, so it limits nothing: write budgets of the NodePools instead, or run the guard or " +
	"the steward"

// place reports where people have written what a decision's warning is about.
func (c *Cluster) place(w candidate.Warning) []candidate.Warning {
	if placed, ours := c.selected.Place(w); ours {
		return placed
	}
	return annotation.Place(w, c.Pauses)
}
