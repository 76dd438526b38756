package command

import (
	"context"
	"errors"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// Two stewards never release by their own caches only because somebody forgot a flag.
func TestAStewardElectsALeaderByDefault(t *testing.T) {
	run, _, err := New().Find([]string{"run"})
	if err != nil || run.Flag("leader-elect").DefValue != "true" {
		t.Error(err, run.Flag("leader-elect"))
	}
}

func TestAStewardThatCannotLeadSaysSoAtTheStart(t *testing.T) {
	leases := schema.GroupResource{Group: "coordination.k8s.io", Resource: "leases"}
	for rule, c := range map[string]struct {
		err  error
		says string
	}{
		"there is no namespace":  {apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "disruptkit"), `in namespace "disruptkit": create the namespace`},
		"it may not":             {apierrors.NewForbidden(leases, lease, errors.New("no")), "--leader-elect=false"},
		"another one leads":      {apierrors.NewAlreadyExists(leases, lease), ""},
		"the server has no time": {errors.New("timeout"), ""},
		"it may":                 {nil, ""},
	} {
		kube := fake.NewClientBuilder().WithScheme(scheme.Scheme).WithInterceptorFuncs(interceptor.Funcs{
			Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error { return c.err },
		}).Build()
		err := tryLease(t.Context(), kube, "disruptkit")
		if (err != nil) != (c.says != "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", rule, err)
		}
	}
}
