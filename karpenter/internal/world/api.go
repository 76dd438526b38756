package world

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/test/v1alpha1"
)

// A backend is where API objects are.
type backend interface {
	client.Client
	// next returns the next number for names that begin so.
	next(prefix string) int
	// bind binds a pod to a node.
	bind(ctx context.Context, pod *corev1.Pod, node string) error
	// end removes a pod that is being deleted, once its containers have ended.
	end(context.Context, *corev1.Pod) error
	// populate creates an object with its status.
	populate(context.Context, client.Object) error
	// transient reports of an error that whoever gets it has only to try again.
	transient(error) bool
}

// running is the finalizer by which pods are blocked until their containers have ended. The fake client knows no grace
// periods.
const running = "world/running"

// api stands in for the API server: controller-runtime's fake client with what that leaves out, which are names, UIDs
// and times as the fake clock has them, evictions that ask PodDisruptionBudgets, and reads that do not marshal.
type api struct {
	client.Client
	clock  *fakeClock
	stored *store

	mu     sync.Mutex
	issued map[string]int
}

func newAPI(clock *fakeClock) *api {
	a := &api{clock: clock, issued: map[string]int{}}
	a.stored = newStore(clock)
	inner := fake.NewClientBuilder().
		WithScheme(scheme.Scheme).
		WithObjectTracker(a.stored).
		WithStatusSubresource(&v1.NodePool{}, &v1.NodeClaim{}, &v1alpha1.TestNodeClass{}).
		Build()
	a.Client = interceptor.NewClient(inner, interceptor.Funcs{
		Get:               a.get,
		List:              a.list,
		Create:            a.create,
		Delete:            a.delete,
		SubResourceCreate: a.createSubResource,
	})
	return a
}

// next returns the next number for names that begin so.
func (a *api) next(prefix string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.issued[prefix]++
	return a.issued[prefix]
}

func (a *api) create(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
	if prefix := o.GetGenerateName(); o.GetName() == "" && prefix != "" {
		if claim, is := o.(*v1.NodeClaim); is {
			prefix += zoneOf(claim)
		}
		o.SetName(fmt.Sprintf("%s%d", prefix, a.next(prefix)))
	}
	if pod, is := o.(*corev1.Pod); is {
		pod.Finalizers = append(pod.Finalizers, running)
	}
	o.SetUID(types.UID("uid-" + strings.ToLower(reflect.TypeOf(o).Elem().Name()) + "-" + o.GetName()))
	o.SetCreationTimestamp(metav1.NewTime(a.clock.Now()))
	return c.Create(ctx, o, opts...)
}

func (a *api) bind(ctx context.Context, pod *corev1.Pod, node string) error {
	pod.Spec.NodeName = node
	return a.Update(ctx, pod)
}

func (a *api) end(ctx context.Context, pod *corev1.Pod) error {
	pod.Finalizers = nil
	return a.Update(ctx, pod)
}

func (a *api) populate(ctx context.Context, o client.Object) error { return a.Create(ctx, o) }

// transient errors there are none: nobody else writes meanwhile.
func (*api) transient(error) bool { return false }

// zoneOf returns the only zone where a NodeClaim can be launched. Claims are created in parallel; with the zone in the
// name each gets the same one every time.
func zoneOf(claim *v1.NodeClaim) string {
	for _, r := range claim.Spec.Requirements {
		if r.Key == corev1.LabelTopologyZone && r.Operator == corev1.NodeSelectorOpIn && len(r.Values) == 1 {
			return r.Values[0] + "-"
		}
	}
	return ""
}

// delete deletes an object. A pod that is to end sooner than it would by itself has as long.
func (a *api) delete(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
	if err := c.Delete(ctx, o, opts...); err != nil {
		return err
	}
	grace := new(client.DeleteOptions).ApplyOptions(opts).GracePeriodSeconds
	if _, is := o.(*corev1.Pod); !is || grace == nil {
		return nil
	}
	return a.stored.shorten(client.ObjectKeyFromObject(o), time.Duration(*grace)*time.Second)
}

// createSubResource evicts pods, if the PodDisruptionBudgets allow them.
func (a *api) createSubResource(ctx context.Context, c client.Client, sub string, o, with client.Object,
	opts ...client.SubResourceCreateOption) error {
	pod, is := o.(*corev1.Pod)
	if sub != "eviction" || !is {
		return c.SubResource(sub).Create(ctx, o, with, opts...)
	}
	var pdbs policyv1.PodDisruptionBudgetList
	if err := a.List(ctx, &pdbs, client.InNamespace(pod.Namespace)); err != nil {
		return err
	}
	its := slices.DeleteFunc(pdbs.Items, func(pdb policyv1.PodDisruptionBudget) bool { return !selects(&pdb, pod) })
	if len(its) > 1 {
		return apierrors.NewInternalError(errors.New(severalPDBs))
	}
	for i := range its {
		pdb := &its[i]
		if pdb.Status.DisruptionsAllowed <= 0 {
			return apierrors.NewTooManyRequests("the eviction would violate the PodDisruptionBudget "+pdb.Name, 10)
		}
		pdb.Status.DisruptionsAllowed--
		if err := a.Status().Update(ctx, pdb); err != nil {
			return err
		}
	}
	return c.SubResource(sub).Create(ctx, o, with, opts...)
}

// severalPDBs is what the API server says of a pod that more than one PodDisruptionBudget selects.
const severalPDBs = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."

func selects(pdb *policyv1.PodDisruptionBudget, pod *corev1.Pod) bool {
	selector, err := metav1.LabelSelectorAsSelector(pdb.Spec.Selector)
	return err == nil && selector.Matches(labels.Set(pod.Labels))
}

func (a *api) get(_ context.Context, _ client.WithWatch, key client.ObjectKey, o client.Object,
	_ ...client.GetOption) error {
	gvr, err := resourceOf(o)
	if err != nil {
		return err
	}
	found := a.stored.get(gvr, key)
	if found == nil {
		return apierrors.NewNotFound(gvr.GroupResource(), key.Name)
	}
	reflect.ValueOf(o).Elem().Set(reflect.ValueOf(found.DeepCopyObject()).Elem())
	return nil
}

// list returns objects in the order of their names, as the API server does.
func (a *api) list(_ context.Context, _ client.WithWatch, into client.ObjectList, opts ...client.ListOption) error {
	var o client.ListOptions
	o.ApplyOptions(opts)
	gvr, err := resourceOf(into)
	if err != nil {
		return err
	}
	listed := a.stored.list(gvr)
	if fields := o.FieldSelector; fields != nil && len(fields.Requirements()) > 0 {
		first := fields.Requirements()[0]
		if listed, err = a.stored.having(gvr, first.Field, first.Value); err != nil {
			return err
		}
	}
	var items []runtime.Object
	for _, found := range listed {
		is, err := matches(found, &o)
		if err != nil {
			return err
		}
		if is {
			items = append(items, found.DeepCopyObject())
		}
	}
	return meta.SetList(into, items)
}

func matches(o client.Object, opts *client.ListOptions) (bool, error) {
	if opts.Namespace != "" && o.GetNamespace() != opts.Namespace {
		return false, nil
	}
	if opts.LabelSelector != nil && !opts.LabelSelector.Matches(labels.Set(o.GetLabels())) {
		return false, nil
	}
	if opts.FieldSelector == nil {
		return true, nil
	}
	for _, r := range opts.FieldSelector.Requirements() {
		value, err := field(o, r.Field)
		if err != nil || value != r.Value {
			return false, err
		}
	}
	return true, nil
}

// field returns what the fields hold that Karpenter's operator has indexes for.
func field(o client.Object, path string) (string, error) {
	switch o := o.(type) {
	case *corev1.Pod:
		if path == "spec.nodeName" {
			return o.Spec.NodeName, nil
		}
	case *corev1.Node:
		if path == "spec.providerID" {
			return o.Spec.ProviderID, nil
		}
	case *storagev1.VolumeAttachment:
		if path == "spec.nodeName" {
			return o.Spec.NodeName, nil
		}
	case *v1.NodeClaim:
		if path == "status.providerID" {
			return o.Status.ProviderID, nil
		}
		return nodeClass(o.Spec.NodeClassRef, strings.TrimPrefix(path, "spec.nodeClassRef."))
	case *v1.NodePool:
		name := strings.TrimPrefix(path, "spec.template.spec.nodeClassRef.")
		return nodeClass(o.Spec.Template.Spec.NodeClassRef, name)
	}
	return "", fmt.Errorf("no index for %s of %T", path, o)
}

func nodeClass(ref *v1.NodeClassReference, name string) (string, error) {
	switch name {
	case "group":
		return ref.Group, nil
	case "kind":
		return ref.Kind, nil
	case "name":
		return ref.Name, nil
	}
	return "", fmt.Errorf("no index for %s", name)
}

func resourceOf(o runtime.Object) (schema.GroupVersionResource, error) {
	gvk, err := apiutil.GVKForObject(o, scheme.Scheme)
	gvk.Kind = strings.TrimSuffix(gvk.Kind, "List")
	gvr, _ := meta.UnsafeGuessKindToResource(gvk)
	return gvr, err
}
