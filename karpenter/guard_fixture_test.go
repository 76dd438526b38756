package karpenter

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awslabs/operatorpkg/status"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	fakecloud "sigs.k8s.io/karpenter/pkg/cloudprovider/fake"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	karpentertest "sigs.k8s.io/karpenter/pkg/test"
	"sigs.k8s.io/karpenter/pkg/test/v1alpha1"
)

const zoneLabel = corev1.LabelTopologyZone

// sequential is the annotation of a pool that rolls one zone at a time.
const sequential = `budgets: [{nodes: "1", topologyKey: topology.kubernetes.io/zone, sequential: true}]`

// now is a Friday.
var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// A guarded is a small cluster, in whose state nodes are put directly.
type guarded struct {
	*testing.T
	*Cluster
	clock    *clocktesting.FakeClock
	recorder *karpentertest.EventRecorder
	patches  int // of NodePools
	// api answers patches of a NodePool where it is set: write writes.
	api     func(pool string, write func() error) error
	offered []*disruption.Candidate
}

func newGuarded(t *testing.T, pools ...*v1.NodePool) *guarded {
	g := &guarded{T: t, clock: clocktesting.NewFakeClock(now), recorder: karpentertest.NewEventRecorder()}
	objects := []client.Object{}
	for _, np := range pools {
		objects = append(objects, np)
	}
	nodeName := func(o client.Object) []string { return []string{o.(*corev1.Pod).Spec.NodeName} }
	builder := fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(objects...).WithIndex(&corev1.Pod{}, "spec.nodeName", nodeName).
		WithObjectTracker(clienttesting.NewObjectTracker(scheme.Scheme, scheme.Codecs.UniversalDecoder())) // without managed fields, which take long
	kube := builder.WithInterceptorFuncs(interceptor.Funcs{
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			g.patches++
			write := func() error { return c.Patch(ctx, o, p, opts...) }
			if g.api != nil {
				return g.api(o.GetName(), write)
			}
			return write()
		},
	}).Build()
	cloud := fakecloud.NewCloudProvider()
	cloud.NodeClassGroupVersionKind = []schema.GroupVersionKind{{Group: v1alpha1.Group, Version: "v1alpha1", Kind: "TestNodeClass"}}
	g.Cluster = &Cluster{
		Client: kube, State: state.NewCluster(g.clock, kube, cloud), Clock: g.clock, Recorder: g.recorder, CloudProvider: cloud,
	}
	return g
}

// pool returns a NodePool without limits of its own, but with annotations: names and texts.
func pool(name string, annotations ...string) *v1.NodePool {
	np := &v1.NodePool{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), Annotations: map[string]string{}}}
	np.Spec.Template.Spec.NodeClassRef = &v1.NodeClassReference{Group: v1alpha1.Group, Kind: "TestNodeClass", Name: "default"}
	for i := 0; i < len(annotations); i += 2 {
		np.Annotations[annotations[i]] = annotations[i+1]
	}
	return np
}

// node puts a node of a pool into the state and offers it, drifted for so many minutes. Its zone is the first letter of its name.
func (g *guarded) node(pool, name string, minutes int, change ...func(*corev1.Node, *v1.NodeClaim)) {
	g.Helper()
	labels := map[string]string{
		v1.NodePoolLabelKey: pool, zoneLabel: name[:1], v1.NodeRegisteredLabelKey: "true", v1.NodeInitializedLabelKey: "true",
		corev1.LabelInstanceTypeStable: "small",
	}
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("node-" + name), Labels: labels}}
	n.Spec.ProviderID = "fake://" + name
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(g.clock.Now())}}
	c := &v1.NodeClaim{ObjectMeta: metav1.ObjectMeta{Name: "claim-" + name, UID: types.UID("claim-" + name), Labels: labels}}
	c.Status.ProviderID = n.Spec.ProviderID
	if minutes > 0 {
		then := clocktesting.NewFakeClock(g.clock.Now().Add(-time.Duration(minutes) * time.Minute))
		c.StatusConditions(status.WithClock(then)).SetTrueWithReason(v1.ConditionTypeDrifted, "NodePoolDrifted", "")
	}
	for _, f := range change {
		f(n, c)
	}
	g.State.UpdateNodeClaim(c)
	if err := g.State.UpdateNode(g.Context(), n); err != nil {
		g.Fatal(err)
	}
	g.offer(name)
}

// pod puts a pod into the API.
func (g *guarded) pod(name, node string, annotations map[string]string) {
	g.Helper()
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Annotations: annotations}}
	p.Spec.NodeName = node
	if err := g.Client.Create(g.Context(), p); err != nil {
		g.Fatal(err)
	}
}

// refuse makes the API server answer patches of some NodePools, or of all, by an error.
func (g *guarded) refuse(err error, pools ...string) {
	g.api = func(pool string, write func() error) error {
		if len(pools) == 0 || slices.Contains(pools, pool) {
			return err
		}
		return write()
	}
}

// shared puts a PodDisruptionBudget into the API that selects all pods.
func (g *guarded) shared(allows int32) {
	g.Helper()
	pdb := &policyv1.PodDisruptionBudget{}
	pdb.Namespace, pdb.Name, pdb.Spec.Selector, pdb.Status.DisruptionsAllowed = "default", "all", &metav1.LabelSelector{}, allows
	if err := g.Client.Create(g.Context(), pdb); err != nil {
		g.Fatal(err)
	}
}

// offer makes Karpenter offer just these nodes from now on, and those that it offers already.
func (g *guarded) offer(names ...string) {
	g.Helper()
	for _, name := range names {
		for n := range g.State.Nodes() {
			if n.Name() == name {
				var np v1.NodePool
				if err := g.Client.Get(g.Context(), types.NamespacedName{Name: n.Labels()[v1.NodePoolLabelKey]}, &np); err != nil {
					g.Fatal(err)
				}
				g.offered = append(g.offered, &disruption.Candidate{StateNode: n.DeepCopy(), NodePool: &np})
			}
		}
	}
}

// inFlight marks nodes for deletion, which Karpenter then no longer offers.
func (g *guarded) inFlight(names ...string) {
	for _, name := range names {
		g.State.MarkForDeletion("fake://" + name)
		g.offered = slices.DeleteFunc(g.offered, func(c *disruption.Candidate) bool { return c.Name() == name })
	}
}

// compute runs a guarded method with what Karpenter offers and allows, and describes its commands.
func (g *guarded) compute(m disruption.Method, allowed int) (string, error) {
	budgets := map[string]int{}
	for _, c := range g.offered {
		budgets[c.NodePool.Name] = allowed
	}
	commands, err := m.ComputeCommands(g.Context(), budgets, g.offered...)
	if commands == nil {
		g.Error("no list of commands: Karpenter's methods return one that is empty, also with an error")
	}
	return describe(commands), err
}

// mustCompute is compute where nothing is to go wrong.
func (g *guarded) mustCompute(m disruption.Method, allowed int) string {
	g.Helper()
	commands, err := g.compute(m, allowed)
	if err != nil {
		g.Fatal(err)
	}
	return commands
}

// memory returns the annotation of a pool.
func (g *guarded) memory(pool string) string {
	g.Helper()
	var np v1.NodePool
	if err := g.Client.Get(g.Context(), metaName(pool), &np); err != nil {
		g.Fatal(err)
	}
	return np.Annotations[MemoryAnnotation]
}

// said returns the messages of events of a reason about an object, without repetitions.
func (g *guarded) said(object, reason string) []string {
	var messages []string
	for _, e := range g.recorder.Events() {
		o := e.InvolvedObject.(client.Object)
		if o.GetName() == object && e.Reason == reason && !slices.Contains(messages, e.Message) {
			messages = append(messages, e.Message)
		}
	}
	return messages
}

func describe(commands []disruption.Command) string {
	var texts []string
	for _, c := range commands {
		text := strings.Join(namesOf(c.Candidates), "+")
		if len(c.Replacements) > 0 {
			text += fmt.Sprintf("→%d", len(c.Replacements))
		}
		if c.Reboot {
			text += "↻"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, " ")
}

func namesOf(cs []*disruption.Candidate) (names []string) {
	for _, c := range cs {
		names = append(names, c.Name())
	}
	return names
}

// A method disrupts what choose says, or the first, and remembers what it was asked.
type method struct {
	reason v1.DisruptionReason
	kind   string
	choose func(budgets map[string]int, cs []*disruption.Candidate) []disruption.Command
	fails  error

	asked   []string // the candidates of each call
	budgets map[string]int
	totals  map[string]disruption.NodePoolTotals
}

func (m *method) ShouldDisrupt(context.Context, *disruption.Candidate) bool { return true }
func (m *method) Reason() v1.DisruptionReason                               { return m.reason }
func (m *method) Class() string                                             { return disruption.GracefulDisruptionClass }
func (m *method) ConsolidationType() string                                 { return m.kind }

func (m *method) SetNodePoolTotals(totals map[string]disruption.NodePoolTotals) { m.totals = totals }

func (m *method) ComputeCommands(_ context.Context, budgets map[string]int, cs ...*disruption.Candidate) ([]disruption.Command, error) {
	m.asked = append(m.asked, strings.Join(namesOf(cs), " "))
	m.budgets = budgets
	if m.choose == nil {
		return one(cs[:1]), nil
	}
	return m.choose(budgets, cs), m.fails
}

// one returns a command that deletes all candidates.
func one(cs []*disruption.Candidate) []disruption.Command {
	return []disruption.Command{{Candidates: cs}}
}

// each returns a command for each candidate that replaces it.
func each(cs []*disruption.Candidate) (commands []disruption.Command) {
	for i := range cs {
		replacement := &disruption.Replacement{NodeClaim: &scheduling.NodeClaim{}}
		commands = append(commands, disruption.Command{Candidates: cs[i : i+1], Replacements: []*disruption.Replacement{replacement}})
	}
	return commands
}

// clearMemory removes the annotation, as a user may.
func (g *guarded) clearMemory(pool string) {
	g.Helper()
	var np v1.NodePool
	if err := g.Client.Get(g.Context(), metaName(pool), &np); err != nil {
		g.Fatal(err)
	}
	delete(np.Annotations, MemoryAnnotation)
	if err := g.Client.Update(g.Context(), &np); err != nil {
		g.Fatal(err)
	}
}

func metaName(name string) types.NamespacedName { return types.NamespacedName{Name: name} }

// karpenterContext returns a context with Karpenter's options, which say for how long a node is nominated.
func karpenterContext(t *testing.T) context.Context {
	return options.ToContext(t.Context(), karpentertest.Options())
}

// update changes a NodePool, as another client does.
func (g *guarded) update(pool string, change func(*v1.NodePool)) {
	g.Helper()
	var np v1.NodePool
	if err := g.Client.Get(g.Context(), metaName(pool), &np); err != nil {
		g.Fatal(err)
	}
	change(&np)
	if err := g.Client.Update(g.Context(), &np); err != nil {
		g.Fatal(err)
	}
}
