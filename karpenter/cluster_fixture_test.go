package karpenter_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/awslabs/operatorpkg/status"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	cloudfake "sigs.k8s.io/karpenter/pkg/cloudprovider/fake"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	nodepoolutils "sigs.k8s.io/karpenter/pkg/utils/nodepool"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/karpenter"
)

// noon is a time at which nothing happens.
var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// nominatedFor is for how long the clusters of these tests nominate a node: twice the batch duration.
const nominatedFor = 20 * time.Second

// An observed cluster is what Karpenter knows of one at a time.
type observed struct {
	context.Context
	clock  *clocktesting.FakeClock
	client client.Client
	cloud  *cloudfake.CloudProvider
	state  *state.Cluster
}

func observe(now time.Time, api client.Client) *observed {
	o := &observed{
		Context: options.ToContext(context.Background(), &options.Options{BatchMaxDuration: nominatedFor / 2}),
		clock:   clocktesting.NewFakeClock(now), client: api, cloud: cloudfake.NewCloudProvider(),
	}
	o.state = state.NewCluster(o.clock, o.client, o.cloud)
	return o
}

// fakeAPI returns a client of an API server that has the objects. It keeps no managed
// fields, since what converts types for them takes long to make.
func fakeAPI(objects ...client.Object) client.Client {
	return fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(objects...).
		WithObjectTracker(clienttesting.NewObjectTracker(scheme.Scheme, scheme.Codecs.UniversalDecoder())).
		WithIndex(&corev1.Pod{}, "spec.nodeName", func(o client.Object) []string {
			return []string{o.(*corev1.Pod).Spec.NodeName}
		}).Build()
}

// unheard is a recorder that nobody reads.
type unheard struct{}

func (unheard) Publish(...events.Event) {}

// add makes a machine known.
func (o *observed) add(t rapid.TB, m machine) {
	if m.claim != nil {
		o.state.UpdateNodeClaim(m.claim)
	}
	if m.node != nil {
		if err := o.state.UpdateNode(o, m.node); err != nil {
			t.Fatal(err)
		}
	}
	if m.marked {
		o.state.MarkForDeletion(m.id)
	}
	if m.nominated {
		now := o.clock.Now()
		o.clock.SetTime(now.Add(-m.nominatedAgo))
		o.state.NominateNodeForPod(o, m.id)
		o.clock.SetTime(now)
	}
}

// nodes returns what Karpenter knows of nodes.
func (o *observed) nodes() (nodes []*state.StateNode) {
	for n := range o.state.Nodes() {
		nodes = append(nodes, n)
	}
	return nodes
}

// input returns the cluster as disruptkit has it, without pods.
func (o *observed) input(t rapid.TB) disruptkit.Input {
	in := disruptkit.Input{Now: o.clock.Now()}
	nodePools, err := nodepoolutils.ListManaged(o, o.client, o.cloud)
	if err != nil {
		t.Fatal(err)
	}
	for _, np := range nodePools {
		in.Pools = append(in.Pools, karpenter.ToPolicy(np, nil).Pool)
	}
	for _, n := range o.nodes() {
		to, _ := karpenter.ToNode(n, in.Now)
		in.Nodes = append(in.Nodes, to)
	}
	return in
}

// A machine is a Node, a NodeClaim or both, and what Karpenter remembers of it.
type machine struct {
	id           string
	node         *corev1.Node
	claim        *v1.NodeClaim
	marked       bool
	nominated    bool
	nominatedAgo time.Duration
}

// newMachine returns one that nothing speaks against disrupting: its Node is n, and its NodeClaim n-claim.
func newMachine(name string) machine {
	labels := map[string]string{
		v1.NodePoolLabelKey: "default", v1.NodeRegisteredLabelKey: "true", v1.NodeInitializedLabelKey: "true",
		corev1.LabelInstanceTypeStable: "large",
	}
	return machine{
		id: "fake:///" + name,
		node: &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
			Spec:       corev1.NodeSpec{ProviderID: "fake:///" + name},
			Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{
				{Type: corev1.NodeReady, Status: corev1.ConditionTrue},
			}},
		},
		claim: &v1.NodeClaim{
			ObjectMeta: metav1.ObjectMeta{Name: name + "-claim", Labels: map[string]string{v1.NodePoolLabelKey: "default"}},
			Status:     v1.NodeClaimStatus{ProviderID: "fake:///" + name, NodeName: name},
		},
	}
}

// observe returns the machine as Karpenter's cluster state has it.
func (m machine) observe(t rapid.TB, now time.Time) (*state.StateNode, *observed) {
	o := observe(now, emptyAPI)
	o.add(t, m)
	nodes := o.nodes()
	if len(nodes) != 1 {
		t.Fatalf("%d nodes are known", len(nodes))
	}
	return nodes[0], o
}

// emptyAPI has no objects, and gets none.
var emptyAPI = fakeAPI()

// claimCondition returns a condition of a NodeClaim.
func claimCondition(kind, reason string, is metav1.ConditionStatus, since time.Time) status.Condition {
	return status.Condition{Type: kind, Reason: reason, Status: is, LastTransitionTime: metav1.NewTime(since)}
}

var (
	poolNames   = rapid.SampledFrom([]string{"default", "default", "default", "batch", "static", "elsewhere", "gone"})
	usuallyTrue = rapid.SampledFrom([]string{"true", "true", "true", "true", "false", "True", ""})
	// doNotDisrupts are values of karpenter.sh/do-not-disrupt.
	doNotDisrupts = rapid.OneOf(
		rapid.SampledFrom([]string{
			"true", "true", "1h", "90m", "1h30m", "4h", "1.5h", "+1h", ".5s", "1us", "1µs", "1ns", "36h", "292y", "1d", "1w",
			"2562047h47m16.854775807s", "2562047h47m16.854775808s", "0", "0s", "-0s", "-5m", "5", "1h ", " 1h", "1H", "1h-30m",
			"false", "TRUE", "True", " true", "yes", "1", "", "\x00", "P1D", "∞",
		}),
		rapid.StringMatching(`[-+]?([0-9]{1,3}(\.[0-9]{1,2})?(h|m|s|ms|us|ns)){1,3}`),
		rapid.String(),
	)
	readiness = rapid.SampledFrom([]corev1.ConditionStatus{
		corev1.ConditionTrue, corev1.ConditionTrue, corev1.ConditionTrue, corev1.ConditionFalse, corev1.ConditionUnknown, "",
	})
	truth = rapid.SampledFrom(
		[]metav1.ConditionStatus{metav1.ConditionTrue, metav1.ConditionFalse, metav1.ConditionUnknown, ""},
	)
)

// drawMachine draws any, most of them in order. None reboots without a Node: there Karpenter panics as it counts.
func drawMachine(t *rapid.T, i int, now time.Time) machine {
	m := newMachine(fmt.Sprintf("n%d", i))
	set := func(labels map[string]string, key string, values *rapid.Generator[string]) {
		if value := values.Draw(t, key); value != "" {
			labels[key] = value
		} else {
			delete(labels, key)
		}
	}
	pool := poolNames.Draw(t, "pool")
	m.node.Labels[v1.NodePoolLabelKey], m.claim.Labels[v1.NodePoolLabelKey] = pool, pool
	if onceIn(t, 4, "oddly labelled") {
		set(m.node.Labels, v1.NodePoolLabelKey, rapid.OneOf(rapid.Just(""), poolNames))
		set(m.claim.Labels, v1.NodePoolLabelKey, rapid.OneOf(rapid.Just(""), poolNames))
	}
	if onceIn(t, 12, "empty label") {
		m.node.Labels[v1.NodePoolLabelKey] = ""
	}
	set(m.node.Labels, v1.NodeInitializedLabelKey, usuallyTrue)
	set(m.node.Labels, v1.NodeRegisteredLabelKey, usuallyTrue)
	m.node.Status.Conditions = nil
	for range rapid.SampledFrom([]int{0, 1, 1, 1, 1, 2}).Draw(t, "conditions") {
		m.node.Status.Conditions = append(m.node.Status.Conditions, corev1.NodeCondition{Type: corev1.NodeDiskPressure},
			corev1.NodeCondition{Type: corev1.NodeReady, Status: readiness.Draw(t, "ready")})
	}
	if onceIn(t, 3, "annotated") {
		m.node.Annotations = map[string]string{v1.DoNotDisruptAnnotationKey: doNotDisrupts.Draw(t, "node's do-not-disrupt")}
	}
	if onceIn(t, 4, "vetoed") {
		m.node.Annotations = merged(m.node.Annotations, v1.DoNotRepairAnnotationKey, pick(t, "do-not-repair", "true", "true", "false", "True", "yes", "1h", ""))
	}
	if onceIn(t, 6, "claim annotated") {
		m.claim.Annotations = map[string]string{v1.DoNotDisruptAnnotationKey: doNotDisrupts.Draw(t, "claim's do-not-disrupt")}
	}
	drawEnd(t, &m, now)
	switch rapid.SampledFrom([]string{"both", "both", "both", "both", "both", "both", "node", "claim"}).Draw(t, "has") {
	case "node":
		m.claim = nil
		if onceIn(t, 2, "no ID") {
			m.node.Spec.ProviderID, m.id = "", m.node.Name
			delete(m.node.Labels, v1.NodePoolLabelKey) // else Karpenter waits for it
		}
	case "claim":
		m.node = nil
		m.claim.Status.Conditions = slices.DeleteFunc(m.claim.Status.Conditions, func(c status.Condition) bool {
			return c.Type == v1.ConditionTypeRebooting
		})
	}
	return m
}

// drawMaintenance adds conditions to a Node that say that somebody drains it (KEP-5683), or that nobody does.
func drawMaintenance(t *rapid.T, m *machine) {
	if m.node == nil {
		return
	}
	for _, kind := range append(kube.MaintenanceConditions(), "MaintenancePlanned") {
		if onceIn(t, 4, kind) {
			onStatus(corev1.NodeConditionType(kind), readiness.Draw(t, "its status"))(m)
		}
	}
}

// merged returns annotations with one more.
func merged(annotations map[string]string, key, value string) map[string]string {
	annotations = maps.Clone(annotations)
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[key] = value
	return annotations
}

// drawEnd draws whether and why a machine is disrupted, and whether a pod is expected on it.
func drawEnd(t *rapid.T, m *machine, now time.Time) {
	deleted := metav1.NewTime(now.Add(-time.Minute))
	if onceIn(t, 8, "claim deleted") {
		m.claim.DeletionTimestamp = &deleted
	}
	if onceIn(t, 8, "node deleted") {
		m.node.DeletionTimestamp = &deleted
	}
	condition := func(kind, reason string, often int) {
		if onceIn(t, often, kind) {
			m.claim.Status.Conditions = append(m.claim.Status.Conditions,
				claimCondition(kind, reason, truth.Draw(t, "is "+kind), now.Add(-time.Hour)))
		}
	}
	condition(v1.ConditionTypeInstanceTerminating, "InstanceTerminating", 6)
	condition(v1.ConditionTypeDrifted, "NodePoolDrifted", 3)
	condition(v1.ConditionTypeRebooting, pick(t, "phase", v1.RebootReasonRequested, v1.RebootReasonIssued, v1.RebootReasonSucceeded), 6)
	condition(v1.ConditionTypeDisruptionReason, rapid.SampledFrom([]string{"Drifted", "Empty", "Unhealthy", "Odd"}).Draw(t, "why"), 6)
	if onceIn(t, 2, "grace period") {
		m.claim.Spec.TerminationGracePeriod = &metav1.Duration{Duration: time.Hour}
	}
	m.marked = onceIn(t, 8, "marked")
	m.nominated = onceIn(t, 4, "nominated")
	m.nominatedAgo = nominatedFor + rapid.SampledFrom([]time.Duration{
		-nominatedFor, -time.Second, -1, 0, 1, time.Second, -time.Duration(rapid.Int64Range(0, int64(nominatedFor)).Draw(t,
			"ago")),
	}).Draw(t, "past its end")
}

var (
	namespaces  = rapid.SampledFrom([]string{"blue", "green"})
	labelValues = rapid.SampledFrom([]string{"a", "a", "b", ""})
	labelKeys   = rapid.SampledFrom([]string{"app", "app", "tier"})
	// malformedLabels can be no keys and no values of labels.
	malformedLabels = rapid.SampledFrom([]string{"-", "a b", "app/", "é", "a_"})
)

func drawLabels(t *rapid.T) map[string]string {
	return rapid.MapOfN(labelKeys, labelValues, 0, 2).Draw(t, "labels")
}

// drawPod draws a pod on a node, whose times around now are whole seconds, as those from an API server are.
func drawPod(t *rapid.T, name, node string, now time.Time) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespaces.Draw(t, "namespace"), Name: name, Labels: drawLabels(t)},
		Spec:       corev1.PodSpec{NodeName: node},
	}
	p.Status.Phase = rapid.SampledFrom([]corev1.PodPhase{
		corev1.PodRunning, corev1.PodRunning, corev1.PodRunning, corev1.PodPending, corev1.PodSucceeded, corev1.PodFailed, "",
	}).Draw(t, "phase")
	if onceIn(t, 8, "terminating") {
		deleted := metav1.NewTime(now.Add(rapid.SampledFrom([]time.Duration{-time.Hour, 0, time.Hour}).Draw(t, "deleted")))
		p.DeletionTimestamp, p.Finalizers = &deleted, []string{"example.com/finalizer"}
	}
	p.OwnerReferences = rapid.SampledFrom([][]metav1.OwnerReference{
		nil, nil, nil, {{APIVersion: "v1", Kind: "Node", Name: node}}, {{APIVersion: "apps/v1", Kind: "DaemonSet"}},
		{{APIVersion: "apps/v1", Kind: "ReplicaSet"}}, {{APIVersion: "v2", Kind: "Node"}},
		{{APIVersion: "apps/v1", Kind: "ReplicaSet"}, {APIVersion: "v1", Kind: "Node"}},
	}).Draw(t, "owners")
	p.Spec.Tolerations = rapid.SliceOfN(tolerations, 0, 2).Draw(t, "tolerations")
	for range rapid.SampledFrom([]int{0, 1, 1, 2}).Draw(t, "conditions") {
		p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{
			Type: rapid.SampledFrom([]corev1.PodConditionType{corev1.PodReady, corev1.PodReady, corev1.PodScheduled}).
				Draw(t, "type"),
			Status: readiness.Draw(t, "status"),
		})
	}
	if onceIn(t, 4, "annotated") {
		drawDoNotDisrupt(t, p, now.Truncate(time.Second))
	}
	return p
}

// drawDoNotDisrupt annotates a pod, and lets it start when that matters.
func drawDoNotDisrupt(t *rapid.T, p *corev1.Pod, now time.Time) {
	value := doNotDisrupts.Draw(t, "do-not-disrupt")
	p.Annotations = map[string]string{v1.DoNotDisruptAnnotationKey: value}
	for range rapid.SampledFrom([]int{1, 1, 1, 1, 0}).Draw(t, "started") {
		ago, err := time.ParseDuration(value)
		if err != nil {
			ago = time.Hour
		}
		ago = min(max(ago, -1000*time.Hour), 1000*time.Hour)
		past := rapid.SampledFrom([]time.Duration{-time.Hour, -time.Second, -1, 0, 1, time.Second, time.Hour}).
			Draw(t, "past its end")
		started := metav1.NewTime(now.Add(-ago - past))
		p.Status.StartTime = &started
	}
}

var tolerations = rapid.Custom(func(t *rapid.T) corev1.Toleration {
	return corev1.Toleration{
		Key: rapid.SampledFrom([]string{v1.DisruptedTaintKey, v1.DisruptedTaintKey, "", "example.com/gpu"}).
			Draw(t, "key"),
		Operator: rapid.SampledFrom([]corev1.TolerationOperator{corev1.TolerationOpExists, corev1.TolerationOpEqual, "", "Gt",
			"Lt"}).
			Draw(t, "operator"),
		Value: rapid.SampledFrom([]string{"", "", "1"}).Draw(t, "value"),
		Effect: rapid.SampledFrom([]corev1.TaintEffect{"", corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute}).
			Draw(t, "effect"),
	}
})

// drawPDB draws a PodDisruptionBudget, seldom one with a selector that is broken.
func drawPDB(t *rapid.T, name string, broken bool) *policyv1.PodDisruptionBudget {
	p := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespaces.Draw(t, "namespace"), Name: name},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: drawSelector(t, broken)},
		Status: policyv1.PodDisruptionBudgetStatus{
			DisruptionsAllowed: rapid.SampledFrom([]int32{0, 0, 1, 1, 2, 100, -1, -7}).Draw(t, "allowed"),
		},
	}
	switch rapid.SampledFrom([]string{"", "", "AlwaysAllow", "IfHealthyBudget"}).Draw(t, "unhealthy") {
	case "AlwaysAllow":
		p.Spec.UnhealthyPodEvictionPolicy = new(policyv1.AlwaysAllow)
	case "IfHealthyBudget":
		p.Spec.UnhealthyPodEvictionPolicy = new(policyv1.IfHealthyBudget)
	}
	return p
}

func drawSelector(t *rapid.T, broken bool) *metav1.LabelSelector {
	if onceIn(t, 8, "no selector") {
		return nil
	}
	s := &metav1.LabelSelector{}
	if rapid.Bool().Draw(t, "has labels") {
		s.MatchLabels = drawLabels(t)
	}
	for range rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "expressions") {
		r := metav1.LabelSelectorRequirement{Key: labelKeys.Draw(t, "key")}
		r.Operator = rapid.SampledFrom([]metav1.LabelSelectorOperator{
			metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn, metav1.LabelSelectorOpExists,
			metav1.LabelSelectorOpDoesNotExist,
		}).Draw(t, "operator")
		if r.Operator == metav1.LabelSelectorOpIn || r.Operator == metav1.LabelSelectorOpNotIn {
			r.Values = rapid.SliceOfN(labelValues, 1, 3).Draw(t, "values")
		}
		s.MatchExpressions = append(s.MatchExpressions, r)
	}
	if broken {
		breakSelector(t, s)
	}
	return s
}

func breakSelector(t *rapid.T, s *metav1.LabelSelector) {
	wrong := malformedLabels.Draw(t, "malformed")
	switch rapid.SampledFrom([]string{"key", "value", "expression"}).Draw(t, "breaks") {
	case "key":
		s.MatchLabels = map[string]string{wrong: "a"}
	case "value":
		s.MatchLabels = map[string]string{"app": wrong}
	default:
		s.MatchExpressions = append(s.MatchExpressions, rapid.SampledFrom([]metav1.LabelSelectorRequirement{
			{
				Key:      wrong,
				Operator: metav1.LabelSelectorOpExists,
			}, {Key: "app", Operator: metav1.LabelSelectorOpIn, Values: []string{"a", wrong}},
			{Key: "app", Operator: metav1.LabelSelectorOpIn}, {Key: "app", Operator: metav1.LabelSelectorOpNotIn},
			{
				Key:      "app",
				Operator: metav1.LabelSelectorOpExists,
				Values:   []string{"a"},
			}, {Key: "app", Operator: "in", Values: []string{"a"}},
			{Key: "app", Operator: metav1.LabelSelectorOpDoesNotExist, Values: []string{""}}, {Key: "app"},
		}).Draw(t, "expression"))
	}
}

// newNodePool returns one of the fake cloud provider's class.
func newNodePool(name string, budgets ...v1.Budget) *v1.NodePool {
	np := &v1.NodePool{ObjectMeta: metav1.ObjectMeta{Name: name}}
	np.Spec.Disruption.Budgets = budgets
	np.Spec.Template.Spec.NodeClassRef = &v1.NodeClassReference{
		Group: "karpenter.test.sh",
		Kind:  "TestNodeClass",
		Name:  "default",
	}
	return np
}

// noPause are annotations that limit nothing.
func noPause() map[string]string { return map[string]string{karpenter.PauseAnnotation: "false"} }

// drawNodePools draws the NodePools of a cluster. That of another provider is called elsewhere.
func drawNodePools(t *rapid.T) (pools []client.Object) {
	for _, name := range []string{"default", "batch", "static", "elsewhere"} {
		np := newNodePool(name, drawBudgets(t)...)
		switch name {
		case "static":
			np.Spec.Replicas = new(int64(3))
			if rapid.Bool().Draw(t, "annotated") {
				np.Annotations = noPause()
			}
		case "elsewhere":
			np.Spec.Template.Spec.NodeClassRef.Kind = "AnotherNodeClass"
		}
		pools = append(pools, np)
	}
	return pools
}

// drawBudgets draws a list of budgets. Half of them show what is counted: all nodes for Empty, and those that are
// disrupted for Drifted.
func drawBudgets(t *rapid.T) []v1.Budget {
	if rapid.Bool().Draw(t, "telling") {
		return []v1.Budget{
			{Nodes: "100%", Reasons: []v1.DisruptionReason{v1.DisruptionReasonEmpty}},
			{Nodes: "1000", Reasons: []v1.DisruptionReason{v1.DisruptionReasonDrifted}},
			drawBudget(t),
		}
	}
	var list []v1.Budget
	for range rapid.IntRange(0, 3).Draw(t, "budgets") {
		list = append(list, drawBudget(t))
	}
	return list
}

func drawBudget(t *rapid.T) v1.Budget {
	if onceIn(t, 10, "broken") { // for all reasons: what Karpenter makes of others is a difference of its own
		return v1.Budget{Nodes: rapid.SampledFrom([]string{"x%", "", "ten"}).Draw(t, "broken nodes")}
	}
	b := v1.Budget{
		Nodes: rapid.SampledFrom([]string{"0", "1", "2", "5", "0%", "10%", "34%", "50%", "100%"}).Draw(t, "nodes"),
	}
	if rapid.Bool().Draw(t, "has reasons") {
		b.Reasons = rapid.SliceOfNDistinct(rapid.SampledFrom(karpenterReasons), 1, 4, rapid.ID).Draw(t, "reasons")
	}
	if onceIn(t, 3, "scheduled") {
		b.Schedule = new(rapid.SampledFrom([]string{"0 * * * *", "@daily", "0 9 * * mon-fri"}).Draw(t, "schedule"))
		b.Duration = &metav1.Duration{
			Duration: rapid.SampledFrom([]time.Duration{time.Minute, 30 * time.Minute, 8 * time.Hour}).Draw(t, "duration"),
		}
	}
	return b
}

// drawNow draws a time of the day.
func drawNow(t *rapid.T) time.Time {
	return time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC).
		Add(time.Duration(rapid.Int64Range(0, int64(72*time.Hour)).Draw(t, "now")))
}

// codes returns those of blockers.
func codes(blockers []candidate.Blocker) (codes []string) {
	for _, b := range blockers {
		codes = append(codes, string(b.Code))
	}
	return codes
}
