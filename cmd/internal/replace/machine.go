package replace

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/engine"
	"github.com/disruptkit/disruptkit/internal/wording"
)

// An object is a Node, a NodeClaim or a NodePool, as far as requests are concerned.
type object struct {
	Kind     string
	Metadata struct {
		Name                                 string
		Annotations, Labels                  map[string]string
		CreationTimestamp, DeletionTimestamp time.Time
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

// parse reads the objects that kubectl printed, as JSON or YAML.
func parse(in io.Reader) (objects []*object, err error) {
	text, err := io.ReadAll(in)
	if err != nil {
		return nil, err
	}
	for _, document := range strings.Split("\n"+string(text), "\n---") {
		var list struct {
			object
			Items []*object
		}
		if err := yaml.Unmarshal([]byte(document), &list); err != nil {
			return nil, fmt.Errorf("not YAML or JSON: %w", err)
		}
		objects = append(objects, append(list.Items, &list.object)...)
	}
	return objects, nil
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
			slices.ContainsFunc(o.Spec.Taints, func(t struct{ Key string }) bool { return t.Key == "karpenter.sh/disrupted" })
	})
}

// unheard reports why nobody would act on a request; "": somebody does. Given is the engine that the user names, or nil.
func (m machine) unheard(given *engine.Engine) string {
	if m.pool == nil {
		return "no NodePool has it, so nothing replaces it: kubectl drain asks PodDisruptionBudgets, and no others"
	}
	as, pool := m.engine(given), m.pool.annotations()
	why := as.Unheard(engine.Asked{
		Static: m.pool.Spec.Replicas != nil, OptedIn: pool[annotation.Steward] == "true", Comparable: annotation.Comparable(pool, m.claim.annotations()),
	})
	if why == "" {
		return ""
	}
	text := fmt.Sprintf("%s runs NodePool %s, and would not act on %s: %s", as.Name(), wording.Quote(m.pool.Metadata.Name), annotation.Replace, why)
	if given == nil && as == engine.Karpenter {
		text += "; if a guard runs it, write --engine guard"
	}
	return text + ". kubectl delete nodeclaim " + m.claim.Metadata.Name + " replaces it at once, and asks no budget"
}

// engine returns the engine that runs the machine's NodePool.
func (m machine) engine(given *engine.Engine) engine.Engine {
	if given != nil {
		return *given
	}
	e, _ := engine.Detect(m.pool.annotations())
	return e
}

// expired returns since when the node has the age at which budgets are asked to replace it; zero: it has not.
func (m machine) expired(now time.Time) (since time.Time) {
	text, written := m.pool.annotations()[annotation.Expire]
	if !written || m.claim == nil {
		return since
	}
	said := annotation.Read(m.pool.Metadata.Name, map[string]string{annotation.Expire: text})
	if c, there := said.Expiration.Condition(m.claim.Metadata.CreationTimestamp); there && !c.Since.After(now) {
		return c.Since
	}
	return since
}
