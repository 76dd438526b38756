package karpenter

import (
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/examples/internal/memory"
	"github.com/disruptkit/disruptkit/probe"
)

// A Policy is what a NodePool says of disruption.
type Policy struct {
	disruptkit.Pool                   // without the verdicts of its probes
	Probes          []probe.Probe     // as annotated
	Memory          disruptkit.Memory // as annotated; zero where that cannot be read
	// Warnings are what is wrong with annotations. Those that may have been limits hold back all nodes (Pool.Blockers).
	// What is wrong with budgets is in Budgets.Warnings, and with probes in their verdicts.
	Warnings []candidate.Warning
}

// ToPolicy returns what a NodePool and its annotations say of disruption. Methods are reasons that budgets may name besides
// those of Karpenter.
//
// Budgets of the annotation come after those of the NodePool, and are numbered on from there. A NodePool that has no list of
// budgets has no limit: the API server has filled in the default of 10 % where nobody wrote any. Its consolidationPolicy
// and consolidateAfter are left to Karpenter, which offers no candidates before.
func ToPolicy(np *v1.NodePool, methods ...candidate.Reason) Policy {
	p := Policy{Pool: disruptkit.Pool{Name: np.Name, Labels: poolLabels(np)}}
	read := func(name string, with func(text string) error) {
		text, written := np.Annotations[name]
		if !written {
			return
		}
		if err := with(text); err != nil {
			p.fault(name, text, err)
		}
	}
	var spec budget.Spec
	read(DisruptionAnnotation, func(text string) (err error) { spec, err = readDisruption(text); return err })
	read(MostSpecificAnnotation, func(text string) (err error) { spec.MostSpecific, err = readMostSpecific(text); return err })
	read(TopologyAnnotation, func(text string) (err error) { p.Topology, err = readTopology(text); return err })
	read(ProbesAnnotation, func(text string) (err error) { p.Probes, err = readProbes(text); return err })
	for _, name := range unknown(np.Annotations) {
		p.fault(name, np.Annotations[name], fmt.Errorf("nobody knows it: write one of %v, or leave it out", known))
	}
	var warnings []candidate.Warning
	p.Memory, warnings = memory.Read("NodePool/"+np.Name, np.Annotations)
	p.Warnings = append(p.Warnings, warnings...)
	spec.Budgets = append(ToBudgets(np.Spec.Disruption.Budgets), spec.Budgets...) // never nil, which would be 10 %
	spec.Methods = methods
	p.Budgets, _ = spec.Compile() // decisions report what is wrong
	return p
}

// fault notes what is wrong with an annotation, which holds back all nodes.
func (p *Policy) fault(name, text string, err error) {
	w := annotationWarning(p.Name, name, text, err)
	p.Warnings = append(p.Warnings, w)
	p.Blockers = append(p.Blockers, candidate.Blocker{
		Gate: candidate.GateBudget, Code: candidate.CodeInvalidAnnotation, Message: fmt.Sprintf("annotation %s of the NodePool: %s", name, w.Message),
	})
}

func annotationWarning(pool, name, text string, err error) candidate.Warning {
	return candidate.Warning{
		Code: candidate.CodeInvalidAnnotation, Object: "NodePool/" + pool, Field: "metadata.annotations[" + name + "]", Value: text,
		Message: err.Error(),
	}
}

// poolLabels returns what a probe may mean a pool by: the labels of its own, and those that all of its nodes get, from its
// template and from requirements that leave no choice. Where they differ, its own count.
func poolLabels(np *v1.NodePool) map[string]string {
	labels := map[string]string{}
	for _, r := range np.Spec.Template.Spec.Requirements {
		if r.Operator == corev1.NodeSelectorOpIn && len(r.Values) == 1 {
			labels[r.Key] = r.Values[0]
		}
	}
	maps.Copy(labels, np.Spec.Template.Labels)
	maps.Copy(labels, np.Labels)
	return labels
}
