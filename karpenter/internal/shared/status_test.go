package shared

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/yaml"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
)

func policy(name, spec string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	text := fmt.Sprintf("{apiVersion: %s, kind: %s, metadata: {name: %s, generation: 3}, spec: %s}", disruptionpolicy.Version, disruptionpolicy.Kind, name, spec)
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		panic(err)
	}
	return o
}

func TestThePolicySaysWhatItSelectsAndWhatIsBroken(t *testing.T) {
	var objects []client.Object
	for _, name := range []string{"web", "api"} {
		np := &v1.NodePool{}
		np.Name, np.Labels = name, map[string]string{"team": name}
		objects = append(objects, np)
	}
	for name, spec := range map[string]string{
		"cap":    `{all: true, budgets: [{nodes: "3"}]}`,
		"one":    `{nodePoolSelector: {matchLabels: {team: web}}, budgets: [{nodes: "3", reasons: [Moved]}]}`,
		"broken": `{nodePoolSelector: {matchLabels: {team: web}}, budgets: [{nodes: ten}]}`,
		"idle":   `{nodePoolSelector: {matchLabels: {team: nobody}}, budgets: [{nodes: "3"}]}`,
		"mute":   `{all: true}`,
	} {
		objects = append(objects, policy(name, spec))
	}
	writes := 0
	kube := fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(objects...).WithStatusSubresource(policy("", "{}")).WithInterceptorFuncs(interceptor.Funcs{
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			writes++
			return c.SubResource(sub).Patch(ctx, o, p, opts...)
		},
	}).Build()
	r := &Reporter{Client: kube, Methods: func() []candidate.Reason { return []candidate.Reason{"Moved"} }}
	for range 3 {
		if err := r.Report(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if writes != 5 {
		t.Errorf("%d writes, want one for each policy: what is said stays the same", writes)
	}
	for name, want := range map[string]string{
		"cap":    "Valid=True all of it can be read; Effective=True NodePools that it selects: 2 (api, web)",
		"one":    "Valid=True all of it can be read; Effective=True NodePools that it selects: 1 (web)",
		"broken": `Valid=False no node of the NodePools that it selects goes until this is mended: spec.budgets[0].nodes: nodes "ten": write a count`,
		"idle":   "Effective=False the policy selects no NodePool",
		"mute":   "Effective=False the policy has no budgets",
	} {
		if got := said(t, kube, name); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	o := policy("", "{}")
	if err := kube.Get(t.Context(), client.ObjectKey{Name: "idle"}, o); err != nil {
		t.Fatal(err)
	}
	if err := unstructured.SetNestedField(o.Object, true, "spec", "all"); err != nil {
		t.Fatal(err)
	}
	unstructured.RemoveNestedField(o.Object, "spec", "nodePoolSelector")
	if err := kube.Update(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if err := r.Report(t.Context()); err != nil || writes != 6 {
		t.Errorf("%d writes, %v", writes, err)
	}
	if got := said(t, kube, "idle"); !strings.Contains(got, "Effective=True NodePools that it selects: 2") {
		t.Errorf("once it is mended: %s", got)
	}
}

// said returns the conditions of a policy.
func said(t *testing.T, kube client.Client, name string) string {
	t.Helper()
	o := policy("", "{}")
	if err := kube.Get(t.Context(), client.ObjectKey{Name: name}, o); err != nil {
		t.Fatal(err)
	}
	conditions, _, err := unstructured.NestedSlice(o.Object, "status", "conditions")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, c := range conditions {
		c := c.(map[string]any)
		texts = append(texts, fmt.Sprintf("%s=%s %s", c["type"], c["status"], c["message"]))
	}
	return strings.Join(texts, "; ")
}

// A condition names no more than a person reads.
func TestAConditionOfManyPoolsIsShort(t *testing.T) {
	p := disruptionpolicy.Read("p", []byte(`{"spec": {"all": true, "budgets": [{"nodes": "1"}]}}`), budget.Spec{})
	var pools []string
	for i := range 1000 {
		pools = append(pools, fmt.Sprintf("pool-%d", i))
	}
	if got := Conditions(p, pools)[1].Message; !strings.Contains(got, "1000 (pool-0") || !strings.HasSuffix(got, "and 980 more)") {
		t.Error(got)
	}
}

// What keeps the status of one policy from being written, such as a webhook, says nothing about the next.
func TestAPolicyThatCannotBeWrittenKeepsNoOtherFromIt(t *testing.T) {
	kube := fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(policy("a", "{all: true}"), policy("b", "{all: true}")).
		WithStatusSubresource(policy("", "{}")).WithInterceptorFuncs(interceptor.Funcs{
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			if o.GetName() == "a" {
				return errors.New("refused")
			}
			return c.SubResource(sub).Patch(ctx, o, p, opts...)
		},
	}).Build()
	r := &Reporter{Client: kube, Methods: func() []candidate.Reason { return nil }}
	if err := r.Report(t.Context()); err == nil || err.Error() != "DisruptionPolicy a: refused" {
		t.Error(err)
	}
	if got := said(t, kube, "b"); !strings.Contains(got, "Valid=True") {
		t.Errorf("b: %q", got)
	}
}
