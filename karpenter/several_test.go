package karpenter

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/yaml"

	"github.com/disruptkit/disruptkit/cmd/disruptionpolicy"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/probe/httpget"
)

var disruptionPolicies = schema.GroupResource{Group: disruptionpolicy.Group, Resource: "disruptionpolicies"}

// sharedPolicy returns a DisruptionPolicy with a spec in YAML.
func sharedPolicy(name, spec string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	fields := map[string]any{}
	if err := yaml.Unmarshal([]byte(spec), &fields); err != nil {
		panic(err)
	}
	o.Object["spec"] = fields
	o.SetAPIVersion(disruptionpolicy.Version)
	o.SetKind(disruptionpolicy.Kind)
	o.SetName(name)
	o.SetUID(types.UID("policy-" + name))
	return o
}

// share puts a DisruptionPolicy into the API.
func (g *guarded) share(name, spec string) {
	g.Helper()
	if err := g.Client.Create(g.Context(), sharedPolicy(name, spec)); err != nil {
		g.Fatal(err)
	}
}

// sharedMemory returns the memory of a DisruptionPolicy.
func (g *guarded) sharedMemory(name string) string {
	g.Helper()
	o := sharedPolicy(name, "{}")
	if err := g.Client.Get(g.Context(), client.ObjectKey{Name: name}, o); err != nil {
		g.Fatal(err)
	}
	return o.GetAnnotations()[MemoryAnnotation]
}

// all chooses all candidates, each in a command of its own.
func all(_ map[string]int, cs []*disruption.Candidate) []disruption.Command { return each(cs) }

// threePools are pools of a, b and c, each of which has a drifted node in zones x and y.
func threePools(t *testing.T) *guarded {
	var pools []*v1.NodePool
	for _, name := range []string{"a", "b", "c"} {
		np := pool(name)
		np.Labels = map[string]string{"team": map[string]string{"a": "shop", "b": "shop", "c": "data"}[name]}
		pools = append(pools, np)
	}
	g := newGuarded(t, pools...)
	for i, name := range []string{"a", "b", "c"} {
		g.node(name, "x-"+name, 60-10*i)
		g.node(name, "y-"+name, 55-10*i)
	}
	return g
}

func TestADisruptionPolicyHoldsOverAllThePoolsThatItSelects(t *testing.T) {
	const everything = "x-a→1 y-a→1 x-b→1 y-b→1 x-c→1 y-c→1"
	for rule, c := range map[string]struct{ spec, want string }{
		"a cap of the cluster":                      {`{all: true, budgets: [{nodes: "3"}]}`, "x-a→1 y-a→1 x-b→1"},
		"a cap for a team":                          {`{nodePoolSelector: {matchLabels: {team: shop}}, budgets: [{nodes: "1"}]}`, "x-a→1 x-c→1 y-c→1"},
		"a percentage is of the nodes of all":       {`{all: true, budgets: [{nodes: "34%"}]}`, "x-a→1 y-a→1 x-b→1"},
		"one zone at a time":                        {`{all: true, budgets: [{nodes: 100%, topologyKey: topology.kubernetes.io/zone, sequential: true}]}`, "x-a→1 x-b→1 x-c→1"},
		"one pool after the other":                  {`{all: true, budgets: [{nodes: 100%, topologyKey: karpenter.sh/nodepool, sequential: true}]}`, "x-a→1 y-a→1"},
		"a pace":                                    {`{all: true, budgets: [{nodes: "2", per: 1h}]}`, "x-a→1 y-a→1"},
		"a pause":                                   {`{nodePoolSelector: {matchLabels: {team: shop}}, pause: {by: alice}}`, "x-c→1 y-c→1"},
		"budgets for other reasons":                 {`{all: true, budgets: [{nodes: "0", reasons: [Empty]}]}`, everything},
		"a selector that selects nothing":           {`{nodePoolSelector: {}, budgets: [{nodes: "0"}]}`, everything},
		"one that is broken":                        {`{nodePoolSelector: {matchLabels: {team: shop}}, budgets: [{nodes: ten}]}`, "x-c→1 y-c→1"},
		"one of which nobody knows what it selects": {`{nodePoolSelectr: {matchLabels: {team: shop}}}`, ""},
		"a probe that nobody asks":                  {`{nodePoolSelector: {matchLabels: {team: data}}, disruptionProbes: [{host: health, port: 80}]}`, "x-a→1 y-a→1 x-b→1 y-b→1"},
		"a calendar that is not there":              {`{nodePoolSelector: {matchLabels: {team: data}}, budgets: [{nodes: "1", calendar: holidays}]}`, "x-a→1 y-a→1 x-b→1 y-b→1"},
	} {
		t.Run(rule, func(t *testing.T) {
			g := threePools(t)
			g.share("p", c.spec)
			m := drift()
			m.choose = all
			if got := g.mustCompute(Guard(m, g.Cluster), 9); got != c.want {
				t.Errorf("%q started, want %q", got, c.want)
			}
		})
	}
}

// The memory of the policy is stored before anything starts, and whoever comes next goes on from there.
func TestTheMemoryOfADisruptionPolicyIsStoredOnIt(t *testing.T) {
	const zones = `{all: true, budgets: [{nodes: "1", topologyKey: topology.kubernetes.io/zone, sequential: true}]}`
	g := threePools(t)
	g.share("zones", zones)
	if got := g.mustCompute(Guard(drift(), g.Cluster), 9); got != "x-a" {
		t.Fatalf("%q started", got)
	}
	want := `{"roll":{"key":"topology.kubernetes.io/zone","domain":"x"}}`
	if got := g.sharedMemory("zones"); got != want || g.patches != 1 {
		t.Errorf("the memory is %s after %d patches, want %s", got, g.patches, want)
	}
	// Zone x is left to a Karpenter that starts anew, although y has the older node now.
	again := threePools(t)
	o := sharedPolicy("zones", zones)
	o.SetAnnotations(map[string]string{MemoryAnnotation: strings.ReplaceAll(want, `"x"`, `"y"`)})
	if err := again.Client.Create(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if got := again.mustCompute(Guard(drift(), again.Cluster), 9); got != "y-a" || again.patches != 0 {
		t.Errorf("%q started, after %d patches", got, again.patches)
	}
}

func TestAPolicyWhoseMemoryCannotBeStoredBlocksThePoolsThatItSelects(t *testing.T) {
	for name, err := range map[string]error{
		"forbidden":  apierrors.NewForbidden(disruptionPolicies, "zones", errors.New("no")),
		"a conflict": apierrors.NewConflict(disruptionPolicies, "zones", errors.New("another writer")),
		"a timeout":  apierrors.NewTimeoutError("slow", 1),
	} {
		t.Run(name, func(t *testing.T) {
			g := threePools(t)
			g.share("zones", `{nodePoolSelector: {matchLabels: {team: shop}}, budgets: [{nodes: "9", per: 1h}]}`)
			g.refuse(err, "zones")
			m := drift()
			m.choose = all
			guard := Guard(m, g.Cluster)
			for range 2 { // the second time, the method is not shown what cannot start
				if got := g.mustCompute(guard, 9); got != "x-c→1 y-c→1" {
					t.Errorf("%q started", got)
				}
			}
			if asked := m.asked[len(m.asked)-1]; asked != "x-c y-c" {
				t.Errorf("the method was asked for %q", asked)
			}
			if said := g.said("zones", MemoryNotStoredEvent); len(said) != 1 || !strings.Contains(said[0], "Nodes are not disrupted: ") {
				t.Errorf("said of the policy: %q", said)
			}
			if held := strings.Join(g.said("a", "DisruptionBlocked"), "\n"); !strings.Contains(held, string(CodeNotStored)) {
				t.Errorf("said of a pool that it selects: %q", held)
			}
			g.api = nil
			g.clock.Step(firstRetry)
			if got := g.mustCompute(guard, 9); !strings.Contains(got, "x-a→1") {
				t.Errorf("%q started once it could be stored", got)
			}
			if !strings.Contains(g.sharedMemory("zones"), `"node":"x-a"`) {
				t.Errorf("the memory is %s", g.sharedMemory("zones"))
			}
		})
	}
}

// listing makes the API server answer lists of DisruptionPolicies with an error.
type listing struct {
	client.Client
	err error
}

func (l listing) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if _, several := list.(*unstructured.UnstructuredList); several {
		return l.err
	}
	return l.Client.List(ctx, list, opts...)
}

func TestPoliciesThatCannotBeListedMayBeThere(t *testing.T) {
	kind := schema.GroupKind{Group: disruptionpolicy.Group, Kind: disruptionpolicy.Kind}
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"a cluster without the kind":              {&meta.NoKindMatchError{GroupKind: kind, SearchedVersions: []string{"v1alpha1"}}, "x-a"},
		"one in which it has just been deleted":   {apierrors.NewNotFound(disruptionPolicies, ""), "x-a"},
		"a list that is forbidden":                {apierrors.NewForbidden(disruptionPolicies, "", errors.New("no")), ""},
		"a server that does not answer":           {errors.New("connection refused"), ""},
		"a server that cannot list its kinds now": {apierrors.NewServiceUnavailable("starting"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := threePools(t)
			g.Client = listing{g.Client, c.err}
			m := drift()
			if got := g.mustCompute(Guard(m, g.Cluster), 9); got != c.want {
				t.Errorf("%q started, want %q", got, c.want)
			}
			if c.want == "" {
				if said := strings.Join(g.said("a", "DisruptionBlocked"), ""); !strings.Contains(said, "listing DisruptionPolicies: "+c.err.Error()) {
					t.Errorf("said of a NodePool: %q", said)
				}
			}
		})
	}
}

func TestEventsSayWhatIsWrongWithAPolicy(t *testing.T) {
	g := threePools(t)
	g.share("broken", `{all: true, budgets: [{nodes: ten}]}`)
	g.share("idle", `{nodePoolSelector: {matchLabels: {team: nobody}}, budgets: [{nodes: "1"}]}`)
	g.share("endless", `{all: true, pause: {by: alice}}`)
	g.mustCompute(Guard(drift(), g.Cluster), 9)
	for name, want := range map[string]string{
		"broken":  `spec.budgets[0].nodes: nodes "ten": write a count`,
		"idle":    "the policy selects no NodePool",
		"endless": "spec.pause.until",
	} {
		if said := strings.Join(g.said(name, InvalidPolicyEvent), "\n"); !strings.Contains(said, want) {
			t.Errorf("said of %s: %q, want %q", name, said, want)
		}
	}
}

// What a pool has in flight that is not there cannot be counted, and whether a policy selects it is not known. One of another Karpenter is
// there, and is not ours to count.
func TestNodesOfPoolsThatAreNotThereBlockPolicies(t *testing.T) {
	another := pool("another")
	another.Spec.Template.Spec.NodeClassRef = &v1.NodeClassReference{Group: "else", Kind: "NodeClass", Name: "default"}
	for _, c := range []struct{ pool, want string }{{"gone", ""}, {"another", "x-a"}} {
		g := threePools(t)
		g.share("cap", `{all: true, budgets: [{nodes: "1"}]}`)
		if err := g.Client.Create(t.Context(), another.DeepCopy()); err != nil {
			t.Fatal(err)
		}
		if err := g.Client.Create(t.Context(), pool("gone")); err != nil {
			t.Fatal(err)
		}
		g.node(c.pool, "z-"+c.pool, 99)
		if err := g.Client.Delete(t.Context(), pool("gone")); err != nil {
			t.Fatal(err)
		}
		g.offered = slices.DeleteFunc(g.offered, func(o *disruption.Candidate) bool { return o.Name() == "z-"+c.pool })
		if got := g.mustCompute(Guard(drift(), g.Cluster), 9); got != c.want {
			t.Errorf("%q started beside a node of the pool %s, want %q", got, c.pool, c.want)
		}
	}
}

func TestProbesOfAPolicyAreRun(t *testing.T) {
	g := threePools(t)
	g.share("slo", `{nodePoolSelector: {matchLabels: {team: shop}}, disruptionProbes: [{name: slo, host: health, port: 80}]}`)
	prober := &oneAnswer{verdict: probe.Verdict{Allowed: true}}
	g.Prober = prober
	guard := Guard(drift(), g.Cluster)
	if got := g.mustCompute(guard, 9); got != "x-a" || len(prober.set) != 1 {
		t.Errorf("%q started; the probes are %v", got, prober.set)
	}
	prober.verdict = probe.Verdict{Code: "unhealthy", Cause: "503"}
	if got := g.mustCompute(guard, 9); got != "x-c" {
		t.Errorf("%q started while the probe denies", got)
	}
}

// A oneAnswer answers all probes alike.
type oneAnswer struct {
	set     []httpget.Spec
	verdict probe.Verdict
}

func (p *oneAnswer) Set(probes []httpget.Spec) { p.set = probes }

func (p *oneAnswer) Verdicts(probes ...httpget.Spec) (verdicts []probe.Verdict) {
	for range probes {
		verdicts = append(verdicts, p.verdict)
	}
	return verdicts
}

// A policy's budgets may name the method of a provider, as a NodePool's may.
func TestAPolicyMayNameAMethodOfAProvider(t *testing.T) {
	g := threePools(t)
	g.share("moves", `{all: true, budgets: [{nodes: "1", reasons: [Moved]}]}`)
	m := &method{reason: "Moved", choose: all}
	if got := g.mustCompute(Guard(m, g.Cluster), 9); strings.Count(got, "→") != 1 {
		t.Errorf("%q started, want one node", got)
	}
}

// Whatever the API server refuses: what starts is in the memory of each policy that selects its pool, and no more starts than they allow.
func TestWhatStartsIsStoredOnPoliciesFirst(t *testing.T) {
	specs := map[string]string{
		"shop": `{nodePoolSelector: {matchLabels: {team: shop}}, budgets: [{nodes: "2", per: 1h}]}`,
		"all":  `{all: true, budgets: [{nodes: "3", per: 1h}]}`,
	}
	rapid.Check(t, func(r *rapid.T) {
		g := threePools(t)
		for name, spec := range specs {
			g.share(name, spec)
		}
		refused := map[string]bool{}
		g.api = func(name string, write func() error) error {
			if refused[name] {
				return failures[rapid.SampledFrom(sortedKeys(failures)).Draw(r, "failure")](write)
			}
			return write()
		}
		m := drift()
		if rapid.Bool().Draw(r, "all at once") {
			m.choose = all
		}
		guard := Guard(m, g.Cluster)
		count := map[string]int{}
		for range rapid.IntRange(1, 8).Draw(r, "passes") {
			for name := range specs {
				refused[name] = rapid.Bool().Draw(r, "refused")
			}
			for _, node := range g.pass(guard) {
				for name := range specs {
					if name == "shop" && strings.HasSuffix(node, "c") {
						continue
					}
					count[name]++
					if !strings.Contains(g.sharedMemory(name), fmt.Sprintf(`"node":%q`, node)) {
						r.Fatalf("%s started, and the memory of %s is %s", node, name, g.sharedMemory(name))
					}
				}
			}
		}
		if count["shop"] > 2 || count["all"] > 3 {
			r.Fatalf("started within the hour: %v", count)
		}
	})
}
