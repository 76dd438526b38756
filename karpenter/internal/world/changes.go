package world

import (
	"cmp"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/test/v1alpha1"
)

// changes say which objects a controller is to look at again, as the watches of a manager do: those that have been
// written, the NodeClaim, the node and the pods of the same machine, and everything where more than that has changed.
type changes struct {
	count int            // of all writes
	at    map[string]int // the count at the last write that concerned a topic
}

// everything is the topic of changes that concern all objects.
const everything = "everything"

// note notes that an object was written; was or is may be nil.
func (c *changes) note(was, is client.Object) {
	if was == nil && is == nil {
		return
	}
	c.count++
	for _, o := range []client.Object{was, is} {
		if o == nil {
			continue
		}
		for _, topic := range topics(o) {
			c.at[topic] = c.count
		}
	}
	if concernsAll(was, is) {
		c.at[everything] = c.count
	}
}

// after reports whether anything that concerns an object was written after so many writes.
func (c *changes) after(o client.Object, count int) bool {
	for _, topic := range append(topics(o), everything) {
		if c.at[topic] > count {
			return true
		}
	}
	return false
}

// topics are what an object is about.
func topics(o client.Object) []string {
	switch o := o.(type) {
	case *v1.NodeClaim:
		return about("claim/"+o.Name, o.Status.ProviderID, o.Status.NodeName)
	case *corev1.Node:
		return about("", o.Spec.ProviderID, o.Name)
	case *corev1.Pod:
		return about("pod/"+o.Name, "", o.Spec.NodeName)
	case *v1.NodePool:
		return []string{"pool/" + o.Name}
	}
	return nil
}

func about(self, machine, node string) (topics []string) {
	for prefix, name := range map[string]string{"": self, "machine/": machine, "node/": node} {
		if name != "" {
			topics = append(topics, prefix+name)
		}
	}
	return topics
}

// concernsAll reports whether a NodeClaim or a node was created or is being deleted, a NodePool has another spec or other
// annotations, or a NodeClass has changed.
func concernsAll(was, is client.Object) bool {
	o := cmp.Or(is, was)
	if _, pod := o.(*corev1.Pod); pod {
		return false
	}
	if was == nil || is == nil || (was.GetDeletionTimestamp() == nil) != (is.GetDeletionTimestamp() == nil) {
		return true
	}
	switch o.(type) {
	case *v1.NodePool:
		return was.GetGeneration() != is.GetGeneration() || !maps.Equal(was.GetAnnotations(), is.GetAnnotations())
	case *v1alpha1.TestNodeClass:
		return true
	}
	return false
}
