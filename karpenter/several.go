package karpenter

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	"github.com/disruptkit/disruptkit/karpenter/internal/shared"
	"github.com/disruptkit/disruptkit/probe"
)

// several are the DisruptionPolicies of a snapshot: what several NodePools share.
type several struct {
	disruptionpolicy.Selection
	policies []disruptionpolicy.Policy
	objects  map[string]*unstructured.Unstructured // by name
	verdicts map[string][]probe.Verdict            // of their probes, by name
	keys     map[string][]string                   // of the memories of those that select a pool
	names    map[string]string                     // of those that select any, by the key of their memory
	unread   error
}

// lookAtPolicies reads the DisruptionPolicies. If they cannot be read, that is no error of Karpenter, whose loop would try again
// ever later: all nodes are blocked until they can be.
func (c *Cluster) lookAtPolicies(ctx context.Context, s *snapshot) error {
	s.several = several{
		objects: map[string]*unstructured.Unstructured{}, verdicts: map[string][]probe.Verdict{},
		keys: map[string][]string{}, names: map[string]string{},
	}
	objects, err := shared.List(ctx, c.Client)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if s.several.unread = err; err != nil {
		log.FromContext(ctx).Error(err, "nothing is disrupted")
		return nil
	}
	for i, o := range objects {
		key := disruptkit.Group{Name: o.GetName()}.Key()
		objects[i] = c.memory.newest(key, o).(*unstructured.Unstructured)
		s.several.objects[o.GetName()] = objects[i]
	}
	s.several.policies = c.several.Read(objects, c.known.Calendars, c.methods...)
	return nil
}

// group adds what DisruptionPolicies say of the pools.
func (c *Cluster) group(ctx context.Context, s *snapshot) error {
	if s.several.unread != nil {
		s.holdAll(s.several.unread)
	}
	labels := make(map[string][]map[string]string, len(s.nodePools))
	for name, np := range s.nodePools {
		labels[name] = []map[string]string{np.Labels}
	}
	var elsewhere []string
	if len(s.several.policies) > 0 {
		var err error
		if elsewhere, err = c.elsewhere(ctx, s, labels); err != nil {
			return err
		}
	}
	s.several.Selection = disruptionpolicy.Select(s.several.policies, labels, elsewhere)
	s.Pauses = append(s.Pauses, s.several.Pauses...)
	for _, g := range s.several.Groups {
		name, key := g.Policy.Name, g.Key()
		g.Verdicts = s.several.verdicts[name]
		s.Groups, s.several.names[key], s.Memory[key] = append(s.Groups, g.Group), name, g.Policy.Memory
		for _, pool := range g.Pools {
			s.several.keys[pool] = append(s.several.keys[pool], key)
		}
	}
	there := map[string]client.Object{}
	for key, o := range s.keepers() {
		there[key] = o
	}
	if s.several.unread == nil { // or what has failed before would be forgotten
		c.memory.forget(there)
	}
	return nil
}

// elsewhere returns the pools of nodes without a NodePool. Those of another Karpenter's NodePools are none of ours.
func (c *Cluster) elsewhere(ctx context.Context, s *snapshot, labels map[string][]map[string]string) ([]string, error) {
	missing := disruptionpolicy.Elsewhere(s.Nodes, labels)
	if len(missing) == 0 {
		return nil, nil
	}
	var all v1.NodePoolList
	if err := c.Client.List(ctx, &all, client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("listing NodePools: %w", err)
	}
	return slices.DeleteFunc(missing, func(pool string) bool {
		return slices.ContainsFunc(all.Items, func(np v1.NodePool) bool { return np.Name == pool })
	}), nil
}

// holdAll blocks all nodes, since policies may be there that cannot be read.
func (s *snapshot) holdAll(err error) {
	by := candidate.Blocker{Gate: candidate.GateBudget, Code: CodeNotRead, Message: fmt.Sprintf("%.400v", err)}
	for i := range s.Pools {
		s.Pools[i].Blockers = append(slices.Clip(s.Pools[i].Blockers), by)
	}
}

// memories returns the keys of the memories that a node of a pool starts with: its pool's, and those of the policies that select it.
func (s *snapshot) memories(pool string) []string {
	return append([]string{pool}, s.several.keys[pool]...)
}

// keepers returns the objects in whose annotations memories are: NodePools, and the policies that select any.
func (s *snapshot) keepers() iter.Seq2[string, client.Object] {
	return func(yield func(string, client.Object) bool) {
		for name, np := range s.nodePools {
			if !yield(name, np) {
				return
			}
		}
		for key, name := range s.several.names {
			if !yield(key, s.several.objects[name]) {
				return
			}
		}
	}
}

// keeper returns one of them, or nil.
func (s *snapshot) keeper(key string) client.Object {
	if np := s.nodePools[key]; np != nil {
		return np
	}
	if o := s.several.objects[s.several.names[key]]; o != nil {
		return o
	}
	return nil
}

// keep notes that one of them has been written.
func (s *snapshot) keep(key string, o client.Object) {
	switch o := o.(type) {
	case *v1.NodePool:
		s.nodePools[key] = o
	case *unstructured.Unstructured:
		s.several.objects[o.GetName()] = o
	}
}

// obeys reports whether a memory is that of a policy: an annotated NodePool has one, and a DisruptionPolicy is one.
func (s *snapshot) obeys(key string) bool { return s.annotated[key] || s.several.names[key] != "" }
