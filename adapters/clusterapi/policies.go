package main

import (
	"context"
	"maps"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
)

// join adds the DisruptionPolicies of the management cluster that select MachineDeployments of this Cluster.
// One that cannot be read allows none of those. A management cluster without the CustomResourceDefinition has none.
func (r *roller) join(ctx context.Context, f *fleet) error {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(schema.FromAPIVersionAndKind(disruptionpolicy.Version, disruptionpolicy.Kind+"List"))
	if err := r.objects.List(ctx, list); meta.IsNoMatchError(err) || apierrors.IsNotFound(err) {
		return nil
	} else if err != nil {
		return err
	}
	var policies []disruptionpolicy.Policy
	for i := range list.Items {
		text, err := list.Items[i].MarshalJSON()
		if err != nil {
			return err
		}
		policies = append(policies, disruptionpolicy.Read(list.Items[i].GetName(), text, budget.Spec{}))
	}
	f.selection = disruptionpolicy.Select(policies, f.labels, nil)
	for _, g := range f.selection.Groups {
		f.input.Groups = append(f.input.Groups, g.Group)
	}
	f.input.Pauses = append(f.input.Pauses, f.selection.Pauses...)
	f.warnings = append(f.warnings, f.selection.Warnings...)
	return nil
}

// watch adds a MachineDeployment that is not opted in: what it has in flight counts for the policies that select it, and nothing of it is disrupted.
func (f *fleet) watch(md *clusterv1.MachineDeployment) {
	f.labels[md.Name] = append(f.labels[md.Name], maps.Clone(md.Labels))
	f.input.Pools = append(f.input.Pools, disruptkit.Pool{Name: md.Name, Desired: replicas(md), Blockers: []candidate.Blocker{{
		Gate: candidate.GateNode, Code: candidate.CodeUnknownPool, Message: "the MachineDeployment is not opted in",
	}}})
}

func replicas(md *clusterv1.MachineDeployment) int {
	if md.Spec.Replicas != nil {
		return int(*md.Spec.Replicas)
	}
	return 1
}
