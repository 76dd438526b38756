package karpenter

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/karpenter/pkg/events"

	"github.com/disruptkit/disruptkit/candidate/kube"
)

func drift() *method { return &method{reason: v1.DisruptionReasonDrifted} }

func consolidation() *method {
	return &method{reason: v1.DisruptionReasonUnderutilized, kind: "single"}
}

func TestAMethodChoosesAmongThoseThatMayBeDisruptedAndThoseThatMayBeDisruptedInPlaceOfThem(t *testing.T) {
	g := newGuarded(t, pool("default", DisruptionAnnotation, `budgets: [{nodes: "2"}]`))
	for i, name := range []string{"a1", "b1", "c1", "a2"} {
		g.node("default", name, 40-i)
	}
	g.node("default", "kept", 50, func(n *corev1.Node, _ *v1.NodeClaim) {
		n.Annotations = map[string]string{v1.DoNotDisruptAnnotationKey: "true"}
	})
	m := drift()
	if got := g.mustCompute(Guard(m, g.Cluster), 5); got != "a1" {
		t.Errorf("started %s", got)
	}
	if diff := cmp.Diff([]string{"a1 b1 c1 a2"}, m.asked); diff != "" {
		t.Error("asked: ", diff)
	}
	if diff := cmp.Diff(map[string]int{"default": 2}, m.budgets); diff != "" {
		t.Error("budgets: ", diff)
	}
	if said := g.said("c1", events.DisruptionBlocked); len(said) > 0 {
		t.Errorf("said of one that could be chosen: %s", said)
	}
}

func TestKarpentersOwnBudgetsRemain(t *testing.T) {
	g := newGuarded(t, pool("default"))
	g.node("default", "a1", 2)
	g.node("default", "a2", 1)
	m := drift()
	m.choose = func(_ map[string]int, cs []*disruption.Candidate) []disruption.Command { return each(cs) }
	if got := g.mustCompute(Guard(m, g.Cluster), 1); got != "a1→1" || m.budgets["default"] != 1 {
		t.Errorf("started %q with %v", got, m.budgets)
	}
	m.asked = nil
	if got := g.mustCompute(Guard(m, g.Cluster), 0); got != "" || len(m.asked) > 0 {
		t.Errorf("started %q, asked %q, where Karpenter allows nothing", got, m.asked)
	}
	if said := g.recorder.Events(); len(said) > 0 {
		t.Errorf("said, although Karpenter says so itself: %v", said)
	}
}

// Events are about what the guard adds to what Karpenter does by itself: one for a pool, and one for a node (and its NodeClaim), if
// it is about that.
func TestEventsReportWhatTheGuardAdds(t *testing.T) {
	const tonight = "pod/outside-schedule: pod default/web may be disrupted only when its disruption schedule allows it: 0 22 * * * for 1h, UTC (until 2026-11-20T22:00:00Z)"
	for name, c := range map[string]struct {
		np        *v1.NodePool
		karpenter int // how many Karpenter allows beside the one in flight
		fill      func(g *guarded)
		want      string
	}{
		"nothing where Karpenter's own budget is used up": {np: ofKarpenter(pool("default"), "1")},
		"nothing where it is 0":                           {np: ofKarpenter(pool("default"), "0")},
		"nothing of the annotation's where Karpenter allows no more nodes, either": {
			np: ofKarpenter(pool("default", DisruptionAnnotation, `budgets: [{nodes: "1"}]`), "1"),
		},
		"one for a pool": {
			np: pool("default", DisruptionAnnotation, `budgets: [{nodes: "1"}]`), karpenter: 9,
			want: "default: 19 nodes are not disrupted for Drifted: budget/exhausted: 1 of 20 nodes may be disrupted at once, 1 in flight or not Ready: disruptkit.dev/disruption budgets[0] is 1",
		},
		"and one for a node that a pod blocks": {
			np: pool("default", DisruptionAnnotation, `budgets: [{nodes: "1"}]`), karpenter: 9,
			fill: func(g *guarded) {
				g.pod("web", "a5", map[string]string{kube.DisruptionScheduleAnnotation: "0 22 * * *"})
			},
			want: "claim-a5: Not disrupted for Drifted/NodePoolDrifted: " + tonight + "; budget/exhausted: 1 of 20 nodes may be disrupted at once, 1 in flight or not Ready: disruptkit.dev/disruption budgets[0] is 1\n" +
				"default: 19 nodes are not disrupted for Drifted: 18 by budget/exhausted: 1 of 20 nodes may be disrupted at once, 1 in flight or not Ready: disruptkit.dev/disruption budgets[0] is 1; 1 by " + tonight,
		},
		"a pod where Karpenter allows no more nodes": {
			np: ofKarpenter(pool("default"), "1"),
			fill: func(g *guarded) {
				g.pod("web", "a5", map[string]string{kube.DisruptionScheduleAnnotation: "0 22 * * *"})
			},
			want: "claim-a5: Not disrupted for Drifted/NodePoolDrifted: " + tonight + "\n" +
				"default: 1 node is not disrupted for Drifted: " + tonight,
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGuarded(t, c.np)
			for i := range 20 {
				g.node("default", fmt.Sprintf("a%d", i), 60-i)
			}
			g.inFlight("a0")
			if c.fill != nil {
				c.fill(g)
			}
			g.mustCompute(Guard(drift(), g.Cluster), c.karpenter)
			var said []string
			for _, e := range g.recorder.Events() {
				object := e.InvolvedObject.(client.Object)
				if _, isNode := object.(*corev1.Node); !isNode {
					said = append(said, object.GetName()+": "+e.Message)
				}
			}
			if diff := cmp.Diff(c.want, strings.Join(said, "\n")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// ofKarpenter gives a NodePool a budget of its own.
func ofKarpenter(np *v1.NodePool, nodes string) *v1.NodePool {
	np.Spec.Disruption.Budgets = []v1.Budget{{Nodes: nodes}}
	return np
}

func TestNodesThatKarpenterDoesNotOfferAreLeftAlone(t *testing.T) {
	g := newGuarded(t, pool("default"))
	for _, name := range []string{"b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8"} {
		g.node("default", name, 0)
	}
	g.offered = nil
	g.node("default", "a1", 0)
	if got := g.mustCompute(Guard(consolidation(), g.Cluster), 9); got != "a1" {
		t.Errorf("started %q", got)
	}
}

func TestNodesThatAreNotKarpentersDoNotMatter(t *testing.T) {
	g := newGuarded(t, pool("default", DisruptionAnnotation, `budgets: [{nodes: 50%}]`))
	unmanaged := &corev1.Node{}
	unmanaged.Name, unmanaged.Spec.ProviderID = "by-hand", "fake://by-hand"
	unmanaged.Annotations = map[string]string{v1.DoNotDisruptAnnotationKey: "yes"}
	if err := g.State.UpdateNode(t.Context(), unmanaged); err != nil {
		t.Fatal(err)
	}
	orphan := &v1.NodeClaim{}
	orphan.Name, orphan.Status.ProviderID = "claim-without-node", "fake://claim-without-node"
	orphan.Labels = map[string]string{v1.NodePoolLabelKey: "default"}
	g.State.UpdateNodeClaim(orphan)
	g.node("default", "a1", 2)
	g.node("default", "a2", 1)
	g.pod("lost", "no-such-node", map[string]string{kube.DoNotDisruptAnnotation: "true"})
	g.pod("misspelt", "by-hand", map[string]string{kube.DisruptionScheduleAnnotation: "at night"})
	m := drift()
	if got := g.mustCompute(Guard(m, g.Cluster), 9); got != "a1" || m.budgets["default"] != 1 {
		t.Errorf("started %q, with budgets %v: half of two nodes is one", got, m.budgets)
	}
	if said := g.said("misspelt", InvalidPolicyEvent); len(said) > 0 {
		t.Errorf("said of a pod that Karpenter does not disrupt: %s", said)
	}
}

func TestCommandsAreCheckedAgainWhenTheyComeBack(t *testing.T) {
	// From 12:00 on, one window is open for 10 seconds more.
	closing := `budgets: [{nodes: "0", schedule: "0 12 * * *", duration: 1h}]`
	for name, c := range map[string]struct {
		annotation string
		meanwhile  func(g *guarded)
		choose     func([]*disruption.Candidate) []disruption.Command
		want       string
	}{
		"a window closes": {
			annotation: closing,
			meanwhile:  func(g *guarded) { g.clock.Step(15 * time.Second) },
			choose:     one,
		},
		"nothing happens": {annotation: closing, meanwhile: func(*guarded) {}, choose: one, want: "a1+a2"},
		"a node is gone, and the others may be deleted": {
			meanwhile: func(g *guarded) { g.State.DeleteNodeClaim("claim-a1") },
			choose:    one,
			want:      "a2",
		},
		"a node is nominated, and a replacement for all is not for the others": {
			meanwhile: func(g *guarded) { g.State.NominateNodeForPod(karpenterContext(g.T), "fake://a1") },
			choose: func(cs []*disruption.Candidate) []disruption.Command {
				return []disruption.Command{{Candidates: cs, Replacements: each(cs)[0].Replacements}}
			},
		},
		"a node is nominated, and the other has a command of its own": {
			meanwhile: func(g *guarded) { g.State.NominateNodeForPod(karpenterContext(g.T), "fake://a1") },
			choose:    each,
			want:      "a2→1",
		},
		"a budget is used up by another node": {
			annotation: `budgets: [{nodes: "2"}]`,
			meanwhile: func(g *guarded) {
				g.node("default", "a3", 0)
				g.inFlight("a3")
			},
			choose: each,
			want:   "a1→1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			np := pool("default")
			if c.annotation != "" {
				np.Annotations[DisruptionAnnotation] = c.annotation
			}
			g := newGuarded(t, np)
			g.clock.SetTime(now.Add(-10 * time.Second))
			m := consolidation()
			g.node("default", "a1", 2)
			g.node("default", "a2", 1)
			m.choose = func(_ map[string]int, cs []*disruption.Candidate) []disruption.Command {
				commands := c.choose(cs)
				c.meanwhile(g)
				return commands
			}
			if got := g.mustCompute(Guard(m, g.Cluster), 5); got != c.want {
				t.Errorf("started %q, not %q", got, c.want)
			}
		})
	}
}

func TestReservationsOfStaticNodePoolsAreGivenBack(t *testing.T) {
	np := pool("default", DisruptionAnnotation, sequential)
	replicas := int64(2)
	np.Spec.Replicas = &replicas
	g := newGuarded(t, np)
	g.node("default", "a1", 2)
	g.node("default", "b1", 1)
	m := drift()
	m.choose = func(map[string]int, []*disruption.Candidate) []disruption.Command {
		g.State.NodePoolState.ReserveNodeCount("default", 4, 2)
		return each(g.offered)
	}
	guard := Guard(m, g.Cluster)
	if got := g.mustCompute(guard, 2); got != "a1→1" {
		t.Fatalf("started %q", got)
	}
	if left := g.State.NodePoolState.ReserveNodeCount("default", 4, 9); left != 1 {
		t.Errorf("%d nodes are left of a limit of 4, with 2 running and 1 started", left)
	}
	g.State.NodePoolState.ReleaseNodeCount("default", 9)
	g.annotate("default", DisruptionAnnotation, onePerHour) // so that only what the method chooses is stored
	g.launches = nil                                        // it is not what this is about that one has failed
	g.refuse(apierrors.NewConflict(schema.GroupResource{}, "", nil))
	if got := g.mustCompute(guard, 2); got != "" || len(m.asked) != 2 {
		t.Fatalf("started %q of %q", got, m.asked)
	}
	if left := g.State.NodePoolState.ReserveNodeCount("default", 4, 9); left != 2 {
		t.Errorf("%d nodes are left of a limit of 4, with 2 running and none started", left)
	}
	g.State.NodePoolState.ReleaseNodeCount("default", 9)
	g.api = nil
	g.clock.Step(firstRetry)
	m.fails = errors.New("simulating scheduling")
	if got, err := g.compute(guard, 2); got != "" || err == nil {
		t.Fatalf("started %q, error %v", got, err)
	}
	if left := g.State.NodePoolState.ReserveNodeCount("default", 4, 9); left != 2 {
		t.Errorf("%d nodes are left of a limit of 4, with 2 running and a method that has failed", left)
	}
	m.fails = nil
	g.clearMemory("default")
	g.refuse(apierrors.NewConflict(schema.GroupResource{}, "", nil))
	m.choose = func(map[string]int, []*disruption.Candidate) []disruption.Command { return one(g.offered) }
	if got := g.mustCompute(guard, 2); got != "" || len(m.asked) != 4 {
		t.Fatalf("started %q of %q", got, m.asked)
	}
	if left := g.State.NodePoolState.ReserveNodeCount("default", 4, 9); left != 0 {
		t.Errorf("%d nodes are left, although a command that replaces none has reserved none", left)
	}
}

// first returns a choice of the first candidate that can start.
func first(can func(name string) bool) func(map[string]int, []*disruption.Candidate) []disruption.Command {
	return func(budgets map[string]int, cs []*disruption.Candidate) []disruption.Command {
		for i, c := range cs {
			if budgets[c.NodePool.Name] > 0 && can(c.Name()) {
				return each(cs[i : i+1])
			}
		}
		return nil
	}
}

func TestANodeThatSharesAPDBWithAnotherPoolMayBeChosen(t *testing.T) {
	g := newGuarded(t, pool("p"), pool("q"))
	g.node("p", "a1", 0)
	g.node("q", "b1", 0)
	g.pod("one", "a1", nil)
	g.pod("two", "b1", nil)
	g.shared(1)
	m := consolidation()
	m.choose = first(func(name string) bool { return name == "b1" })
	if got := g.mustCompute(Guard(m, g.Cluster), 3); got != "b1→1" {
		t.Errorf("started %q, asked for %q with %v", got, m.asked, m.budgets)
	}
}

func TestAMethodMayReturnOddCommands(t *testing.T) {
	for name, c := range map[string]struct {
		choose func(cs []*disruption.Candidate) []disruption.Command
		want   string
	}{
		"the same node twice": {
			func(cs []*disruption.Candidate) []disruption.Command { return append(each(cs[:1]), each(cs[:1])...) }, "a1→1",
		},
		"a command that does nothing": {
			func(cs []*disruption.Candidate) []disruption.Command { return append(one(nil), each(cs[:1])...) }, "a1→1",
		},
		"only a command that does nothing": {func([]*disruption.Candidate) []disruption.Command { return one(nil) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGuarded(t, pool("default"))
			g.node("default", "a1", 3)
			m := drift()
			m.choose = func(_ map[string]int, cs []*disruption.Candidate) []disruption.Command { return c.choose(cs) }
			if got := g.mustCompute(Guard(m, g.Cluster), 3); got != c.want {
				t.Errorf("started %q, not %q", got, c.want)
			}
		})
	}
}

func TestDriftThatWaitsDoesNotMakeConsolidationLookAgain(t *testing.T) {
	g := newGuarded(t, pool("default", DisruptionAnnotation, `budgets: [{nodes: "0", reasons: [Drifted]}]`))
	g.node("default", "a1", 3)
	consolidated := g.State.ConsolidationState()
	g.clock.Step(time.Second)
	g.mustCompute(Guard(drift(), g.Cluster), 3)
	if !g.State.ConsolidationState().Equal(consolidated) {
		t.Error("it looks again")
	}
}

func TestNodesThatKarpenterDoesNotOfferAreNotWaitedForWithoutEnd(t *testing.T) {
	g := newGuarded(t, pool("default", DisruptionAnnotation, sequential))
	g.node("default", "a1", 3)
	g.offered = nil
	g.node("default", "b1", 2)
	m := drift()
	if got := g.mustCompute(Guard(m, g.Cluster), 1); got != "b1" {
		t.Errorf("started %q: nothing rolls in a, and nothing can start there", got)
	}
}

func TestTheMemoryOfAPoolWithoutCandidatesStays(t *testing.T) {
	memory := `{"roll":{"key":"topology.kubernetes.io/zone","domain":"a"}}`
	g := newGuarded(t, pool("other", DisruptionAnnotation, sequential, MemoryAnnotation, memory), pool("default"))
	g.node("default", "a1", 3)
	g.mustCompute(Guard(drift(), g.Cluster), 1)
	if g.memory("other") != memory || g.patches > 0 {
		t.Errorf("the memory is %s, after %d patches", g.memory("other"), g.patches)
	}
}

func TestWhatCannotBeReadBlocksItsPool(t *testing.T) {
	for name, c := range map[string]struct{ annotation, text, want string }{
		"an annotation that nobody knows": {"disruptkit.dev/budget", "1", "it is unknown"},
		"text that is no YAML":            {DisruptionAnnotation, "budgets: [", "did not find expected node content"},
		"a field that nobody knows":       {DisruptionAnnotation, "budget: []", `field "budget"`},
		"a budget that is broken":         {DisruptionAnnotation, `budgets: [{nodes: "many"}]`, `nodes "many"`},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGuarded(t, pool("default", c.annotation, c.text), pool("other"))
			g.node("default", "a1", 2)
			g.node("other", "a2", 1)
			if got := g.mustCompute(Guard(drift(), g.Cluster), 1); got != "a2" {
				t.Errorf("started %q", got)
			}
			if said := strings.Join(g.said("default", events.DisruptionBlocked), "\n"); !strings.Contains(said, c.want) {
				t.Errorf("said of the node: %s", said)
			}
			if said := strings.Join(g.said("default", InvalidPolicyEvent), "\n"); !strings.Contains(said, c.want) {
				t.Errorf("said of the NodePool: %s", said)
			}
		})
	}
}

func TestInvalidAnnotationsOfPodsBlockTheirNodeIfRulesFailClosed(t *testing.T) {
	g := newGuarded(t, pool("default"))
	g.FailClosed = true
	g.node("default", "a1", 1)
	g.pod("misspelt", "a1", map[string]string{kube.DisruptionScheduleAnnotation: "at night"})
	if got := g.mustCompute(Guard(drift(), g.Cluster), 1); got != "" {
		t.Errorf("started %q", got)
	}
}

func TestNodePoolsHaveEventsWhenWindowsOpenAndClose(t *testing.T) {
	g := newGuarded(t, pool("default", DisruptionAnnotation, `budgets: [{nodes: "0", schedule: "0 13 * * *", duration: 1h}]`))
	g.node("default", "a1", 1)
	guard := Guard(drift(), g.Cluster)
	for range 3 {
		g.mustCompute(guard, 1)
		g.clock.Step(time.Hour)
	}
	for _, reason := range []string{"ExitingDisruptionWindow", "EnteringDisruptionWindow"} {
		if said := g.said("default", reason); len(said) != 1 || strings.Contains(said[0], "NodePoolDrifted") {
			t.Errorf("events %s: %q; one of drift is also one of its children", reason, said)
		}
	}
}

func TestConsolidationLooksAgainOnceWhatWasWithheldMayBeDisrupted(t *testing.T) {
	freeze := func(cron string) string {
		return fmt.Sprintf(`budgets: [{nodes: "0", schedule: %q, duration: 2m}]`, cron)
	}
	for name, c := range map[string]struct {
		annotation string // of the pool of one of two nodes
		want       string // at which times the method looks
	}{
		"nothing is withheld":           {`{budgets: [{nodes: "100%"}]}`, "12:00:30"},
		"a node is, from the beginning": {freeze("0 12 * * *"), "12:00:30 12:02:00"},
		"a node is, in between":         {freeze("1 12 * * *"), "12:00:30 12:03:00"},
		"a node is, all the time":       {`{budgets: [{nodes: "0"}]}`, "12:00:30"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGuarded(t, pool("p", DisruptionAnnotation, c.annotation), pool("q"))
			g.node("p", "a1", 0)
			g.node("q", "b1", 0)
			m := consolidation()
			var looks []string
			var consolidated time.Time
			m.choose = func(map[string]int, []*disruption.Candidate) []disruption.Command {
				if state := g.State.ConsolidationState(); !state.Equal(consolidated) {
					consolidated = state
					looks = append(looks, g.clock.Now().Format(time.TimeOnly))
				}
				return nil
			}
			guard := Guard(m, g.Cluster)
			for range 8 {
				g.clock.Step(30 * time.Second)
				g.mustCompute(guard, 9)
			}
			if got := strings.Join(looks, " "); got != c.want || len(m.asked) != 8 {
				t.Errorf("it looked at %s, not at %s, and was asked for %q", got, c.want, m.asked)
			}
		})
	}
}

// While one method is not called, those that have found the cluster consolidated look no further.
func TestAMethodThatIsNotCalledWakesNoOther(t *testing.T) {
	g := newGuarded(t, pool("default", DisruptionAnnotation, `budgets: [{nodes: "0", reasons: [Underutilized]}]`))
	g.node("default", "a1", 0)
	m := consolidation()
	guard := Guard(m, g.Cluster)
	consolidated := g.State.ConsolidationState()
	for range 6 {
		g.clock.Step(10 * time.Second)
		g.mustCompute(guard, 0)
		g.mustCompute(guard, 3)
	}
	if !g.State.ConsolidationState().Equal(consolidated) || len(m.asked) > 0 {
		t.Errorf("others look again; asked for %q", m.asked)
	}
}

func TestTheGuardForwardsWhatKarpenterLooksFor(t *testing.T) {
	g := newGuarded(t)
	m := consolidation()
	guard := Guard(m, g.Cluster)
	setter, ok := guard.(disruption.NodePoolTotalsSetter)
	if !ok {
		t.Fatal("it takes no totals")
	}
	setter.SetNodePoolTotals(map[string]disruption.NodePoolTotals{"default": {TotalCost: 7}})
	if m.totals["default"].TotalCost != 7 {
		t.Errorf("the method got %v", m.totals)
	}
	same := guard.Reason() == m.Reason() && guard.Class() == m.Class() && guard.ConsolidationType() == m.kind
	if !same || !guard.ShouldDisrupt(t.Context(), nil) {
		t.Error("it says something else than the method")
	}
}

func TestAMethodOfAProviderHasItsOwnReason(t *testing.T) {
	g := newGuarded(t, pool("default", DisruptionAnnotation, `budgets: [{nodes: "0", reasons: [Repair]}]`), pool("other"))
	g.node("default", "a1", 2)
	g.node("other", "a2", 1)
	drift := Guard(drift(), g.Cluster)
	if got := g.mustCompute(drift, 1); got != "a2" {
		t.Errorf("started %q for drift, although nobody knows of Repair", got)
	}
	repair := Guard(&method{reason: "Repair"}, g.Cluster)
	if got := g.mustCompute(repair, 1); got != "a2" {
		t.Errorf("started %q for Repair", got)
	}
	if got := g.mustCompute(drift, 1); got != "a1" {
		t.Errorf("started %q for drift, which the budget does not name", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("it went on with a reason that is none")
		}
	}()
	Guard(&method{reason: "all:"}, g.Cluster)
}

func TestARollWaitsForNodesThatKarpenterLeavesAloneAndThenGoesOn(t *testing.T) {
	g := newGuarded(t, pool("default", DisruptionAnnotation, sequential))
	g.node("default", "a1", 3)
	g.node("default", "b1", 2)
	m := drift()
	m.choose = first(func(name string) bool { return name != "a1" }) // there is no space for the pods of that
	guard := Guard(m, g.Cluster)
	started := ""
	var waited time.Duration
	for ; started == "" && waited < time.Hour; waited += time.Minute {
		started = g.mustCompute(guard, 1)
		g.clock.Step(time.Minute)
	}
	if started != "b1→1" || waited < 15*time.Minute || waited > 18*time.Minute {
		t.Errorf("started %q after %v; a roll is patient for 15 minutes", started, waited)
	}
	for i, asked := range m.asked[:10] {
		if asked != "a1" {
			t.Errorf("call %d: asked for %q: a node that was left alone is tried again each time", i, asked)
		}
	}
	if last := m.asked[len(m.asked)-1]; last != "b1 a1" {
		t.Errorf("asked for %q in the end", last)
	}
	if g.patches > 3 {
		t.Errorf("%d patches: the memory is written only when it changes", g.patches)
	}
}
