package replace

import (
	"slices"
	"strings"
	"time"

	"github.com/disruptkit/disruptkit/cmd/annotation"
)

// An object is a Node, a NodeClaim or a NodePool, as far as requests are concerned.
type object struct {
	Kind     string
	Metadata struct {
		Name                string
		Annotations, Labels map[string]string
		DeletionTimestamp   time.Time
	}
	Spec struct {
		ProviderID string
		Replicas   *int64
		Taints     []struct{ Key string }
	}
	Status struct{ NodeName, ProviderID string }
}

// annotations returns those of an object, which may be nil.
func (o *object) annotations() map[string]string {
	if o == nil {
		return nil
	}
	return o.Metadata.Annotations
}

// path returns node/NAME, as kubectl names the object.
func (o *object) path() string { return strings.ToLower(o.Kind) + "/" + o.Metadata.Name }

// A machine is a Node, its NodeClaim, or both.
type machine struct {
	node, claim *object
	pool        *object // nil: none has it
}

// machines joins objects.
func machines(objects []*object) (all []machine) {
	pools, joined := map[string]*object{}, map[*object]bool{}
	for _, o := range objects {
		if o.Kind == "NodePool" {
			pools[o.Metadata.Name] = o
		}
	}
	for _, c := range objects {
		if c.Kind != "NodeClaim" {
			continue
		}
		m := machine{claim: c, pool: pools[c.Metadata.Labels["karpenter.sh/nodepool"]]}
		for _, n := range objects {
			same := n.Metadata.Name == c.Status.NodeName || n.Spec.ProviderID != "" && n.Spec.ProviderID == c.Status.ProviderID
			if n.Kind == "Node" && same {
				m.node, joined[n] = n, true
			}
		}
		all = append(all, m)
	}
	for _, n := range objects {
		if n.Kind == "Node" && !joined[n] {
			all = append(all, machine{node: n})
		}
	}
	return all
}

// object returns the one on which a request is written: the Node, where there is one.
func (m machine) object() *object {
	if m.node != nil {
		return m.node
	}
	return m.claim
}

// objects returns those that there are.
func (m machine) objects() []*object {
	return slices.DeleteFunc([]*object{m.node, m.claim}, func(o *object) bool { return o == nil })
}

// is reports whether a machine has a name, which may have the kind in front.
func (m machine) is(name string) bool {
	return slices.ContainsFunc(m.objects(), func(o *object) bool { return name == o.Metadata.Name || name == o.path() })
}

// leaves reports whether the machine is being disrupted.
func (m machine) leaves() bool {
	return slices.ContainsFunc(m.objects(), func(o *object) bool {
		return !o.Metadata.DeletionTimestamp.IsZero() ||
			slices.ContainsFunc(o.Spec.Taints, func(t struct{ Key string }) bool { return t.Key == annotation.DisruptedTaint })
	})
}
