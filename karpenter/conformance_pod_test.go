package karpenter_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	"sigs.k8s.io/karpenter/pkg/utils/pdb"
	podutils "sigs.k8s.io/karpenter/pkg/utils/pod"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/repair"
)

const (
	rulePod       = "pod"       // for how long a pod may not be disrupted
	ruleEviction  = "eviction"  // which pods can be evicted
	ruleCandidate = "candidate" // which nodes Karpenter offers its methods
	ruleTogether  = "together"  // which of them may be disrupted at once
)

const (
	zeroStart         = "a start at the zero time"
	negativeAllowance = "a PodDisruptionBudget that allows less than nothing"
	brokenSelector    = "a PodDisruptionBudget with a selector that cannot be read"
	closedWindow      = "a pod with a disruption schedule"
	failClosed        = "annotations of a pod that cannot be read, where that is to block it"
	noInstanceTypes   = "a NodePool without instance types"
	sharedPDB         = "nodes whose pods share a PodDisruptionBudget"
)

// startedAtZero is a pod that is not to be disrupted in its first hour.
func startedAtZero() *corev1.Pod {
	p := newPod("p0", "n0")
	p.Annotations = map[string]string{v1.DoNotDisruptAnnotationKey: "1h"}
	p.Status.StartTime = &metav1.Time{}
	return p
}

// newPod returns one in the namespace blue that nothing speaks against evicting.
func newPod(name, node string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "blue", Name: name}, Spec: corev1.PodSpec{NodeName: node}}
}

// newPDB returns one that selects all pods of a namespace.
func newPDB(namespace string, allowed int32) *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "pdb"},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{}},
		Status:     policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: allowed},
	}
}

// evicts makes a row of a pod in the namespace blue and a PodDisruptionBudget.
func evicts(pdb *policyv1.PodDisruptionBudget, d difference) difference {
	d.Rule = ruleEviction
	d.Karpenter = func() string { return goes(evictable(fakeAPI(pdb), newPod("p0", "n0"))) }
	d.Disruptkit = func() string {
		rules, _ := toRules(pdb)
		return said(judged(rules, noon, newPod("p0", "n0")))
	}
	return d
}

// evictable reports whether Karpenter would evict a pod.
func evictable(api client.Client, p *corev1.Pod) bool {
	limits, err := pdb.NewLimits(context.Background(), api)
	if err != nil {
		return false
	}
	_, may := limits.CanEvictPods([]*corev1.Pod{p}, clocktesting.NewFakeClock(noon), nil)
	return may && podutils.IsDisruptable(p, clocktesting.NewFakeClock(noon), nil)
}

// annotates makes a row of a pod with annotations.
func annotates(annotations map[string]string, d difference) difference {
	p := newPod("p0", "n0")
	p.Annotations = annotations
	d.Rule = ruleEviction
	d.Karpenter = func() string { return goes(evictable(emptyAPI, p)) }
	d.Disruptkit = func() string { return said(judged(candidate.Rules{FailClosed: true}, noon, p)) }
	return d
}

// judged returns what pods say against disrupting their node.
func judged(rules candidate.Rules, now time.Time, pods ...*corev1.Pod) []candidate.Blocker {
	return candidate.OpenPods(rules, now).Blockers(&candidate.Node{Name: "n", Pods: toPods(pods...)}, drifted)
}

func toPods(pods ...*corev1.Pod) (to []candidate.Pod) {
	var parser kube.Parser
	for _, p := range pods {
		pod, _ := karpenter.ToPod(p, &parser)
		to = append(to, pod)
	}
	return to
}

// toRules compiles PodDisruptionBudgets, and reports whether they are valid.
func toRules(pdbs ...*policyv1.PodDisruptionBudget) (rules candidate.Rules, valid bool) {
	var to []candidate.PDB
	for _, p := range pdbs {
		to = append(to, karpenter.ToPDB(p))
	}
	rules, _ = candidate.CompileRules(to, nil)
	return rules, !slices.ContainsFunc(
		rules.Warnings(),
		func(w candidate.Warning) bool { return w.Code == candidate.CodeInvalidPDB },
	)
}

// What a pod's do-not-disrupt says holds as long as it does for Karpenter, to the nanosecond; and eviction is for the
// same pods.
func TestPodsConformToKarpenter(t *testing.T) {
	seen := met{}
	rounds(t, 100, func(t *rapid.T) {
		now := drawNow(t)
		clock := clocktesting.NewFakeClock(now)
		p := drawPod(t, "p", "n", now)
		if rapid.Bool().Draw(t, "do-not-disrupt") {
			drawDoNotDisrupt(t, p, now)
		}
		if onceIn(t, 30, "starts at zero") {
			p.Status.StartTime = &metav1.Time{}
		}
		rules, _ := toRules(newPDB(p.Namespace, 0))
		protected := len(judged(candidate.Rules{}, now, p)) > 0
		theirs := !podutils.IsDisruptable(p, clock, unheard{})
		if protected && !theirs && p.Status.StartTime != nil && p.Status.StartTime.IsZero() {
			seen.count([]string{zeroStart})
			return
		}
		if protected != theirs {
			t.Fatalf("protected: %v, Karpenter says %v", protected, theirs)
		}
		evictable := !protected && slices.Contains(codes(judged(rules, now, p)), string(candidate.CodeAllowsNone))
		if theirs := podutils.IsEvictable(p, clock, unheard{}); evictable != theirs {
			t.Fatalf("evictable: %v, Karpenter says %v", evictable, theirs)
		}
	})
	seen.wantAll(t, rulePod)
}

// A tenant is a node with pods, and the PodDisruptionBudgets of its cluster.
type tenant struct {
	*observed
	pods   []*corev1.Pod // as the API server has them
	limits pdb.Limits
	err    error // of the limits
	rules  candidate.Rules
	valid  bool
	rows   []string // the differences that matter
}

// drawTenant draws one. Where a PodDisruptionBudget allows less than nothing, its limits are those of 0.
func drawTenant(t *rapid.T) *tenant {
	a, now := &tenant{}, drawNow(t)
	var objects []client.Object
	var pdbs []*policyv1.PodDisruptionBudget
	broken := onceIn(t, 12, "broken")
	for i := range rapid.IntRange(0, 4).Draw(t, "PDBs") {
		p := drawPDB(t, fmt.Sprintf("pdb%d", i), broken && i == 0)
		pdbs = append(pdbs, p)
		clamped := p.DeepCopy()
		if p.Status.DisruptionsAllowed < 0 {
			a.rows = append(a.rows, negativeAllowance)
			clamped.Status.DisruptionsAllowed = 0
		}
		objects = append(objects, clamped)
	}
	for i := range rapid.IntRange(0, 5).Draw(t, "pods") {
		node := rapid.SampledFrom([]string{"n0", "n0", "n0", "n1"}).Draw(t, "on")
		objects = append(objects, drawPod(t, fmt.Sprintf("p%d", i), node, now))
	}
	a.observed = observe(now, fakeAPI(objects...))
	var list corev1.PodList
	if err := a.client.List(a, &list, client.MatchingFields{"spec.nodeName": "n0"}); err != nil {
		t.Fatal(err)
	}
	for i := range list.Items {
		a.pods = append(a.pods, &list.Items[i])
	}
	a.limits, a.err = pdb.NewLimits(a, a.client)
	a.rules, a.valid = toRules(pdbs...)
	return a
}

// annotate gives pods annotations that Karpenter does not know, or ignores, and sometimes rules that do not ignore
// them.
func (a *tenant) annotate(t *rapid.T) {
	a.rules.FailClosed = rapid.Bool().Draw(t, "fail closed")
	for _, p := range a.pods {
		if onceIn(t, 8, "scheduled") {
			p.Annotations = maps.Clone(p.Annotations)
			if p.Annotations == nil {
				p.Annotations = map[string]string{}
			}
			p.Annotations[kube.DisruptionScheduleAnnotation] = rapid.SampledFrom([]string{"0 3 * * *", "* * * * *", "?!"}).
				Draw(t, "schedule")
		}
	}
}

// without returns the blockers that Karpenter has as well, and the rows that say why it has not the others.
func without(blockers []candidate.Blocker) (theirs []candidate.Blocker, rows []string) {
	for _, b := range blockers {
		switch b.Code {
		case candidate.CodeOutsideSchedule:
			rows = append(rows, closedWindow)
		case candidate.CodeInvalidAnnotation:
			rows = append(rows, failClosed)
		default:
			theirs = append(theirs, b)
		}
	}
	return theirs, rows
}

// PodDisruptionBudgets let the same pods be evicted, and pods block the same nodes.
func TestEvictionConformsToKarpenter(t *testing.T) {
	seen := met{}
	rounds(t, 40, func(t *rapid.T) {
		a := drawTenant(t)
		if (a.err == nil) != a.valid {
			t.Fatalf("valid: %v, Karpenter says %v", a.valid, a.err)
		}
		if !a.valid {
			seen.count([]string{brokenSelector})
			return
		}
		a.annotate(t)
		now := a.clock.Now()
		unprotected := slices.DeleteFunc(slices.Clone(a.pods), func(p *corev1.Pod) bool {
			return podutils.IsDoNotDisruptActive(p, a.clock, nil)
		})
		blockers, rows := without(judged(a.rules, now, unprotected...))
		seen.count(append(rows, a.rows...))
		if keys, may := a.limits.CanEvictPods(unprotected, a.clock, unheard{}); may != (len(blockers) == 0) {
			t.Fatalf("blocked by %v, Karpenter says %v %v", blockers, may, keys)
		}
		blockers, _ = without(judged(a.rules, now, a.pods...))
		n := state.NewNode()
		n.Node = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n0"}}
		if _, err := n.ValidatePodsDisruptable(a, a.client, a.limits, a.clock,
			unheard{}); (err == nil) != (len(blockers) == 0) {
			t.Fatalf("blocked by %v, Karpenter says %v", blockers, err)
		}
	})
	seen.wantAll(t, ruleEviction)
}

// A node is a candidate where its own gate and that of its pods allow it: for drift, which is eventual, also where
// pods would not but have to, when the grace period ends.
func TestCandidatesConformToKarpenter(t *testing.T) {
	seen := met{}
	rounds(t, 30, func(t *rapid.T) {
		a := drawTenant(t)
		if !a.valid {
			return
		}
		m := drawTenantsMachine(t, a.clock.Now())
		o := observe(a.clock.Now(), a.client)
		o.add(t, m)
		n := o.nodes()[0]
		var pools []string
		if !onceIn(t, 10, "no instance types") {
			pools = append(pools, n.Labels()[v1.NodePoolLabelKey])
		}
		for reason, class := range classes {
			_, theirs := newCandidate(o, n, a.limits, class, pools...)
			ours := gates(a, n, reason)
			if reason == candidate.Unhealthy { // do-not-repair, and pods, are only asked by the method itself
				ours = slices.DeleteFunc(ours, func(b candidate.Blocker) bool {
					return b.Gate == candidate.GatePod || b.Code == candidate.CodeDoNotRepair
				})
			}
			switch {
			case (theirs == nil) == (len(ours) == 0):
			case pools == nil && theirs != nil:
				seen.count([]string{noInstanceTypes})
			default:
				t.Fatalf("%s: blocked by %v, Karpenter says %v", reason, ours, theirs)
			}
		}
	})
	seen.wantAll(t, ruleCandidate)
}

// drawTenantsMachine draws a machine, half of the time one that nothing speaks against.
func drawTenantsMachine(t *rapid.T, now time.Time) machine {
	m := newMachine("n0")
	switch {
	case rapid.Bool().Draw(t, "any machine"):
		m = drawMachine(t, 0, now)
		m.node, m.claim = cmp.Or(m.node, newMachine("n0").node), cmp.Or(m.claim, newMachine("n0").claim)
	case rapid.Bool().Draw(t, "grace period"):
		m.claim.Spec.TerminationGracePeriod = &metav1.Duration{Duration: time.Hour}
	}
	return m
}

// classes are Karpenter's, of reasons; see TestTheClassesOfMethodsConformToKarpenter.
var classes = map[candidate.Reason]string{
	candidate.Drifted: disruption.EventualDisruptionClass, "Drifted/NodePoolDrifted": disruption.EventualDisruptionClass,
	candidate.Empty: disruption.GracefulDisruptionClass, candidate.Underutilized: disruption.GracefulDisruptionClass,
	candidate.Unhealthy: disruption.RepairDisruptionClass,
}

// newCandidate asks Karpenter for a candidate, where NodePools of these names are there, and have instance types.
func newCandidate(
	o *observed,
	n *state.StateNode,
	limits pdb.Limits,
	class string,
	pools ...string,
) (*disruption.Candidate, error) {
	nodePools, types := map[string]*v1.NodePool{}, map[string]map[string]*cloudprovider.InstanceType{}
	for _, name := range pools {
		if name != "" {
			nodePools[name], types[name] = newNodePool(name), map[string]*cloudprovider.InstanceType{}
		}
	}
	queue := disruption.NewQueue(o.client, unheard{}, o.state, o.clock, nil)
	return disruption.NewCandidate(o, o.client, unheard{}, o.clock, n.DeepCopy(), limits, nodePools, types, queue, class)
}

// gates returns what blocks a node and its pods.
func gates(a *tenant, n *state.StateNode, reason candidate.Reason) []candidate.Blocker {
	now, c := a.clock.Now(), candidate.Condition{Reason: reason}
	to, _ := karpenter.ToNode(n, now)
	to.Pods = toPods(a.pods...)
	return append(candidate.NodeGate(&to, c, candidate.Minimum{}, now), candidate.OpenPods(a.rules, now).Blockers(&to, c)...)
}

// A reason is eventual where Karpenter's method for it is.
func TestTheClassesOfMethodsConformToKarpenter(t *testing.T) {
	o := observe(noon, emptyAPI)
	fallback := []repair.Policy{{ConditionType: "Ready", ConditionStatus: "False", Action: repair.Replace}}
	o.state = state.NewCluster(o.clock, o.client, o.cloud, state.WithRepairPolicyMatcher(must(matcher(fallback))))
	o.Context = options.ToContext(t.Context(), &options.Options{FeatureGates: options.FeatureGates{NodeRepair: true}})
	seen := 0
	queue := disruption.NewQueue(o.client, unheard{}, o.state, o.clock, nil)
	for _, m := range disruption.NewMethods(o, o.clock, o.state, o.client, nil, o.cloud, unheard{}, queue) {
		reason, err := candidate.ParseReason(string(m.Reason()))
		if err != nil {
			t.Fatal(err)
		}
		if m.Class() != classes[reason] || candidate.Drifted.Covers(reason) != (m.Class() == disruption.EventualDisruptionClass) {
			t.Errorf("%T, %s: eventual is %v, Karpenter says %s", m, reason, candidate.Drifted.Covers(reason), m.Class())
		}
		seen++
	}
	if seen != 6 {
		t.Errorf("Karpenter has %d methods", seen)
	}
}

// A shared cluster is one of nodes that nothing speaks against disrupting but what PodDisruptionBudgets say of their
// pods.
type shared struct {
	*observed
	rules candidate.Rules
}

// newShared returns a cluster with a node for each list of pods, and the machines of those that are on their way
// already.
func newShared(
	t rapid.TB,
	pods []*corev1.Pod,
	pdbs []*policyv1.PodDisruptionBudget,
	nodes int,
	going map[int]bool,
) *shared {
	var objects []client.Object
	for _, p := range pods {
		objects = append(objects, p)
	}
	for _, p := range pdbs {
		objects = append(objects, p)
	}
	s := &shared{observed: observe(noon, fakeAPI(objects...))}
	s.rules, _ = toRules(pdbs...)
	for i := range nodes {
		m := newMachine(fmt.Sprintf("n%d", i))
		m.marked = going[i]
		m.claim.Status.Conditions = append(m.claim.Status.Conditions,
			claimCondition(v1.ConditionTypeDrifted, "NodePoolDrifted", metav1.ConditionTrue, noon.Add(-time.Hour)))
		s.add(t, m)
	}
	return s
}

// neighbours are two nodes with a pod each, and a PodDisruptionBudget allows one.
func neighbours() *shared {
	return newShared(failing{}, []*corev1.Pod{newPod("p0", "n0"), newPod("p1", "n1")},
		[]*policyv1.PodDisruptionBudget{newPDB("blue", 1)}, 2, nil)
}

// candidates returns the names of the nodes that Karpenter offers its methods.
func (s *shared) candidates(t rapid.TB) (names []string) {
	limits, err := pdb.NewLimits(s, s.client)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range s.nodes() {
		if c, err := newCandidate(s.observed, n, limits, disruption.EventualDisruptionClass, "default"); err == nil {
			names = append(names, c.Name())
		}
	}
	return names
}

// decide decides for drift, without a limit for the pool.
func (s *shared) decide(t rapid.TB) disruptkit.Decision {
	set, err := budget.Compile([]budget.Budget{})
	if err != nil {
		t.Fatal(err)
	}
	in := s.input(t)
	in.Pools, in.Rules = []disruptkit.Pool{{Name: "default", Budgets: set}}, s.rules
	for i := range in.Nodes {
		var list corev1.PodList
		if err := s.client.List(s, &list, client.MatchingFields{"spec.nodeName": in.Nodes[i].Name}); err != nil {
			t.Fatal(err)
		}
		for j := range list.Items {
			in.Nodes[i].Pods = append(in.Nodes[i].Pods, toPods(&list.Items[j])...)
		}
	}
	return disruptkit.Decide(in, candidate.Drifted)
}

// What may be disrupted at once are candidates of Karpenter, and where nodes share nothing, all of them.
func TestWhatMayBeDisruptedTogetherAreCandidatesOfKarpenter(t *testing.T) {
	seen := met{}
	rounds(t, 10, func(t *rapid.T) {
		var pods []*corev1.Pod
		var pdbs []*policyv1.PodDisruptionBudget
		nodes := rapid.IntRange(1, 5).Draw(t, "nodes")
		for i := range rapid.IntRange(0, 8).Draw(t, "pods") {
			p := newPod(fmt.Sprintf("p%d", i), fmt.Sprintf("n%d", rapid.IntRange(0, nodes-1).Draw(t, "on")))
			p.Labels = drawLabels(t)
			pods = append(pods, p)
		}
		for i := range rapid.IntRange(0, 3).Draw(t, "PDBs") {
			p := drawPDB(t, fmt.Sprintf("pdb%d", i), false)
			p.Status.DisruptionsAllowed = rapid.Int32Range(0, 3).Draw(t, "allowed")
			pdbs = append(pdbs, p)
		}
		going := rapid.MapOfN(rapid.IntRange(0, nodes-1), rapid.Bool(), 0, 2).Draw(t, "going")
		s := newShared(t, pods, pdbs, nodes, going)
		offered := s.candidates(t)
		d := s.decide(t)
		for _, c := range d.Allowed {
			if !slices.Contains(offered, c.Node) {
				t.Fatalf("%s may be disrupted, and is no candidate of Karpenter", c.Node)
			}
		}
		for _, c := range d.Blocked {
			if slices.Contains(offered, c.Node) {
				if slices.ContainsFunc(c.Blockers, func(b candidate.Blocker) bool { return b.Code != candidate.CodeExhausted }) {
					t.Fatalf("%s may not be disrupted, and is a candidate of Karpenter: %v", c.Node, c.Blockers)
				}
				seen.count([]string{sharedPDB})
			}
		}
	})
	seen.wantAll(t, ruleTogether)
}
