package karpenter

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"pgregory.net/rapid"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/karpenter/pkg/controllers/node/health"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/operator/options"

	"github.com/disruptkit/disruptkit/candidate/kube"
)

// repairing returns a method that, as Karpenter's does, repairs the first node that a budget allows, or that needs none. A node
// that is to be rebooted reboots before the method returns.
func repairing(g *guarded) *method {
	m := &method{reason: v1.DisruptionReasonUnhealthy}
	m.choose = func(budgets map[string]int, cs []*disruption.Candidate) []disruption.Command {
		for i, c := range cs {
			if c.Initialized() && budgets[c.NodePool.Name] == 0 {
				continue
			}
			if c.RepairPolicyResult.Action != cloudprovider.RebootNode {
				return each(cs[i : i+1])
			}
			g.reboot(c.Name())
			return []disruption.Command{{Candidates: cs[i : i+1], Reboot: true}}
		}
		return nil
	}
	return m
}

// reboot commits the reboot of a node.
func (g *guarded) reboot(name string) {
	for _, n := range g.State.DeepCopyNodes() {
		if n.Name() == name {
			n.NodeClaim.StatusConditions().SetTrueWithReason(v1.ConditionTypeRebooting, v1.RebootReasonRequested, "")
			g.State.UpdateNodeClaim(n.NodeClaim)
		}
	}
}

// sick puts a node of a pool into the state and offers it for repair, which has been due for so many minutes.
func (g *guarded) sick(pool, name string, minutes int, action cloudprovider.RepairAction, change ...func(*corev1.Node, *v1.NodeClaim)) {
	g.Helper()
	change = append(change, func(n *corev1.Node, _ *v1.NodeClaim) { n.Status.Conditions[0].Status = corev1.ConditionFalse })
	g.node(pool, name, 0, change...)
	c := g.offered[len(g.offered)-1]
	c.RepairPolicyResult = health.RepairResult{
		Action: action, Condition: corev1.NodeReady, SelectedEligibleAt: g.clock.Now().Add(-time.Duration(minutes) * time.Minute),
	}
	c.DisruptionCost = float64(-minutes) // all are as urgent: the score of a result is not set from outside
}

func uninitialized(n *corev1.Node, _ *v1.NodeClaim) { delete(n.Labels, v1.NodeInitializedLabelKey) }

func TestANodeThatMayNotRebootIsNotShown(t *testing.T) {
	const reboot, replace = cloudprovider.RebootNode, cloudprovider.ReplaceNode
	for name, c := range map[string]struct {
		annotation string // of the pool
		karpenter  int    // how many Karpenter allows
		fill       func(g *guarded)
		asked      string
		want       string
	}{
		"one after the other: the most urgent, and those that may reboot in place of it": {
			karpenter: 1,
			fill:      func(g *guarded) { g.sick("default", "a1", 5, reboot); g.sick("default", "a2", 9, reboot) },
			asked:     "a2 a1", want: "a2↻",
		},
		"none while one reboots already": {
			annotation: `budgets: [{nodes: "1", reasons: [Unhealthy]}]`, karpenter: 5,
			fill: func(g *guarded) {
				g.sick("default", "a1", 9, reboot)
				g.reboot("a1")
				g.offered = nil
				g.sick("default", "a2", 5, reboot)
			},
		},
		"a budget for other reasons does not block repair": {
			annotation: `budgets: [{nodes: "0", reasons: [Drifted, Empty, Underutilized]}]`, karpenter: 5,
			fill:  func(g *guarded) { g.sick("default", "a1", 5, reboot) },
			asked: "a1", want: "a1↻",
		},
		"a freeze does": {
			annotation: `budgets: [{nodes: "0"}]`, karpenter: 5,
			fill: func(g *guarded) { g.sick("default", "a1", 5, reboot) },
		},
		"a freeze does not block nodes that never were initialized: no budget counts them": {
			annotation: `budgets: [{nodes: "0"}]`, karpenter: 0,
			fill: func(g *guarded) {
				g.sick("default", "a1", 9, replace)
				g.sick("default", "a2", 5, replace, uninitialized)
			},
			asked: "a2", want: "a2→1",
		},
		"nor do Karpenter's own budgets": {
			karpenter: 0,
			fill: func(g *guarded) {
				g.sick("default", "a1", 9, reboot)
				g.sick("default", "a2", 5, reboot, uninitialized)
			},
			asked: "a2", want: "a2↻",
		},
		"do-not-repair is": {
			karpenter: 1,
			fill: func(g *guarded) {
				g.sick("default", "a1", 5, reboot, func(n *corev1.Node, _ *v1.NodeClaim) {
					n.Annotations = map[string]string{v1.DoNotRepairAnnotationKey: "true"}
				})
			},
		},
		"pods outside of their disruption schedule block it": {
			karpenter: 1,
			fill: func(g *guarded) {
				g.sick("default", "a1", 5, reboot)
				g.pod("web", "a1", map[string]string{kube.DisruptionScheduleAnnotation: "0 22 * * *"})
			},
		},
		"of two nodes that share a PodDisruptionBudget of one, either": {
			karpenter: 5,
			fill: func(g *guarded) {
				g.sick("default", "a1", 5, reboot)
				g.sick("default", "a2", 9, replace)
				g.pod("one", "a1", nil)
				g.pod("two", "a2", nil)
				g.shared(1)
			},
			asked: "a2 a1", want: "a2→1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			np := pool("default")
			if c.annotation != "" {
				np.Annotations[DisruptionAnnotation] = c.annotation
			}
			g := newGuarded(t, np)
			c.fill(g)
			m := repairing(g)
			got := g.mustCompute(Guard(m, g.Cluster), c.karpenter)
			if asked := strings.Join(m.asked, "; "); got != c.want || asked != c.asked {
				t.Errorf("started %q of %q, not %q of %q", got, asked, c.want, c.asked)
			}
		})
	}
}

// Between two looks at the cluster all that was free is used up: a reboot has begun by then, a replacement has not.
func TestWhatHasBegunIsNotDropped(t *testing.T) {
	for action, want := range map[cloudprovider.RepairAction]string{cloudprovider.RebootNode: "a1↻", cloudprovider.ReplaceNode: ""} {
		t.Run(string(action), func(t *testing.T) {
			g := newGuarded(t, pool("default", DisruptionAnnotation, `budgets: [{nodes: "1"}]`))
			g.node("default", "a2", 0)
			g.offered = nil
			g.sick("default", "a1", 5, action)
			m := repairing(g)
			choose := m.choose
			m.choose = func(budgets map[string]int, cs []*disruption.Candidate) []disruption.Command {
				commands := choose(budgets, cs)
				g.State.MarkForDeletion("fake://a2")
				return commands
			}
			if got := g.mustCompute(Guard(m, g.Cluster), 1); got != want {
				t.Errorf("started %q, not %q", got, want)
			}
		})
	}
}

func TestTheMemoryIsStoredBeforeANodeReboots(t *testing.T) {
	for action, want := range map[cloudprovider.RepairAction][]string{
		cloudprovider.RebootNode: nil, cloudprovider.ReplaceNode: {"a1"}, // a command that is not returned replaces nothing
	} {
		t.Run(string(action), func(t *testing.T) {
			g := newGuarded(t, pool("default", DisruptionAnnotation, onePerHour))
			g.sick("default", "a1", 5, action)
			g.refuse(apierrors.NewConflict(schema.GroupResource{Resource: "nodepools"}, "default", nil))
			m := repairing(g)
			guard := Guard(m, g.Cluster)
			if got := g.mustCompute(guard, 1); got != "" {
				t.Errorf("started %q", got)
			}
			if diff := cmp.Diff(want, m.asked); diff != "" {
				t.Errorf("asked: %s", diff)
			}
			g.api = nil
			g.clock.Step(firstRetry)
			if got := g.mustCompute(guard, 1); !strings.HasPrefix(got, "a1") {
				t.Errorf("started %q", got)
			}
			if diff := cmp.Diff([]string{"12:00 a1"}, g.starts("default")); diff != "" {
				t.Errorf("starts: %s", diff)
			}
		})
	}
}

// Terminate-first deletes a node before its replacement is there: it is kept or dropped like any other command, and takes none of the
// limit of a static NodePool.
func TestTerminateFirst(t *testing.T) {
	np := pool("default", DisruptionAnnotation, `budgets: [{nodes: "1"}]`)
	np.Spec.Replicas = new(int64(2))
	g := newGuarded(t, np)
	g.sick("default", "a1", 9, cloudprovider.ReplaceNode)
	g.sick("default", "a2", 5, cloudprovider.ReplaceNode)
	g.State.NodePoolState.ReserveNodeCount("default", 2, 0)
	m := &method{reason: v1.DisruptionReasonUnhealthy}
	m.choose = func(_ map[string]int, cs []*disruption.Candidate) (commands []disruption.Command) {
		for i := range cs {
			commands = append(commands, disruption.Command{
				Candidates: cs[i : i+1], TerminateFirstReason: disruption.TerminateFirstStaticAtLimit,
			})
		}
		return commands
	}
	if got := g.mustCompute(Guard(m, g.Cluster), 5); got != "a1" {
		t.Errorf("started %q", got)
	}
	if left := g.State.NodePoolState.ReserveNodeCount("default", 2, 9); left != 0 {
		t.Errorf("%d nodes are left of a limit of 2, with 2 running: what was dropped had reserved none", left)
	}
	g.inFlight("a1")
	m.asked = nil
	if got := g.mustCompute(Guard(m, g.Cluster), 5); got != "" || len(m.asked) > 0 {
		t.Errorf("started %q of %q while a1 is in flight", got, m.asked)
	}
	if said := strings.Join(g.said("default", events.DisruptionBlocked), "\n"); !strings.Contains(said, "1 in flight") {
		t.Errorf("said: %s", said)
	}
}

func TestToUnhealthy(t *testing.T) {
	at := func(minutes int) time.Time { return now.Add(time.Duration(minutes) * time.Minute) }
	for name, c := range map[string]struct {
		result health.RepairResult
		want   string
	}{
		"no policy applies":              {health.RepairResult{}, "Unhealthy"},
		"one does":                       {health.RepairResult{Action: "ReplaceNode", Condition: "Ready", SelectedEligibleAt: at(-5)}, "Unhealthy/Ready since -5m0s"},
		"the drain is bounded":           {health.RepairResult{Action: "RebootNode", Condition: "Ready", SelectedEligibleAt: at(-5), TerminationGracePeriod: new(time.Minute)}, "Unhealthy/Ready since -5m0s within 1m0s"},
		"there is no drain":              {health.RepairResult{Action: "RebootNode", Condition: "Ready", SelectedEligibleAt: at(-5), TerminationGracePeriod: new(time.Duration)}, "Unhealthy/Ready since -5m0s within 0s"},
		"a type that can name no reason": {health.RepairResult{Action: "ReplaceNode", Condition: "a/b/c", SelectedEligibleAt: at(-5)}, "Unhealthy since -5m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			to := ToUnhealthy(&disruption.Candidate{RepairPolicyResult: c.result}, now)
			got := string(to.Reason)
			if !to.Since.IsZero() {
				got += fmt.Sprintf(" since %s", to.Since.Sub(now))
			}
			if to.Bound != nil {
				got += fmt.Sprintf(" within %s", to.Bound)
			}
			if got != c.want {
				t.Errorf("it is %q, not %q", got, c.want)
			}
		})
	}
}

// A matcher's results have scores, which results that tests make up do not have.
func TestUrgencyIsTheOrderOfScores(t *testing.T) {
	cloud := &policies{list: []cloudprovider.RepairPolicy{
		{ConditionType: "Ready", ConditionStatus: "False", TolerationDuration: time.Minute, Priority: 0, Action: "ReplaceNode"},
		{ConditionType: "GPU", ConditionStatus: "False", ReasonRegex: "x", TolerationDuration: time.Minute, Priority: 50, Action: "RebootNode"},
	}}
	ctx := options.ToContext(t.Context(), &options.Options{FeatureGates: options.FeatureGates{NodeRepair: true}})
	matcher, err := health.NewRepairPolicyMatcher(ctx, cloud)
	if err != nil {
		t.Fatal(err)
	}
	urgency := func(condition, reason string, minutes int, at time.Time) time.Time {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(now.Add(-24 * time.Hour))}}
		n.Status.Conditions = []corev1.NodeCondition{{
			Type: corev1.NodeConditionType(condition), Status: "False", Reason: reason,
			LastTransitionTime: metav1.NewTime(now.Add(-time.Duration(minutes) * time.Minute)),
		}}
		result := health.Resolve(matcher.Match(n), at, time.Time{})
		return ToUnhealthy(&disruption.Candidate{RepairPolicyResult: result}, at).Urgency
	}
	near := func(d time.Duration) bool { return d > -time.Millisecond && d < time.Millisecond }
	if d := urgency("Ready", "", 11, now).Sub(now.Add(-10 * time.Minute)); !near(d) {
		t.Errorf("of the lowest rank it is %s later than when the policy was eligible", d)
	}
	if d := urgency("GPU", "x", 11, now).Sub(urgency("Ready", "", 11, now)); !near(d + 30*time.Minute) {
		t.Errorf("one rank is worth %s", -d)
	}
	if d := urgency("GPU", "x", 11, now.Add(time.Hour)).Sub(urgency("GPU", "x", 11, now)); !near(d) {
		t.Errorf("an hour later it is %s later", d)
	}
}

// policies is a cloud that has repair policies.
type policies struct {
	cloudprovider.CloudProvider
	list []cloudprovider.RepairPolicy
}

func (p *policies) RepairPolicies() []cloudprovider.RepairPolicy { return p.list }

// Whatever is offered, and however often: what reboots had a budget at that time, or needed none, and never more goes than budgets allow.
func TestNoRebootBreaksALimit(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		limit, own := rapid.IntRange(0, 3).Draw(r, "limit"), rapid.IntRange(0, 3).Draw(r, "Karpenter's limit")
		g := newGuarded(t, pool("default", DisruptionAnnotation, fmt.Sprintf(`budgets: [{nodes: "%d", reasons: [Unhealthy]}]`, limit)))
		counted := map[string]bool{}
		for i := range rapid.IntRange(1, 8).Draw(r, "nodes") {
			name := fmt.Sprintf("a%d", i)
			action := rapid.SampledFrom([]cloudprovider.RepairAction{cloudprovider.RebootNode, cloudprovider.ReplaceNode}).Draw(r, "action")
			var change []func(*corev1.Node, *v1.NodeClaim)
			if counted[name] = rapid.IntRange(0, 3).Draw(r, "initialized") > 0; !counted[name] {
				change = append(change, uninitialized)
			}
			g.sick("default", name, rapid.IntRange(1, 60).Draw(r, "minutes"), action, change...)
		}
		guard := Guard(repairing(g), g.Cluster)
		inFlight := 0
		for range 10 {
			remaining := max(0, own-inFlight)
			commands, err := guard.ComputeCommands(t.Context(), map[string]int{"default": remaining}, g.offered...)
			if err != nil {
				r.Fatal(err)
			}
			for _, command := range commands {
				c := command.Candidates[0]
				if counted[c.Name()] && inFlight >= min(limit, own) {
					r.Fatalf("%s goes while %d are in flight; the limits are %d and %d", c.Name(), inFlight, limit, own)
				}
				if !command.Reboot {
					g.State.MarkForDeletion(c.ProviderID())
				}
				if counted[c.Name()] || command.Reboot { // what reboots is counted
					inFlight++
				}
				g.offered = slices.DeleteFunc(g.offered, func(of *disruption.Candidate) bool { return of.Name() == c.Name() })
			}
			if len(commands) == 0 {
				return
			}
		}
	})
}
