package karpenter_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/nodeclaim/expiration"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/utils/pdb"
	podutils "sigs.k8s.io/karpenter/pkg/utils/pod"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/candidate/kube"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/karpenter"
	"github.com/disruptkit/disruptkit/probe"
	"github.com/disruptkit/disruptkit/report"
)

// karpenterPods returns pods as Karpenter's dialect reads them.
func karpenterPods(pods ...*corev1.Pod) (to []candidate.Pod) {
	parser := kube.Parser{Dialect: dialect.Karpenter}
	for _, p := range pods {
		pod, _ := karpenter.ToPod(p, &parser)
		to = append(to, pod)
	}
	return to
}

// The nodes of a pool, those that use up its budgets, and how many more may go are those of Karpenter, namesakes included; and so are
// Karpenter's own gauges.
func TestCountingInKarpentersDialectIsKarpenters(t *testing.T) {
	cases(t, 1000, func(t *rapid.T) {
		o := observe(drawNow(t), fakeAPI(drawNodePools(t)...))
		for i := range rapid.IntRange(0, 12).Draw(t, "machines") {
			m := drawMachine(t, i, o.clock.Now())
			if m.claim != nil && m.node != nil && onceIn(t, 6, "namesake") {
				m.claim.Name = "n0" // which is a Node's, and is the name of a node that is not registered
				delete(m.node.Labels, v1.NodeRegisteredLabelKey)
			}
			drawMaintenance(t, &m)
			o.add(t, m)
		}
		in := o.input(t)
		in.Dialect = dialect.Karpenter
		var decisions []disruptkit.Decision
		for _, reason := range karpenterReasons {
			theirs := o.mapping(t, reason)
			if len(in.Pools) != len(theirs) {
				t.Fatalf("%d pools, Karpenter has %d", len(in.Pools), len(theirs))
			}
			d := disruptkit.Decide(in, candidate.Reason(reason))
			decisions = append(decisions, d)
			for _, p := range d.Pools {
				ours := p.Remaining
				if ours == budget.Unlimited {
					ours = math.MaxInt32 - p.Disrupting // no limit is the largest number of 32 bits there
				}
				if ours != theirs[p.Pool] {
					t.Fatalf("%s, %s: %d more may go of %d, Karpenter says %d: %+v", p.Pool, p.Reason, ours, p.Nodes, theirs[p.Pool], p)
				}
			}
		}
		compareGauges(t, report.Summarize(report.Report{}, in, decisions...), nil)
	})
}

// A node by itself may be disrupted where Karpenter says so, and finds its NodePool.
func TestNodesInKarpentersDialectAreKarpenters(t *testing.T) {
	cases(t, 4000, func(t *rapid.T) {
		now := drawNow(t)
		n, o := drawMachine(t, 0, now).observe(t, now)
		to, _ := karpenter.ToNode(n, now)
		blockers := candidate.NodeGate(&to, drifted, candidate.Minimum{}, now)
		err := n.ValidateNodeDisruptable(o.clock)
		found := n.Labels()[v1.NodePoolLabelKey] != "" // NewCandidate looks for it next
		if (len(blockers) == 0) != (err == nil && found) {
			t.Fatalf("blocked by %v, Karpenter says %v: %+v", blockers, err, to)
		}
	})
}

// A pod's do-not-disrupt holds as long as it does for Karpenter, to the nanosecond; and eviction is for the same pods.
func TestPodsInKarpentersDialectAreKarpenters(t *testing.T) {
	cases(t, 5000, func(t *rapid.T) {
		a := drawLoneTenant(t, 1)
		if len(a.pods) == 0 {
			return
		}
		p, now := a.pods[0], a.clock.Now()
		if onceIn(t, 30, "starts at zero") {
			p.Status.StartTime = &metav1.Time{}
		}
		judge := func(rules candidate.Rules) []candidate.Blocker {
			rules.Dialect = dialect.Karpenter
			return candidate.OpenPods(rules, now).Blockers(&candidate.Node{Name: "n", Pods: karpenterPods(p)}, drifted)
		}
		protected := len(judge(candidate.Rules{FailClosed: rapid.Bool().Draw(t, "fail closed")})) > 0
		if theirs := !podutils.IsDisruptable(p, a.clock, unheard{}); protected != theirs {
			t.Fatalf("protected: %v, Karpenter says %v", protected, theirs)
		}
		rules, _ := toRules(newPDB(p.Namespace, 0))
		evictable := !protected && slices.Contains(codes(judge(rules)), string(candidate.CodeAllowsNone))
		if theirs := podutils.IsEvictable(p, a.clock, unheard{}); evictable != theirs {
			t.Fatalf("evictable: %v, Karpenter says %v", evictable, theirs)
		}
	})
}

// drawLoneTenant draws a node n0 with up to so many pods and a few on n1, with annotations that only disruptkit knows, and the
// PodDisruptionBudgets of its cluster just as they are, also where they allow less than nothing, or are not valid.
func drawLoneTenant(t *rapid.T, most int) *tenant {
	a, now := &tenant{}, drawNow(t)
	var objects []client.Object
	var pdbs []*policyv1.PodDisruptionBudget
	broken := onceIn(t, 12, "broken")
	for i := range rapid.IntRange(0, 4).Draw(t, "PDBs") {
		p := drawPDB(t, fmt.Sprintf("pdb%d", i), broken && i == 0)
		pdbs, objects = append(pdbs, p), append(objects, p)
	}
	for i := range rapid.IntRange(0, most).Draw(t, "pods") {
		p := drawPod(t, fmt.Sprintf("p%d", i), pick(t, "on", "n0", "n0", "n0", "n1"), now)
		if onceIn(t, 6, "scheduled") {
			annotations := map[string]string{kube.DisruptionScheduleAnnotation: pick(t, "schedule", "0 3 * * *", "* * * * *", "?!")}
			if text, there := p.Annotations[kube.DoNotDisruptAnnotation]; there {
				annotations[kube.DoNotDisruptAnnotation] = text
			}
			p.Annotations = annotations
		}
		objects = append(objects, p)
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

// PodDisruptionBudgets let the same pods be evicted, and pods block the same nodes; all of them, if one PodDisruptionBudget is
// not valid.
func TestEvictionInKarpentersDialectIsKarpenters(t *testing.T) {
	stopped := 0
	cases(t, 2000, func(t *rapid.T) {
		a := drawLoneTenant(t, 5)
		a.rules.Dialect, a.rules.FailClosed = dialect.Karpenter, rapid.Bool().Draw(t, "fail closed")
		g := candidate.OpenPods(a.rules, a.clock.Now())
		if stopped := len(g.Blockers(&candidate.Node{}, drifted)) > 0; stopped != (a.err != nil) {
			t.Fatalf("stopped: %t, Karpenter says %v", stopped, a.err)
		}
		judge := func(pods []*corev1.Pod) []candidate.Blocker {
			return g.Blockers(&candidate.Node{Name: "n0", Pods: karpenterPods(pods...)}, drifted)
		}
		if a.err != nil {
			stopped++
			if len(judge(nil)) == 0 {
				t.Fatal("a node without pods may be disrupted, and Karpenter lets none")
			}
			return
		}
		unprotected := slices.DeleteFunc(slices.Clone(a.pods), func(p *corev1.Pod) bool {
			return podutils.IsDoNotDisruptActive(p, a.clock, nil)
		})
		if keys, may := a.limits.CanEvictPods(unprotected, a.clock, unheard{}); may != (len(judge(unprotected)) == 0) {
			t.Fatalf("blocked by %v, Karpenter says %v %v", judge(unprotected), may, keys)
		}
		n := state.NewNode()
		n.Node = &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n0"}}
		if _, err := n.ValidatePodsDisruptable(a, a.client, a.limits, a.clock, unheard{}); (err == nil) != (len(judge(a.pods)) == 0) {
			t.Fatalf("blocked by %v, Karpenter says %v", judge(a.pods), err)
		}
	})
	if stopped < 5 && !testing.Short() {
		t.Errorf("only %d clusters had a PodDisruptionBudget that is not valid", stopped)
	}
}

// A decision allows a node where it is a candidate of Karpenter, for every class of methods.
func TestCandidatesInKarpentersDialectAreKarpenters(t *testing.T) {
	cases(t, 1500, func(t *rapid.T) {
		a := drawLoneTenant(t, 5)
		m := drawTenantsMachine(t, a.clock.Now())
		drawMaintenance(t, &m)
		o := observe(a.clock.Now(), a.client)
		o.add(t, m)
		n := o.nodes()[0]
		in := disruptkit.Input{Now: a.clock.Now(), Dialect: dialect.Karpenter, Rules: a.rules}
		var pools []string
		if name := n.Labels()[v1.NodePoolLabelKey]; !onceIn(t, 10, "no instance types") && name != "" {
			pools = append(pools, name)
			in.Pools = []disruptkit.Pool{{Name: name, Budgets: must(budget.Compile([]budget.Budget{}))}}
		}
		unknownToKarpenter(t, &in)
		for reason, class := range classes {
			to, _ := karpenter.ToNode(n, in.Now)
			to.Pods, to.Conditions = karpenterPods(a.pods...), []candidate.Condition{{Reason: reason, Since: in.Now.Add(-time.Hour)}}
			in.Nodes = []candidate.Node{to}
			d := disruptkit.Decide(in, reason)
			theirs := a.err
			if theirs == nil {
				_, theirs = newCandidate(o, n, a.limits, class, pools...)
			}
			if (theirs == nil) != isOffered(d) {
				t.Fatalf("%s: %+v, Karpenter says %v", reason, d.Blocked, theirs)
			}
		}
	})
}

// isOffered reports whether the only candidate of a decision is one of Karpenter's. For repair the method itself asks pods, and for
// do-not-repair, after that.
func isOffered(d disruptkit.Decision) bool {
	return len(d.Allowed) == 1 || d.Reason == candidate.Unhealthy && !slices.ContainsFunc(d.Blocked[0].Blockers, func(b candidate.Blocker) bool {
		ofPods := b.Gate == candidate.GatePod && b.Code != candidate.CodeInvalidPDB
		return !ofPods && b.Code != candidate.CodeDoNotRepair
	})
}

// unknownToKarpenter adds to an input what Karpenter does not know: probes that deny everything, zones that take turns, back-off.
func unknownToKarpenter(t *rapid.T, in *disruptkit.Input) {
	if rapid.Bool().Draw(t, "cluster's probe") {
		in.Verdicts = []probe.Verdict{{Probe: "slo", Code: "no-answer"}}
	}
	for i := range in.Pools {
		p := &in.Pools[i]
		if rapid.Bool().Draw(t, "pool's probe") {
			p.Verdicts = []probe.Verdict{{Probe: "slo", Code: "no-answer"}}
		}
		if rapid.Bool().Draw(t, "back-off") {
			in.Memory = map[string]disruptkit.Memory{p.Name: {Backoff: disruptkit.Backoff{Level: 3, Until: in.Now.Add(time.Hour)}}}
		}
	}
}

// Each node asks PodDisruptionBudgets on its own: what may be disrupted at once are all candidates of Karpenter.
func TestWhatMayBeDisruptedTogetherInKarpentersDialectAreItsCandidates(t *testing.T) {
	several := 0
	cases(t, 600, func(t *rapid.T) {
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
			p.Status.DisruptionsAllowed = rapid.Int32Range(-1, 3).Draw(t, "allowed")
			pdbs = append(pdbs, p)
		}
		going := rapid.MapOfN(rapid.IntRange(0, nodes-1), rapid.Bool(), 0, 2).Draw(t, "going")
		s := newShared(t, pods, pdbs, nodes, going)
		in := s.observed.input(t)
		in.Dialect, in.Rules = dialect.Karpenter, s.rules
		in.Pools = []disruptkit.Pool{{Name: "default", Budgets: must(budget.Compile([]budget.Budget{}))}}
		unknownToKarpenter(t, &in)
		for i := range in.Nodes {
			var list corev1.PodList
			if err := s.client.List(s, &list, client.MatchingFields{"spec.nodeName": in.Nodes[i].Name}); err != nil {
				t.Fatal(err)
			}
			for j := range list.Items {
				in.Nodes[i].Pods = append(in.Nodes[i].Pods, karpenterPods(&list.Items[j])...)
			}
		}
		var allowed []string
		for _, c := range disruptkit.Decide(in, candidate.Drifted).Allowed {
			allowed = append(allowed, c.Node)
		}
		offered := s.candidates(t)
		slices.Sort(offered)
		if slices.Sort(allowed); !slices.Equal(allowed, offered) {
			t.Fatalf("%v may be disrupted, and Karpenter's candidates are %v", allowed, offered)
		}
		if len(offered) > 1 && len(pdbs) > 0 {
			several++
		}
	})
	if several < 5 && !testing.Short() {
		t.Errorf("only %d clusters had several candidates and a PodDisruptionBudget", several)
	}
}

// Expiration asks nobody: the real controller deletes what has expired, and Decide allows exactly that, whatever its budgets, its
// pods and its annotations say.
func TestExpirationInKarpentersDialectChecksNothing(t *testing.T) {
	expired := 0
	cases(t, 500, func(t *rapid.T) {
		a := drawLoneTenant(t, 3)
		now := a.clock.Now().Truncate(time.Second)
		m := drawTenantsMachine(t, now)
		age := pick(t, "age", 0, time.Hour, 2*time.Hour-time.Second, 2*time.Hour, 3*time.Hour)
		m.claim.Spec.ExpireAfter = v1.MustParseNillableDuration("2h")
		m.claim.CreationTimestamp = metav1.NewTime(now.Add(-age))
		m.claim.Spec.NodeClassRef = newNodePool("default").Spec.Template.Spec.NodeClassRef
		m.claim.Labels[v1.NodePoolLabelKey] = "default"
		m.node.Labels[v1.NodePoolLabelKey] = "default"
		m.marked = false
		m.node.DeletionTimestamp = nil // Karpenter's own finalizer deletes the claim with it
		if m.claim.DeletionTimestamp != nil {
			m.claim.Finalizers = []string{"example.com/finalizer"}
		}
		m.claim.Status.Conditions = nil
		o := observe(now, fakeAPI(m.claim.DeepCopy()))
		o.add(t, m)
		to, _ := karpenter.ToNode(o.nodes()[0], now)
		to.Pods, to.Conditions = karpenterPods(a.pods...), nil
		if age >= 2*time.Hour {
			to.Conditions = []candidate.Condition{{Reason: candidate.Expired, Since: now}}
		}
		in := disruptkit.Input{Now: now, Dialect: dialect.Karpenter, Rules: a.rules, Nodes: []candidate.Node{to}}
		in.Pools = []disruptkit.Pool{{Name: "default", Budgets: must(budget.Compile([]budget.Budget{{Nodes: "0"}}))}}
		unknownToKarpenter(t, &in)
		ours := len(disruptkit.Decide(in, candidate.Expired).Allowed) == 1

		deleted := m.claim.DeletionTimestamp != nil
		claim := &v1.NodeClaim{}
		key := client.ObjectKey{Name: m.claim.Name}
		if err := o.client.Get(o, key, claim); err != nil {
			t.Fatal(err)
		}
		controller := expiration.NewController(o.clock, o.client, o.cloud)
		done := make(chan error)
		go func() { _, err := controller.Reconcile(log.IntoContext(o, logr.Discard()), claim); done <- err }()
		for running := true; running; { // it sleeps once it has deleted
			select {
			case err := <-done:
				if err != nil {
					t.Fatal(err)
				}
				running = false
			default:
				if o.clock.HasWaiters() {
					o.clock.Step(time.Second)
				}
			}
		}
		theirs := !deleted && o.client.Get(o, key, claim) != nil
		if ours != theirs {
			t.Fatalf("goes: %t, Karpenter says %t, at the age of %s: %+v", ours, theirs, age, to)
		}
		if theirs {
			expired++
		}
	})
	if expired < 5 && !testing.Short() {
		t.Errorf("only %d nodes expired", expired)
	}
}
