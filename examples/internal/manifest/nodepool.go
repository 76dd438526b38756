package manifest

import (
	"cmp"
	"fmt"
	"maps"
	"time"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/topology"
)

// A nodePool is a policy: how many nodes may go at once, and for what they never go.
type nodePool struct {
	disruptkit.Pool
	noEmpty, noUnderutilized bool // (Karpenter: ShouldDisrupt of emptiness and of consolidation)
	endless                  bool // it has no budgets
	roll                     topology.Roll
	probes                   []probe.Probe
	warnings                 []candidate.Warning // of what is ignored, and of broken probes
}

func readNodePool(o *object) *nodePool {
	spec := o.root.field("spec")
	disruption := spec.field("disruption")
	p := &nodePool{Pool: disruptkit.Pool{Name: cmp.Or(o.name, o.where), Labels: readLabels(o)}}

	replicas := spec.field("replicas")
	replicas.integer()
	static := !replicas.absent() // a fixed number of nodes, which drift but are never consolidated
	p.noEmpty = consolidatesNever(disruption.field("consolidateAfter")) || static
	p.noUnderutilized = consolidatesEmpty(disruption.field("consolidationPolicy")) || p.noEmpty

	budgets := readBudgets(disruption)
	p.endless = budgets != nil && len(budgets) == 0
	p.roll, p.warnings = readRoll(o)
	p.readProbes(o)
	p.Budgets, _ = budget.Compile(budgets)                // decisions report what is wrong
	p.Blockers = unreadable(candidate.GateNode, o.faults) // nobody knows what was meant
	return p
}

// consolidatesNever reads spec.disruption.consolidateAfter. Where it is not written, nothing says Never.
func consolidatesNever(v value) bool {
	text := v.text()
	if text == "Never" {
		return true
	}
	if d, err := time.ParseDuration(text); text != "" && (err != nil || d < 0) {
		v.fault(fmt.Sprintf("%q is no duration: write one such as 30s, or Never", shortened(text)))
	}
	return false
}

// consolidatesEmpty reads spec.disruption.consolidationPolicy, and whether it is that for empty nodes alone.
func consolidatesEmpty(v value) bool {
	switch text := v.text(); text {
	case "WhenEmpty":
		return true
	case "", "WhenEmptyOrUnderutilized", "Balanced", "WhenUnderutilized": // the last is of karpenter.sh/v1beta1
	default:
		v.fault(fmt.Sprintf("%q is not known: write WhenEmpty, WhenEmptyOrUnderutilized or Balanced", shortened(text)))
	}
	return false
}

// readLabels returns what a probe may mean a pool by. The RFC's samples are an availability zone and a kind of node, so
// that these are the pool's own labels and those that all of its nodes get: from its template, and from requirements
// that leave no choice. Where they contradict each other, the pool's own count.
func readLabels(o *object) map[string]string {
	template := o.root.field("spec").field("template")
	labels := map[string]string{}
	for _, r := range template.field("spec").field("requirements").each() {
		var values []string
		for _, v := range r.field("values").each() {
			values = append(values, v.text())
		}
		if key := r.field("key").text(); r.field("operator").text() == "In" && len(values) == 1 {
			labels[key] = values[0]
		}
	}
	maps.Copy(labels, template.field("metadata").field("labels").texts())
	maps.Copy(labels, o.root.field("metadata").field("labels").texts())
	return labels
}
