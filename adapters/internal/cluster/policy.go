// Package cluster is what the adapters share: it reads a cluster as a disruptkit.Input, and stores what must survive a restart.
package cluster

import (
	"errors"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/topology"
)

// A Policy says which nodes form a pool, and how many of them may be disrupted.
type Policy struct {
	Pools     []disruptkit.Pool
	selectors []labels.Selector // by pool
}

// Pool returns the name of the first pool that selects a node. Nodes of no pool are left alone.
func (p Policy) Pool(n *corev1.Node) string {
	for i, s := range p.selectors {
		if s.Matches(labels.Set(n.Labels)) {
			return p.Pools[i].Name
		}
	}
	return ""
}

// ReadPolicy reads a policy file. Sequential budgets order the methods, which budgets may name, too.
func ReadPolicy(file string, methods ...candidate.Reason) (Policy, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return Policy{}, err
	}
	p, err := ParsePolicy(text, methods...)
	if err != nil {
		return p, fmt.Errorf("%s: %w", file, err)
	}
	return p, nil
}

// ParsePolicy parses what ReadPolicy reads.
func ParsePolicy(text []byte, methods ...candidate.Reason) (p Policy, err error) {
	var written struct {
		Pools []struct {
			Name       string      `json:"name"`
			Selector   string      `json:"selector"`   // as of kubectl get --selector
			Disruption budget.Spec `json:"disruption"` // as spec.disruption of a NodePool
		} `json:"pools"`
	}
	if err := yaml.UnmarshalStrict(text, &written); err != nil {
		return p, err
	}
	if len(written.Pools) == 0 {
		return p, errors.New(`it has no pools: write "pools: [{name: workers, selector: \"\"}]" for one pool of all nodes`)
	}
	names := map[string]bool{}
	for i, w := range written.Pools {
		if w.Name == "" || names[w.Name] {
			return p, fmt.Errorf("pools[%d] is called %q: write a name that no other pool has", i, w.Name)
		}
		names[w.Name] = true
		selector, err := labels.Parse(w.Selector)
		if err != nil {
			return p, fmt.Errorf("pool %s: selector %q: %w", w.Name, w.Selector, err)
		}
		w.Disruption.Methods = methods
		budgets, err := w.Disruption.Compile()
		if err != nil {
			return p, fmt.Errorf("pool %s: %w", w.Name, err)
		}
		p.Pools = append(p.Pools, disruptkit.Pool{Name: w.Name, Budgets: budgets, Topology: topology.Options{Reasons: methods}})
		p.selectors = append(p.selectors, selector)
	}
	return p, nil
}
