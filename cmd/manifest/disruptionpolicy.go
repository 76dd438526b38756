package manifest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/probe"
)

// readDisruptionPolicy reads a DisruptionPolicy. What is wrong with the object is wrong with the policy.
func readDisruptionPolicy(o *object, policy Policy) disruptionpolicy.Policy {
	o.root.faultRepeated(o.raw)
	p := disruptionpolicy.Read(cmp.Or(o.name, o.where), o.raw, policy.Calendars)
	for _, w := range o.faults {
		if w.Object = p.Object(); !slices.ContainsFunc(p.Faults, func(f candidate.Warning) bool { return f.Field == w.Field }) {
			p.Faults = append(p.Faults, w)
		}
	}
	return p
}

// distinct returns policies of which several that share a name hold back what any of them selects: it is not known
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

// addGroups makes a group of each DisruptionPolicy that selects NodePools. Engines that do not read them say so.
func (r *reader) addGroups() {
	policies := distinct(r.several)
	if r.policy.As != engine.Disruptkit {
		for _, p := range policies {
			r.faults = append(r.faults, candidate.Warning{Code: candidate.CodeNoEffect, Object: p.Object(), Message: unheard(r.policy.As)})
		}
		return
	}
	labels, elsewhere := r.poolLabels()
	r.Pauses, r.paused = slices.Clip(r.Pauses), map[string]string{}
	for _, p := range policies {
		g, pauses := p.Of(labels, elsewhere)
		r.faults = slices.Concat(r.faults, p.Warnings, p.Faults)
		if idle := p.Idle(len(g.Pools)); idle != "" && r.handedIn["NodePool"] {
			r.faults = append(r.faults, candidate.Warning{Code: candidate.CodeNoEffect, Object: p.Object(), Field: "spec", Message: idle})
		}
		if len(g.Pools) == 0 {
			continue
		}
		for _, read := range p.Probes {
			g.Verdicts = append(g.Verdicts, unasked(read))
		}
		if !p.Memory.Equal(disruptkit.Memory{}) {
			r.Memory[g.Key()], r.MemoryIn[g.Key()] = p.Memory, []string{annotation.Memory}
		}
		for _, pause := range pauses {
			r.Pauses, r.paused[pause.Object()] = append(r.Pauses, pause), p.Object()
		}
		if len(p.Probes) > 0 {
			r.Probing = append(r.Probing, p.Object())
		}
		r.Groups = append(r.Groups, g)
	}
}

// poolLabels returns the labels of NodePools by name, and the pools of nodes that are not among these.
func (r *reader) poolLabels() (labels map[string][]map[string]string, elsewhere []string) {
	labels = map[string][]map[string]string{}
	for _, p := range r.all {
		labels[p.Name] = append(labels[p.Name], p.labels)
	}
	missing := map[string]bool{}
	for _, n := range r.Nodes {
		if n.Pool != "" && labels[n.Pool] == nil {
			missing[n.Pool] = true
		}
	}
	return labels, slices.Sorted(maps.Keys(missing))
}

// unheard says that an engine does not read DisruptionPolicies.
func unheard(e engine.Engine) string {
	const advice = ": write budgets and annotations of the NodePools instead"
	if e == engine.Karpenter {
		return "stock Karpenter reads no DisruptionPolicy, so it limits nothing" + advice
	}
	return "the " + e.String() + " reads no DisruptionPolicy yet, so it limits nothing" + advice
}

// place says where people have written what a decision's warning is about.
func (c *Cluster) place(w candidate.Warning) []candidate.Warning {
	if policy, ours := c.paused[w.Object]; ours {
		w.Object, w.Field = policy, "spec.pause."+w.Field
		return []candidate.Warning{w}
	}
	if group, ours := strings.CutPrefix(w.Object, "Group/"); ours {
		if w.Object = disruptionpolicy.Kind + "/" + group; w.Code == candidate.CodeInvalidGroup {
			return nil // of one name: that is told of the policies
		}
		if strings.HasPrefix(w.Field, "budgets") {
			w.Field = "spec." + w.Field
		}
		return []candidate.Warning{w}
	}
	return annotation.Place(w, c.Pauses)
}

// unasked returns the verdict of a probe that has not run: it lets nothing go.
func unasked(p probe.Probe) probe.Verdict {
	return probe.ProbeVerdict(p, probe.Observation{}, time.Time{})
}
