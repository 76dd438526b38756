package steward

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
)

// A smallAPI is what a steward needs of an API server, for tests that play whole rolls thousands of times: it is a hundred times as quick as
// the fake client. Its objects never change. A write puts another one in their place, so that a copy of the map is what a cache shows.
type smallAPI struct {
	objects map[objectKey]client.Object
	version int
}

type objectKey struct{ kind, name string }

func keyOf(o client.Object) objectKey {
	switch o.(type) {
	case *v1.NodePool:
		return objectKey{"NodePool", o.GetName()}
	case *v1.NodeClaim:
		return objectKey{"NodeClaim", o.GetName()}
	case *corev1.Node:
		return objectKey{"Node", o.GetName()}
	case *unstructured.Unstructured:
		return objectKey{"DisruptionPolicy", o.GetName()}
	}
	panic(fmt.Sprintf("a steward has no business with a %T", o))
}

// put writes an object, which must not be changed after that.
func (a *smallAPI) put(o client.Object) {
	a.version++
	o.SetResourceVersion(fmt.Sprint(a.version))
	a.objects[keyOf(o)] = o
}

// all returns the objects of a type by name.
func all[T client.Object](objects map[objectKey]client.Object) (list []T) {
	for _, o := range objects {
		if o, is := o.(T); is {
			list = append(list, o)
		}
	}
	slices.SortFunc(list, func(a, b T) int { return strings.Compare(a.GetName(), b.GetName()) })
	return list
}

// fill fills a list with what a cache shows.
func fill(list client.ObjectList, objects map[objectKey]client.Object) {
	switch list := list.(type) {
	case *v1.NodePoolList:
		for _, o := range all[*v1.NodePool](objects) {
			list.Items = append(list.Items, *o)
		}
	case *v1.NodeClaimList:
		for _, o := range all[*v1.NodeClaim](objects) {
			list.Items = append(list.Items, *o)
		}
	case *corev1.NodeList:
		for _, o := range all[*corev1.Node](objects) {
			list.Items = append(list.Items, *o)
		}
	case *unstructured.UnstructuredList:
		for _, o := range all[*unstructured.Unstructured](objects) {
			list.Items = append(list.Items, *o)
		}
	case *corev1.PodList, *policyv1.PodDisruptionBudgetList:
	default:
		panic(fmt.Sprintf("a steward has no business with a %T", list))
	}
}

// A smallPatch is all that a steward may write.
type smallPatch struct {
	Metadata struct {
		UID             types.UID          `json:"uid"`
		ResourceVersion string             `json:"resourceVersion"`
		Annotations     map[string]*string `json:"annotations"`
	} `json:"metadata"`
}

// patched returns an object as a patch makes it.
func (a *smallAPI) patched(o client.Object, patch client.Patch) (was, is client.Object, err error) {
	key := keyOf(o)
	was, there := a.objects[key]
	if !there {
		return nil, nil, apierrors.NewNotFound(schema.GroupResource{Resource: key.kind}, key.name)
	}
	data, err := patch.Data(o)
	if err != nil {
		return nil, nil, err
	}
	var p smallPatch
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&p); err != nil {
		panic(fmt.Sprintf("the steward writes more than annotations of %s %s: %s", key.kind, key.name, data))
	}
	if p.Metadata.ResourceVersion == "" {
		panic(fmt.Sprintf("the steward writes %s %s whatever its version is: %s", key.kind, key.name, data))
	}
	if p.Metadata.ResourceVersion != was.GetResourceVersion() || p.Metadata.UID != "" && p.Metadata.UID != was.GetUID() {
		return nil, nil, conflict(key)
	}
	is = was.DeepCopyObject().(client.Object)
	annotations := maps.Clone(is.GetAnnotations())
	for name, text := range p.Metadata.Annotations {
		if text == nil {
			delete(annotations, name)
			continue
		}
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[name] = *text
	}
	is.SetAnnotations(annotations)
	return was, is, nil
}

func conflict(key objectKey) error {
	return apierrors.NewConflict(schema.GroupResource{Resource: key.kind}, key.name, nil)
}

// answer gives a client what was written.
func answer(to, written client.Object) {
	reflect.ValueOf(to).Elem().Set(reflect.ValueOf(written.DeepCopyObject()).Elem())
}

// A smallClient is a client of it that reads from a cache.
type smallClient struct {
	client.Client // what it does not have, a steward does not need
	cache         func(kind string) map[objectKey]client.Object
	write         func(client.Object, client.Patch) error
}

func (c *smallClient) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	kinds := map[string]string{
		"*v1.NodePoolList": "NodePool", "*v1.NodeClaimList": "NodeClaim", "*v1.NodeList": "Node", "*unstructured.UnstructuredList": "DisruptionPolicy",
		"*v1.PodList": "Pod", "*v1.PodDisruptionBudgetList": "PodDisruptionBudget",
	}
	fill(list, c.cache(kinds[fmt.Sprintf("%T", list)]))
	return nil
}

func (c *smallClient) Patch(_ context.Context, o client.Object, patch client.Patch, _ ...client.PatchOption) error {
	return c.write(o, patch)
}
