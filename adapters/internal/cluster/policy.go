// Package cluster is what the adapters share: it reads a cluster as a disruptkit.Input, and stores what must survive a restart.
package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/topology"
)

// A Policy says which nodes form a pool, and how many of them may be disrupted, and of several pools together.
type Policy struct {
	Pools     []disruptkit.Pool
	Groups    []disruptkit.Group
	Pauses    []probe.Pause
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

// ReadPolicy reads a policy file. Sequential budgets order the methods, which budgets may name as well.
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
			Name       string            `json:"name"`
			Selector   *string           `json:"selector"` // as of kubectl get --selector
			Disruption disruption        `json:"disruption"`
			Labels     map[string]string `json:"labels"` // of the pool itself, for policies
		} `json:"pools"`
		Policies []json.RawMessage `json:"policies"` // DisruptionPolicies
	}
	if err := yaml.UnmarshalStrict(text, &written); err != nil {
		return p, err
	}
	if !annotation.IsOneDocument(string(text)) {
		return p, errors.New("it has more than one document, and only the first would count: write one")
	}
	if len(written.Pools) == 0 {
		return p, errors.New(`it has no pools: write "pools: [{name: workers, selector: \"\"}]" for one pool of all nodes`)
	}
	names, all := map[string]bool{}, map[string][]map[string]string{}
	for i, w := range written.Pools {
		if w.Name == "" || names[w.Name] {
			return p, fmt.Errorf("pools[%d] is called %q: write a name that no other pool has", i, w.Name)
		}
		names[w.Name] = true
		if w.Selector == nil {
			return p, fmt.Errorf(`pool %s has no selector: write one, or selector: "" for all nodes`, w.Name)
		}
		selector, err := labels.Parse(*w.Selector)
		if err != nil {
			return p, fmt.Errorf("pool %s: selector %q: %w", w.Name, *w.Selector, err)
		}
		w.Disruption.Methods = methods
		budgets, err := w.Disruption.Compile()
		if err != nil {
			return p, fmt.Errorf("pool %s: %w", w.Name, err)
		}
		p.Pools = append(p.Pools, disruptkit.Pool{
			Name: w.Name, Budgets: budgets, Topology: topology.Options{Reasons: methods},
			Labels: map[string]string{annotation.PoolLabel: w.Name}, // pauses select their pools by it
		})
		p.selectors, all[w.Name] = append(p.selectors, selector), []map[string]string{w.Labels}
	}
	for i, text := range written.Policies {
		if err := p.join(text, all, methods); err != nil {
			return p, fmt.Errorf("policies[%d]: %w", i, err)
		}
	}
	return p, nil
}

// A disruption is the spec.disruption of a NodePool. Nobody asks its probes, so they are an error.
type disruption struct{ budget.Spec }

// UnmarshalJSON decodes it as strictly as budget.Spec.
func (d *disruption) UnmarshalJSON(text []byte) error {
	if err := d.Spec.UnmarshalJSON(text); err != nil {
		return err
	}
	if annotation.ProbesOf(text) != "" {
		return errors.New("its disruption has probes, which nobody asks here: leave them out")
	}
	return nil
}

// join adds a DisruptionPolicy of the pools with some labels. Nobody asks its probes, so they are an error.
func (p *Policy) join(text []byte, labels map[string][]map[string]string, methods []candidate.Reason) error {
	var object struct {
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
	}
	_ = json.Unmarshal(text, &object) // Read finds the fault
	policy := disruptionpolicy.Read(object.Metadata.Name, text, budget.Spec{Methods: methods})
	for _, f := range policy.Faults {
		return f
	}
	g, pauses := policy.Of(labels, nil)
	switch {
	case g.Name == "" || slices.ContainsFunc(p.Groups, func(other disruptkit.Group) bool { return other.Name == g.Name }):
		return fmt.Errorf("it is called %q: write a metadata.name that no other policy has", g.Name)
	case len(policy.Probes) > 0:
		return fmt.Errorf("policy %s has probes, which nobody asks here: leave them out", g.Name)
	}
	if idle := policy.Idle(len(g.Pools)); idle != "" {
		return errors.New(idle)
	}
	g.Topology.Reasons = methods
	p.Groups, p.Pauses = append(p.Groups, g), append(p.Pauses, pauses...)
	return nil
}
