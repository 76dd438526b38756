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
func (r *reader) addGroups() {
	policies := distinct(r.several)
	if r.policy.As == engine.Karpenter {
		for _, p := range policies {
			r.faults = append(r.faults, candidate.Warning{Code: candidate.CodeNoEffect, Object: p.Object(), Message: unheard})
		}
		return
	}
	labels := map[string][]map[string]string{}
	for _, p := range r.all {
		labels[p.Name] = append(labels[p.Name], p.labels)
	}
	elsewhere := disruptionpolicy.Elsewhere(r.Nodes, labels)
	if !r.handedIn["NodePool"] {
		labels = nil
	}
	r.selected = disruptionpolicy.Select(policies, labels, elsewhere)
	r.faults, r.Pauses = append(r.faults, r.selected.Warnings...), slices.Concat(r.Pauses, r.selected.Pauses)
	for _, g := range r.selected.Groups {
		for _, read := range g.Policy.Probes {
			g.Verdicts = append(g.Verdicts, unasked(read))
		}
		if m := g.Policy.Memory; !m.Equal(disruptkit.Memory{}) {
			r.Memory[g.Key()] = m
		}
		if len(g.Policy.Probes) > 0 {
			r.Probing = append(r.Probing, g.Policy.Object())
		}
		r.Groups = append(r.Groups, g.Group)
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
