package karpenter_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/awslabs/operatorpkg/status"
	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/log"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/karpenter/pkg/controllers/dynamicresources/deviceallocation"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	"sigs.k8s.io/karpenter/pkg/state/virtualpods"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/repair"
)

// An inpatient is a machine, and what is wrong with its node.
type inpatient struct {
	machine
	repair.Node
	pods []*corev1.Pod
}

// A ward is a cluster with broken nodes that Karpenter's own method repairs, by itself or guarded.
type ward struct {
	*observed
	set      repair.Set
	queue    *disruption.Queue
	method   disruption.Method
	patients map[string]*inpatient
}

// newWard returns a ward with copies of the objects, so that two can be compared.
func newWard(t *rapid.T, policies []repair.Policy, pools []*v1.NodePool, patients []inpatient) *ward {
	var objects []client.Object
	for _, np := range pools {
		np.StatusConditions().SetTrue(v1.ConditionTypeValidationSucceeded)
		np.StatusConditions().SetTrue(v1.ConditionTypeNodeClassReady)
		objects = append(objects, np.DeepCopy())
	}
	for _, p := range patients {
		objects = append(objects, p.node.DeepCopy(), p.claim.DeepCopy())
		for _, pod := range p.pods {
			objects = append(objects, pod.DeepCopy())
		}
	}
	api := fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(objects...).WithStatusSubresource(&v1.NodeClaim{}).
		WithObjectTracker(clienttesting.NewObjectTracker(scheme.Scheme, scheme.Codecs.UniversalDecoder())).
		WithIndex(&corev1.Pod{}, "spec.nodeName", func(o client.Object) []string { return []string{o.(*corev1.Pod).Spec.NodeName} }).Build()
	w := &ward{observed: observe(noon, api), set: must(repair.Compile(policies)), patients: map[string]*inpatient{}}
	w.Context = options.ToContext(log.IntoContext(t.Context(), logr.Discard()), &options.Options{
		BatchMaxDuration: nominatedFor / 2, FeatureGates: options.FeatureGates{NodeRepair: true, StaticCapacity: true},
		PreferencePolicy: options.PreferencePolicyRespect, MinValuesPolicy: options.MinValuesPolicyStrict, IgnoreDRARequests: true, CPURequests: 1000,
	})
	w.state = state.NewCluster(w.clock, w.client, w.cloud, state.WithRepairPolicyMatcher(must(matcher(policies))))
	for _, p := range patients {
		p.node, p.claim = p.node.DeepCopy(), p.claim.DeepCopy()
		w.add(t, p.machine)
		w.patients[p.node.Name] = &p
	}
	provisioner := provisioning.NewProvisioner(w.client, unheard{}, w.cloud, w.state, w.clock,
		deviceallocation.NewController(w.client), virtualpods.NewVirtualPodCache(w.client))
	w.queue = disruption.NewQueue(w.client, unheard{}, w.state, w.clock, provisioner)
	w.method = disruption.NewRepair(disruption.MakeConsolidation(w.clock, w.state, w.client, provisioner, w.cloud, unheard{}, w.queue))
	return w
}

// guarded guards the ward's method.
func (w *ward) guarded() *ward {
	w.method = karpenter.Guard(w.method, &karpenter.Cluster{
		Client: w.client, State: w.state, Clock: w.clock, Recorder: unheard{}, CloudProvider: w.cloud,
	})
	return w
}

// offered returns the candidates that Karpenter's controller would hand to the method.
func (w *ward) offered(t *rapid.T) []*disruption.Candidate {
	offered, err := disruption.GetCandidates(w, w.state, w.client, unheard{}, w.clock, w.cloud, w.method.ShouldDisrupt, w.method.Class(), w.queue)
	if err != nil {
		t.Fatal(err)
	}
	return offered
}

// repairs lets the method repair a node, as Karpenter's controller does, and returns which, and how: "" is none.
func (w *ward) repairs(t *rapid.T) string {
	offered := w.offered(t)
	if len(offered) == 0 {
		return ""
	}
	commands, err := w.method.ComputeCommands(w, w.mapping(t, v1.DisruptionReasonUnhealthy), offered...)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, command := range commands {
		name, action := command.Candidates[0].Name(), repair.Replace
		if command.Reboot {
			action = repair.Reboot
			w.patients[name].Reboots = w.patients[name].Reboots.Add(w.clock.Now())
		} else {
			w.state.MarkForDeletion(command.Candidates[0].ProviderID())
		}
		texts = append(texts, fmt.Sprintf("%s %s", name, action))
	}
	return strings.Join(texts, ", ")
}

// finish ends the reboot of a node.
func (w *ward) finish(t *rapid.T, name string) {
	p, claim := w.patients[name], &v1.NodeClaim{}
	if err := w.client.Get(w, client.ObjectKeyFromObject(p.claim), claim); err != nil {
		t.Fatal(err)
	}
	claim.StatusConditions(status.WithClock(w.clock)).SetFalse(v1.ConditionTypeRebooting, v1.RebootReasonSucceeded, "")
	if err := w.client.Status().Update(w, claim); err != nil {
		t.Fatal(err)
	}
	w.state.UpdateNodeClaim(claim)
	p.RebootEnded = w.clock.Now()
}

// decide decides by disruptkit alone: its policies, its breaker, its order. What a disruption costs is Karpenter's to say.
func (w *ward) decide(t *rapid.T) (d disruptkit.Decision, urgency map[string]time.Time, actions map[string]repair.Action) {
	in := w.input(t)
	total, unhealthy := map[string]int{}, map[string]int{}
	for _, p := range w.patients {
		pool := p.node.Labels[v1.NodePoolLabelKey]
		if total[pool]++; w.set.Unhealthy(p.Conditions) {
			unhealthy[pool]++
		}
	}
	for i := range in.Pools {
		p := &in.Pools[i]
		if b, tripped := (repair.Breaker{Percent: 20}).Blocker(total[p.Name], unhealthy[p.Name]); tripped {
			p.Blockers = append(p.Blockers, b)
		}
	}
	costs := map[string]float64{}
	for _, c := range w.offered(t) {
		costs[c.Name()] = c.DisruptionCost
	}
	urgency, actions = map[string]time.Time{}, map[string]repair.Action{}
	for i := range in.Nodes {
		n := &in.Nodes[i]
		p := w.patients[n.Name]
		if p == nil {
			continue // it is not registered: its name is that of its NodeClaim
		}
		n.Cost, n.Pods = costs[n.Name], toPods(p.pods...)
		result := repair.Resolve(w.set, p.Node, in.Now)
		if c, ok := result.Condition(); ok {
			n.Conditions = append(n.Conditions, c)
			urgency[n.Name], actions[n.Name] = result.Urgency, result.Action
		}
	}
	return disruptkit.Decide(in, candidate.Unhealthy), urgency, actions
}

// drawPatients draws machines, some of which have conditions that policies are about.
func drawPatients(t *rapid.T, policies []repair.Policy) (patients []inpatient) {
	for i := range rapid.IntRange(4, 14).Draw(t, "nodes") {
		p := inpatient{machine: newMachine(fmt.Sprintf("n%d", i))}
		p.Created = noon.Add(-24 * time.Hour)
		p.Conditions = []repair.Condition{{Type: "Ready", Status: "True", LastTransitionTime: p.Created}}
		switch pick(t, "is", "well", "well", "well", "well", "well", "well", "sick", "to be rebooted") {
		case "sick":
			p.Node = drawSick(t, "sick node")
			p.RebootEnded = time.Time{}
		case "to be rebooted":
			of := pick(t, "policy", policies...)
			p.Conditions = append(p.Conditions, repair.Condition{
				Type: of.ConditionType, Status: of.ConditionStatus, Reason: pick(t, "reason", "Kubelet", "NvidiaXID48Error", "Odd"),
				LastTransitionTime: noon.Add(-time.Duration(rapid.IntRange(0, 12).Draw(t, "ago")) * 10 * time.Minute),
			})
			if of.ConditionType == "Ready" {
				p.Conditions = p.Conditions[1:]
			}
		}
		sick := sickNode(p.Node)
		p.node.Status, p.node.CreationTimestamp = sick.Status, sick.CreationTimestamp
		p.node.UID, p.claim.UID = types.UID(p.node.Name), types.UID(p.claim.Name)
		pool := pick(t, "pool", "default", "default", "static")
		p.node.Labels[v1.NodePoolLabelKey], p.claim.Labels[v1.NodePoolLabelKey] = pool, pool
		p.node.Labels[corev1.LabelTopologyZone], p.node.Labels[v1.CapacityTypeLabelKey] = "test-zone-1", v1.CapacityTypeOnDemand
		p.node.Annotations = map[string]string{}
		annotate := func(name string) {
			if onceIn(t, 6, name) {
				p.node.Annotations[name] = pick(t, "value", "true", "true", "false", "yes", "1h", "")
			}
		}
		annotate(v1.DoNotDisruptAnnotationKey)
		annotate(v1.DoNotRepairAnnotationKey)
		if onceIn(t, 6, "not initialized") {
			delete(p.node.Labels, v1.NodeInitializedLabelKey)
			if onceIn(t, 4, "nor registered") {
				delete(p.node.Labels, v1.NodeRegisteredLabelKey)
			}
		}
		if onceIn(t, 3, "grace period") {
			p.claim.Spec.TerminationGracePeriod = &metav1.Duration{Duration: time.Hour}
		}
		if onceIn(t, 4, "guarded by a pod") {
			pod := newPod(p.node.Name+"-pod", p.node.Name)
			pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "DaemonSet", Name: "agent", UID: "agent"}}
			pod.Annotations = map[string]string{v1.DoNotDisruptAnnotationKey: "true"}
			p.pods = append(p.pods, pod)
		}
		p.marked, p.nominated = onceIn(t, 8, "marked"), onceIn(t, 8, "nominated")
		patients = append(patients, p)
	}
	return patients
}

// Who is repaired next, and how, is the same: for Karpenter's own method on random clusters, for the same method guarded, and for what
// disruptkit reports of these nodes, their policies and the breaker. Reboots end and are counted, until they become replacements.
func TestRepairConformsToKarpenter(t *testing.T) {
	quiet(t)
	repaired, replaced, rebooted, escalated, tripped, none, ties := 0, 0, 0, 0, 0, 0, 0
	rounds(t, 3, func(t *rapid.T) {
		policies := testkit.Arbitrary(generate.Policies).Draw(t, "policies")
		if rapid.Bool().Draw(t, "reboots alone") { // but for the fallback, which replaces
			for i := range policies {
				if policies[i].ReasonRegex != "" {
					policies[i].Action = repair.Reboot
				}
			}
		}
		pools := []*v1.NodePool{newNodePool("default"), newNodePool("static")}
		for _, np := range pools {
			if onceIn(t, 3, "has budgets") {
				np.Spec.Disruption.Budgets = drawBudgets(t)
			}
		}
		pools[1].Spec.Replicas = new(int64(1000))
		patients := drawPatients(t, policies)
		plain, guarded := newWard(t, policies, pools, patients), newWard(t, policies, pools, patients).guarded()
		for range 7 {
			d, urgency, actions := plain.decide(t)
			ours := ""
			if len(d.Allowed) > 0 {
				first := d.Allowed[0].Node
				ours = fmt.Sprintf("%s %s", first, actions[first])
			}
			theirs, kept := plain.repairs(t), guarded.repairs(t)
			if kept != theirs {
				t.Fatalf("Karpenter repairs %q, and guarded %q", theirs, kept)
			}
			if ours != theirs {
				a, _, _ := strings.Cut(ours, " ")
				b, _, _ := strings.Cut(theirs, " ")
				if ours == "" || theirs == "" || !urgency[a].Equal(urgency[b]) {
					t.Fatalf("Karpenter repairs %q, disruptkit %q (urgencies %v, %v): %+v", theirs, ours, urgency[b], urgency[a], d.Blocked)
				}
				ties++ // which are Karpenter's floating point's to break
				return
			}
			switch {
			case strings.HasSuffix(ours, string(repair.Reboot)):
				rebooted++
			case ours != "":
				replaced++
				name, _, _ := strings.Cut(ours, " ")
				if repair.Resolve(plain.set, plain.patients[name].Node, plain.clock.Now()).Escalated {
					escalated++
				}
			default:
				none++
			}
			if ours != "" {
				repaired++
			}
			if slices.ContainsFunc(d.Blocked, func(c candidate.Candidate) bool {
				return slices.ContainsFunc(c.Blockers, func(b candidate.Blocker) bool { return b.Code == candidate.CodeTooManyUnhealthy })
			}) {
				tripped++
			}
			step := pick(t, "step", time.Minute, 20*time.Minute, 2*time.Hour)
			ends := rapid.Bool().Draw(t, "reboots end")
			for _, w := range []*ward{plain, guarded} {
				w.clock.Step(step)
				for _, n := range w.state.DeepCopyNodes() {
					if ends && n.RebootInProgress() {
						w.finish(t, n.Name())
					}
				}
			}
		}
	})
	t.Logf("%d repairs: %d reboots, %d replacements, %d of them after reboots that did not help; %d times none, %d with a breaker, %d exact ties",
		repaired, rebooted, replaced, escalated, none, tripped, ties)
	if (min(rebooted, replaced, tripped, none) < 5 || escalated == 0) && !testing.Short() {
		t.Error("too few of some kind were met")
	}
}
