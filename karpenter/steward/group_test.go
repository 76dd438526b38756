package steward

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/yaml"

	"github.com/disruptkit/disruptkit/cmd/annotation"
	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
)

// share adds a DisruptionPolicy with a spec in YAML.
func (e *estate) share(name, spec string) {
	fields := map[string]any{}
	if err := yaml.Unmarshal([]byte(spec), &fields); err != nil {
		panic(err)
	}
	o := &unstructured.Unstructured{Object: map[string]any{"spec": fields}}
	o.SetAPIVersion(disruptionpolicy.Version)
	o.SetKind(disruptionpolicy.Kind)
	o.SetName(name)
	o.SetUID(types.UID("policy-" + name))
	e.objects = append(e.objects, o)
}

// another adds a NodePool that is opted in, or not, with a drifted node.
func (e *estate) another(name string, takesPart bool) {
	np := e.pool.DeepCopy()
	np.Name, np.UID = name, types.UID(name)
	if !takesPart {
		delete(np.Annotations, annotation.Steward)
	}
	e.objects = append(e.objects, np)
	e.node("of-"+name, time.Hour, join(drifted("AMIDrift"), inPool(name)))
}

func inPool(name string) func(*corev1.Node, *v1.NodeClaim) {
	return func(n *corev1.Node, c *v1.NodeClaim) {
		n.Labels = map[string]string{v1.NodePoolLabelKey: name, v1.NodeRegisteredLabelKey: "true", v1.NodeInitializedLabelKey: "true"}
		c.Labels = n.Labels
	}
}

// The pools p and q, with a drifted node each.
func twoPools() *estate {
	e := newEstate(nil)
	e.node("of-p", 2*time.Hour, drifted("AMIDrift"))
	e.another("q", true)
	return e
}

func passed(t *testing.T, s *Steward, told func() string) string {
	t.Helper()
	if _, err := s.Pass(t.Context()); err != nil {
		t.Fatal(err)
	}
	var released []string
	for text := range strings.SplitSeq(told(), "; ") {
		if !strings.HasPrefix(text, "told") && !strings.HasPrefix(text, "stored") {
			released = append(released, text)
		}
	}
	return strings.Join(released, "; ")
}

// What is released under a policy is stored on it before, also where it has no memory.
func TestTheStewardObeysDisruptionPolicies(t *testing.T) {
	for rule, c := range map[string]struct{ spec, want string }{
		"none":                           {"", "released of-p; released of-q"},
		"a cap":                          {`{all: true, budgets: [{nodes: "1"}]}`, "policy; released of-p"},
		"a pace":                         {`{all: true, budgets: [{nodes: "1", per: 1h}]}`, "policy; released of-p"},
		"one pool after the other":       {`{all: true, budgets: [{nodes: 100%, topologyKey: karpenter.sh/nodepool, sequential: true}]}`, "policy; released of-p"},
		"a pause":                        {`{all: true, pause: {by: alice}}`, ""},
		"one that is broken":             {`{all: true, budgets: [{nodes: ten}]}`, ""},
		"one that selects nothing":       {`{nodePoolSelector: {matchLabels: {team: nobody}}, budgets: [{nodes: "0"}]}`, "released of-p; released of-q"},
		"one of which nobody knows whom": {`{budgets: [{nodes: "9"}]}`, ""},
		"a calendar that is not there":   {`{all: true, budgets: [{nodes: "1", calendar: holidays}]}`, ""},
	} {
		e := twoPools()
		if c.spec != "" {
			e.share("policy", c.spec)
		}
		s, told := e.steward("")
		if got := passed(t, s, told); got != c.want {
			t.Errorf("%s: %s, want %s", rule, got, c.want)
		}
		if got := passed(t, s, told); got != "" {
			t.Errorf("%s: the second pass writes %s", rule, got)
		}
	}
}

// A steward that takes over goes on from the memory on the policy.
func TestTheMemoryOfAPolicyIsTakenOver(t *testing.T) {
	e := twoPools()
	e.share("policy", `{all: true, budgets: [{nodes: 100%, topologyKey: karpenter.sh/nodepool, sequential: true}]}`)
	policy := e.objects[len(e.objects)-1]
	policy.SetAnnotations(map[string]string{annotation.Memory: `{"roll":{"key":"karpenter.sh/nodepool","domain":"q"}}`})
	s, told := e.steward("")
	if got, want := passed(t, s, told), "policy; released of-q"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Nobody holds the nodes of a NodePool that is not opted in. What it has in flight counts, and what it has drifted waits for nobody.
func TestPoolsThatAreNotOptedInCountForPolicies(t *testing.T) {
	tainted := func(n *corev1.Node, _ *v1.NodeClaim) { n.Spec.Taints = []corev1.Taint{v1.DisruptedNoScheduleTaint} }
	for rule, c := range map[string]struct {
		spec   string
		change func(*corev1.Node, *v1.NodeClaim)
		want   string
	}{
		"beside one that rests":         {`{all: true, budgets: [{nodes: "1"}]}`, nil, "policy; released of-p"},
		"beside one in flight":          {`{all: true, budgets: [{nodes: "1"}]}`, tainted, ""},
		"a turn does not wait for it":   {`{all: true, budgets: [{nodes: 100%, topologyKey: karpenter.sh/nodepool, sequential: true}]}`, nil, "policy; released of-p"},
		"a policy that it is not under": {`{nodePoolSelector: {matchLabels: {team: p}}, budgets: [{nodes: "1"}]}`, tainted, "policy; released of-p"},
	} {
		e := newEstate(nil)
		e.pool.Labels = map[string]string{"team": "p"}
		e.node("of-p", 2*time.Hour, drifted("AMIDrift"))
		other := e.pool.DeepCopy()
		other.Name, other.UID, other.Labels, other.Annotations = "a", "a", nil, nil
		e.objects = append(e.objects, other)
		changes := []func(*corev1.Node, *v1.NodeClaim){drifted("AMIDrift"), inPool("a"), func(n *corev1.Node, _ *v1.NodeClaim) { n.Annotations = nil }}
		if c.change != nil {
			changes = append(changes, c.change)
		}
		e.node("of-a", 3*time.Hour, changes...)
		e.share("policy", c.spec)
		s, told := e.steward("")
		if got := passed(t, s, told); got != c.want {
			t.Errorf("%s: %s, want %s", rule, got, c.want)
		}
	}
}

// Others go on, also those that share another policy with what is held. There, what was stored first and not released uses its slot for a while.
func TestAPolicyThatCannotBeStoredHoldsOnlyThePoolsThatItSelects(t *testing.T) {
	for name, refusal := range map[string]error{
		"forbidden":  apierrors.NewForbidden(schema.GroupResource{}, "policy", errors.New("no")),
		"a conflict": apierrors.NewConflict(schema.GroupResource{}, "policy", errors.New("another writer")),
	} {
		e := twoPools()
		e.pool.Labels = map[string]string{"team": "p"}
		e.share("policy", `{nodePoolSelector: {matchLabels: {team: p}}, budgets: [{nodes: "1", per: 1h}]}`)
		e.share("cap", `{all: true, budgets: [{nodes: "1"}]}`)
		s, told := e.steward("")
		inner := s.Client.(client.WithWatch)
		refuse := true
		s.Client = interceptor.NewClient(inner, interceptor.Funcs{
			Patch: func(ctx context.Context, kube client.WithWatch, o client.Object, patch client.Patch, opts ...client.PatchOption) error {
				if refuse && o.GetName() == "policy" {
					return refusal
				}
				return kube.Patch(ctx, o, patch, opts...)
			},
		})
		recorder := record.NewFakeRecorder(100)
		s.Recorder = recorder
		at := noon
		s.Clock = func() time.Time { return at }
		var got []string
		for range 40 {
			_, err := s.Pass(t.Context())
			if err != nil && name != "forbidden" {
				t.Errorf("%s: pass %d: %v", name, len(got), err)
			}
			got = append(got, told())
			at = at.Add(time.Second)
		}
		all := strings.Join(got, "; ")
		if strings.Contains(all, "released of-p") {
			t.Errorf("%s: %s", name, all)
		}
		var np v1.NodePool
		if err := s.Client.Get(t.Context(), client.ObjectKey{Name: "p"}, &np); err != nil || np.Annotations[annotation.Releases] != "" {
			t.Errorf("%s: releases are stored that never were: %v, %v", name, np.Annotations, err)
		}
		if name == "a conflict" {
			refuse = false
			if got := passed(t, s, told); got != "policy; released of-p" {
				t.Errorf("once the conflict is over: %s", got)
			}
			continue
		}
		if !strings.Contains(all, "released of-q") {
			t.Errorf("the other pool waits: %s", all)
		}
		if said := <-recorder.Events; !strings.Contains(said, "its annotations cannot be written") {
			t.Errorf("said %s", said)
		}
		refuse, at = false, at.Add(lastTry)
		if _, err := s.Pass(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func TestPoliciesThatCannotBeListedEndThePass(t *testing.T) {
	e := twoPools()
	s, told := e.steward("")
	s.Client = interceptor.NewClient(s.Client.(client.WithWatch), interceptor.Funcs{
		List: func(ctx context.Context, kube client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			if _, policies := list.(*unstructured.UnstructuredList); policies {
				return apierrors.NewForbidden(schema.GroupResource{Resource: "disruptionpolicies"}, "", errors.New("no"))
			}
			return kube.List(ctx, list, opts...)
		},
	})
	if _, err := s.Pass(t.Context()); err == nil || !strings.Contains(err.Error(), "listing DisruptionPolicies") || told() != "" {
		t.Error(err)
	}
}
