// Package shared reads the DisruptionPolicies of an API server.
package shared

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	"github.com/disruptkit/disruptkit/cmd/ical"
)

// List returns the DisruptionPolicies. A cluster without their CustomResourceDefinition has none. Any other reason not to get them is an
// error: there could be some.
//
// A client of a manager does not cache them, unless it is set to cache unstructured objects.
func List(ctx context.Context, c client.Reader) ([]*unstructured.Unstructured, error) {
	list := NewList()
	if err := c.List(ctx, list); err != nil {
		if meta.IsNoMatchError(err) || apierrors.IsNotFound(err) {
			return nil, nil
		}
		return nil, fmt.Errorf("listing DisruptionPolicies: %w", err)
	}
	objects := make([]*unstructured.Unstructured, 0, len(list.Items))
	for i := range list.Items {
		objects = append(objects, &list.Items[i])
	}
	return objects, nil
}

// NewList returns an empty list of DisruptionPolicies.
func NewList() *unstructured.UnstructuredList {
	list := &unstructured.UnstructuredList{}
	list.SetAPIVersion(disruptionpolicy.Version)
	list.SetKind(disruptionpolicy.Kind + "List")
	return list
}

// A Reader reads each version of a policy once. The zero Reader is ready for use.
type Reader struct {
	read      map[string]version // by name
	calendars *ical.Calendars    // that these know
}

type version struct {
	uid      types.UID
	resource string
	disruptionpolicy.Policy
}

// Read returns what policies say. Calendars are those that budgets may name, and methods are reasons that they may name in addition to
// Karpenter's, always the same ones.
func (r *Reader) Read(objects []*unstructured.Unstructured, calendars *ical.Calendars, methods ...candidate.Reason) []disruptionpolicy.Policy {
	if r.calendars != calendars {
		*r = Reader{calendars: calendars}
	}
	names := budget.Spec{Calendars: calendars.Windows, Unread: calendars.Unread, Methods: methods}
	read, all := map[string]version{}, make([]disruptionpolicy.Policy, 0, len(objects))
	for _, o := range objects {
		name, uid, resource := o.GetName(), o.GetUID(), o.GetResourceVersion()
		v, known := r.read[name]
		if !known || v.uid != uid || v.resource != resource {
			raw, _ := json.Marshal(o.Object) // JSON values have no errors; without text, the policy would be broken
			v = version{uid, resource, disruptionpolicy.Read(name, raw, names)}
		}
		read[name] = v
		all = append(all, v.Policy)
	}
	r.read = read
	return all
}
